"""A statement's QR code on a letter: read, checked with and without the register, and what becomes of its key."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from servers.certificate.cli import main
from servers.certificate.issuing.issued import Issued, IssueError
from servers.certificate.issuing.issuing import LetterService
from servers.certificate.register.database import LedgerError
from servers.certificate.signing import statementkey
from servers.certificate.signing.officekey import OfficeKeyError
from servers.certificate.signing.statement import key_id, sign, stated
from servers.certificate.verifying.verification import Verifier
from tests.servers.certificate.letters import DOMISILI, issue, open_service, row_of, void
from tests.servers.certificate.test_statement import KEY, SAID


@pytest.fixture
def letter(service: LetterService) -> Iterator[Issued]:
    yield issue(service)


def qr(service: LetterService, letter: Issued) -> str:
    """What the letter's QR code says, as a reader reads it from the page."""
    import io

    import zxingcpp
    from PIL import Image

    from servers.certificate.drawing.picture import pictures

    [page] = pictures(Path(letter.path).read_bytes(), 100)
    [code] = zxingcpp.read_barcodes(Image.open(io.BytesIO(page)), formats=zxingcpp.BarcodeFormat.QRCode)
    return str(code.text)


def test_a_letters_qr_code_shows_what_the_genuine_paper_says(service: LetterService, letter: Issued) -> None:
    found = Verifier(service).code(qr(service, letter))
    assert (found.status, found.cause, found.number, found.name_masked) == (
        "genuine",
        "valid",
        letter.number,
        "S*** R***",
    )
    assert found.paper is not None
    assert found.paper.model_dump() == {
        "letter_type": "surat_keterangan_domisili",
        "title": "Surat Keterangan Domisili",
        "number": letter.number,
        "date": "2026-03-05",
        "name": "Siti Rahayu",
        "nik_last4": "0001",
        "purpose": "Membuka rekening bank",
        "valid_until": "",
    }
    assert Verifier(service).code(letter.verify_url).paper is None  # a code alone shows no name


def test_a_voided_letters_statement_is_void(service: LetterService, letter: Issued) -> None:
    said = qr(service, letter)
    void(service, letter, "salah alamat")
    found = Verifier(service).code(said)
    assert (found.status, found.genuine, found.void_reason) == ("voided", False, "salah alamat")
    assert found.paper is not None and found.paper.name == "Siti Rahayu"


def test_a_qr_code_made_of_two_letters_is_noticed(service: LetterService, letter: Issued) -> None:
    other = issue(service, DOMISILI | {"nama": "Budi Santoso"}, "other")
    mixed = letter.verify_url + "#" + qr(service, other).partition("#")[2]
    found = Verifier(service).code(mixed)
    assert (found.status, found.cause, found.paper) == ("tampered", "statement_elsewhere", None)


def test_a_statement_that_the_register_does_not_know_is_said_to_be_alone(
    service: LetterService, letter: Issued
) -> None:
    said = sign(SAID.model_copy(update={"number": "999/SKD/CONTOH/III/2026"}), service.keys.statement)
    found = Verifier(service).code(f"#{said}")
    assert (found.status, found.genuine, found.cause) == ("unknown", False, "statement_alone")
    assert Verifier(service).code(f"AAAA-BBBB-CCCC-DDDD#{said}").status == "unknown"


