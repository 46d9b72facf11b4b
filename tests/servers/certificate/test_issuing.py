"""Numbering and archive: one number a letter, one letter a request (issue 5, Numbering and archive)."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID

from servers.certificate.issuing.issued import IssueError, normal_code
from servers.certificate.issuing.issuing import LetterService
from servers.certificate.letters.fields import InvalidFields
from servers.certificate.maintenance.audit import audit
from servers.certificate.settings import Settings
from servers.certificate.signing.officekey import USAGES, OfficeKeyError
from servers.certificate.verifying.verification import Verifier
from tests.servers.certificate.letters import ANSWERS, DOMISILI, issue, open_service, void


@pytest.mark.slow
def test_each_type_and_year_has_a_series_of_its_own(service: LetterService, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = [issue(service, ANSWERS[key], letter=key).number for key in [*ANSWERS][:4] for _ in range(2)]
    assert numbers == [
        f"{seq}/{series}/CONTOH/III/2026" for series in ("SKD", "SKU", "SKTM", "SP") for seq in ("001", "002")
    ]
    monkeypatch.setenv("AGENTD_CLOCK", "2027-01-02T08:00:00+07:00")
    assert issue(service).number == "001/SKD/CONTOH/I/2027"


def test_an_issued_letter_has_its_file_and_its_hash(service: LetterService) -> None:
    letter = issue(service)
    pdf = Path(letter.path).read_bytes()
    assert hashlib.sha256(pdf).hexdigest() == letter.sha256 and len(pdf) == letter.size
    assert letter.file_name == "surat_keterangan_domisili-001-SKD-CONTOH-III-2026.pdf"
    assert letter.name_masked == "S*** R***" and letter.verify_url.endswith(f"/verify/{letter.verify_code}")
    assert Path(letter.path).stat().st_mode & 0o077 == 0


def test_the_date_is_the_offices_not_the_machines(service: LetterService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENTD_CLOCK", "2026-12-31T17:30:00+00:00")
    assert issue(service).date == "2027-01-01"


def test_a_key_acts_once(service: LetterService) -> None:
    first, again = issue(service, key="run:1"), issue(service, key="run:1")
    assert (first.already_issued, again.already_issued) == (False, True)
    assert again.number == first.number and again.sha256 == first.sha256
    assert issue(service, key="run:2").number != first.number


def test_a_key_with_other_arguments_is_refused_and_spends_no_number(service: LetterService) -> None:
    issue(service, key="run:1")
    with pytest.raises(IssueError) as caught:
        issue(service, DOMISILI | {"rt": "4"}, key="run:1")
    assert caught.value.kind == "idempotency_conflict"
    assert issue(service, key="run:2").number.startswith("002/")


def test_the_same_data_written_differently_is_the_same_request(service: LetterService) -> None:
    first = issue(service, key="run:1")
    again = issue(service, DOMISILI | {"rt": "RT 003", "tanggal_lahir": "05-08-1990", "agama": "islam"}, key="run:1")
    assert again.number == first.number


def test_the_same_letter_in_one_session_is_issued_once(service: LetterService) -> None:
    first = issue(service, key="run:1", session_id="s")
    again = issue(service, key="run:7", session_id="s")
    assert again.number == first.number and again.already_issued
    assert issue(service, key="run:1", session_id="s").number == first.number
    assert issue(service, key="run:9", session_id="other").number != first.number
    assert issue(service, DOMISILI | {"keperluan": "Melamar kerja"}, session_id="s").number != first.number


def test_a_voided_letter_may_be_issued_anew_under_another_number(service: LetterService) -> None:
    first = issue(service, key="run:1", session_id="s")
    void(service, first, "salah alamat")
    assert issue(service, key="run:2", session_id="s").number.startswith("002/")
    with pytest.raises(IssueError, match="dibatalkan"):
        issue(service, key="run:1", session_id="s")


def test_a_refused_field_spends_no_number(service: LetterService) -> None:
    with pytest.raises(InvalidFields):
        issue(service, DOMISILI | {"nik": "1"}, key="run:1")
    assert service.ledger.all() == []
    assert issue(service, key="run:1").number.startswith("001/")


def test_a_full_disk_leaves_the_letter_to_be_finished_by_the_next_try(service: LetterService) -> None:
    issue(service)
    year = service.archive.folder / "2026"
    aside = year.rename(year.with_name("aside"))
    year.write_text("a file where a folder should be")
    with pytest.raises(IssueError) as caught:
        issue(service, key="run:1")
    assert caught.value.kind == "unavailable"
    (waiting,) = service.ledger.reserved()
    assert waiting.number in str(caught.value.message), "asked for again elsewhere, it would be a second letter"
    year.unlink()
    aside.rename(year)
    letter = issue(service, key="run:1")
    assert letter.number.startswith("002/") and Path(letter.path).exists()


def test_a_letter_whose_type_is_gone_is_voided_and_its_number_kept(service: LetterService) -> None:
    service.archive.folder.mkdir(parents=True)
    (service.archive.folder / "2026").write_text("")
    with pytest.raises(IssueError):
        issue(service, key="run:1")
    (service.archive.folder / "2026").unlink()
    del service.catalogue.types["surat_keterangan_domisili"]
    service.recover()
    (row,) = service.ledger.all()
    assert (row.status, row.seq) == ("void", 1) and row.void_reason == "jenis surat tidak lagi tersedia"


def test_a_letter_that_could_not_be_finished_is_voided_and_the_session_gets_a_new_one(
    service: LetterService, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.archive.folder.mkdir(parents=True)
    (service.archive.folder / "2026").write_text("")
    with pytest.raises(IssueError):
        issue(service, session_id="s")
    (service.archive.folder / "2026").unlink()
    kept = service.catalogue.types["surat_keterangan_domisili"]
    unreadable = kept.model_copy(update={"fields": {}})
    monkeypatch.setitem(service.catalogue.types, kept.key, unreadable)
    service.recover()
    monkeypatch.setitem(service.catalogue.types, kept.key, kept)
    letter = issue(service, session_id="s")
    assert [(row.status, row.seq) for row in service.ledger.all()] == [("void", 1), ("issued", 2)]
    assert letter.number.startswith("002/") and not letter.already_issued


def test_a_start_without_the_key_voids_nothing(tmp_path: Path) -> None:
    (tmp_path / "office_key_passphrase").write_text("rahasia-kantor\n")
    service = open_service(tmp_path, CREDENTIALS_DIRECTORY=str(tmp_path))
    issue(service)
    year = service.archive.folder / "2026"
    aside = year.rename(year.with_name("aside"))
    year.write_text("")
    with pytest.raises(IssueError):
        issue(service, key="run:1")
    year.unlink()
    aside.rename(year)
    service.close()
    locked = open_service(tmp_path)
    with pytest.raises(OfficeKeyError):
        locked.warm_up()
    assert [row.status for row in locked.ledger.all()] == ["issued", "reserved"]


def test_a_sweep_deletes_half_written_files_and_keeps_whole_strangers(service: LetterService) -> None:
    letter = Path(issue(service).path)
    (letter.parent / "x.pdf.123.part").write_bytes(b"half")
    (letter.parent / "stranger.pdf").write_bytes(b"%PDF-")
    service.recover()
    assert [path.name for path in letter.parent.iterdir()] == [letter.name]
    assert (service.archive.folder / "orphans" / "stranger.pdf").read_bytes() == b"%PDF-"


def test_codes_are_random_and_forgive_how_they_are_typed(service: LetterService) -> None:
    codes = {issue(service).verify_code for _ in range(3)}
    assert len(codes) == 3 and all(len(code) == 19 for code in codes)
    assert normal_code(" o1il abcd-efgh jkmn ") == "0111-ABCD-EFGH-JKMN"


def test_an_archive_elsewhere_is_used(tmp_path: Path) -> None:
    service = open_service(tmp_path / "state", ARCHIVE_DIR=str(tmp_path / "archive"))
    assert Path(issue(service).path).is_relative_to(tmp_path / "archive")


def test_the_passphrase_comes_from_a_credential_and_protects_the_key(tmp_path: Path) -> None:
    (tmp_path / "office_key_passphrase").write_text("rahasia-kantor\n")
    service = open_service(tmp_path, CREDENTIALS_DIRECTORY=str(tmp_path))
    issue(service)
    service.close()
    assert b"ENCRYPTED" in (tmp_path / "letters/office/office.key.pem").read_bytes()
    without = open_service(tmp_path)
    with pytest.raises(IssueError) as caught:
        issue(without)
    assert caught.value.kind == "unavailable" and len(without.ledger.all()) == 1
    assert [one.what for one in audit(without) if "no passphrase" in one.what]


def test_a_key_made_before_there_was_a_passphrase_is_named_until_it_is_renewed(tmp_path: Path) -> None:
    before = open_service(tmp_path)
    issue(before)
    before.close()
    (tmp_path / "office_key_passphrase").write_text("rahasia-kantor\n")
    service = open_service(tmp_path, CREDENTIALS_DIRECTORY=str(tmp_path))
    with pytest.raises(IssueError):
        issue(service, key="another")
    (named,) = [one.what for one in audit(service) if one.mark == "fault"]
    assert "no letter is issued" in named and "office.key.pem has no passphrase yet" in named


def test_settings_name_what_is_wrong_with_them() -> None:
    with pytest.raises(ValueError, match="OFFICE_CERT_FILE"):
        Settings.from_env({"OFFICE_KEY_FILE": "k.pem"})
    with pytest.raises(ValueError, match="DEFAULT_TIMEZONE"):
        Settings.from_env({"DEFAULT_TIMEZONE": "Mars"})


@pytest.mark.slow
def test_an_offices_own_rsa_key_and_chain_sign_too(tmp_path: Path) -> None:
    ca_key, key = (rsa.generate_private_key(65537, 3072) for _ in range(2))
    root, leaf = _certificates(ca_key, key)
    pem = serialization.Encoding.PEM
    (tmp_path / "chain.pem").write_bytes(root.public_bytes(pem))
    (tmp_path / "cert.pem").write_bytes(leaf.public_bytes(pem))
    (tmp_path / "key.pem").write_bytes(
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.BestAvailableEncryption(b"geheim"))
    )
    (tmp_path / "pass").write_text("geheim\n")
    env = {
        "OFFICE_KEY_FILE": str(tmp_path / "key.pem"),
        "OFFICE_CERT_FILE": str(tmp_path / "cert.pem"),
        "OFFICE_CHAIN_FILE": str(tmp_path / "chain.pem"),
        "OFFICE_KEY_PASSPHRASE_FILE": str(tmp_path / "pass"),
    }
    service = open_service(tmp_path, **env)
    assert Verifier(service).file(Path(issue(service).path).read_bytes()).genuine
    service.close()
    (tmp_path / "pass").write_text("salah\n")
    wrong = open_service(tmp_path, **env)
    with pytest.raises(OfficeKeyError, match=r"key\.pem can't be read with this passphrase"):
        wrong.warm_up()


def _certificates(ca_key: rsa.RSAPrivateKey, key: rsa.RSAPrivateKey) -> list[x509.Certificate]:
    made = []
    root = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "CA Contoh")])
    for name, public, ca in ((root, ca_key, True), (x509.Name([]), key, False)):
        usage = dict.fromkeys(USAGES, False) | {
            "key_cert_sign": ca,
            "digital_signature": not ca,
            "content_commitment": not ca,
        }
        subject = name if ca else x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Kantor Contoh")])
        now = datetime.now(UTC)
        builder = (
            x509.CertificateBuilder(root, subject, public.public_key(), x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=2))
            .add_extension(x509.BasicConstraints(ca, None), critical=True)
            .add_extension(x509.KeyUsage(**usage), critical=True)
        )
        made.append(builder.sign(ca_key, hashes.SHA256()))
    return made
