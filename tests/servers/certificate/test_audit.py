"""`letters audit` finds any change, insertion and loss, and `letters repair` repairs what can be repaired truly."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from servers.certificate.cli import main
from servers.certificate.issuing.issued import IssueError
from servers.certificate.issuing.issuing import LetterService
from servers.certificate.maintenance.audit import audit
from servers.certificate.register import chain
from servers.certificate.register.records import Approval, Consent
from servers.certificate.register.tables import GUARDS
from servers.certificate.signing import officekey
from tests.servers.certificate.letters import DOMISILI, NOW, issue, open_service

Forge = Callable[[sqlite3.Connection], object]


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    return tmp_path / "letters/ledger.db"


@pytest.fixture(scope="module")
def issued(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The state of an office with three letters; a test works on a copy."""
    state = tmp_path_factory.mktemp("issued")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AGENTD_CLOCK", NOW)
        three_letters(service := open_service(state))
    service.close()
    return state


@pytest.fixture
def office(issued: Path, tmp_path: Path) -> Iterator[LetterService]:
    shutil.copytree(issued, tmp_path, dirs_exist_ok=True)
    service = open_service(tmp_path)
    yield service
    service.close()


def three_letters(service: LetterService) -> LetterService:
    """One of them is void; the head is signed."""
    consent = Consent(proposed_by="kiosk", proposed=DOMISILI | {"rt": "4"}, approvals=(Approval(by="meja-1"),))
    letters = [issue(service, DOMISILI | {"rt": str(rt)}, f"run:{rt}", consent=consent) for rt in (1, 2, 3)]
    row = service.ledger.by_number(letters[1].number)
    assert row is not None
    service.void(row, "salah alamat", "meja-1")
    assert service.checks.seal() and not service.checks.seal(), "what is signed needs no second signature"
    return service


