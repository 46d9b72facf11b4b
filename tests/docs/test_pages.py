"""The pages are true: their links lead somewhere, what they name exists, their examples run (issue 9, Docs)."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lab.tools.__main__ import PAGES as PAGES_FROM_CODE
from lab.tools.__main__ import write
from servers.certificate.letters.checking import check
from tests.daemon import HEAD, SERVERS, TOKEN, Daemon, RpcFailed, call, final, one_daemon, running
from tests.docs.pages import DOCS, PAGES, ROOT, blocks, name, prose, rendered, titled
from tests.http_server import Handler, serving

BIN = Path(sys.executable).parent
DEFAULT = "127.0.0.1:8765"
PLACES = r"(?:agentd|bridges|hardening|servers|systemd|tests|lab|profiles|config)/"
NOT_RUN = {
    "agentd models pull": "tests/agentd/apps/setup/test_models.py runs it, on small files",
    "agentd serve": "the daemon that the others call",
}
"""What the README tells to run and is not run here, and why."""

every_page = pytest.mark.parametrize("page", PAGES, ids=name)


# ── what pages name ──────────────────────────────────────────────────────────────────────────────────────────────────


@every_page
def test_every_link_leads_to_a_file(page: Path) -> None:
    targets = re.findall(r"\]\(([^)\s]+)\)", prose(page))
    relative = [target.partition("#")[0] for target in targets if not re.match(r"\w+:", target)]
    files = [page.parent / target for target in relative if target]
    assert [file for file in files if not file.exists() and not rendered(file)] == []


@every_page
def test_every_file_and_every_test_that_is_named_exists(page: Path) -> None:
    missing = []
    for place, function in re.findall(rf"`({PLACES}[\w./-]*(?:\.\w+|/))(?:::(test_\w+))?`", prose(page)):
        file = ROOT / place
        if not file.exists() or (function and f"def {function}(" not in file.read_text(encoding="utf-8")):
            missing.append(f"{place}::{function}" if function else place)
    assert missing == []


@every_page
def test_json_and_toml_are_what_they_say(page: Path) -> None:
    for block in blocks(page):
        if block.language == "toml":
            tomllib.loads(block.text)
        elif block.language == "json":
            for value in [block.text] if not block.text.startswith('{"jsonrpc"') else block.text.splitlines():
                json.loads(value)


def test_the_site_builds_strictly_and_fetches_nothing_from_elsewhere(tmp_path: Path) -> None:
    write(PAGES_FROM_CODE)
    command = [BIN / "mkdocs", "build", "--strict", "--site-dir", tmp_path]
    built = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, capture_output=True, text=True, timeout=300
    )
    assert built.returncode == 0, built.stdout + built.stderr
    fetched = re.compile(r"<(?:script|img|iframe)[^>]+src=\"https?:|<link[^>]+rel=\"stylesheet\"[^>]+href=\"https?:")
    for file in tmp_path.rglob("*.html"):
        assert not fetched.search(file.read_text(encoding="utf-8")), file.name


# ── the README's commands ────────────────────────────────────────────────────────────────────────────────────────────

COMMANDS = [
    line.split("  #")[0].strip()
    for block in blocks(ROOT / "README.md")
    if block.language == "sh"
    for line in block.text.splitlines()
    if line.strip()
]


office = one_daemon(final("Selamat siang! Ada yang bisa kami bantu?"))
"""The daemon that the README's reader has started."""


