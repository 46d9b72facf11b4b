"""The signed statement in a letter's QR code: what the genuine paper says. Uses neither register nor files.

A COSE_Sign1 message (RFC 9052) with Ed25519 over a map of CWT claims (RFC 8392), in base32 (RFC 4648) without padding:

    protected header  {1: -8 (EdDSA), 4: the key's id}
    claims            {2: the letter's number, "type", "date": ISO, "name", "nik4": the NIK's last four digits, "for"},
                      and "until": ISO for a letter whose validity ends

A statement has only one valid encoding: anything but the exact bytes of its claims is refused, so that nothing can be
repeated, left out or added.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any, Literal

import cbor2
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from pydantic import BaseModel, Field, ValidationError

from servers.certificate.letters import kinds
from servers.certificate.letters.lettertype import LetterType

MAX_TEXT = 1800
"""Maximum characters; the longest answers of a letter give a statement half as long."""
PURPOSES = ("keperluan", "purpose")
"""The field that says what a letter is for."""
KEY_ID_BYTES, SIGNATURE_BYTES = 8, 64
_CLAIMS: Mapping[int | str, str] = {
    2: "number",  # CWT's own claim `sub`
    "type": "letter_type",
    "date": "day",
    "name": "name",
    "nik4": "nik_last4",
    "for": "purpose",
    "until": "valid_until",
}
"""{claim: our field}, in the order of encoding."""
_SIGN1 = b"\xd2\x84"  # tag 18 and an array of four
_SIGNATURE_HEAD = b"\x58\x40"  # a byte string of 64

Fault = Literal["statement_unreadable", "statement_foreign", "statement_changed"]


class StatementError(ValueError):
    """Not a statement of this office; `fault` says why."""

    def __init__(self, fault: Fault) -> None:
        self.fault: Fault = fault
        super().__init__(fault)


class Statement(BaseModel, frozen=True, extra="forbid"):
    """What the paper says. `nik_last4` and `purpose` are empty for a letter that has none."""

    number: str = Field(min_length=1)
    letter_type: str = Field(min_length=1)
    day: date
    name: str
    nik_last4: str = Field(pattern=r"^([0-9]{4})?$")
    purpose: str
    valid_until: date | None = None


def stated(
    letter: LetterType, values: Mapping[str, str], number: str, day: date, valid_until: date | None = None
) -> Statement:
    """The statement of a letter: its name is the first field that is a person's, its NIK that person's, its purpose
    one of PURPOSES."""
    about = next((field.about for field in letter.fields.values() if field.kind == "person-name"), "")
    nik = _first(letter, values, "nik", about)
    shown = not kinds.is_temporary_nik(nik) and re.fullmatch("[0-9]{4}", nik[-4:])  # a register may have anything
    return Statement(
        number=number,
        letter_type=letter.key,
        day=day,
        name=_first(letter, values, "person-name", about),
        nik_last4=nik[-4:] if shown else "",
        purpose=next((values[name] for name in PURPOSES if name in values), ""),
        valid_until=valid_until,
    )


def key_id(key: Ed25519PublicKey) -> bytes:
    """Return the first bytes of the public key's SHA-256."""
    raw = key.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    return hashlib.sha256(raw).digest()[:KEY_ID_BYTES]


def sign(statement: Statement, key: Ed25519PrivateKey) -> str:
    """Return the signed statement as text: only A–Z and 2–7, which a QR code stores in five and a half bits each."""
    protected, payload = _protected(key.public_key()), _payload(statement)
    data = _head(protected) + cbor2.dumps(payload) + _SIGNATURE_HEAD + key.sign(_signed(protected, payload))
    return base64.b32encode(data).decode().rstrip("=")


def read(text: str, keys: Iterable[Ed25519PublicKey]) -> Statement:
    """Return the statement if one of these keys signed it. Raises StatementError."""
    data = _decoded(text)
    for key in keys:
        protected = _protected(key)
        if data.startswith(head := _head(protected)):
            payload, signature = _parts(data[len(head) :])
            try:
                key.verify(signature, _signed(protected, payload))
            except InvalidSignature:
                raise StatementError("statement_changed") from None
            return _statement(payload)
    raise StatementError("statement_foreign" if data.startswith(_SIGN1) else "statement_unreadable")


def _first(letter: LetterType, values: Mapping[str, str], kind: str, about: str) -> str:
    fields = ((name, field) for name, field in letter.fields.items() if (field.kind, field.about) == (kind, about))
    return next((values[name] for name, _ in fields if name in values), "")


def _payload(statement: Statement) -> bytes:
    fields = statement.model_dump(mode="json")
    return cbor2.dumps({claim: fields[field] for claim, field in _CLAIMS.items() if fields[field] is not None})


def _protected(key: Ed25519PublicKey) -> bytes:
    return cbor2.dumps({1: -8, 4: key_id(key)})


def _head(protected: bytes) -> bytes:
    """Return the bytes before the payload; the unprotected header is an empty map."""
    return _SIGN1 + cbor2.dumps(protected) + b"\xa0"


def _signed(protected: bytes, payload: bytes) -> bytes:
    """Return COSE's Sig_structure (RFC 9052 §4.4)."""
    return cbor2.dumps(["Signature1", protected, b"", payload])


def _decoded(text: str) -> bytes:
    try:
        if len(text) > MAX_TEXT:
            raise StatementError("statement_unreadable")
        data = base64.b32decode(text + "=" * (-len(text) % 8))
    except (binascii.Error, ValueError):
        raise StatementError("statement_unreadable") from None
    if base64.b32encode(data).decode().rstrip("=") != text:
        raise StatementError("statement_unreadable")
    return data


def _parts(rest: bytes) -> tuple[bytes, bytes]:
    """Split what follows the head into (payload, signature). Raises StatementError."""
    end = len(rest) - SIGNATURE_BYTES
    encoded, mark = rest[: end - 2], rest[max(end - 2, 0) : max(end, 0)]
    payload = _loaded(encoded)
    if mark != _SIGNATURE_HEAD or not isinstance(payload, bytes) or cbor2.dumps(payload) != encoded:
        raise StatementError("statement_unreadable")
    return payload, rest[end:]


def _statement(payload: bytes) -> Statement:
    """Parse the claims, which must be exactly ours, once each, in our encoding. Raises StatementError."""
    claims = _loaded(payload)
    try:
        statement = Statement(**{field: claims[claim] for claim, field in _CLAIMS.items() if claim in claims})
    except (KeyError, TypeError, ValidationError):
        raise StatementError("statement_unreadable") from None
    if _payload(statement) != payload:
        raise StatementError("statement_unreadable")
    return statement


def _loaded(data: bytes) -> Any:
    try:
        return cbor2.loads(data)
    except Exception:
        # Manipulated bytes can make a decoder fail anywhere; in any case they aren't ours.
        raise StatementError("statement_unreadable") from None
