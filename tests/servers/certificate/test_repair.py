"""What is lost comes back as far as another place has it, and what can not be mended is said."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from servers.certificate.cli import main
from servers.certificate.issuing.issuing import LetterService
from servers.certificate.issuing.standing import NotNow
from servers.certificate.maintenance.audit import audit
from servers.certificate.register.records import Approval, Consent
from servers.certificate.signing import officekey
from servers.certificate.verifying.verification import Verifier
from tests.servers.certificate.letters import ANSWERS, DOMISILI, issue, left_by_an_earlier_version, open_service
from tests.servers.certificate.test_audit import faults, forge, issued, ledger, office
from tests.servers.certificate.test_standing import copy_of, put_back

__all__ = ["issued", "ledger", "office"]


@pytest.mark.slow
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
    capsys.readouterr()
    assert main(["repair", *state]) == 0 and capsys.readouterr().out == "nothing to repair\n"
    assert (mended.ledger.rows()[0], mended.ledger.entries()[: len(before[1])]) == before
    again = issue(mended, DOMISILI | {"rt": "8"}, "run:8", session_id="s", consent=consent)
    assert again.already_issued and again.number == lost.number
    assert issue(mended, DOMISILI | {"rt": "7"}).number.startswith("005/")


def test_a_lost_register_is_made_again_from_the_journal(office: LetterService, ledger: Path, tmp_path: Path) -> None:
    office.close()
    ledger.unlink()
    assert main(["repair", "--yes", "--state", str(tmp_path)]) == 0
    mended = open_service(tmp_path)
    assert faults(mended) == ""
    assert [row.status for row in mended.ledger.all()] == ["issued", "void", "issued"]


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


def test_every_type_of_letter_is_known_by_its_pdf_alone_though_one_title_begins_anothers(tmp_path: Path) -> None:
    service = open_service(tmp_path)
    issued = {issue(service, answers, letter=key).number: key for key, answers in ANSWERS.items()}
    service.close()
    (tmp_path / "letters/ledger.db").unlink()
    service.journal.file.unlink()
    assert main(["repair", "--yes", "--state", str(tmp_path)]) == 0
    assert {row.number: row.letter_type for row in open_service(tmp_path).ledger.all()} == issued


def test_a_letter_that_only_the_archive_knows_expires_as_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = ANSWERS["surat_keterangan_ktp_dalam_proses"]
    service = open_service(tmp_path)
    code = issue(service, answers, letter="surat_keterangan_ktp_dalam_proses").verify_code
    service.close()
    (tmp_path / "letters/ledger.db").unlink()
    service.journal.file.unlink()
    assert main(["repair", "--yes", "--state", str(tmp_path)]) == 0
    monkeypatch.setenv("AGENTD_CLOCK", "2026-04-05T09:00:00+07:00")
    assert Verifier(open_service(tmp_path)).code(code).cause == "expired"


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


@pytest.mark.parametrize(("wanted", "why"), [("skd=14", "no letter has the series skd"), ("SKD=2", "is at 3 already")])
def test_numbers_that_cannot_be_skipped_are_not_said_to_be(
    wanted: str, why: str, office: LetterService, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["repair", "--yes", "--next", wanted, "--state", str(tmp_path)]) == 1
    assert why in capsys.readouterr().out
    assert not office.ledger.entries(event="skipped")
    assert main(["repair", "--yes", "--next", "SKD=3", "--state", str(tmp_path)]) == 0, "it settles a journal cut off"


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


@pytest.fixture
def earlier(service: LetterService) -> LetterService:
    """A register of two letters, as an earlier version left it."""
    for rt in (1, 2):
        issue(service, DOMISILI | {"rt": str(rt)}, f"run:{rt}")
    left_by_an_earlier_version(service)
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


def test_an_earlier_versions_register_with_a_lost_key_folder_makes_no_new_ca(earlier: LetterService) -> None:
    for file in earlier.settings.office_dir.glob("*.pem"):
        file.unlink()
    with pytest.raises(NotNow, match="holds no office key"):
        earlier.warm_up()
    assert not list(earlier.settings.office_dir.glob("*.pem"))


def test_the_head_is_signed_once_a_day(service: LetterService, monkeypatch: pytest.MonkeyPatch) -> None:
    issue(service)
    for clock, signed in (("2026-03-05T10:00+07:00", 1), ("2026-03-05T23:00+07:00", 1), ("2026-03-06T00:10+07:00", 2)):
        monkeypatch.setenv("AGENTD_CLOCK", clock)
        issue(service, DOMISILI | {"keperluan": f"Keperluan {clock[8:13]}"})
        service.seal_daily()
        assert len(service.ledger.entries(event="signed")) == signed
    assert faults(service) == ""
