"""Every command says how it is used (issue 21: `agentd letters --help` was an unknown argument)."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

import pytest

from agentd.apps.setup.completion_command import SCRIPTS, candidates
from agentd.cli import COMMANDS, main

SHIPPED = str(Path(__file__).parents[3] / "config" / "client.toml")
OF_SERVERS = ("letters", "residents")
ALL = {*COMMANDS, *(entry.name for entry in entry_points(group="agentd.commands") if "." not in entry.name)}


@pytest.mark.parametrize("name", sorted(ALL - set(OF_SERVERS)))
def test_a_command_says_how_it_is_used(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main([name, "--help"])
    assert left.value.code == 0 and f"usage: agentd {name}" in capsys.readouterr().out
    for word in (one for one in candidates([name, ""]) if not one.startswith("-") and one not in SCRIPTS):
        with pytest.raises(SystemExit) as left:
            main([name, word, "--help"])
        assert left.value.code == 0 and f"usage: agentd {name}" in capsys.readouterr().out, word


def test_a_strangers_broken_command_harms_no_other(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = EntryPoint("loket", "agentd.nowhere", "agentd.commands")
    monkeypatch.setattr("agentd.cli.installed", lambda _: {"loket": broken})
    said = "the command `loket` (agentd.nowhere) cannot be loaded: ModuleNotFoundError"
    assert main(["loket"]) == 1
    assert capsys.readouterr().err.startswith(f"agentd loket: {said}")
    assert main([]) == 2
    shown = " ".join(capsys.readouterr().out.split())
    assert said in shown and "run the daemon" in shown


@pytest.mark.slow
@pytest.mark.parametrize(("name", "word"), [("letters", "verify"), ("residents", "import")])
def test_a_servers_command_says_what_its_server_takes(
    name: str, word: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("AGENTD_CONFIG", SHIPPED)
    monkeypatch.setenv("AGENTD_STATE", str(tmp_path))
    monkeypatch.setattr("os.umask", lambda _: 0)  # this process is the tests' too
    assert main([name, "--help"]) == 0
    said = capfd.readouterr().out
    assert f"usage: agentd {name}" in said and word in said
