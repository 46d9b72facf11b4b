"""A visitor's secret: what opens a session for callers who share one token. It stores nothing and knows no wire.

A key is the visitor's alone; of it only the SHA-256 is kept. Keys are random, so no slow hash is needed.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable

from agentd.errors import InvalidParams
from agentd.messages import Caller

_STRONG = re.compile(r"[A-Za-z0-9_-]{22,128}")
"""22 characters of base64url hold 128 bits."""


def new_key() -> str:
    """192 random bits as 32 characters of base64url."""
    return secrets.token_urlsafe(24)


def kept(key: str) -> str:
    """What is stored of a key: its SHA-256 in hexadecimal."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def kept_of_new(key: str) -> str:
    """The same for the key of a session that begins now. Raises InvalidParams for a key that could be guessed."""
    if not _STRONG.fullmatch(key):
        raise InvalidParams(
            "session_key must be 22 to 128 of A-Z a-z 0-9 _ - (128 random bits or more); leave it out to be given one",
            field="session_key",
        )
    return kept(key)


def keyed(caller: Caller) -> Caller:
    """A visitor who brings no key is given one: it opens the session that begins now, and no other."""
    return caller.with_key(new_key()) if caller.is_visitor and caller.session_key is None else caller


def opens(key: str | None, hashes: Iterable[str | None]) -> bool:
    """True when the key is that of one of these hashes. A session without one opens for no visitor."""
    return key is not None and is_one_of(kept(key), hashes)


def is_one_of(given: str, hashes: Iterable[str | None]) -> bool:
    """Compares with each, in constant time."""
    text = given.encode("utf-8", "surrogatepass")
    return any(one is not None and hmac.compare_digest(text, one.encode()) for one in hashes)
