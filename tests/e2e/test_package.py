"""The package as an office gets it: a wheel, alone in a clean environment, serves an agent with its own servers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from tests.conftest import AUTHORITIES
from tests.daemon import HEAD, SERVERS, Daemon, call, final, server_entry
from tests.docs.pages import DOCS, titled
from tests.e2e.test_slow_languages import ANSWERS, VALUES

ROOT = Path(__file__).parents[2]
SOURCES = ("agentd", "bridges", "clients", "hardening", "servers", "profiles", "systemd", "pyproject.toml", "README.md")
UV = str(Path(sys.executable).with_name("uv"))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built by the command of docs/operations.md, in a copy, so that nothing of an earlier build gets in."""
    folder = tmp_path_factory.mktemp("source")
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, folder / name)
    done(sys.executable, "-m", "build", "--wheel", "--no-isolation", cwd=folder)
    (built,) = (folder / "dist").glob("agentd-*.whl")
    return built


def done(*command: str, cwd: Path) -> str:
    """What it said; its exit code is 0."""
    left = ("PYTHONPATH", "VIRTUAL_ENV", "SSL_CERT_FILE")
    clean = {key: value for key, value in os.environ.items() if key not in left}
    clean |= {"SSL_CERT_FILE": AUTHORITIES} if AUTHORITIES else {}
    run = subprocess.run(command, cwd=cwd, env=clean, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def serves(clean: Path, folder: Path) -> None:
    """A daemon of this environment answers, with a tool."""
    daemon = Daemon(folder, [call("get_current_time"), final("Selesai")], HEAD + SERVERS["time"])
    daemon.program = clean / "bin" / "agentd"
    daemon.start(cwd=folder)
    try:
        outcome = daemon.call("Agent.run", prompt="Pukul berapa?")
        assert (outcome["response"], [step["success"] for step in outcome["steps"]]) == ("Selesai", [True])
    finally:
        daemon.kill(15)


def test_every_file_that_is_not_code_is_in_the_wheel(wheel: Path) -> None:
    packed = set(zipfile.ZipFile(wheel).namelist())
    tracked = done(
        "git", "ls-files", "agentd", "bridges", "clients", "hardening", "servers", "profiles", cwd=ROOT
    ).split()
    assert [name for name in tracked if name not in packed] == []
    assert [name for name in packed if name.startswith(("tests/", "lab/bench/", "lab/drill/", "lab/eval/"))] == []


@pytest.mark.timeout(1800)  # an environment of some 190 packages
def test_installed_in_a_clean_environment_it_serves(wheel: Path, tmp_path: Path) -> None:
    clean = tmp_path / "clean"
    done(UV, "venv", "--quiet", "--python", sys.executable, str(clean), cwd=tmp_path)
    python = str(clean / "bin" / "python")
    lock = str(ROOT / "requirements.lock")
    done(UV, "pip", "sync", "--quiet", "--python", python, "--require-hashes", lock, cwd=tmp_path)
    done(UV, "pip", "install", "--quiet", "--python", python, "--no-deps", str(wheel), cwd=tmp_path)
    where = done(
        python, "-c", "import agentd, bridges, clients, hardening, servers; print(agentd.__file__)", cwd=tmp_path
    )
    assert where.startswith(str(clean))
    program = str(clean / "bin" / "agentd")
    done(program, "init", "campus", "own", cwd=tmp_path)
    done(program, "config", "check", "--config", "own/client.toml", cwd=tmp_path)
    serves(clean, tmp_path)


def test_an_office_without_the_extra_for_meaning_issues_letters(wheel: Path, tmp_path: Path) -> None:
    """Of field names that nobody knows, and asked for in a language that no pack reads; doctor says what is missing."""
    clean = tmp_path / "office"
    done(UV, "venv", "--quiet", "--python", sys.executable, str(clean), cwd=tmp_path)
    python, versions = str(clean / "bin" / "python"), str(ROOT / "requirements.lock")
    extras = f"agentd[letters,residents] @ {wheel.as_uri()}"
    done(UV, "pip", "install", "--quiet", "--python", python, "--constraint", versions, extras, cwd=tmp_path)
    page = titled(DOCS / "evidence-examples.md")
    (tmp_path / "clinic.py").write_text(page["clinic.py"])
    talk = tomllib.loads(page["clinic.toml"])["talk"][0]
    note, letter = call("issue_sick_note", **talk["call"]), call("generate_surat_keterangan_domisili", **VALUES)
    turns = [note, *[letter, final("教えてください。")] * 15]
    servers = SERVERS["certificate"] + server_entry("clinic", tmp_path / "clinic.py", start_timeout_s=120)
    daemon = Daemon(tmp_path, turns, HEAD + servers)
    daemon.program = clean / "bin" / "agentd"
    daemon.start(cwd=tmp_path)
    try:
        waits = daemon.call("Agent.run", prompt=" ".join(one for one in talk["said"] if not one.startswith("A: ")))
        noted = daemon.approve(waits)
        told = daemon.call("Agent.run", prompt="こんにちは、住所の証明書が必要です", session_id="amina")
        while told["status"] == "completed":
            answer = ANSWERS[told["steps"][-1]["output"]["asked"]]
            told = daemon.call("Agent.run", prompt=answer, session_id="amina")
        issued = daemon.approve(told)
    finally:
        daemon.kill(15)
    assert [one["success"] for one in noted["steps"] if one["tool"] == "issue_sick_note"] == [True]
    assert (issued["status"], len(issued["artifacts"])) == ("completed", 1)
    program = str(clean / "bin" / "agentd")
    (tmp_path / "tool.json").write_text('{"type": "object", "properties": {"whereto": {"type": "string"}}}')
    assert done(program, "tools", "check", "tool.json", cwd=tmp_path) == "0 mistakes\n"
    doctor = subprocess.run([program, "doctor"], cwd=tmp_path, capture_output=True, text=True).stdout
    assert "pip install 'agentd[meaning]'" in doctor


def test_the_core_is_small_serves_and_says_what_installs_the_rest(wheel: Path, tmp_path: Path) -> None:
    """Issue 16: at most 60 packages and 120 MB (as downloaded, before anything is compiled)."""
    clean = tmp_path / "core"
    done(UV, "venv", "--quiet", "--python", sys.executable, str(clean), cwd=tmp_path)
    python = str(clean / "bin" / "python")
    versions = str(ROOT / "requirements.lock")
    done(UV, "pip", "install", "--quiet", "--python", python, "--constraint", versions, str(wheel), cwd=tmp_path)
    packages = list(clean.glob("lib/*/site-packages/*.dist-info"))
    size = sum(path.lstat().st_size for path in clean.rglob("*") if "__pycache__" not in path.parts)
    assert len(packages) <= 60
    assert size <= 120e6

    serves(clean, tmp_path)
    look = [clean / "bin" / "agentd", "doctor", "--listen", "127.0.0.1:0"]
    doctor = subprocess.run(look, cwd=tmp_path, capture_output=True, text=True).stdout
    for what, extra in (("certificate", "letters"), ("mysql_mcp_server", "analytics"), ("llamacpp", "embedded")):
        (line,) = [line for line in doctor.splitlines() if line.startswith("· ") and f" {what}: " in line]
        assert line.endswith(f"run: pip install 'agentd[{extra}]'")
    lone = subprocess.run([clean / "bin" / "text2cypher"], cwd=tmp_path, capture_output=True, text=True)
    assert lone.stderr == "not installed: ladybug, llguidance; run: pip install 'agentd[graph]'\n"
    for command, extra in (
        (["-m", "servers.certificate"], "letters"),
        (["-m", "servers.mysql"], "analytics"),
        (["-m", "servers.text2cypher"], "graph"),
        (["-c", "import sys; from agentd.cli import main; sys.exit(main(['top']))"], "terminal"),
    ):
        run = subprocess.run([python, *command], cwd=tmp_path, capture_output=True, text=True)
        assert run.returncode == 1, command
        assert run.stderr.splitlines()[-1].endswith(f"run: pip install 'agentd[{extra}]'"), run.stderr
