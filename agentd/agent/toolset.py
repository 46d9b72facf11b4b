"""The tools one run may use: the catalogue as bound and worded by client.toml and the caller's profile. No calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from agentd.agent.approval import Chooser, rule_of
from agentd.errors import ToolError, UnboundTool, UnknownTool
from agentd.messages import AgentStep, Caller, Catalogue, ServerState, ToolInfo

if TYPE_CHECKING:
    from agentd.config.schema import ToolSettings

LONGEST_NAME = 64
"""Characters of a tool's name; a longer one ends in a hash, so that no two are the same."""
SESSION_ARGUMENT = "session_id"
"""The host sets an argument of this name and hides it from the model."""


Fit = Callable[[ToolInfo], ToolInfo]
"""Adapts a tool to what one session's model sees; `whole_schema` keeps the full schema."""


@dataclass(frozen=True, slots=True)
class Toolset:
    """The tools that may be called (of servers that are not down), and others known by name."""

    tools: tuple[ToolInfo, ...]
    servers: tuple[ServerState, ...]
    unbound: frozenset[str] = frozenset()
    asleep: tuple[ToolInfo, ...] = ()
    """Tools of servers that are down or have not listed them yet: a call is an execution error, not an unknown name."""
    gone: tuple[ToolInfo, ...] = ()
    """Official tools that were offered before: what an answer claims of them is still to be checked."""
    unlisted: frozenset[str] = frozenset()
    """The servers that have not said yet which tools they have."""

    def resolve(self, name: str, server: str | None = None) -> ToolInfo:
        """The tool of that name, else one that differs from it by case alone. Raises UnknownTool, UnboundTool."""
        wanted, alike = name.casefold(), None
        for tool in (tool for tool in self.every if server in (None, tool.server)):
            names = (tool.name, f"{tool.server}__{tool.bare_name}", *(() if server is None else (tool.bare_name,)))
            if name in names:
                return tool
            if alike is None and wanted in map(str.casefold, names):
                alike = tool
        if alike is not None:
            return alike
        if wanted in self.unbound:
            raise UnboundTool(f"tool `{name}` is bound to no server that offers it; check [[tools]] in client.toml")
        known = sorted(tool.name for tool in self.tools)
        if server is None:
            if same := [tool.name for tool in self.every if tool.bare_name.casefold() == wanted]:
                raise UnknownTool(f"several servers have a tool `{name}`: call one of {', '.join(same)}", known=known)
            late = ", ".join(state.name for state in self.servers if state.state != "up")
            not_up = f"; these servers are not up and may have it: {late}" if late else ""
            raise UnknownTool(f"there is no tool `{name[:100]}`{not_up}", known=known)
        if all(state.name != server for state in self.servers):
            there = ", ".join(state.name for state in self.servers) or "none"
            text = f"no server `{server}` is configured here, for its `{name}`; there are: {there}"
            raise UnknownTool(text, known=known)
        raise UnknownTool(f"the server `{server}` has no tool `{name}`", known=known)

    def known(self, name: str) -> ToolInfo | None:
        """The tool of that name; None for list_tools and unknown names."""
        try:
            return self.resolve(name)
        except ToolError:
            return None

    def fitted(self, fits: Sequence[Fit]) -> Toolset:
        """The same tools as a session's model sees them."""
        tools = list(self.tools)
        for fit in fits:
            tools = [fit(tool) for tool in tools]
        return replace(self, tools=tuple(tools))

    @property
    def every(self) -> tuple[ToolInfo, ...]:
        """All tools, sleeping ones included."""
        return (*self.tools, *self.asleep)

    @property
    def official(self) -> frozenset[str]:
        """The names of the tools that act for the office, or did."""
        return frozenset(tool.name for tool in (*self.every, *self.gone) if tool.official)

    def done(self, steps: Iterable[AgentStep]) -> str:
        """The messages of the successful official calls among these steps; empty if the last official one failed."""
        calls = [step for step in steps if step.tool in self.official and step.message]
        return "\n".join(step.message for step in calls if step.success) if calls and calls[-1].success else ""

    def expected(self, name: str, server: str) -> ToolInfo:
        """The tool of a server that should offer it, even if the server is not up and has not listed it.

        Raises UnknownTool if the server is not configured, or is up without the tool.
        """
        try:
            return self.resolve(name, server)
        except UnknownTool:
            if any(state.name == server and state.state != "up" for state in self.servers):
                return ToolInfo(name=name, server=server)
            raise


