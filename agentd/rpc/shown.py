"""What of a run its caller may see: local paths stay in the daemon, except for an admin. It changes nothing else."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from agentd.messages import Caller


def shown(result: BaseModel | dict[str, Any], caller: Caller) -> dict[str, Any]:
    """The wire form of a run, a step or an event for this caller.

    For everybody but an admin an artifact has no `path`, and wherever a tool's output names that path it reads the
    artifact's `uri` instead.
    """
    value: dict[str, Any] = result.model_dump(mode="json") if isinstance(result, BaseModel) else result
    if "admin" in caller.scopes:
        return value
    uris: dict[str, str] = {}
    _collect(value, uris)
    hidden: dict[str, Any] = _hide(value, uris)
    return hidden


def _collect(value: Any, uris: dict[str, str]) -> None:
    if isinstance(value, dict):
        if _is_artifact(value):
            if value.get("path"):
                uris[value["path"]] = value["uri"]
            return
        for inner in value.values():
            _collect(inner, uris)
    elif isinstance(value, list):
        for inner in value:
            _collect(inner, uris)


def _hide(value: Any, uris: dict[str, str]) -> Any:
    if isinstance(value, dict):
        bare = _is_artifact(value)
        return {key: _hide(inner, uris) for key, inner in value.items() if not (bare and key == "path")}
    if isinstance(value, list):
        return [_hide(inner, uris) for inner in value]
    if isinstance(value, str):
        for path, uri in uris.items():
            value = value.replace(path, uri)
    return value


def _is_artifact(value: dict[str, Any]) -> bool:
    return "uri" in value and "sha256" in value and "media_type" in value