def test_an_entry_of_a_newer_agentd_stops_issuing_and_repair_and_is_named(
    office: LetterService, ledger: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    last = office.ledger.entry(-1)
    assert last is not None
    newer = chain.entry(last.seq + 1, "issued", NOW, {}, last.hash).model_dump() | {"event": "sealed"}
    with closing(sqlite3.connect(ledger)) as register, register:
        register.execute("INSERT INTO letter_entries VALUES (:seq, :event, :at, :body, :previous, :hash)", newer)
    for command in (["audit"], ["repair", "--yes"]):
        assert main([*command, "--state", str(tmp_path)]) == 2
        assert "is `sealed`, which this version does not know: a newer agentd wrote it" in capsys.readouterr().err
    with pytest.raises(IssueError) as refused:
        issue(office)
    assert refused.value.kind == "unavailable"


def faults(service: LetterService) -> str:
    return "\n".join(one.what for one in audit(service) if one.mark == "fault")


def forge(ledger: Path, *statements: str | Forge) -> None:
    """As somebody with the sqlite3 program would: the guards are taken down, and put up again."""
    with sqlite3.connect(ledger) as connection:
        for name in GUARDS["sqlite"]:
            connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            if isinstance(statement, str):
                connection.execute(statement)
            else:
                statement(connection)
        for group in GUARDS["sqlite"].values():
            for guard in group:
                connection.execute(guard)
    connection.close()


def test_a_sound_register_has_no_fault_and_the_command_says_so(
    office: LetterService, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert faults(office) == ""
    assert main(["audit", "--state", str(tmp_path)]) == 0
    assert capsys.readouterr().out.startswith("✓ register, archive, key and clock agree\nhead ")


FIRST = "001/SKD/CONTOH/III/2026"


CHANGE_ENTRY = "UPDATE letter_entries SET body = replace(body, 'Siti', 'Sita') WHERE seq = 3"


COPIED = (
    "id + 50, letter_type, series, year, 4, '004/SKD/CONTOH/III/2026', day, 'X', 'X', answers, status, 'f', 'h', size,"
    " reserved_at, issued_at, voided_at, void_reason, voided_by, approved_by, proposed_by, proposed, approvals, basis,"
    " valid_until, NULL"
)


TAMPERED: list[tuple[list[str], str]] = [
    (
        ["UPDATE letters SET answers = replace(answers, 'Siti', 'Sita') WHERE id = 1"],
        f"{FIRST} was changed in the register: answers.nama",
    ),
    (["UPDATE letters SET issued_at = '2026-01-01' WHERE id = 1"], "changed in the register: issued_at"),
    (["UPDATE letters SET approvals = '[]' WHERE id = 1"], "changed in the register: approvals"),
    (
        ["UPDATE letters SET status = 'issued', voided_at = NULL WHERE id = 2"],
        "was changed in the register: status, voided_at",
    ),
    (["DELETE FROM letter_calls", "DELETE FROM letters WHERE id = 2"], "002/SKD/CONTOH/III/2026 was deleted"),
    ([f"INSERT INTO letters SELECT {COPIED} FROM letters WHERE id = 1"], "004/SKD/CONTOH/III/2026 was put in"),
    (["UPDATE letter_counters SET last = 1 WHERE series = 'SKD'"], "the counter of series SKD of 2026 says 1, not 3"),
    ([CHANGE_ENTRY], "entry 3 (reserved) was changed"),
    (["DELETE FROM letter_entries WHERE seq = 4"], "entries 4 to 4 are gone"),
    (["DELETE FROM letter_entries WHERE seq >= 7"], "the register has lost entries 7–10"),
]
"""(what somebody with a database program does, what the audit then names)."""


@pytest.mark.parametrize(("statements", "found"), TAMPERED)
def test_whatever_is_changed_inserted_or_lost_is_named(
    office: LetterService, ledger: Path, statements: list[str], found: str
) -> None:
    forge(ledger, *statements)
    assert found in faults(office)


def test_a_tail_cut_off_everywhere_in_the_database_is_noticed(office: LetterService, ledger: Path) -> None:
    forge(
        ledger,
        "DELETE FROM letter_calls",
        "DELETE FROM letters WHERE id = 3",
        "DELETE FROM letter_entries WHERE seq >= 7",
        "UPDATE letter_counters SET last = 2 WHERE series = 'SKD'",
        "UPDATE letter_counters SET last = 6 WHERE series = ''",
    )
    assert "lost entries 7–10" in faults(office)
    office.journal.file.write_text("".join(office.journal.file.read_text().splitlines(keepends=True)[:6]))
    assert "the archive is ahead of the register" in faults(office)


def test_a_head_noted_elsewhere_finds_even_a_state_put_back_whole(
    office: LetterService, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    earlier = shutil.copytree(tmp_path / "letters", tmp_path / "earlier")
    issue(office, DOMISILI | {"rt": "8"})
    state = ["--state", str(tmp_path)]
    assert main(["audit", *state]) == 0
    head = capsys.readouterr().out.split()[-1]
    office.close()
    shutil.rmtree(tmp_path / "letters")
    earlier.rename(tmp_path / "letters")
    assert main(["audit", *state]) == 0
    assert main(["audit", "--expect", head, *state]) == 1
    assert "noted earlier" in capsys.readouterr().out


def rewritten(connection: sqlite3.Connection) -> list[chain.Entry]:
    """The whole chain made again over a changed entry, by somebody without the office's key."""
    rows = connection.execute("SELECT seq, event, at, body FROM letter_entries ORDER BY seq").fetchall()
    made: list[chain.Entry] = []
    for seq, event, at, body in rows:
        body = json.loads(body.replace("Siti Rahayu", "Sita Rahayu"))
        made.append(chain.entry(seq, event, at, body, made[-1].hash if made else chain.NOTHING))
    connection.execute("DELETE FROM letter_entries")
    for one in made:
        connection.execute("INSERT INTO letter_entries VALUES (?, ?, ?, ?, ?, ?)", tuple(one.model_dump().values()))
    return made


def test_a_chain_written_again_does_not_fit_what_the_office_signed(office: LetterService, ledger: Path) -> None:
    made: list[chain.Entry] = []
    forge(
        ledger,
        lambda connection: made.extend(rewritten(connection)),
        "UPDATE letters SET answers = replace(answers, 'Siti Rahayu', 'Sita Rahayu')",
        "UPDATE letters SET proposed = replace(proposed, 'Siti Rahayu', 'Sita Rahayu')",
    )
    office.journal.file.write_text("".join(f"{one.model_dump_json()}\n" for one in made))
    assert "they were rewritten" in faults(office)


def test_a_head_signed_by_another_key_is_noticed(office: LetterService, ledger: Path, tmp_path: Path) -> None:
    from servers.certificate.signing.signing import OfficeSigner

    other = OfficeSigner(officekey.ensure(tmp_path / "mallory", "Kelurahan Lain", None), None, "Kelurahan Lain")
    last, first = office.ledger.entry(-1), office.ledger.entry(1)
    assert last is not None and first is not None
    statement = chain.statement(first.data["register"], last.seq, last.hash)
    key = office.keys.known()[-1].fingerprint
    body = {"seq": last.seq, "hash": last.hash, "key": key, "signature": other.statement(statement).hex()}
    office.ledger.note("signed", body, office.now())
    assert "is not the office's" in faults(office)


def test_a_lost_and_a_changed_pdf_are_named(office: LetterService) -> None:
    first, _, third = sorted(office.archive.folder.glob("2026/*.pdf"))
    first.unlink()
    third.write_bytes(third.read_bytes() + b"\n")
    assert f"the PDF of letter 001/SKD/CONTOH/III/2026 is lost: 2026/{first.name}" in faults(office)
    assert "the PDF of letter 003/SKD/CONTOH/III/2026 is not the one that was issued" in faults(office)