def test_without_the_register_the_paper_is_shown_and_its_state_called_unknown(
    service: LetterService, letter: Issued, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = qr(service, letter)
    away = open_service(tmp_path, LETTERS_DATABASE_URL="postgresql://127.0.0.1:1/none?connect_timeout=2")
    found = Verifier(away).code(said)
    assert (found.status, found.genuine, found.cause) == ("unconfirmed", False, "unconfirmed")
    assert "belum diketahui" in found.reason and found.paper is not None and found.paper.name == "Siti Rahayu"
    with pytest.raises(LedgerError):
        Verifier(away).code(letter.verify_url)
    changed = said.replace("A", "B")
    assert Verifier(away).code(changed).status == "tampered"
    away.close()
    monkeypatch.setenv("LETTERS_DATABASE_URL", "postgresql://127.0.0.1:1/none?connect_timeout=2")
    assert main(["verify", "--qr", said, "--state", str(tmp_path)]) == 0


def test_the_same_letter_finished_after_a_crash_carries_the_same_statement(
    service: LetterService, letter: Issued
) -> None:
    row = row_of(service, letter)
    said = stated(service.catalogue.types[row.letter_type], row.values, row.number, row.day)
    assert qr(service, letter) == f"{letter.verify_url}#{sign(said, service.keys.statement)}"


def test_anybody_with_the_public_key_verifies_offline(
    service: LetterService, letter: Issued, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said, state = qr(service, letter), ["--state", str(tmp_path)]
    assert main(["key", *state]) == 0
    public = tmp_path / "office.pub.pem"
    public.write_text(capsys.readouterr().out)
    nowhere = ["--key", str(public), "--state", str(tmp_path / "nowhere")]
    for text in (said, said.partition("#")[2], f" {said}\n"):
        assert main(["verify", "--qr", text, *nowhere]) == 0
    shown = capsys.readouterr().out
    assert "Siti Rahayu" in shown and "0001" in shown and "register was not asked" in shown
    assert not (tmp_path / "nowhere").exists()
    assert main(["verify", "--qr", letter.verify_url, *nowhere]) == 1
    assert main(["verify", "--qr", said.replace("A", "B"), *nowhere]) == 1
    public.write_bytes(statementkey.public_pem(KEY.public_key()))
    assert main(["verify", "--qr", said, *nowhere]) == 1
    assert "tidak ditandatangani oleh kantor ini" in capsys.readouterr().out
    assert main(["verify", "--qr", said, "--key", str(tmp_path / "none.pem")]) == 2
    assert main(["verify", letter.path, "--key", str(public)]) == 2


def test_on_the_offices_machine_the_register_is_asked_too(
    service: LetterService, letter: Issued, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said, state = qr(service, letter), ["--state", str(tmp_path)]
    assert main(["verify", "--qr", said, *state]) == 0
    void(service, letter, "salah alamat")
    assert main(["verify", "--qr", said, *state]) == 1
    assert "dibatalkan" in capsys.readouterr().out


def test_the_key_is_made_once_kept_secret_and_not_made_again_when_lost(tmp_path: Path) -> None:
    folder = tmp_path / "office"
    first = statementkey.ensure(folder, b"rahasia")
    assert key_id(statementkey.ensure(folder, b"rahasia").public_key()) == key_id(first.public_key())
    assert (folder / statementkey.KEY).stat().st_mode & 0o777 == 0o600
    assert not (folder / statementkey.PUBLIC).stat().st_mode & 0o077
    assert b"ENCRYPTED" in (folder / statementkey.KEY).read_bytes()
    with pytest.raises(OfficeKeyError, match="passphrase"):
        statementkey.ensure(folder, None)
    (folder / statementkey.KEY).unlink()
    with pytest.raises(OfficeKeyError, match="backup"):
        statementkey.ensure(folder, b"rahasia")


@pytest.mark.parametrize("lost", [[statementkey.KEY], [statementkey.KEY, statementkey.PUBLIC]], ids=["one", "both"])
def test_an_office_whose_statement_key_is_lost_issues_nothing(
    lost: list[str], service: LetterService, letter: Issued, tmp_path: Path
) -> None:
    folder, said = tmp_path / "letters/office", qr(service, letter)
    for name in lost:
        (folder / name).unlink()
    again = open_service(tmp_path)
    with pytest.raises(IssueError):
        issue(again, DOMISILI | {"nama": "Budi Santoso"})
    assert len(again.ledger.all()) == 1, "no number was taken"
    assert not (folder / statementkey.KEY).exists(), "no key is made in its place"
    assert Verifier(again).code(said).genuine
    again.close()
    assert main(["init", "--renew", "--state", str(tmp_path)]) == 0
    renewed = open_service(tmp_path)
    assert Verifier(renewed).code(said).genuine
    assert Verifier(renewed).code(qr(renewed, issue(renewed, DOMISILI | {"nama": "Budi Santoso"}))).genuine


def test_letters_of_a_renewed_key_stay_genuine(service: LetterService, letter: Issued, tmp_path: Path) -> None:
    said = qr(service, letter)
    assert main(["init", "--renew", "--state", str(tmp_path)]) == 0
    renewed = open_service(tmp_path)
    assert Verifier(renewed).code(said).genuine
    new = issue(renewed, DOMISILI | {"nama": "Budi Santoso"})
    assert Verifier(renewed).code(qr(renewed, new)).genuine
    assert len(renewed.keys.statement_keys()) == 2


def test_several_nodes_may_share_a_named_key(tmp_path: Path) -> None:
    statementkey.ensure(tmp_path / "shared", None)
    named = {"OFFICE_STATEMENT_KEY_FILE": str(tmp_path / "shared" / statementkey.KEY)}
    one, two = (open_service(tmp_path / name, **named) for name in "ab")
    said = sign(SAID, one.keys.statement)
    assert Verifier(two).code(f"#{said}").cause == "statement_alone"
    assert not (tmp_path / "b/letters/office" / statementkey.KEY).exists()
