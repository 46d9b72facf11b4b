"""The systemd units that `agentd install` writes, judged by systemd's own tools."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from agentd import config
from agentd.apps.setup.install_command import CannotInstall, check_reachable, units
from agentd.config.shipped import PROFILES
from tests.daemon import AGENTD, HEAD, SERVERS

WAIT_S = 300.0
KEYED = HEAD.replace('type = "scripted"', 'type = "scripted"\napi_key = "OFFICE_KEY"')
NODE = '[[servers]]\nname = "everything"\ncommand = "npx"\nargs = ["some-server"]\n'


def written(folder: Path, text: str, *, system: bool) -> dict[str, Path]:
    """The units for this machine, below a folder: {name: file}."""
    (folder / "client.toml").write_text(text)
    made = units(config.load(folder / "client.toml"), Path(sys.executable).with_name("agentd"), system=system)
    files = {path.name: folder / path.name for path in made}
    for path, content in made.items():
        files[path.name].write_text(content)
    return files


def analyze(*words: str | Path, **env: str) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, **env}
    return subprocess.run(["systemd-analyze", *words], capture_output=True, text=True, timeout=WAIT_S, env=environ)


@pytest.mark.parametrize("system", [True, False], ids=["system", "user"])
def test_the_units_have_no_mistake(tmp_path: Path, system: bool) -> None:
    files = written(tmp_path, KEYED + SERVERS["time"], system=system)
    whose = "--system" if system else "--user"
    for name in ("agentd.service", "agentd.socket"):
        checked = analyze(
            "verify", whose, "--man=no", "--recursive-errors=one", files[name], XDG_RUNTIME_DIR=str(tmp_path)
        )
        assert (checked.returncode, checked.stderr) == (0, "")


def test_the_service_exposes_little(tmp_path: Path) -> None:
    files = written(tmp_path, HEAD + SERVERS["time"], system=True)
    analysed = analyze("security", "--offline=true", "--no-pager", files["agentd.service"])
    found = re.search(r"Overall exposure level for agentd.service: ([\d.]+)", analysed.stdout)
    assert found is not None, analysed.stderr
    assert float(found[1]) <= 1.3


def test_a_server_may_have_a_user_of_its_own(tmp_path: Path) -> None:
    """`install --system` writes the template for this machine's program: copied by hand it named another folder's."""
    text = written(tmp_path, HEAD + SERVERS["time"], system=True)["agentd-server@.service"].read_text()
    assert "DynamicUser=yes" in text and "LoadCredential=http_token:" in text
    assert f"ExecStart={Path(sys.executable).with_name('python')} -m servers.%i" in text
    unit = tmp_path / "agentd-server@mysql.service"
    unit.write_text(text)
    checked = analyze("verify", "--man=no", "--recursive-errors=one", unit, XDG_RUNTIME_DIR=str(tmp_path))
    assert (checked.returncode, checked.stderr) == (0, "")
    analysed = analyze("security", "--offline=true", "--no-pager", unit)
    found = re.search(r"Overall exposure level for agentd-server@mysql.service: ([\d.]+)", analysed.stdout)
    assert found is not None and float(found[1]) <= 1.3, analysed.stdout[-300:] + analysed.stderr


def test_each_key_that_the_configuration_names_is_a_credential(tmp_path: Path) -> None:
    service = written(tmp_path, KEYED, system=True)["agentd.service"].read_text()
    assert "LoadCredential=OFFICE_KEY:/etc/agentd/credentials/OFFICE_KEY\nSetCredential=OFFICE_KEY:\\n\n" in service
    assert "GEMINI" not in service


def test_each_servers_credential_is_the_services_too(tmp_path: Path) -> None:
    named = HEAD + SERVERS["certificate"] + 'credentials = ["office_key_passphrase"]\n'
    remote = (
        '[[servers]]\nname = "books"\nurl = "http://127.0.0.1:9/mcp"\nheaders = { Authorization = "Bearer ${books}" }\n'
    )
    service = written(tmp_path, named + remote, system=True)["agentd.service"].read_text()
    for name in ("office_key_passphrase", "books"):
        assert f"LoadCredential={name}:/etc/agentd/credentials/{name}\n" in service
        assert f"SetCredential={name}:\\n\n" in service


def test_a_server_on_node_brings_its_drop_in(tmp_path: Path) -> None:
    assert "node.conf" not in written(tmp_path, HEAD + SERVERS["time"], system=True)
    files = written(tmp_path, HEAD + NODE, system=True)
    assert "MemoryDenyWriteExecute=no" in files["node.conf"].read_text()


@pytest.mark.parametrize("hidden", ["/home/budi/agentd/.venv/bin/agentd", "/root/.venv/bin/agentd"])
def test_a_program_that_the_service_could_not_see_is_not_installed(hidden: str) -> None:
    with pytest.raises(CannotInstall, match="/opt/agentd"):
        check_reachable(Path(hidden))


def test_install_writes_its_files_and_says_what_comes_next(tmp_path: Path) -> None:
    (tmp_path / "client.toml").write_text(HEAD + SERVERS["time"])
    command = [AGENTD, "install", "--user", "--config", tmp_path / "client.toml"]
    environ = {**os.environ, "HOME": str(tmp_path / "budi"), "XDG_CONFIG_HOME": ""}
    done = subprocess.run(command, capture_output=True, text=True, timeout=WAIT_S, env=environ)
    assert done.returncode == 0, done.stderr
    folder = tmp_path / "budi" / ".config"
    assert (folder / "agentd" / "client.toml").read_text() == HEAD + SERVERS["time"]
    assert f"ExecStart={AGENTD} serve" in (folder / "systemd" / "user" / "agentd.service").read_text()
    assert "systemctl --user daemon-reload" in done.stdout


def test_an_office_of_ones_own_is_installed_with_its_letters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    program = Path(sys.executable).with_name("agentd")
    for office, own in (("campus", True), ("kelurahan", False)):
        made = units(config.load(PROFILES / office / "client.toml"), program, system=False)
        there = {path.relative_to(tmp_path / "home" / "agentd").as_posix() for path in made if "agentd/" in str(path)}
        assert "client.toml" in there
        assert ("office.toml" in there, "letters/transcript_request/letter.txt" in there) == (own, own)


def test_what_an_office_wrote_is_installed_whole_and_no_secret_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    office = tmp_path / "office"
    shutil.copytree(PROFILES / "campus", office)
    written = ("toko.toml", "letters/kinds.toml")
    client = office / "client.toml"
    client.write_text(
        client.read_text() + '\n[books]\nurl = "sqlite+aiosqlite:////srv/shop.db"\nglossary = "toko.toml"\n'
    )
    for name in (*written, "notes.toml", "credentials/books_account", "state/access.json"):
        (office / name).parent.mkdir(exist_ok=True)
        (office / name).write_text("")
    made = units(config.load(office / "client.toml"), Path(sys.executable).with_name("agentd"), system=False)
    there = {str(path.relative_to(tmp_path / "home" / "agentd")) for path in made if path.parent.name != "user"}
    assert {name for name in there if not name.endswith(("letter.toml", "letter.txt"))} == {
        "client.toml",
        "office.toml",
        *written,
    }
