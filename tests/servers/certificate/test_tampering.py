"""Verification: only what the office issued, byte for byte, is genuine (issue 5, Shows: tampering)."""

from __future__ import annotations

import io
import random
import subprocess
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pypdf
import pytest
from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter

from servers.certificate.issuing.issuing import LetterService
from servers.certificate.languages import words
from servers.certificate.office import SAMPLE
from servers.certificate.signing import officekey
from servers.certificate.signing.signing import OfficeSigner
from servers.certificate.verifying import unknown_files
from servers.certificate.verifying.verification import Verifier
from tests.servers.certificate.letters import DOMISILI, issue, open_service, void

pytestmark = pytest.mark.slow  # what is not of the register is read in a process

REASONS = words("id").verification


@pytest.fixture
def pdf(service: LetterService) -> bytes:
    return Path(issue(service).path).read_bytes()


@pytest.fixture
def verifier(service: LetterService) -> Verifier:
    return Verifier(service)


def test_an_issued_letter_is_genuine_by_file_code_and_address(service: LetterService, verifier: Verifier) -> None:
    letter = issue(service)
    by_file = verifier.file(Path(letter.path).read_bytes())
    assert by_file.genuine and by_file.number == letter.number and by_file.name_masked == "S*** R***"
    for code in (letter.verify_code, letter.verify_code.lower().replace("-", " "), letter.verify_url):
        assert verifier.code(code) == by_file


def test_a_flipped_byte_anywhere_is_noticed(pdf: bytes, verifier: Verifier) -> None:
    for position in range(200, len(pdf), len(pdf) // 12):
        changed = bytearray(pdf)
        changed[position] ^= 1
        result = verifier.file(bytes(changed))
        assert not result.genuine and result.status in ("tampered", "unknown"), position
        assert result.reason in REASONS.values(), position


def test_a_flipped_byte_in_what_was_signed_is_called_changed(pdf: bytes, verifier: Verifier) -> None:
    at = pdf.index(b"stream") + 40
    result = verifier.file(pdf[:at] + bytes([pdf[at] ^ 1]) + pdf[at + 1 :])
    assert (result.status, result.reason) == ("tampered", REASONS["changed"])


def test_a_file_broken_anyhow_is_refused_and_breaks_nothing(pdf: bytes, verifier: Verifier) -> None:
    chance = random.Random(20260305)
    for _ in range(60):
        broken, at = bytearray(pdf), chance.randrange(len(pdf) - 3000)
        match chance.choice(("cut", "repeat", "blank", "noise")):
            case "cut":
                del broken[at : at + chance.randrange(1, 3000)]
            case "repeat":
                broken[at:at] = broken[at : at + chance.randrange(1, 3000)]
            case "blank":
                broken[at : at + 100] = bytes(100)
            case _:
                broken[at : at + 20] = chance.randbytes(20)
        assert not verifier.file(bytes(broken)).genuine


@pytest.mark.parametrize("content", [b"%PDF-1.4\njunk\n%%EOF", b"%PDF-"])
def test_what_only_begins_like_a_pdf_is_not_said_to_have_been_signed(verifier: Verifier, content: bytes) -> None:
    result = verifier.file(content)
    assert (result.status, result.reason) == ("tampered", REASONS["unreadable"])


def test_a_changed_text_is_called_changed(pdf: bytes, verifier: Verifier) -> None:
    result = verifier.file(pdf.replace(b"/Lang (id-ID)", b"/Lang (en-ID)", 1))
    assert (result.status, result.reason) == ("tampered", "Isi berkas ini sudah berubah sejak ditandatangani.")


def test_each_reason_tells_one_thing() -> None:
    assert len(set(REASONS.values())) == len(REASONS)


@pytest.mark.parametrize("tail", [b"\n", b"%hello\n", b"\x00" * 4096])
def test_bytes_added_at_the_end_are_called_added(pdf: bytes, verifier: Verifier, tail: bytes) -> None:
    result = verifier.file(pdf + tail)
    assert (result.status, result.reason) == (
        "tampered",
        "Ada yang ditambahkan pada berkas ini setelah ditandatangani.",
    )


def test_an_incremental_edit_is_called_added(pdf: bytes, verifier: Verifier) -> None:
    writer = IncrementalPdfFileWriter(io.BytesIO(pdf))
    writer.root["/PageMode"] = writer.root.raw_get("/PageMode")
    writer.update_root()
    buffer = io.BytesIO()
    writer.write(buffer)
    result = verifier.file(buffer.getvalue())
    assert (result.status, result.reason) == ("tampered", REASONS["appended"])


def test_a_letter_saved_again_is_not_genuine(pdf: bytes, verifier: Verifier) -> None:
    buffer = io.BytesIO()
    pypdf.PdfWriter(clone_from=io.BytesIO(pdf)).write(buffer)
    result = verifier.file(buffer.getvalue())
    assert (result.status, result.reason) == ("tampered", REASONS["changed"])


def test_another_letters_signature_does_not_fit(service: LetterService, verifier: Verifier, pdf: bytes) -> None:
    other = Path(issue(service, DOMISILI | {"rt": "9"}).path).read_bytes()
    start, end = (other.index(b"/Contents <") + 11, other.index(b">", other.index(b"/Contents <") + 11))
    here = pdf.index(b"/Contents <") + 11
    grafted = pdf[:here] + other[start:end] + pdf[here + end - start :]
    assert len(grafted) == len(pdf)
    result = verifier.file(grafted)
    assert (result.status, result.reason) == ("tampered", REASONS["changed"])


def test_a_letter_signed_by_somebody_elses_key_is_foreign(pdf: bytes, verifier: Verifier, tmp_path: Path) -> None:
    files = officekey.ensure(tmp_path / "mallory", "Kelurahan Cakung Barat", None)
    unsigned = pdf[: pdf.index(b"%%EOF") + 6]
    result = verifier.file(OfficeSigner(files, None, "Kelurahan Cakung Barat").sign(unsigned))
    assert (result.status, result.reason) == ("unknown", "Berkas ini tidak ditandatangani oleh kantor ini.")


def test_our_own_key_is_not_enough_without_the_register(pdf: bytes, service: LetterService, verifier: Verifier) -> None:
    signer = OfficeSigner(service.keys.files, None, "Kelurahan Cakung Barat")
    result = verifier.file(signer.sign(pdf[: pdf.index(b"%%EOF") + 6]))
    assert result.status == "unknown" and "tidak terdaftar" in result.reason


@pytest.mark.parametrize("junk", [b"", b"hello", b"%PDF-1.4", b"%PDF-1.4\n%%EOF", b"\x00" * 100_000])
def test_files_that_are_no_letters_get_a_reason(verifier: Verifier, junk: bytes) -> None:
    assert not verifier.file(junk).genuine


def test_an_unknown_code_gets_no_hint(verifier: Verifier, service: LetterService) -> None:
    code = issue(service).verify_code
    near = code[:-1] + ("0" if code[-1] != "0" else "1")
    answers = {
        verifier.code(wrong).model_dump_json() for wrong in (near, "", "AAAA", "x" * 10_000, "'; DROP TABLE letters")
    }
    assert len(answers) == 1 and '"unknown"' in answers.pop()


def test_a_voided_letter_says_so(service: LetterService, verifier: Verifier) -> None:
    letter = issue(service)
    void(service, letter, "salah nama")
    result = verifier.file(Path(letter.path).read_bytes())
    assert (result.status, result.genuine, result.void_reason) == ("voided", False, "salah nama")


def test_a_letter_past_its_validity_is_genuine_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "office.toml").write_text(SAMPLE.read_text().replace("validity_months = 0", "validity_months = 6"))
    service = open_service(tmp_path, OFFICE_FILE=str(tmp_path / "office.toml"))
    code = issue(service).verify_code
    assert "masih berlaku" in Verifier(service).code(code).reason
    monkeypatch.setenv("AGENTD_CLOCK", "2026-09-06T08:00:00+07:00")
    late = Verifier(service).code(code)
    assert late.genuine and late.valid_until == "2026-09-05" and "habis pada 5 September 2026" in late.reason


