"""The signed statement of the QR code: read by anybody's COSE library, and refused in any form but its own."""

from __future__ import annotations

import base64
from datetime import date
from typing import Any

import cbor2
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cwt import COSE, COSEKey

from servers.certificate.issuing.issuing import LetterService
from servers.certificate.signing import statementkey
from servers.certificate.signing.statement import MAX_TEXT, Statement, StatementError, key_id, read, sign, stated
from tests.servers.certificate.letters import ANSWERS

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))


SAID = Statement(
    number="001/SKD/CONTOH/III/2026",
    letter_type="surat_keterangan_domisili",
    day=date(2026, 3, 5),
    name="Siti Rahayu",
    nik_last4="0001",
    purpose="Membuka rekening bank",
)


CLAIMS = {
    2: SAID.number,
    "type": SAID.letter_type,
    "date": "2026-03-05",
    "name": SAID.name,
    "nik4": "0001",
    "for": SAID.purpose,
}


HEADER = {1: -8, 4: key_id(KEY.public_key())}


def text_of(data: bytes) -> str:
    return base64.b32encode(data).decode().rstrip("=")


def data_of(text: str) -> bytes:
    return base64.b32decode(text + "=" * (-len(text) % 8))


def message(payload: bytes, protected: bytes | None = None, unprotected: Any = None, **more: Any) -> bytes:
    """A COSE_Sign1 rightly signed by the office's key, whatever it says."""
    head = cbor2.dumps(HEADER) if protected is None else protected
    signature = KEY.sign(cbor2.dumps(["Signature1", head, b"", payload]))
    parts = [head, {} if unprotected is None else unprotected, payload, signature, *more.get("extra", [])]
    return cbor2.dumps(cbor2.CBORTag(more.get("tag", 18), parts))


def doubled(claims: dict[Any, Any], name: Any, value: Any) -> bytes:
    """A map in which one key stands twice."""
    body = cbor2.dumps(claims)
    return bytes([body[0] + 1]) + body[1:] + cbor2.dumps(name) + cbor2.dumps(value)


def fault(text: str) -> str:
    with pytest.raises(StatementError) as refused:
        read(text, [KEY.public_key()])
    return refused.value.fault


def test_what_was_signed_is_read_back_and_another_cose_library_agrees() -> None:
    text = sign(SAID, KEY)
    assert read(text, [Ed25519PrivateKey.generate().public_key(), KEY.public_key()]) == SAID
    other = COSEKey.from_pem(statementkey.public_pem(KEY.public_key()), kid=key_id(KEY.public_key()))
    assert cbor2.loads(COSE.new().decode(data_of(text), other)) == CLAIMS
    assert data_of(text) == message(cbor2.dumps(CLAIMS))


ABOUT = {"surat_keterangan_kematian": ("Budi Contoh", "0002"), "surat_pengantar_kelahiran": ("Putri Contoh", "")}
"""Whom a letter is about, where it is not who asks for it, and the end of that person's NIK."""


@pytest.mark.parametrize("key", ANSWERS)
def test_each_letter_states_its_name_purpose_and_the_last_digits_of_its_nik(key: str, service: LetterService) -> None:
    letter = service.catalogue.types[key]
    values, _ = service.check(letter, ANSWERS[key])
    said = stated(letter, values, "001/X", date(2026, 3, 5))
    whose = ABOUT.get(key, ("Siti Rahayu", "0001"))
    assert (said.name, said.nik_last4, said.purpose) == (*whose, ANSWERS[key].get("keperluan", ""))


@pytest.mark.slow
def test_a_flipped_bit_anywhere_is_refused() -> None:
    data = data_of(sign(SAID, KEY))
    for bit in range(len(data) * 8):
        changed = bytearray(data)
        changed[bit // 8] ^= 1 << bit % 8
        with pytest.raises(StatementError):
            read(text_of(bytes(changed)), [KEY.public_key()])


def test_a_changed_name_and_a_foreign_key_are_told_apart() -> None:
    data = data_of(sign(SAID, KEY))
    assert fault(text_of(data.replace(b"Siti Rahayu", b"Budi Rahayu"))) == "statement_changed"
    assert fault(sign(SAID, Ed25519PrivateKey.generate())) == "statement_foreign"


@pytest.mark.parametrize(
    "payload",
    [
        cbor2.dumps({**CLAIMS, "type": 7}),
        cbor2.dumps({**CLAIMS, "nik4": "3175064508900001"}),
        cbor2.dumps({**CLAIMS, "date": 20513}),
        cbor2.dumps({**CLAIMS, "date": "5 Maret 2026"}),
        cbor2.dumps({**CLAIMS, "name": None}),
        cbor2.dumps({**CLAIMS, "extra": "x"}),
        cbor2.dumps({name: value for name, value in CLAIMS.items() if name != "for"}),
        cbor2.dumps(dict(reversed(CLAIMS.items()))),
        cbor2.dumps(list(CLAIMS.values())),
        doubled(CLAIMS, "name", "Budi"),
        doubled(CLAIMS, "name", SAID.name),
        cbor2.dumps(CLAIMS) + b"\x00",
        b"\xbf" + cbor2.dumps(CLAIMS)[1:] + b"\xff",
        cbor2.dumps("001/SKD"),
        b"",
        b"\xff",
        b"\x9f" * 900,
    ],
)
def test_even_our_own_signature_makes_nothing_else_a_statement(payload: bytes) -> None:
    assert fault(text_of(message(payload))) == "statement_unreadable"


@pytest.mark.parametrize(
    "data",
    [
        message(cbor2.dumps(CLAIMS), unprotected={4: b"x"}),
        message(cbor2.dumps(CLAIMS), protected=cbor2.dumps({**HEADER, 2: [1]})),
        message(cbor2.dumps(CLAIMS), protected=cbor2.dumps({**HEADER, 1: -7})),
        message(cbor2.dumps(CLAIMS), protected=doubled(HEADER, 1, -8)),
        message(cbor2.dumps(CLAIMS), protected=b""),
        message(cbor2.dumps(CLAIMS), extra=[b"x"]),
        message(cbor2.dumps(CLAIMS), tag=98),
        message(cbor2.dumps(CLAIMS))[1:],
        message(cbor2.dumps(CLAIMS)) + b"\x00",
        *(message(cbor2.dumps(CLAIMS))[:end] for end in (0, 1, 2, 17, 40, 100, 150, 211)),
    ],
)
def test_any_other_form_of_message_is_refused(data: bytes) -> None:
    assert fault(text_of(data)).startswith("statement_")


def test_text_that_is_no_statement_is_refused_however_large() -> None:
    good = sign(SAID, KEY)
    for text in (
        "",
        "A",
        "lower" + good,
        good.lower(),
        good + "A",
        good + "=",
        good[:-1],
        good + " ",
        "💥",
        "1890",
        "\x00",
    ):
        assert fault(text).startswith("statement_")
    assert fault("A" * (MAX_TEXT + 1)) == fault("A" * 10_000_000) == "statement_unreadable"
    again = good[:-1] + chr(ord(good[-1]) + 1)  # spare bits at the end of base32: another text for the same bytes
    assert data_of(again) == data_of(good)
    assert fault(again) == "statement_unreadable"
