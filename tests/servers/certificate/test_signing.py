"""Signing with a key in a token (SoftHSM2) and with timestamps (`openssl ts`): what others read, how it fails."""

from __future__ import annotations

import io
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyhanko.keys import load_certs_from_pemder
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign.validation import validate_pdf_signature
from pyhanko_certvalidator import ValidationContext

from servers.certificate.issuing.issued import IssueError
from servers.certificate.issuing.issuing import LetterService
from servers.certificate.settings import Settings, SettingsError
from servers.certificate.signing import officekey
from servers.certificate.signing.officekey import OfficeKeyError
from servers.certificate.verifying.verification import Verifier
from tests.servers.certificate.authority import Authority, serving
from tests.servers.certificate.letters import DOMISILI, issue, open_service

MODULE = "/usr/lib/softhsm/libsofthsm2.so"
PIN = "271828"
OTHER = DOMISILI | {"nama": "Budi Santoso"}


@pytest.fixture
def authority(tmp_path: Path) -> Iterator[Authority]:
    with serving(Authority(tmp_path / "tsa")) as made:
        yield made


@pytest.fixture(scope="module")
def softhsm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of SoftHSM's tokens; its module is loaded once in a process."""
    home = tmp_path_factory.mktemp("softhsm")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOFTHSM2_CONF", tokens_at(home))
        yield home


@pytest.fixture
def token(softhsm: Path, tmp_path: Path) -> dict[str, str]:
    """A token that holds an office's key; the settings that lead there."""
    assert softhsm.is_dir()
    return token_in(tmp_path)


def tokens_at(home: Path) -> str:
    """A place for SoftHSM's tokens; what its SOFTHSM2_CONF must be."""
    (home / "tokens").mkdir(parents=True)
    (home / "softhsm2.conf").write_text(f"directories.tokendir = {home}/tokens\nobjectstore.backend = file\n")
    return str(home / "softhsm2.conf")


def token_in(tmp_path: Path) -> dict[str, str]:
    """A new token with the key of an office whose files are there."""
    folder, label = tmp_path / "elsewhere", f"kantor-{tmp_path.name}"[:32]
    files = officekey.ensure(folder, "Kelurahan Cakung Barat", None)
    run("softhsm2-util", "--init-token", "--free", "--label", label, "--so-pin", "31415926", "--pin", PIN)
    imported = ("--import", str(files.key), "--label", "surat", "--id", "01", "--token", label, "--pin", PIN)
    run("softhsm2-util", *imported)
    assert files.key is not None
    files.key.unlink()
    (tmp_path / "pin").write_text(PIN + "\n")
    return {
        "PKCS11_MODULE": MODULE,
        "PKCS11_TOKEN": label,
        "PKCS11_KEY_LABEL": "surat",
        "PKCS11_PIN_FILE": str(tmp_path / "pin"),
        "OFFICE_CERT_FILE": str(files.cert),
        "OFFICE_CHAIN_FILE": str(files.chain[0]),
    }


def run(*words: str) -> str:
    return subprocess.run(words, check=True, capture_output=True, text=True, timeout=300).stdout


def pdfsig(pdf: Path) -> str:
    """What poppler says of a file; it exits 0 whatever it finds."""
    return subprocess.run(["pdfsig", "-nocert", pdf], capture_output=True, text=True, timeout=300).stdout


def stamped_by(pdf: Path, ca: str, folder: Path) -> bool:
    """Whether openssl finds a timestamp of this signature, by that authority."""
    [signature] = PdfFileReader(io.BytesIO(pdf.read_bytes())).embedded_regular_signatures
    signer = signature.signer_info
    tokens = [one for one in signer["unsigned_attrs"] or () if one["type"].native == "signature_time_stamp_token"]
    if not tokens:
        return False
    (folder / "token.der").write_bytes(tokens[0]["values"][0].dump())
    (folder / "signature").write_bytes(signer["signature"].native)
    verify = ("ts", "-verify", "-data", folder / "signature", "-in", folder / "token.der", "-token_in", "-CAfile", ca)
    answer = subprocess.run(["openssl", *map(str, verify)], capture_output=True, text=True, timeout=300)
    return "Verification: OK" in answer.stdout + answer.stderr


