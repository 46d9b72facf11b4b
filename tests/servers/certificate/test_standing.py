"""No letter is issued while register, archive, key and clock don't fit; letters are verified meanwhile."""

from __future__ import annotations

import logging
import os
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from servers.certificate import lookups
from servers.certificate.drawing import page
from servers.certificate.issuing.issued import IssueError
from servers.certificate.issuing.issuing import LetterService
from servers.certificate.issuing.standing import NotNow, foreign_key, key_missing
from servers.certificate.register.records import Approval, Consent
from servers.certificate.signing import officekey, statementkey
from servers.certificate.verifying.verification import Verifier
from tests.servers.certificate.letters import DOMISILI, NOW, issue, open_service, row_of


def refused(service: LetterService, **more: str) -> str:
    """The kind of refusal; the citizen's sentence names no number, path or key."""
    with pytest.raises(IssueError) as caught:
        issue(service, DOMISILI | {"keperluan": "Melamar kerja"}, **more)
    assert caught.value.kind == "refused" and "petugas" in str(caught.value)
    assert isinstance(caught.value.__cause__, NotNow)
    return caught.value.__cause__.refusal.kind


def copy_of(ledger: Path) -> Path:
    """The register as a backup has it."""
    copy = ledger.with_name("copy.db")
    with sqlite3.connect(ledger) as source, sqlite3.connect(copy) as target:
        source.backup(target)
    return copy


def put_back(copy: Path, ledger: Path) -> None:
    for part in (ledger, ledger.with_name("ledger.db-wal"), ledger.with_name("ledger.db-shm")):
        part.unlink(missing_ok=True)
    copy.rename(ledger)


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    return tmp_path / "letters/ledger.db"


