"""Who may see what of a run: ids of others are not found, local paths are for the admin. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath
from typing import Any, TypeVar

from agentd.errors import NotFound
from agentd.messages import Artifact, Caller
from agentd.runs.keys import opens
from agentd.runs.records import RunRecord, SessionRecord

Owned = TypeVar("Owned", RunRecord, SessionRecord)


def owned(row: Owned | None, caller: Caller, what: str, hashes: Iterable[str | None]) -> Owned:
    """The row, if it is the caller's (or the caller is admin). Raises NotFound as if it were not there.

    A visitor needs the key of the session besides: `hashes` are those of the sessions that the row belongs to.
    """
    if row is None or not owns(row.owner, caller, hashes):
        raise NotFound(f"there is no such {what}{', or session_key does not open it' if caller.is_visitor else ''}")
    return row


def owns(owner: str, caller: Caller, hashes: Iterable[str | None]) -> bool:
    """Whether what is the owner's is this caller's too: an admin's is everything, a visitor's what their key opens."""
    if caller.may():
        return True
    return owner == caller.id and (not caller.is_visitor or opens(caller.session_key, hashes))


def owned_session(row: SessionRecord | None, caller: Caller) -> SessionRecord:
    """The session's row, if it is the caller's. Raises NotFound."""
    return owned(row, caller, "session", () if row is None else (row.key_hash,))


def published(artifacts: Iterable[Artifact], run_id: str) -> tuple[Artifact, ...]:
    """The same files under the daemon's address, each name once."""
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
    """The value with every local path of the artifacts replaced by its address on the daemon."""
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