def reserved(service: LetterService) -> list[str]:
    return [row.number for row in service.ledger.reserved()]


def test_a_key_that_never_leaves_its_token_signs_letters_that_others_find_valid(
    token: dict[str, str], tmp_path: Path
) -> None:
    service = open_service(tmp_path, **token)
    letter = Path(issue(service).path)
    assert "Signature is Valid" in pdfsig(letter) and "Total document signed" in pdfsig(letter)
    assert Verifier(service).file(letter.read_bytes()).genuine
    assert not list(tmp_path.rglob("office.key.pem")), "the key is in the token only"


def test_a_letter_says_when_it_was_signed_by_an_authority_that_others_believe(
    authority: Authority, tmp_path: Path
) -> None:
    service = open_service(tmp_path, TIMESTAMP_URL=authority.url, TIMESTAMP_CA_FILE=authority.ca)
    letter = Path(issue(service).path)
    assert stamped_by(letter, authority.ca, tmp_path)
    assert "Signature is Valid" in pdfsig(letter) and "Total document signed" in pdfsig(letter)
    [signature] = PdfFileReader(io.BytesIO(letter.read_bytes())).embedded_regular_signatures
    office = ValidationContext(trust_roots=list(load_certs_from_pemder(map(str, service.keys.files.roots))))
    clocks = ValidationContext(trust_roots=list(load_certs_from_pemder([authority.ca])))
    status = validate_pdf_signature(signature, office, ts_validation_context=clocks)
    assert status.bottom_line and status.timestamp_validity is not None and status.timestamp_validity.trusted
    assert Verifier(service).file(letter.read_bytes()).genuine
    service.close()
    plain = open_service(tmp_path)  # the register's office without the setting still finds it genuine
    assert Verifier(plain).file(letter.read_bytes()).genuine


def test_token_and_timestamp_go_together(token: dict[str, str], authority: Authority, tmp_path: Path) -> None:
    service = open_service(tmp_path, TIMESTAMP_URL=authority.url, **token)
    letters = [Path(issue(service, answers).path) for answers in (DOMISILI, OTHER)]
    assert all(stamped_by(letter, authority.ca, tmp_path) for letter in letters)
    assert all("Signature is Valid" in pdfsig(letter) for letter in letters)
    assert authority.asked == 3  # once for the size


def broken(authority: Authority, how: str) -> None:
    """Have it answer in no way that helps."""
    match how:
        case "silent":
            authority.silent.clear()
        case "refusing":
            authority.reply = bytes.fromhex("30053003020102")  # TimeStampResp {status {rejection}}
        case "garbage":
            authority.reply = b"\x30\x80not ASN.1"
        case "replaying":
            query = authority.folder / "old.tsq"
            run("openssl", "ts", "-query", "-digest", "00" * 32, "-sha256", "-cert", "-out", str(query))
            authority.reply = authority.answer(query.read_bytes())


@pytest.mark.parametrize("how", ["silent", "refusing", "garbage", "replaying"])
def test_without_its_timestamp_a_letter_waits_with_its_number_and_is_finished_later(
    how: str, authority: Authority, tmp_path: Path
) -> None:
    service = open_service(tmp_path, TIMESTAMP_URL=authority.url, TIMESTAMP_TIMEOUT_S="0.5")
    broken(authority, how)
    with pytest.raises(IssueError) as refused:
        issue(service, key="k")
    assert refused.value.kind == "unavailable"
    assert reserved(service) == ["001/SKD/CONTOH/III/2026"]
    with pytest.raises(OSError):
        service.finish_waiting()
    authority.reply = None
    authority.silent.set()
    service.finish_waiting()
    assert reserved(service) == []
    letter = issue(service, key="k")
    assert (letter.number, letter.already_issued) == ("001/SKD/CONTOH/III/2026", True)
    assert stamped_by(Path(letter.path), authority.ca, tmp_path)


def test_an_authority_that_is_down_costs_a_timestamp_where_the_office_says_so(tmp_path: Path) -> None:
    down = {"TIMESTAMP_URL": "http://127.0.0.1:1", "TIMESTAMP_REQUIRED": "false"}
    service = open_service(tmp_path, **down)
    letter = Path(issue(service).path)
    assert "Signature is Valid" in pdfsig(letter)
    assert not stamped_by(letter, "", tmp_path)


