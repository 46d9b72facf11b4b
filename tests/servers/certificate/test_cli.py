"""`python -m servers.certificate letters …`, which `agentd letters …` runs (design.md: exit 0 only if genuine)."""

from __future__ import annotations

from pathlib import Path

import pytest

from servers.certificate.cli import main
from servers.certificate.register.records import Consent
from tests.servers.certificate.letters import issue, open_service, void


@pytest.mark.slow
def test_verify_exits_0_only_for_a_genuine_letter(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    service = open_service(tmp_path)
    letter = Path(issue(service).path)
    service.close()
    assert main(["verify", str(letter), "--state", str(tmp_path)]) == 0
    assert "genuine:" in capsys.readouterr().out
    changed = tmp_path / "changed.pdf"
    changed.write_bytes(letter.read_bytes() + b"\n")
    assert main(["verify", str(changed), "--state", str(tmp_path)]) == 1
    assert "ditambahkan" in capsys.readouterr().out
    assert main(["verify", str(tmp_path / "none.pdf"), "--state", str(tmp_path)]) == 2


@pytest.mark.slow
def test_a_letter_of_another_office_is_not_genuine_here(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    service = open_service(tmp_path / "there")
    letter = issue(service).path
    service.close()
    assert main(["verify", letter, "--state", str(tmp_path / "here")]) == 1
    assert "tidak ditandatangani oleh kantor ini" in capsys.readouterr().out
    assert not (tmp_path / "here/letters/office").exists(), "looking at a letter makes no key"


def test_init_makes_a_key_once_and_renew_replaces_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state = ["--state", str(tmp_path)]
    assert main(["init", *state]) == 0
    first = (tmp_path / "letters/office/office.cert.pem").read_bytes()
    assert main(["init", *state]) == 2
    assert "--renew" in capsys.readouterr().err
    assert main(["init", "--renew", *state]) == 0
    assert (tmp_path / "letters/office/office.cert.pem").read_bytes() != first


def test_list_shows_the_register_without_full_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    service = open_service(tmp_path)
    letter = issue(service, consent=Consent(approved_by="kiosk"))
    void(service, letter, "salah alamat", "meja-1")
    service.close()
    assert main(["list", "--state", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert shown.rstrip("\n").split("\t")[-3:] == ["kiosk", "meja-1", "salah alamat"]
    assert "001/SKD/CONTOH/III/2026" in shown and "S*** R***" in shown and "Siti" not in shown


def test_a_register_without_letters_says_so_beside_the_list(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--state", str(tmp_path)]) == 0
    shown = capsys.readouterr()
    assert shown.out == "", "what reads the list finds no line"
    assert "No letter has been issued yet" in shown.err


@pytest.mark.parametrize("words", [["audit"], ["list"], ["repair"]])
def test_a_state_folder_that_is_not_there_is_no_sound_register(
    tmp_path: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, "--state", str(tmp_path / "typo")]) == 2
    assert f"there is no state folder {tmp_path}/typo" in capsys.readouterr().err
