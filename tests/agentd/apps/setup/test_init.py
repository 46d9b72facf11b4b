"""`agentd init`: an office of one's own from each that ships."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentd import config
from agentd.apps.setup.init_command import profiles
from agentd.cli import main
from agentd.config.shipped import PROFILES
from servers.certificate.letters.checking import check
from servers.certificate.office import load

SCHEMA = "client.schema.json"


def test_two_offices_ship() -> None:
    assert profiles() == ["campus", "kelurahan"]


@pytest.mark.parametrize("profile", profiles())
def test_an_office_of_ones_own_is_whole_and_right(
    profile: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = tmp_path / "own"
    assert main(["init", profile, str(own)]) == 0
    assert f"export AGENTD_CONFIG={own / 'client.toml'} AGENTD_STATE={own / 'state'}\n" in capsys.readouterr().out
    made = {file.relative_to(own) for file in own.rglob("*") if file.is_file()}
    there = {file.relative_to(PROFILES / profile) for file in (PROFILES / profile).rglob("*") if file.is_file()}
    assert made == there | {Path(SCHEMA)}
    settings = config.load(own / "client.toml", state=str(tmp_path / "state"), environ={})
    assert settings.warnings == () and settings.examples
    assert (own / "client.toml").read_text(encoding="utf-8").startswith(f"#:schema {SCHEMA}\n")
    assert list(check(sorted((own / "letters").iterdir()), load(own / "office.toml").signers)) == []


def test_a_folder_that_holds_something_is_left_as_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    assert main(["init", "campus", str(tmp_path)]) == 1
    assert "is not empty" in capsys.readouterr().err
    assert [file.name for file in tmp_path.iterdir()] == ["mine.txt"]


@pytest.mark.slow  # it runs the server's own command
@pytest.mark.parametrize("words", [["--config", "CONFIG", "check"], ["check", "--config", "CONFIG"]])
def test_a_servers_command_takes_the_configuration_before_its_words_or_behind_them(
    words: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["init", "campus", "own"]) == 0
    assert main(["letters", *(word.replace("CONFIG", "own/client.toml") for word in words)]) == 0
    assert "2 letters, 0 mistakes" in capfd.readouterr().out
