"""`letters audit` finds any change, insertion and loss, and `letters repair` repairs what can be repaired truly."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from servers.certificate import chain, officekey
from servers.certificate.audit import audit
from servers.certificate.cli import main
from servers.certificate.issuing import LetterService
from servers.certificate.records import Approval, Consent
from servers.certificate.register import GUARDS
from servers.certificate.standing import NotNow
from servers.certificate.verification import Verifier
from tests.servers.certificate.letters import DOMISILI, NOW, issue, open_service
from tests.servers.certificate.test_standing import copy_of, put_back

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


def test_a_sound_register_has_no_fault(office: LetterService, tmp_path: Path) -> None:
    assert faults(office) == ""
    assert main(["audit", "--state", str(tmp_path)]) == 0


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
    (
        ["UPDATE letter_counters SET last = 1 WHERE series = 'SKD'"],
        "the counter of series SKD of 2026 says 1, not 3",
    ),
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
    from servers.certificate.signing import OfficeSigner

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


def test_an_older_register_gets_back_everything_it_lost(
    office: LetterService, ledger: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = copy_of(ledger)
    consent = Consent(approved_by="meja-2", approvals=(Approval(by="meja-2"),))
    lost = issue(office, DOMISILI | {"rt": "8"}, "run:8", session_id="s", consent=consent)
    before = office.ledger.rows()[0], office.ledger.entries()
    office.close()
    put_back(copy, ledger)
    state = ["--state", str(tmp_path)]
    assert main(["audit", "--quick", *state]) == 1
    assert main(["repair", *state]) == 1, "without a yes nothing is done"
    assert "not done" in capsys.readouterr().out
    assert main(["repair", "--yes", *state]) == 0
    mended = open_service(tmp_path)
    assert faults(mended) == ""
    assert (mended.ledger.rows()[0], mended.ledger.entries()[: len(before[1])]) == before
    again = issue(mended, DOMISILI | {"rt": "8"}, "run:8", session_id="s", consent=consent)
    assert again.already_issued and again.number == lost.number
    assert issue(mended, DOMISILI | {"rt": "7"}).number.startswith("005/")
    mended.close()


def test_a_lost_register_is_made_again_from_the_journal(office: LetterService, ledger: Path, tmp_path: Path) -> None:
    office.close()
    ledger.unlink()
    assert main(["repair", "--yes", "--state", str(tmp_path)]) == 0
    mended = open_service(tmp_path)
    assert faults(mended) == ""
    assert [row.status for row in mended.ledger.all()] == ["issued", "void", "issued"]
    mended.close()


def test_changed_and_deleted_rows_say_again_what_their_entries_say(
    office: LetterService, ledger: Path, tmp_path: Path
) -> None:
    before = office.ledger.rows()[0]
    forge(
        ledger,
        "UPDATE letters SET answers = replace(answers, 'Siti', 'Sita') WHERE id = 1",
        "DELETE FROM letter_calls",
        "DELETE FROM letters WHERE id = 3",
    )
    assert main(["repair", "--yes", "--state", str(tmp_path)]) == 0
    assert office.ledger.rows()[0] == before and faults(office) == ""
    with sqlite3.connect(ledger) as connection, pytest.raises(sqlite3.IntegrityError):
        connection.execute("DELETE FROM letters")


def test_letters_that_only_the_archive_knows_verify_again_and_say_what_is_lost(
    office: LetterService, ledger: Path, tmp_path: Path
) -> None:
    first = office.ledger.all()[0]
    office.close()
    ledger.unlink()
    office.journal.file.unlink()
    assert main(["repair", "--yes", "--state", str(tmp_path)]) == 0
    mended = open_service(tmp_path)
    assert [row.number for row in mended.ledger.all()] == [f"00{seq}/SKD/CONTOH/III/2026" for seq in (1, 2, 3)]
    assert Verifier(mended).code(first.code).genuine and first.file is not None
    assert Verifier(mended).file(mended.archive.path(first.file).read_bytes()).genuine
    assert "without its answers" in "\n".join(one.what for one in audit(mended))
    assert faults(mended) == "" and issue(mended, DOMISILI | {"rt": "7"}).number.startswith("004/")
    mended.close()


def test_a_pdf_set_aside_comes_back(office: LetterService, tmp_path: Path) -> None:
    file = sorted(office.archive.folder.glob("2026/*.pdf"))[0]
    (office.archive.folder / "orphans").mkdir()
    file.rename(office.archive.folder / "orphans" / file.name)
    assert main(["repair", "--yes", "--state", str(tmp_path)]) == 0
    assert file.exists() and faults(office) == ""


def test_what_cannot_be_mended_is_said(
    office: LetterService, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sorted(office.archive.folder.glob("2026/*.pdf"))[0].unlink()
    assert main(["repair", "--yes", "--state", str(tmp_path)]) == 1
    assert "can't be repaired: the PDF of letter 001/SKD/CONTOH/III/2026" in capsys.readouterr().out


def test_numbers_that_may_be_in_peoples_hands_are_skipped(office: LetterService, tmp_path: Path) -> None:
    assert main(["repair", "--yes", "--next", "SKD=14", "--state", str(tmp_path)]) == 0
    assert issue(office, DOMISILI | {"rt": "8"}).number.startswith("015/")
    assert faults(office) == ""


def test_a_key_of_the_offices_own_choice_is_accepted_when_told(office: LetterService, tmp_path: Path) -> None:
    pdf = sorted(office.archive.folder.glob("2026/*.pdf"))[0].read_bytes()
    office.close()
    files = officekey.ensure(tmp_path / "own", "Kelurahan", None)
    env = {
        "OFFICE_KEY_FILE": str(files.key),
        "OFFICE_CERT_FILE": str(files.cert),
        "OFFICE_CHAIN_FILE": str(files.chain[0]),
    }
    own = open_service(tmp_path, **env)
    assert "is not the one that signed" in faults(own)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in env.items():
            patch.setenv(name, value)
        assert main(["repair", "--yes", "--accept-key", "--state", str(tmp_path)]) == 0
    assert faults(own) == "" and issue(own, DOMISILI | {"rt": "8"}).number.startswith("004/")
    assert Verifier(own).file(pdf).genuine
    own.close()


def test_a_lost_key_is_replaced_only_by_renew_and_old_letters_stay_genuine(
    office: LetterService, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pdf = sorted(office.archive.folder.glob("2026/*.pdf"))[0].read_bytes()
    office.close()
    for file in office.settings.office_dir.glob("*.pem"):
        file.unlink()
    assert main(["init", "--state", str(tmp_path)]) == 2
    assert "--renew" in capsys.readouterr().err
    assert main(["init", "--renew", "--state", str(tmp_path)]) == 0
    renewed = open_service(tmp_path)
    assert issue(renewed, DOMISILI | {"rt": "8"}).number.startswith("004/")
    assert Verifier(renewed).file(pdf).genuine and faults(renewed) == ""
    renewed.close()


@pytest.fixture
def earlier(service: LetterService, ledger: Path) -> Iterator[LetterService]:
    """A register as agentd 0.1.0 left it: two letters, no entries, no journal, the guards of then."""
    for rt in (1, 2):
        issue(service, DOMISILI | {"rt": str(rt)}, f"run:{rt}")
    service.ledger.close()
    with sqlite3.connect(ledger) as connection:
        for name in GUARDS["sqlite"]:
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("DROP TABLE letter_entries")
        connection.execute("DROP INDEX letters_day")
        connection.execute("DELETE FROM letter_counters WHERE series = ''")
        for column in ("proposed", "proposed_by", "approvals"):
            connection.execute(f"ALTER TABLE letters DROP COLUMN {column}")
        connection.execute(
            "CREATE TRIGGER letters_stay BEFORE DELETE ON letters BEGIN SELECT RAISE(ABORT, 'stay'); END"
        )
    connection.close()
    service.journal.file.unlink()
    return open_service(service.settings.home.parent)


def test_a_register_of_an_earlier_version_is_guarded_from_then_on_and_says_so(
    earlier: LetterService, ledger: Path
) -> None:
    assert "can't be seen" in audit(earlier)[0].what and not earlier.ledger.chained(), "looking changes nothing"
    earlier.warm_up()
    assert "an earlier agentd made the first 2 letters" in "\n".join(one.what for one in audit(earlier))
    assert faults(earlier) == "" and issue(earlier, DOMISILI | {"rt": "8"}).number.startswith("003/")
    forge(ledger, "UPDATE letters SET answers = '{}' WHERE id = 1")
    assert "001/SKD/CONTOH/III/2026 was changed" in faults(earlier)
    earlier.close()


def test_an_earlier_versions_register_with_a_lost_key_folder_makes_no_new_ca(earlier: LetterService) -> None:
    for file in earlier.settings.office_dir.glob("*.pem"):
        file.unlink()
    with pytest.raises(NotNow, match="holds no office key"):
        earlier.warm_up()
    assert not list(earlier.settings.office_dir.glob("*.pem"))
    earlier.close()


def test_the_head_is_signed_once_a_day(service: LetterService, monkeypatch: pytest.MonkeyPatch) -> None:
    issue(service)
    for clock, signed in (("2026-03-05T10:00+07:00", 1), ("2026-03-05T23:00+07:00", 1), ("2026-03-06T00:10+07:00", 2)):
        monkeypatch.setenv("AGENTD_CLOCK", clock)
        issue(service, DOMISILI | {"keperluan": f"Keperluan {clock[8:13]}"})
        service.seal_daily()
        assert len(service.ledger.entries(event="signed")) == signed
    assert faults(service) == ""