def assemble(
    catalogue: Catalogue,
    entries: Sequence[ToolSettings] | None,
    *,
    servers: Iterable[str] | None = None,
    only: Iterable[str] | None = None,
    caller: Caller | None = None,
    chooser: Chooser = "model",
) -> Toolset:
    """Build the toolset from the catalogue, with client.toml's wording and the profile's restrictions.

    `entries` None means every tool of every server; `servers` and `only` restrict them (None: no limit). Tools with
    the same name at two servers become `SERVER__TOOL`, and so does one whose name is another's `SERVER__TOOL`. A model
    doesn't get tools that are not for models; no other chooser gets identity tools, which only the daemon calls, at
    its host (agentd/daemon.py).
    """

    def worded(tool: ToolInfo, entry: ToolSettings | None = None) -> ToolInfo:
        said = {} if entry is None else entry.model_dump(exclude_none=True)
        made = _worded(tool, said)
        rule = rule_of(made, said.get("approval"), caller, chooser)
        four_eyes = said.get("four_eyes", made.official and rule == "staff")
        return made.model_copy(update={"approval": rule, "four_eyes": four_eyes})

    seen = frozenset(servers) if servers is not None else None
    allowed = frozenset(name.casefold() for name in only) if only is not None else None
    states = tuple(state for state in catalogue.servers if seen is None or state.name in seen)
    up = {state.name for state in states if state.state == "up"}
    offered = [tool for tool in catalogue.tools if seen is None or tool.server in seen]

    bound: list[ToolInfo] = []
    unbound: set[str] = set()
    if entries is None:
        bound = [worded(tool) for tool in offered]
    else:
        for entry in entries:
            named = (tool for tool in offered if tool.name.casefold() == entry.name.casefold())
            found = [tool for tool in named if entry.bare or tool.server == entry.server]
            bound += [worded(tool, entry) for tool in found]
            if found or not (entry.server is None or seen is None or entry.server in seen):
                continue
            if entry.server is None or entry.server in up:
                unbound.add(entry.name.casefold())
            else:
                bound.append(worded(ToolInfo(name=entry.name, server=entry.server), entry))

    times = Counter(tool.name.casefold() for tool in bound)
    times.update({f"{tool.server}__{tool.bare_name}".casefold() for tool in bound})
    final = [_qualified(tool) if times[tool.name.casefold()] > 1 else tool for tool in bound]
    if allowed is not None:
        final = [tool for tool in final if tool.name.casefold() in allowed]
        unbound &= allowed
    final = [tool for tool in final if (tool.for_model if chooser == "model" else not tool.identity)]
    running = {state.name for state in states if state.state != "down"}
    listed = {(tool.server, tool.name) for tool in offered if tool.server in running}
    awake = tuple(tool for tool in final if (tool.server, tool.bare_name) in listed)
    asleep = tuple(tool for tool in final if (tool.server, tool.bare_name) not in listed)
    unlisted = {state.name for state in states if state.state != "up"} - {tool.server for tool in offered}
    return Toolset(awake, states, frozenset(unbound), asleep, unlisted=frozenset(unlisted))


def _worded(tool: ToolInfo, said: Mapping[str, Any]) -> ToolInfo:
    """The tool with this office's settings over its server's."""
    return tool.model_copy(
        update={
            "official": said.get("official", bool(tool.meta.get("agentd/official")) or tool.official),
            "description": said.get("description") or tool.description,
            "timeout_s": said.get("timeout_s", tool.timeout_s),
            "input_schema": _without_session(tool.input_schema),
            "meta": {**tool.meta, "agentd/takes_session": SESSION_ARGUMENT in tool.input_schema.get("properties", {})},
        }
    )


def _without_session(schema: dict[str, Any]) -> dict[str, Any]:
    properties = schema.get("properties", {})
    if SESSION_ARGUMENT not in properties:
        return schema
    kept = {**schema, "properties": {name: rule for name, rule in properties.items() if name != SESSION_ARGUMENT}}
    if "required" in schema:
        kept["required"] = [name for name in schema["required"] if name != SESSION_ARGUMENT]
    return kept


def _qualified(tool: ToolInfo) -> ToolInfo:
    name = f"{tool.server}__{tool.name}"
    if len(name) > LONGEST_NAME:
        name = f"{name[: LONGEST_NAME - 9]}_{sha256(name.encode()).hexdigest()[:8]}"
    return tool.model_copy(update={"name": name, "remote_name": tool.bare_name})
