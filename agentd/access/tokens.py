"""Stores principals and their tokens in `access.json` of the state folder, and defines the built-in callers. It decides
nothing about a request.

Tokens are 256 random bits, stored only as SHA-256 and shown once when made. The file is read again when it changes, so
an added or revoked token takes effect within a fifth of a second.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import structlog
from pydantic import ValidationError

from agentd.access import used
from agentd.errors import Conflict, InvalidParams, NotFound
from agentd.messages import Caller, Message, Scope
from hardening.files import replace, stamp

log = structlog.get_logger(__name__)

FILE_NAME = "access.json"
_LOOK_EVERY_S = 0.2
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")


class Principal(Message):
    """The holder of a token. `token_sha256` is hexadecimal; `rate_per_minute` None means the daemon's default."""

    id: str
    scopes: frozenset[Scope]
    profile: str | None = None
    rate_per_minute: float | None = None
    created_at: datetime
    expires_at: datetime | None = None
    """The time from which the token is invalid; None means never."""
    token_sha256: str

    @property
    def caller(self) -> Caller:
        return Caller(id=self.id, scopes=self.scopes, profile=self.profile)


class _File(Message):
    version: int = 1
    principals: tuple[Principal, ...] = ()


class TokenStore:
    """The principals in `access.json`.

    If the file is unreadable, or missing though there were tokens, no token is valid and everybody needs one.
    """

    def __init__(self, path: Path, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._path = path
        self._lock = path.with_name(FILE_NAME + ".lock")
        self._now = now
        self._seen: tuple[int, int, int] | None = None
        self._look_again = 0.0
        self._broken = False
        self._by_hash: dict[str, tuple[Principal, Caller]] = {}
        self._by_id: dict[str, Principal] = {}

    @property
    def closed(self) -> bool:
        """Whether everybody needs a token, because there are tokens or the file can't be read."""
        self._refresh()
        return self._broken or bool(self._by_id)

    @property
    def broken(self) -> bool:
        """Whether the file can't be read or was lost, so that no token is valid."""
        self._refresh()
        return self._broken

    def holder(self, token: str) -> Caller | None:
        """The token's holder; None if it is unknown or has expired."""
        self._refresh()
        found = self._by_hash.get(digest(token))
        if found is None or (found[0].expires_at is not None and found[0].expires_at <= self._now()):
            return None
        return found[1]

    def rate_of(self, caller_id: str) -> float | None:
        """The caller's own rate per minute, or None."""
        principal = self._by_id.get(caller_id)
        return principal.rate_per_minute if principal else None

    def principals(self) -> tuple[Principal, ...]:
        """All principals. Raises Conflict if the file can't be read."""
        return self._load().principals

    def add(
        self,
        principal_id: str,
        scopes: frozenset[Scope],
        *,
        now: datetime,
        profile: str | None = None,
        rate_per_minute: float | None = None,
        lifetime: timedelta | None = None,
    ) -> str:
        """Add a principal and return its token, which can't be shown again. Raises InvalidParams, Conflict."""
        if not _ID.fullmatch(principal_id):
            raise InvalidParams(f"{principal_id!r} is no name: 1 to 64 of A-Z a-z 0-9 . _ @ -, a letter or digit first")
        if principal_id in RESERVED:
            raise InvalidParams(f"name {principal_id} is the daemon's own; choose another")
        if not scopes:
            raise InvalidParams("a token needs at least one scope: kiosk, chat, staff, admin or model")
        if rate_per_minute is not None and rate_per_minute <= 0:
            raise InvalidParams("the rate is calls a minute, above 0")
        token = _new_token()
        added = Principal(
            id=principal_id,
            scopes=scopes,
            profile=profile,
            rate_per_minute=rate_per_minute,
            created_at=now,
            expires_at=None if lifetime is None else now + lifetime,
            token_sha256=digest(token),
        )
        with self._changing() as principals:
            if any(principal.id == principal_id for principal in principals):
                raise Conflict(f"{principal_id} has a token already; revoke it first, or choose another name")
            principals.append(added)
        return token

    def rotate(self, principal_id: str, *, now: datetime) -> str:
        """Replace the token, with the same lifetime from now on; the old one is invalid at once. Raises NotFound."""
        token = _new_token()
        with self._changing() as principals:
            old = next((one for one in principals if one.id == principal_id), None)
            if old is None:
                raise NotFound(_unknown(principal_id, principals))
            lives = None if old.expires_at is None else now + (old.expires_at - old.created_at)
            changes = {"token_sha256": digest(token), "created_at": now, "expires_at": lives}
            principals[principals.index(old)] = old.model_copy(update=changes)
        return token

    def revoke(self, principal_id: str) -> None:
        """Revoke the token at once. Raises NotFound."""
        with self._changing() as principals:
            kept = [principal for principal in principals if principal.id != principal_id]
            if len(kept) == len(principals):
                raise NotFound(_unknown(principal_id, principals))
            principals[:] = kept

    @contextmanager
    def _changing(self) -> Iterator[list[Principal]]:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._lock.open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            principals = list(self._load().principals)
            yield principals
            replace(self._path, _File(principals=tuple(principals)).model_dump_json(indent=1).encode())
            if not os.fstat(lock.fileno()).st_size:
                lock.write("access.json was made: without it nobody is let in\n")
            self._look_again = 0.0

    def _lost(self) -> bool:
        """Whether the missing file was once there: a token was made or used, by what lies beside it."""
        beside = self._path.with_name(used.FILE_NAME).exists()
        return beside or bool(self._by_id) or (self._lock.exists() and self._lock.stat().st_size > 0)

    def _load(self) -> _File:
        try:
            return _File.model_validate_json(self._path.read_bytes())
        except FileNotFoundError:
            return _File()
        except (OSError, ValidationError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is not what agentd wrote"
            denied = isinstance(error, PermissionError)
            to_do = "run this as the daemon's user" if denied else "repair it, or remove it and add the tokens again"
            raise Conflict(f"{self._path} can't be used: {why}; {to_do}") from None

    def _refresh(self) -> None:
        now = time.monotonic()
        if now < self._look_again:  # a system call per request would cost as much as its whole dispatch
            return
        self._look_again = now + _LOOK_EVERY_S
        seen = stamp(self._path)
        if seen == self._seen:
            return
        try:
            principals, self._broken = self._load().principals, min(seen) < 0
            if not any(seen) and self._lost():
                raise Conflict(
                    f"{self._path} is missing, though there were tokens: put it back from a backup, or make tokens "
                    "again by `agentd token add`; until then nobody is let in"
                )
        except Conflict as error:
            log.error("access.unreadable", reason=error.message)
            principals, self._broken = (), True
        self._by_hash = {principal.token_sha256: (principal, principal.caller) for principal in principals}
        self._by_id = {principal.id: principal for principal in principals}
        self._seen = seen


def _new_token() -> str:
    return "agd_" + secrets.token_urlsafe(32)


def _unknown(principal_id: str, principals: list[Principal]) -> str:
    known = ", ".join(principal.id for principal in principals) or "none"
    return f"no token is named {principal_id}; there are: {known}"


def digest(token: str) -> str:
    """The token's SHA-256 in hexadecimal, for storage and comparison."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


LOCAL = Caller(id="local", scopes=frozenset({"admin"}))
"""A program on this machine while no token is configured."""
OWN_PAGE = Caller(id="kiosk", scopes=frozenset({"kiosk"}))
"""The daemon's own page in a browser on this machine while no token is configured."""
TOKEN_OF_ENVIRONMENT = Caller(id="admin", scopes=frozenset({"admin"}))
"""The holder of AGENTD_TOKEN."""
OWN_SERVER = Caller(id="own-server", scopes=frozenset({"model"}))
"""One of the daemon's own MCP servers that may use its models (`model = true`)."""
RESERVED = frozenset({LOCAL.id, OWN_PAGE.id, TOKEN_OF_ENVIRONMENT.id, OWN_SERVER.id})