def test_letters_of_a_retired_key_stay_genuine(service: LetterService, pdf: bytes, tmp_path: Path) -> None:
    officekey.renew(service.settings.office_dir, service.office.kelurahan, None)
    renewed = open_service(tmp_path)
    assert Verifier(renewed).file(pdf).genuine
    assert Verifier(renewed).file(Path(issue(renewed).path).read_bytes()).genuine


def test_pdfsig_and_an_nss_database_agree(service: LetterService, pdf: bytes, tmp_path: Path) -> None:
    (tmp_path / "letter.pdf").write_bytes(pdf)
    nss = tmp_path / "nss"
    nss.mkdir()
    root = service.keys.files.roots[0]
    for command in (
        ["certutil", "-N", "-d", f"sql:{nss}", "--empty-password"],
        ["certutil", "-A", "-d", f"sql:{nss}", "-n", "office", "-t", "C,C,C", "-i", str(root)],
    ):
        subprocess.run(command, check=True, timeout=300)
    run = subprocess.run(
        ["pdfsig", "-nssdir", f"sql:{nss}", str(tmp_path / "letter.pdf")], capture_output=True, text=True, timeout=300
    )
    assert "Signature is Valid" in run.stdout and "Total document signed" in run.stdout
    assert "Certificate is Trusted" in run.stdout


def made_to_read_for_ever() -> bytes:
    """A table of references that says it has two thousand million rows."""
    head = b"%PDF-1.7\n"
    rows = zlib.compress(b"\1\0\0\0" * 10)
    table = b"<</Type/XRef/Size 5/W [1 2 1]/Root 2 0 R/Index [0 2000000000]/Filter/FlateDecode/Length %d>>" % len(rows)
    return head + b"1 0 obj\n" + table + b"\nstream\n" + rows + b"\nendstream\nendobj\nstartxref\n9\n%%EOF\n"


def test_a_file_made_to_be_read_for_ever_is_given_up_and_the_next_one_is_examined(
    service: LetterService, pdf: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unknown_files, "LIMIT_S", 1.0)
    verifier = Verifier(service)
    result = verifier.file(made_to_read_for_ever())
    assert (result.genuine, result.status, result.reason) == (False, "tampered", REASONS["unreadable"])
    assert verifier.file(pdf).genuine
    assert verifier.file(pdf + b"%more").reason == REASONS["appended"]


def test_more_unknown_files_than_may_wait_are_refused_and_letters_still_verify(
    service: LetterService, pdf: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unknown_files, "LIMIT_S", 1.0)
    monkeypatch.setattr(unknown_files, "WAITING", 2)
    busy = unknown_files.UnknownFiles()
    with ThreadPoolExecutor(3) as senders:
        sent = [senders.submit(busy.examine, made_to_read_for_ever(), []) for _ in range(3)]
        assert Verifier(service).file(pdf).genuine
    busy.close()
    refused = [one for one in sent if isinstance(one.exception(), unknown_files.Busy)]
    assert len(refused) == 1
    assert {one.result() for one in sent if one not in refused} == {"unreadable"}
