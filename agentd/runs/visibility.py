"""Decides what a caller sees of runs and sessions: others' ids are not found, a visitor needs the session's key, and
only an admin sees local paths. Pure.

Only the SHA-256 of a visitor's key is stored. Keys are random, so no slow hash is needed.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable
from pathlib import PurePath
from typing import Any, TypeVar

from agentd.errors import AgentdError, InvalidParams, NotFound, ToolExecution
from agentd.messages import AgentOutcome, Artifact, Caller
from agentd.runs.records import RunRecord, SessionRecord

Owned = TypeVar("Owned", RunRecord, SessionRecord)


def owned(row: Owned | None, caller: Caller, what: str, hashes: Iterable[str | None]) -> Owned:
    """The row, if the caller owns it or is admin. Raises NotFound as for a missing row.

    A visitor also needs a session key: `hashes` are those of the sessions that the row belongs to.
    """
    if row is None or not owns(row.owner, caller, hashes):
        raise NotFound(f"there is no such {what}{', or session_key does not open it' if caller.is_visitor else ''}")
    return row


def owns(owner: str, caller: Caller, hashes: Iterable[str | None]) -> bool:
    """Whether the caller may act as the owner. An admin always may; a visitor also needs the key."""
    if caller.may():
        return True
    return owner == caller.id and (not caller.is_visitor or opens(caller.session_key, hashes))


def owned_session(row: SessionRecord | None, caller: Caller) -> SessionRecord:
    """The session's row, if the caller owns it. Raises NotFound."""
    return owned(row, caller, "session", () if row is None else (row.key_hash,))


def published(artifacts: Iterable[Artifact], run_id: str) -> tuple[Artifact, ...]:
    """The files with the daemon's addresses, under unique names."""
    named: dict[str, Artifact] = {}
    for artifact in artifacts:
        name, number = artifact.name, 2
        while name in named and named[name].sha256 != artifact.sha256:
            stem, dot, suffix = artifact.name.rpartition(".")
            name = f"{stem or suffix}-{number}{dot}{suffix if stem else ''}"
            number += 1
        named[name] = artifact.model_copy(update={"name": name, "uri": f"/artifacts/{run_id}/{name}"})
    return tuple(named.values())


def without_paths(value: Any, artifacts: Iterable[Artifact]) -> Any:
    """The value with each artifact's local path replaced by its daemon address."""
    addresses = {artifact.path: artifact.uri for artifact in artifacts if artifact.path}
    folders = {str(PurePath(path).parent): "" for path in addresses}
    return _replaced(value, addresses, folders) if addresses else value


def _replaced(value: Any, addresses: dict[str, str], folders: dict[str, str]) -> Any:
    if isinstance(value, str):
        for path, address in addresses.items():
            if path in value:
                value = value.replace(f"file://{path}", address).replace(path, address)
        for folder in folders:
            value = value.replace(folder, "…") if folder in value else value
        return value
    if isinstance(value, dict):
        return {
            key: _replaced(inner, addresses, folders)
            for key, inner in value.items()
            if not (key == "path" and isinstance(inner, str) and inner in addresses)
        }
    if isinstance(value, list):
        return [_replaced(inner, addresses, folders) for inner in value]
    return value


_STRONG = re.compile(r"[A-Za-z0-9_-]{22,128}")
"""22 characters of base64url hold 128 bits."""


def new_key() -> str:
    """Create a key: 192 random bits as 32 characters of base64url."""
    return secrets.token_urlsafe(24)


def kept(key: str) -> str:
    """The stored form of a key: its SHA-256 in hexadecimal."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def kept_of_new(key: str) -> str:
    """The stored form of a new session's key. Raises InvalidParams if the key could be guessed."""
    if not _STRONG.fullmatch(key):
        raise InvalidParams(
            "session_key must be 22 to 128 of A-Z a-z 0-9 _ - (128 random bits or more); leave it out to be given one",
            field="session_key",
        )
    return kept(key)


def kept_of(caller: Caller, session: SessionRecord | None) -> str | None:
    """The hash of a visitor's key for an existing or a new session; None without a key."""
    if not caller.is_visitor or caller.session_key is None:
        return None
    return kept_of_new(caller.session_key) if session is None else kept(caller.session_key)


def keyed(caller: Caller) -> Caller:
    """The caller; a visitor without a key gets one, which opens only the session that begins now."""
    return caller.with_key(new_key()) if caller.is_visitor and caller.session_key is None else caller


def opens(key: str | None, hashes: Iterable[str | None]) -> bool:
    """Whether the key matches one of these hashes. A session without a hash opens for no visitor."""
    return key is not None and is_one_of(kept(key), hashes)


def is_one_of(given: str, hashes: Iterable[str | None]) -> bool:
    """Whether `given` equals one of these hashes; each comparison takes constant time."""
    text = given.encode("utf-8", "surrogatepass")
    return any(one is not None and hmac.compare_digest(text, one.encode()) for one in hashes)


def artifacts_in(outcome: dict[str, Any] | None) -> list[Artifact]:
    return [Artifact.model_validate(value) for value in (outcome or {}).get("artifacts", [])]


def outcome_of(row: RunRecord, caller: Caller) -> AgentOutcome:
    """A run's outcome in the wire form; only an admin gets local paths."""
    outcome = row.outcome or {}
    if not caller.may():
        outcome = without_paths(outcome, artifacts_in(outcome))
    known = {key: value for key, value in outcome.items() if key in AgentOutcome.model_fields}
    ids = {"run_id": row.run_id, "session_id": row.session_id, "status": row.status}
    return AgentOutcome.model_validate({**known, **ids})


def error_of(row: RunRecord, caller: Caller) -> AgentdError:
    """The run's error with the whole `data` of the wire form, including the run's ids and steps.

    If a question's answer itself explains the failure (Analytics.ask) and no error is stored, it is the user message.
    """
    steps = (row.outcome or {}).get("steps", [])
    if not caller.may():
        steps = without_paths(steps, artifacts_in(row.outcome))
    if row.error is not None:
        error = row.error.raised(steps=steps)
    else:
        said = (row.outcome or {}).get("response")
        error = ToolExecution("the question could not be answered", steps=steps, user_message=said)
    if fallbacks := (row.outcome or {}).get("fallbacks"):
        error.data["fallbacks"] = fallbacks
    ids = {"run_id": row.run_id, "session_id": row.session_id}
    error.data = {"type": error.type, **ids, **error.data, "user_message": error.user_message(row.brief.language)}
    return error


def summary_of(row: RunRecord, caller: Caller) -> dict[str, Any]:
    """A run as `Agent.list` shows it; only its owner and an admin get the prompt."""
    shown = {key: getattr(row, key) for key in ("run_id", "session_id", "kind", "status", "created_at", "finished_at")}
    if row.approval is not None:
        shown["approval"] = row.approval.shown()
    if row.error is not None and row.error.data.get("parked"):
        shown["parked"] = True
    if caller.may() or row.owner == caller.id:
        shown["prompt"] = row.prompt
    return shown
