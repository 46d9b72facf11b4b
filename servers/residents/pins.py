"""How registers store PINs: OpenSID's format, which is only read, and ours, salted scrypt. Knows no residents."""

from __future__ import annotations

import hashlib
import hmac
import os
import re

SIX_DIGITS = re.compile(r"[0-9]{6}\Z")
UNKNOWN = "000000"
"""Compared instead of a text that isn't a PIN, so that the time is the same."""


def is_pin(text: str) -> bool:
    return SIX_DIGITS.match(text) is not None


class OpensidPins:
    """MD5 of a number derived from the digits: weak (10^6 values, no salt), so it is read but never written."""

    decoy = "0" * 32

    def matches(self, pin: str, stored: str) -> bool:
        return hmac.compare_digest(opensid_form(pin).encode(), stored.strip().lower().encode("utf-8", "replace"))


def opensid_form(pin: str) -> str:
    """Return MD5 of the reversed digits as an integer (trailing zeros of the PIN drop out), times 77, with a suffix."""
    number = int(pin[::-1]) * 77
    return hashlib.md5(f"{number}!#@$#%".encode(), usedforsecurity=False).hexdigest()


class ScryptPins:
    """Stored as `scrypt$SALT$HASH`, in hex."""

    COST, BLOCK = 2**14, 8

    decoy = f"scrypt${'00' * 16}${'00' * 32}"

    def matches(self, pin: str, stored: str) -> bool:
        salt, right = _parts(stored) or _parts(self.decoy) or (b"", b"")
        return hmac.compare_digest(self._hash(pin, salt), right)

    def make(self, pin: str) -> str:
        salt = os.urandom(16)
        return f"scrypt${salt.hex()}${self._hash(pin, salt).hex()}"

    def _hash(self, pin: str, salt: bytes) -> bytes:
        return hashlib.scrypt(pin.encode(), salt=salt, n=self.COST, r=self.BLOCK, p=1, dklen=32)


def _parts(stored: str) -> tuple[bytes, bytes] | None:
    kind, _, rest = stored.partition("$")
    salt, _, digest = rest.partition("$")
    try:
        return (bytes.fromhex(salt), bytes.fromhex(digest)) if kind == "scrypt" and len(digest) == 64 else None
    except ValueError:
        return None