def test_another_authority_than_the_named_one_is_not_believed(authority: Authority, tmp_path: Path) -> None:
    other = Authority(tmp_path / "other")
    service = open_service(tmp_path, TIMESTAMP_URL=authority.url, TIMESTAMP_CA_FILE=other.ca)
    with pytest.raises(IssueError):
        issue(service)
    assert len(reserved(service)) == 1


def test_a_token_that_is_unplugged_keeps_the_letter_waiting_and_works_once_it_is_back(
    token: dict[str, str], softhsm: Path, tmp_path: Path
) -> None:
    service = open_service(tmp_path, **token)
    first = issue(service)
    (softhsm / "tokens").rename(softhsm / "away")
    (softhsm / "tokens").mkdir()
    try:
        with pytest.raises(IssueError) as refused:
            issue(service, OTHER, "k")
        assert refused.value.kind == "unavailable" and len(reserved(service)) == 1
        with pytest.raises(OfficeKeyError, match="plugged in"):
            service.finish_waiting()
    finally:
        shutil.rmtree(softhsm / "tokens")
        (softhsm / "away").rename(softhsm / "tokens")
    again = issue(service, OTHER, "k")
    assert (first.number[:3], again.number[:3], reserved(service)) == ("001", "002", [])
    assert "Signature is Valid" in pdfsig(Path(again.path))


def test_a_token_that_is_away_at_the_start_costs_no_number(token: dict[str, str], tmp_path: Path) -> None:
    service = open_service(tmp_path, **token | {"PKCS11_TOKEN": "tidak ada"})
    with pytest.raises(IssueError):
        issue(service)
    assert not service.ledger.exists() or service.ledger.all() == []


def test_a_wrong_pin_is_tried_once_so_that_the_token_does_not_lock(token: dict[str, str], tmp_path: Path) -> None:
    Path(token["PKCS11_PIN_FILE"]).write_text("999999")
    service = open_service(tmp_path, **token)
    for _ in range(20):
        with pytest.raises(IssueError):
            issue(service)
    service.close()
    Path(token["PKCS11_PIN_FILE"]).write_text(PIN)
    right = open_service(tmp_path, **token)
    assert issue(right).number.startswith("001")


def test_a_key_of_another_certificate_is_refused_before_anything_is_issued(
    token: dict[str, str], tmp_path: Path
) -> None:
    other = officekey.ensure(tmp_path / "other", "Kelurahan Lain", None)
    service = open_service(tmp_path, **token | {"OFFICE_CERT_FILE": str(other.cert)})
    with pytest.raises(OfficeKeyError, match="is not the key of the certificate"):
        _ = service.keys.signer
    with pytest.raises(OfficeKeyError, match="can't sign now"):
        _ = open_service(tmp_path, **token | {"PKCS11_KEY_LABEL": "lain"}).keys.signer


@pytest.mark.parametrize(
    ("env", "told"),
    [
        ({"PKCS11_MODULE": MODULE}, "missing: PKCS11_TOKEN, PKCS11_KEY_LABEL"),
        ({"PKCS11_MODULE": "/no/such.so", "PKCS11_TOKEN": "a", "PKCS11_KEY_LABEL": "b"}, "no such file"),
        ({"PKCS11_MODULE": MODULE, "PKCS11_TOKEN": "a", "PKCS11_KEY_LABEL": "b"}, "OFFICE_CERT_FILE"),
        ({"TIMESTAMP_URL": "file:///x"}, "http"),
        ({"TIMESTAMP_URL": "http://x", "TIMESTAMP_REQUIRED": "yes"}, "true nor false"),
        ({"TIMESTAMP_URL": "http://x", "TIMESTAMP_TIMEOUT_S": "90"}, "up to 30"),
        ({"TIMESTAMP_URL": "http://x", "TIMESTAMP_TIMEOUT_S": "nan"}, "up to 30"),
    ],
)
def test_a_wrong_setting_is_told_by_its_name(env: dict[str, str], told: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=told):
        Settings.from_env({"AGENTD_STATE": str(tmp_path)} | env)