def test_an_older_register_gives_no_number_twice(
    service: LetterService, ledger: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    issue(service, key="run:1")
    copy = copy_of(ledger)
    second = issue(service, DOMISILI | {"rt": "9"}, key="run:2")
    service.close()
    put_back(copy, ledger)
    older = open_service(tmp_path)
    with pytest.raises(NotNow):
        older.recover()
    assert refused(older) == "register_behind"
    assert "agentd letters repair" in caplog.text and "Siti" not in caplog.text
    assert [row.seq for row in older.ledger.all()] == [1]
    assert Path(second.path).exists(), "nothing of the lost letter is swept away"
    assert Verifier(older).file(Path(issue(older, key="run:1").path).read_bytes()).genuine


def test_an_older_register_that_only_lost_a_void_is_noticed(
    service: LetterService, ledger: Path, tmp_path: Path
) -> None:
    row = row_of(service, issue(service))
    copy = copy_of(ledger)
    service.void(row, "salah nama", "meja-1")
    service.close()
    put_back(copy, ledger)
    older = open_service(tmp_path)
    assert refused(older) == "register_behind"


def test_without_a_journal_the_signed_letters_themselves_are_noticed(
    service: LetterService, ledger: Path, tmp_path: Path
) -> None:
    copy = copy_of(ledger) if ledger.exists() else None
    assert copy is None
    letter = Path(issue(service).path)
    service.close()
    ledger.unlink()
    service.journal.file.unlink()
    fresh = open_service(tmp_path)
    assert refused(fresh) == "archive_ahead"
    assert letter.exists() and not (service.archive.folder / "orphans").exists()


def test_a_lost_key_folder_makes_no_new_ca_and_letters_stay_genuine(service: LetterService, tmp_path: Path) -> None:
    pdf = Path(issue(service).path).read_bytes()
    service.close()
    shutil.rmtree(service.settings.office_dir)
    keyless = open_service(tmp_path)
    with pytest.raises(NotNow):
        keyless.warm_up()
    assert refused(keyless) == "key_missing"
    assert not service.settings.office_dir.exists()
    assert Verifier(keyless).file(pdf).genuine


def test_another_offices_key_signs_nothing_here(service: LetterService, tmp_path: Path) -> None:
    pdf = Path(issue(service).path).read_bytes()
    service.close()
    shutil.rmtree(service.settings.office_dir)
    officekey.ensure(service.settings.office_dir, "Kelurahan Lain", None)
    statementkey.ensure(service.settings.office_dir, None)
    other = open_service(tmp_path)
    assert refused(other) == "foreign_key"
    assert Verifier(other).file(pdf).genuine


@pytest.mark.parametrize("shared", [False, True])
def test_a_node_of_several_is_first_told_to_use_their_key(shared: bool) -> None:
    missing, foreign = key_missing("office", True, shared), foreign_key("office.cert.pem", shared)
    assert missing is not None
    assert [one.to_do.startswith("where other nodes share this register") for one in (missing, foreign)] == [shared] * 2


def test_a_clock_set_back_issues_nothing_until_it_is_right(
    service: LetterService, monkeypatch: pytest.MonkeyPatch
) -> None:
    issue(service)
    monkeypatch.setenv("AGENTD_CLOCK", "2026-03-04T23:59:00+07:00")
    assert refused(service) == "clock_behind"
    monkeypatch.setenv("AGENTD_CLOCK", "2026-03-05T00:00:00+07:00")
    assert issue(service, DOMISILI | {"rt": "9"}).number.startswith("002/")


def test_an_archive_that_is_not_mounted_is_not_begun_again(service: LetterService, tmp_path: Path) -> None:
    issue(service)
    service.close()
    for name in ("2026", "register.jsonl"):
        (tmp_path / "letters" / name).rename(tmp_path / name)
    unmounted = open_service(tmp_path)
    assert refused(unmounted) == "journal_missing"
    for name in ("2026", "register.jsonl"):
        (tmp_path / name).rename(tmp_path / "letters" / name)
    assert issue(unmounted, DOMISILI | {"rt": "9"}).number.startswith("002/")


def test_a_journal_cut_in_its_last_line_goes_on_from_the_register(service: LetterService, tmp_path: Path) -> None:
    issue(service)
    service.close()
    journal = service.journal.file
    journal.write_bytes(journal.read_bytes()[:-40])
    again = open_service(tmp_path)
    assert issue(again, DOMISILI | {"rt": "9"}).number.startswith("002/")
    assert [one.hash for one in again.journal.entries()] == [one.hash for one in again.ledger.entries()]


def test_a_disk_error_while_drawing_leaves_the_number_reserved_for_the_next_try(
    service: LetterService, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = page.render

    def fails(*_: object) -> bytes:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(page, "render", fails)
    for _ in range(2):
        with pytest.raises(IssueError) as caught:
            issue(service, key="run:1")
        assert caught.value.kind == "unavailable"
    assert [row.status for row in service.ledger.all()] == ["reserved"]
    monkeypatch.setattr(page, "render", drawn)
    assert issue(service, key="run:1").number.startswith("001/")


def test_what_was_proposed_and_by_whom_is_kept(service: LetterService) -> None:
    proposed = DOMISILI | {"nama": "Siti Rahayuu", "tanggal_lahir": "05-08-1990"}
    consent = Consent(
        proposed_by="kiosk-1",
        proposed=proposed,
        approved_by="meja-2",
        approvals=(Approval(by="meja-1", at="2026-03-05T09:14:00+07:00"), Approval(by="meja-2")),
    )
    number = issue(service, consent=consent).number
    row = service.ledger.by_number(number)
    assert row is not None and row.proposed == proposed and row.values["nama"] == "Siti Rahayu"
    assert (row.proposed_by, [one.by for one in row.approvals]) == ("kiosk-1", ["meja-1", "meja-2"])
    assert service.changed(row) == ["nama"]


def test_a_proposal_that_is_no_text_differs_and_hides_no_other_letter(service: LetterService) -> None:
    issue(service, consent=Consent(proposed=DOMISILI | {"rt": 3.5, "nama": ["Siti"]}))
    listed = lookups.issued_on(service, "").structured_content
    assert listed is not None and [one["changed"] for one in listed["letters"]] == [["nama", "rt"]]


@pytest.fixture(scope="module")
def two_letters(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LetterService, Path]]:
    """A register with two letters, for what must leave it as it is; and its file."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("AGENTD_CLOCK", NOW)
        state = tmp_path_factory.mktemp("letters")
        service = open_service(state)
        consent = Consent(proposed_by="kiosk", proposed=DOMISILI, approvals=(Approval(by="meja-1"),))
        issue(service, consent=consent, session_id="s")
        issue(service, DOMISILI | {"rt": "9"}, session_id="s")
        yield service, state / "letters/ledger.db"
        service.close()


@pytest.mark.parametrize(
    "statement",
    [
        *(f"UPDATE letters SET {change} = 'x'" for change in ("answers", "number", "sha256")),
        "UPDATE letters SET status = 'reserved'",
        "DELETE FROM letters",
        "INSERT OR REPLACE INTO letters SELECT * FROM letters WHERE id = 1",
        "REPLACE INTO letters SELECT id + 50, {columns} FROM letters WHERE id = 1",
        "UPDATE letters SET issued_at = '2026-01-01'",
        "UPDATE letters SET proposed = '{{}}'",
        "UPDATE letters SET approvals = NULL",
        "UPDATE OR REPLACE letters SET sha256 = (SELECT sha256 FROM letters WHERE id = 1) WHERE id = 2",
        "UPDATE OR REPLACE letters SET same_in_session = 'x'",
        "INSERT OR REPLACE INTO letter_entries SELECT * FROM letter_entries WHERE seq = 3",
        "UPDATE letter_entries SET at = 'x'",
        "DELETE FROM letter_entries",
    ],
)
def test_the_register_itself_refuses_every_change_of_an_issued_letter(
    two_letters: tuple[LetterService, Path], statement: str
) -> None:
    service, ledger = two_letters
    before = service.ledger.rows(), service.ledger.entries()
    with sqlite3.connect(ledger) as connection:
        columns = ", ".join(row[1] for row in connection.execute("PRAGMA table_info(letters)") if row[1] != "id")
        with pytest.raises(sqlite3.IntegrityError, match="not changed or deleted"):
            connection.execute(statement.format(columns=columns))
    assert (service.ledger.rows(), service.ledger.entries()) == before


@pytest.fixture
def world_readable() -> Iterator[None]:
    before = os.umask(0o000)
    yield
    os.umask(before)


@pytest.mark.usefixtures("world_readable")
def test_nobody_else_can_open_a_file_of_the_archive_or_hold_its_lock(tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir(mode=0o755)
    for name in (".lock", ".turnstile"):
        (tmp_path / "letters" / name).touch(mode=0o666)  # as earlier versions made them
    service = open_service(tmp_path)
    issue(service)
    folder = service.archive.folder
    found = {path.name: path.stat().st_mode & 0o077 for path in (*folder.glob(".*"), *folder.rglob("*.pdf"))}
    assert set(found.values()) == {0} and {".lock", ".turnstile"} <= set(found)
    assert service.journal.file.stat().st_mode & 0o077 == 0


def test_a_refusal_is_precise_in_the_log_and_plain_for_the_citizen(
    service: LetterService, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    issue(service)
    monkeypatch.setenv("AGENTD_CLOCK", "2026-03-04T12:00:00+07:00")
    with caplog.at_level(logging.ERROR):
        refused(service)
    assert "today is 2026-03-04" in caplog.text and "2026-03-05" in caplog.text and "timedatectl" in caplog.text
