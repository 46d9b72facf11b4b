"""Register and journal cut off, as a broken disk or a half copied folder leaves them: named, and nothing is issued."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from servers.certificate.cli import main
from servers.certificate.issuing.issuing import LetterService
from servers.certificate.maintenance.audit import audit
from servers.certificate.register.chain import Entry
from tests.servers.certificate.letters import DOMISILI, issue, open_service
from tests.servers.certificate.test_standing import copy_of, put_back, refused


@pytest.mark.parametrize("left", [0.3, 0.5, 0.7])
def test_a_journal_cut_in_half_is_named_and_nothing_is_issued_until_it_is_mended(
    service: LetterService, tmp_path: Path, left: float
) -> None:
    for rt in "123":
        issue(service, DOMISILI | {"rt": rt})
    service.close()
    os.truncate(service.journal.file, int(service.journal.file.stat().st_size * left))
    cut = service.journal.file.read_bytes()
    again = open_service(tmp_path)
    assert refused(again) == "journal_cut" and service.journal.file.read_bytes() == cut
    assert "was cut off" in " ".join(one.what for one in audit(again) if one.mark == "fault")
    assert main(["repair", "--yes", "--state", str(tmp_path)]) == 0
    assert [one.hash for one in again.journal.entries()] == [one.hash for one in again.ledger.entries()]
    assert issue(again, DOMISILI | {"rt": "9"}).number.startswith("004/")


def test_a_register_and_a_journal_both_cut_are_named_though_the_last_letters_file_is_gone(
    service: LetterService, tmp_path: Path
) -> None:
    ledger = tmp_path / "letters/ledger.db"
    issue(service)
    copy, whole = copy_of(ledger), service.journal.file.stat().st_size
    letter = Path(issue(service, DOMISILI | {"rt": "9"}).path)
    service.close()
    put_back(copy, ledger)
    os.truncate(service.journal.file, whole + 90)
    letter.unlink()
    older = open_service(tmp_path)
    assert refused(older) == "register_behind"
    assert "both were cut off" in " ".join(one.what for one in audit(older) if one.mark == "fault")
    older.void(older.ledger.all()[0], "salah nama", "meja-1")
    assert refused(older) == "register_behind", "a void is not what the line cut off began to say"
    assert main(["repair", "--yes", "--next", "SKD=2", "--state", str(tmp_path)]) == 0
    assert issue(older, DOMISILI | {"rt": "8"}).number.startswith("003/")


def test_a_damaged_register_is_named_and_made_again_from_the_journal(
    service: LetterService, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for rt in "12":
        issue(service, DOMISILI | {"rt": rt})
    service.close()
    ledger = tmp_path / "letters/ledger.db"
    os.truncate(ledger, ledger.stat().st_size // 2)
    assert main(["audit", "--state", str(tmp_path)]) == 2
    assert "is damaged" in (said := capsys.readouterr().err) and "move it aside and run `agentd letters repair`" in said
    ledger.rename(tmp_path / "ledger.damaged")
    assert main(["repair", "--yes", "--state", str(tmp_path)]) == main(["audit", "--state", str(tmp_path)]) == 0
    again = open_service(tmp_path)
    assert issue(again, DOMISILI | {"rt": "9"}).number.startswith("003/")


def test_a_letter_that_another_process_issues_during_the_check_is_no_cut(
    service: LetterService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    issue(service)
    other, read = open_service(tmp_path), service.ledger.entries
    issues = Thread(target=issue, args=(other, DOMISILI | {"rt": "9"}))

    def later(**which: Any) -> Sequence[Entry]:
        issues.start()
        issues.join(0.5)
        return read(**which)

    with monkeypatch.context() as patch:
        patch.setattr(service.ledger, "entries", later)
        assert service.checks.journal_fits() is None
    issues.join()
    assert len(service.ledger.all()) == 2
