"""MCP servers and the tools that they offer. What becomes of a call is in calls.py."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Literal

from pydantic import Field, field_validator

from agentd.messages.base import Json, Message

ApprovalRule = Literal["never", "citizen", "staff"]
_NOT_PLAIN = re.compile(r"[^\w.+-]+")


def folder_of_run(run_id: str) -> str:
    """The folder, below `ServerSettings.artifacts_dir`, of the files that a run's tools made: deleted with the run."""
    plain = _NOT_PLAIN.sub("_", run_id).lstrip(".")[:100]
    return plain if plain == run_id else f"{plain}-{hashlib.sha256(run_id.encode()).hexdigest()[:16]}"


class ServerSettings(Message):
    """How to reach one MCP server: a `command` to start over stdio, or the `url` of a Streamable HTTP endpoint.

    `env` is all that the child gets besides the few harmless variables every process needs (HOME, PATH, LANG …) and,
    with `credentials`, CREDENTIALS_DIRECTORY.
    """

    name: str
    command: str | None = None
    args: tuple[str, ...] = ()
    url: str | None = None
    headers: Mapping[str, str] = Field(default_factory=dict, repr=False)
    env: Mapping[str, str] = Field(default_factory=dict, repr=False)
    credentials: Mapping[str, bytes] = Field(default_factory=dict, repr=False)
    """Secrets that it gets as files, by their names."""
    blocked: str | None = None
    """Why it must not be started as things are (a sentence); then it is down with this as its error."""
    workdir: str | None = None
    start_timeout_s: float = 30.0
    call_timeout_s: float = 60.0
    artifacts_dir: str | None = None
    """Where files embedded in results are kept; None drops their bytes and keeps their names."""


class ToolInfo(Message):
    """One tool as its server lists it, enriched by client.toml. `meta` is the tool's own `_meta`."""

    name: str
    server: str
    description: str = ""
    input_schema: dict[str, Json] = Field(default_factory=lambda: {"type": "object"})
    annotations: dict[str, Json] = Field(default_factory=dict)
    meta: dict[str, Json] = Field(default_factory=dict)
    official: bool = False
    approval: ApprovalRule = "never"
    four_eyes: bool = False
    """An officer's yes to their own call, or to another person than was proposed, needs a second officer's."""
    timeout_s: float | None = None
    whole_schema: dict[str, Json] | None = None
    """Its input schema where `input_schema` is only what a model is to fill in: the host knows the rest."""
    remote_name: str | None = None
    """The name that the server knows it by, where the catalogue's differs (`SERVER__TOOL`)."""

    @field_validator("input_schema")
    @classmethod
    def _of_schemas(cls, schema: dict[str, Json]) -> dict[str, Json]:
        """Each property as an object: to JSON Schema `true` is a schema too; what is none allows anything as well."""
        listed = schema.get("properties", {})
        properties = listed if isinstance(listed, dict) else {}
        if properties is listed and all(isinstance(each, dict) for each in properties.values()):
            return schema
        return {
            **schema,
            "properties": {name: each if isinstance(each, dict) else {} for name, each in properties.items()},
        }

    @property
    def bare_name(self) -> str:
        """The name by which its server knows it, also where the catalogue calls it `SERVER__TOOL`."""
        return self.remote_name or self.name

    @property
    def read_only(self) -> bool:
        """True when the server promises that a call changes nothing, so that doing it again is harmless."""
        return self.annotations.get("readOnlyHint") is True

    @property
    def harmless(self) -> bool:
        """True when the server promises that a call changes nothing, and does not contradict itself by another hint."""
        return self.read_only and self.annotations.get("destructiveHint") is not True

    @property
    def identity(self) -> bool:
        """True for what proves who somebody is (`_meta` agentd/identity): the daemon itself calls it, and nobody else.

        Its arguments are secrets (a PIN), which no run, step or event may keep.
        """
        return bool(self.meta.get("agentd/identity"))

    @property
    def for_model(self) -> bool:
        """False for what only the desk's pages and programs call (`_meta` agentd/for): no model can call it."""
        return self.meta.get("agentd/for", "model") == "model" and not self.identity


class ServerState(Message):
    """One MCP server as it stands: its instructions come from its `initialize` answer."""

    name: str
    state: Literal["up", "starting", "down"]
    error: str | None = None
    protocol_version: str | None = None
    instructions: str = ""
    restarts: int = 0


class Catalogue(Message):
    """What a tool host offers at one moment. `version` grows with every change."""

    tools: tuple[ToolInfo, ...] = ()
    servers: tuple[ServerState, ...] = ()
    version: int = 0

    def tool(self, name: str) -> ToolInfo | None:
        """The tool of that name, without regard to case."""
        wanted = name.casefold()
        return next((tool for tool in self.tools if tool.name.casefold() == wanted), None)

    def tool_of(self, server: str, name: str) -> ToolInfo | None:
        """The tool that this server knows by exactly that name."""
        return next((tool for tool in self.tools if (tool.server, tool.bare_name) == (server, name)), None)
