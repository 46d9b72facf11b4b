"""Pairing codes: six digits, valid for two minutes and five tries, which a kiosk's page exchanges for a token."""

from __future__ import annotations

import fcntl
import hmac
import json
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from agentd.access.tokens import TokenStore, digest
from agentd.clock import holds
from agentd.errors import Conflict, Unauthorized
from hardening.files import replace

FILE_NAME = "pairing.json"
LIVES = timedelta(minutes=2)
TRIES = 5


class Pairing:
    """At most one pending pairing, in a file of the state folder that only its owner can read."""

    def __init__(self, state: Path, tokens: TokenStore) -> None:
        self._path = state / FILE_NAME
        self._tokens = tokens

    def begin(self, name: str | None, now: datetime) -> tuple[str, str]:
        """Return (code, kiosk's name) and void an older code. Raises Conflict if the name's token has other scopes."""
        known = {one.id: one.scopes for one in self._tokens.principals()}
        free = (f"kiosk-{number}" for number in range(1, 10_000))
        name = name or next(one for one in free if one not in known)
        if known.get(name, frozenset({"kiosk"})) != {"kiosk"}:
            raise Conflict(f"{name} is no kiosk: it has other scopes; choose another name")
        code = f"{secrets.randbelow(1_000_000):06}"
        with self._locked():
            self._write({"code": digest(name + code), "name": name, "until": (now + LIVES).isoformat(), "tries": 0})
        return code, name

    def end(self, code: str, now: datetime) -> tuple[str, str]:
        """Return (kiosk's name, its token) for the right code, once. Raises Unauthorized; five wrong codes void it."""
        with self._locked():
            waiting = self._read()
            if waiting is None or not holds(datetime.fromisoformat(waiting["until"]), now, LIVES):
                raise Unauthorized("No pairing waits, or its code has expired; begin one by `agentd kiosk pair`")
            name = str(waiting["name"])
            if not hmac.compare_digest(digest(name + code), waiting["code"]):
                waiting["tries"] += 1
                self._write(waiting if waiting["tries"] < TRIES else None)
                raise Unauthorized("That is not the code; after five wrong ones it is void")
            self._write(None)
        if any(one.id == name for one in self._tokens.principals()):
            return name, self._tokens.rotate(name, now=now)
        return name, self._tokens.add(name, frozenset({"kiosk"}), now=now)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.with_suffix(".lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _read(self) -> dict[str, Any] | None:
        with suppress(OSError, ValueError):
            waiting = json.loads(self._path.read_bytes())
            return waiting if isinstance(waiting, dict) else None
        return None

    def _write(self, waiting: dict[str, Any] | None) -> None:
        if waiting is None:
            self._path.unlink(missing_ok=True)
            return
        replace(self._path, json.dumps(waiting).encode())