@pytest.mark.parametrize("command", [command for command in COMMANDS if command not in NOT_RUN])
def test_a_command_of_the_readme_does_what_is_told(command: str, office: Daemon) -> None:
    listening = office.url.removeprefix("http://")
    program, *words = shlex.split(command.replace(DEFAULT, listening))
    env = {
        **os.environ,
        "AGENTD_STATE": str(office.state),
        "AGENTD_LISTEN": listening,
        "AGENTD_TOKEN": TOKEN,
        "JSONRPC_TOKEN": TOKEN,
    }
    done = subprocess.run(
        [BIN / program, *words],
        cwd=ROOT,
        env=env,
        input="Selamat siang\n/exit\n",
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    assert "Traceback" not in done.stderr


def test_what_is_not_run_is_still_told_there() -> None:
    assert NOT_RUN.keys() <= set(COMMANDS)


# ── the worked examples ──────────────────────────────────────────────────────────────────────────────────────────────


def test_the_server_of_the_page_acts_once_for_each_key(tmp_path: Path) -> None:
    files = titled(DOCS / "writing-a-server.md")
    (tmp_path / "antrean.py").write_text(files["antrean.py"])
    config = HEAD + files["client.toml"].replace("/opt/antrean", str(tmp_path)).replace("biggest = 60", "biggest = 2")
    turns = (call("take_queue_number", counter="A"), final("Nomor Anda 1."))
    with running(tmp_path, *turns, config=config) as daemon:
        (tool,) = daemon.call("Tools.list")["tools"]
        assert tool["input_schema"]["properties"]["counter"]["enum"] == ["A", "B"]
        asked = daemon.call("Agent.run", prompt="Minta nomor antrean loket A", run_id="once")
        assert asked["status"] == "needs_approval"
        first = daemon.approve(asked)
        assert first["steps"][0]["output"] == {"number": 1}
        assert daemon.call("Agent.run", prompt="Minta nomor antrean loket A", run_id="once")["steps"] == first["steps"]
        assert daemon.call("Tools.call", tool="take_queue_number", input={"counter": "A"})["output"] == {"number": 2}
        with pytest.raises(RpcFailed, match="sudah habis"):
            daemon.call("Tools.call", tool="take_queue_number", input={"counter": "A"})
        assert daemon.call("Tools.call", tool="take_queue_number", input={"counter": "B"})["output"] == {"number": 1}


@contextmanager
def model_server(*texts: str) -> Iterator[tuple[str, list[dict[str, object]]]]:
    """A server of the wire that the page's bridge speaks: its address, and what it was asked."""
    asked: list[dict[str, object]] = []

    class Endpoint(Handler):
        def do_POST(self) -> None:
            asked.append(json.loads(self.body()))
            text = texts[len(asked) - 1] if len(asked) <= len(texts) else None
            self.answer("{}", status=503) if text is None else self.answer(json.dumps({"text": text}))

    with serving(Endpoint) as url:
        yield url, asked


def test_the_letter_of_the_page_has_no_mistake(tmp_path: Path) -> None:
    folder = tmp_path / "surat_keterangan_hewan"
    folder.mkdir()
    for name_, text in titled(DOCS / "letters" / "README.md").items():
        (folder / name_).write_text(text, encoding="utf-8")
    assert sorted(path.name for path in folder.iterdir()) == ["letter.toml", "letter.txt"]
    shipped = sorted((ROOT / "profiles" / "kelurahan" / "letters").iterdir())
    assert list(check([*shipped, folder], ())) == []


def test_every_key_of_a_letter_and_every_part_of_an_app_is_on_its_page() -> None:
    from agentd.application import App
    from servers.certificate.letters.lettertype import LetterField, LetterType

    letters = (DOCS / "letters" / "README.md").read_text()
    keys = {*LetterType.model_fields, *LetterField.model_fields} - {
        "key",
        "text",
        "declared",
    }  # a folder, a file; set by us
    assert sorted(key for key in keys if not re.search(rf"\b{key}\b( = |`|\.|\])", letters)) == []
    app = (DOCS / "writing-an-app.md").read_text()
    assert [name for name in dir(App) if not name.startswith("_") and f"`{name}" not in app] == []


def install(folder: Path, files: dict[str, str]) -> None:
    """The page's package, built and installed into the folder."""
    source = folder.parent / "source"
    source.mkdir()
    for name_, text in files.items():
        (source / name_).parent.mkdir(exist_ok=True)
        (source / name_).write_text(text)
    pip = [Path(sys.executable).with_name("uv"), "pip", "install", "--quiet", "--offline", "--python", sys.executable]
    subprocess.run([*pip, "--no-deps", "--no-build-isolation", "--target", folder, source], check=True)


def test_the_bridge_of_the_page_is_found_by_its_entry_point_and_answers_in_the_chain(tmp_path: Path) -> None:
    """A third party adds a provider without touching this repository (design, Who may import whom)."""
    files = titled(DOCS / "writing-a-bridge.md")
    packages = tmp_path / "packages"
    packages.mkdir()
    install(packages, files)
    with model_server(json.dumps(final("Dari model balai."))) as (address, asked):
        provider = files["client.toml"].replace("http://127.0.0.1:9100", address)
        config = HEAD.replace('default_provider = "scripted"', 'default_provider = "balai"') + provider
        env = {"PYTHONPATH": str(packages)}
        with running(tmp_path, final("Dari naskah."), config=config + SERVERS["time"], env=env) as daemon:
            answer = daemon.call("Agent.run", prompt="Selamat siang")
            assert (answer["response"], answer["provider"], answer["model"]) == (
                "Dari model balai.",
                "balai",
                "balai-1",
            )
            assert asked[0]["style"] == "formal"
            assert asked[0]["schema"]
            answer = daemon.call("Agent.run", prompt="Selamat siang")
            assert (answer["response"], answer["provider"]) == ("Dari naskah.", "scripted")
            assert [(passed["provider"], passed["kind"]) for passed in answer["fallbacks"]] == [
                ("balai", "unavailable")
            ]
            states = {one["id"]: one for one in daemon.call("Models.list")["providers"]}
            assert states["balai"]["error"]


def test_the_tool_host_of_the_page_takes_the_place_of_the_shipped_one(tmp_path: Path) -> None:
    packages = tmp_path / "packages"
    packages.mkdir()
    install(packages, titled(DOCS / "writing-a-bridge.md"))
    ask = {"action": "call_tool", "tool": "opening_hours", "input": {}}
    config = 'tool_host = "balai"\n' + HEAD
    with running(tmp_path, ask, final("Buka."), config=config, env={"PYTHONPATH": str(packages)}) as daemon:
        (step,) = daemon.call("Agent.run", prompt="Buka jam berapa?")["steps"]
        assert (step["server"], step["output"]) == ("balai", {"open": "08.00-15.00"})


def test_the_app_of_the_page_brings_each_of_its_parts(tmp_path: Path) -> None:
    """Issue 22: an own app by docs alone: method, command, page, policy, tool, section."""
    files = titled(DOCS / "writing-an-app.md")
    section = files.pop("client.toml")
    server = titled(DOCS / "writing-a-server.md")
    (tmp_path / "antrean.py").write_text(server["antrean.py"])
    packages = tmp_path / "packages"
    packages.mkdir()
    modules = {f"agentd_loket/{name_}": text for name_, text in files.items() if name_ != "pyproject.toml"}
    install(packages, {"pyproject.toml": files["pyproject.toml"], "agentd_loket/__init__.py": "", **modules})
    config = HEAD + section + server["client.toml"].replace("/opt/antrean", str(tmp_path))
    env = {"PYTHONPATH": str(packages), "AGENTD_CLOCK": "2026-12-24T15:00:00+07:00"}
    turns = (call("opening_hours", days=1), final("Besok tutup."))
    tomorrow = {"day": "2026-12-25", "opens": None, "closes": None}
    with running(tmp_path, *turns, config=config, env=env) as daemon:
        assert daemon.call("Loket.hours", days=1) == tomorrow
        (step,) = daemon.call("Agent.run", prompt="Besok buka?")["steps"]
        assert (step["server"], step["output"]) == ("loket", tomorrow)
        with pytest.raises(RpcFailed, match="Loket sedang tutup"):
            daemon.call("Tools.call", tool="take_queue_number", input={"counter": "A"})
        assert "08:00 sampai 14:30" in daemon.request("/jam").read().decode()
        words = ["loket", "--config", str(daemon.config), "--state", str(daemon.state), "--listen", daemon.url[7:]]
        done = subprocess.run(
            [BIN / "agentd", *words], env={**os.environ, **env, "AGENTD_TOKEN": TOKEN}, capture_output=True, text=True
        )
        assert (done.returncode, done.stdout) == (0, "2026-12-24 08:00 to 14:30\n"), done.stderr
