"""MCP servers and the tools that they offer. Calls are in calls.py."""

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
    """The name of the folder in `ServerSettings.artifacts_dir` with a run's files; it is deleted with the run."""
    plain = _NOT_PLAIN.sub("_", run_id).lstrip(".")[:100]
    return plain if plain == run_id else f"{plain}-{hashlib.sha256(run_id.encode()).hexdigest()[:16]}"


class ServerSettings(Message):
    """How to reach one MCP server: a `command` to start over stdio, or the `url` of a Streamable HTTP endpoint.

    The child process gets `env`, the few harmless variables that every process needs (HOME, PATH, LANG …) and, with
    `credentials`, CREDENTIALS_DIRECTORY.
    """

    name: str
    command: str | None = None
    args: tuple[str, ...] = ()
    url: str | None = None
    headers: Mapping[str, str] = Field(default_factory=dict, repr=False)
    env: Mapping[str, str] = Field(default_factory=dict, repr=False)
    credentials: Mapping[str, bytes] = Field(default_factory=dict, repr=False)
    """Secrets that the server gets as files, by name."""
    blocked: str | None = None
    """A sentence that says why the server must not be started; it is then down with this error. None: it may start."""
    workdir: str | None = None
    start_timeout_s: float = 30.0
    call_timeout_s: float = 60.0
    artifacts_dir: str | None = None
    """The folder for files embedded in results; None drops their bytes and keeps their names."""


class ToolInfo(Message):
    """One tool as listed by its server, extended by client.toml. `meta` is the tool's own `_meta`."""

    name: str
    server: str
    description: str = ""
    input_schema: dict[str, Json] = Field(default_factory=lambda: {"type": "object"})
    annotations: dict[str, Json] = Field(default_factory=dict)
    meta: dict[str, Json] = Field(default_factory=dict)
    official: bool = False
    approval: ApprovalRule = "never"
    four_eyes: bool = False
    """Whether a second officer must agree if the first proposed the call or changed the person it is about."""
    timeout_s: float | None = None
    whole_schema: dict[str, Json] | None = None
    """The full input schema, if `input_schema` holds only what a model must fill in and the host knows the rest."""
    remote_name: str | None = None
    """The tool's name at its server, if the catalogue's differs (`SERVER__TOOL`)."""

    @field_validator("input_schema")
    @classmethod
    def _of_schemas(cls, schema: dict[str, Json]) -> dict[str, Json]:
        """Replace each property that is no object by `{}`, which allows anything: JSON Schema also allows `true`."""
        if "properties" not in schema:
            return schema
        listed = schema["properties"].items() if isinstance(schema["properties"], dict) else ()
        return {**schema, "properties": {name: each if isinstance(each, dict) else {} for name, each in listed}}

    @property
    def bare_name(self) -> str:
        """The tool's name at its server, also if the catalogue's is `SERVER__TOOL`."""
        return self.remote_name or self.name

    @property
    def read_only(self) -> bool:
        """Whether the server promises that a call changes nothing, so that repeating it is harmless."""
        return self.annotations.get("readOnlyHint") is True

    @property
    def harmless(self) -> bool:
        """Whether the server promises that a call changes nothing and no other hint contradicts that."""
        return self.read_only and self.annotations.get("destructiveHint") is not True

    @property
    def identity(self) -> bool:
        """Whether the tool proves who somebody is (`_meta` agentd/identity); only the daemon itself may call it.

        Its arguments are secrets (a PIN), which no run, step or event may store.
        """
        return bool(self.meta.get("agentd/identity"))

    @property
    def for_model(self) -> bool:
        """Whether a model may call it; False for tools of the desk's pages and programs (`_meta` agentd/for)."""
        return self.meta.get("agentd/for", "model") == "model" and not self.identity


class ServerState(Message):
    """The state of one MCP server. `instructions` come from its `initialize` answer."""

    name: str
    state: Literal["up", "starting", "down"]
    error: str | None = None
    protocol_version: str | None = None
    instructions: str = ""
    restarts: int = 0


class Catalogue(Message):
    """What a tool host offers at one moment. `version` increases with every change."""

    tools: tuple[ToolInfo, ...] = ()
    servers: tuple[ServerState, ...] = ()
    version: int = 0

    def tool(self, name: str) -> ToolInfo | None:
        """The tool of that name, ignoring case, or None."""
        wanted = name.casefold()
        return next((tool for tool in self.tools if tool.name.casefold() == wanted), None)

    def tool_of(self, server: str, name: str) -> ToolInfo | None:
        """The tool with exactly this name at this server, or None."""
        return next((tool for tool in self.tools if (tool.server, tool.bare_name) == (server, name)), None)
