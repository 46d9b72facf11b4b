"""Builds a caller's agent profile (tools, prompt, models, limits) from client.toml and the live catalogue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import structlog

from agentd.agent import prompts
from agentd.agent.approval import Chooser
from agentd.agent.brief import RunLimits
from agentd.agent.picking import PromptTools
from agentd.agent.toolset import Toolset, assemble
from agentd.config import Settings
from agentd.config.schema import ProfileSettings, ToolSettings
from agentd.messages import AgentOptions, Caller, Catalogue, ChatMessage, ToolInfo

log = structlog.get_logger("agentd")

MOST_KNOWN = 64
"""How many profiles, one per kind of caller and options, are cached."""
MOST_GONE = 256
"""How many official tools are remembered for a kind of caller."""


@dataclass(frozen=True, slots=True)
class AgentProfile:
    """One run's tools, the stable start of its prompt, its limits, and the providers that it must not use."""

    toolset: Toolset
    prefix: tuple[ChatMessage, ...]
    limits: RunLimits
    deadline_s: float
    deadline_of: str
    provider: str | None
    barred: frozenset[str]


def profile_of(settings: Settings, caller: Caller | None) -> ProfileSettings | None:
    """The profile that the caller's token names, else the first with one of the caller's scopes, or None."""
    if caller is None:
        return None
    if caller.profile is not None:
        return settings.profile(caller.profile)
    return next((profile for profile in settings.profiles if caller.scopes & set(profile.scopes)), None)


def toolset_for(settings: Settings, catalogue: Catalogue, caller: Caller | None, chooser: Chooser = "model") -> Toolset:
    """The tools that exist for this caller if the `chooser` (its model, a person or a program) chooses."""
    profile = profile_of(settings, caller)
    spoken_of = {server.name for server in catalogue.servers} | {tool.server for tool in catalogue.tools}
    offered = {server for server in spoken_of if _is_for(server, settings, caller)}
    described = offered if profile is None or profile.in_prompt is None else offered & set(profile.in_prompt)
    there = None if caller is None or caller.may("staff") else offered
    if profile is not None and profile.servers is not None:
        there = set(profile.servers) if there is None else there & set(profile.servers)
    hidden = {"agentd/for": "desk"}  # from models; a person can still call such a tool by name
    allowed = [
        tool if tool.server in described else tool.model_copy(update={"meta": {**tool.meta, **hidden}})
        for tool in (_wanted(tool, settings) for tool in catalogue.tools if _may(caller, tool))
    ]
    return assemble(
        catalogue.model_copy(update={"tools": tuple(allowed)}),
        _entries(settings, catalogue),
        servers=there,
        only=profile.tools if profile else None,
        caller=caller,
        chooser=chooser,
    )


def _entries(settings: Settings, catalogue: Catalogue) -> Sequence[ToolSettings] | None:
    """The office's `[[tools]]` entries with what the servers' entries say of their tools; None if there are neither.

    A tool that only its server's entry names counts before its server has listed it.
    """
    entries = settings.tools
    if entries is None and settings.server_tools:
        listed = {(tool.server, tool.name) for tool in catalogue.tools}
        named = {(server, tool) for server, tools in settings.server_tools.items() for tool in tools}
        both = [*((tool.server, tool.name) for tool in catalogue.tools), *sorted(named - listed)]
        entries = tuple(ToolSettings(name=name, server=server) for server, name in both)
    return None if entries is None else [_ruled(entry, settings) for entry in entries]


def _ruled(entry: ToolSettings, settings: Settings) -> ToolSettings:
    said = settings.server_tools.get(entry.server or "", {}).get(entry.name)
    if said is None:
        return entry
    open_here = {key for key in ("approval", "official") if getattr(entry, key) is None}
    return entry.model_copy(update=said.model_dump(include=open_here))


def _is_for(server: str, settings: Settings, caller: Caller | None) -> bool:
    """Whether the server's `for` setting includes this caller. The daemon itself has all tools.

    An admin's agent is no exception: its prompt, too, should hold only tools that are meant for it.
    """
    audience = settings.audiences.get(server)
    return caller is None or audience is None or not audience.isdisjoint(caller.scopes)


def _wanted(tool: ToolInfo, settings: Settings) -> ToolInfo:
    """The tool as changed by the apps' sections of client.toml."""
    for section in settings.sections.values():
        tool = section.tool(tool)
    return tool


def _may(caller: Caller | None, tool: ToolInfo) -> bool:
    """Whether the caller has the scope that the tool's `_meta` requires (`agentd/scope`). The daemon has all."""
    scope = tool.meta.get("agentd/scope")
    return scope is None or caller is None or caller.may(scope)


def agent_profile(
    settings: Settings,
    catalogue: Catalogue,
    caller: Caller | None,
    options: AgentOptions,
    prompt_tools: PromptTools | None = None,
) -> AgentProfile:
    """The profile of one run. `prompt_tools` are those selected for the session's prompt (None: all)."""
    profile = profile_of(settings, caller)
    toolset = toolset_for(settings, catalogue, caller)
    template = (profile and profile.prompt_template) or settings.prompt_template
    custom = (profile and profile.custom_instruction) or settings.agent.custom_instruction
    if options.system_prompt is not None:
        custom = options.system_prompt
    custom = "\n".join([custom, *(f"{word}: {meaning}" for word, meaning in settings.glossary.items())])
    language = options.language or settings.agent.language
    system = prompts.compose_system_instructions(
        template, toolset, custom=custom, language=language, tools=prompt_tools
    )
    shown = prompts.examples(settings.examples, toolset, prompt_tools)
    own = settings.agent
    allowed = profile.providers if profile else None
    section = f"[[profiles]] {profile.name}" if profile and profile.deadline_s else "[agent]"
    return AgentProfile(
        toolset=toolset,
        prefix=(ChatMessage(role="system", content=system), *shown),
        limits=RunLimits(
            max_steps=options.max_steps or (profile and profile.max_steps) or own.max_steps,
            max_tool_errors=own.max_tool_errors,
            max_tokens=(profile and profile.max_tokens) or own.max_tokens,
        ),
        deadline_s=options.deadline_s or (profile and profile.deadline_s) or own.deadline_s,
        deadline_of="the request's options" if options.deadline_s else section,
        provider=options.provider or (allowed[0] if allowed else None),
        barred=frozenset(p.id for p in settings.providers if allowed is not None and p.id not in allowed),
    )


class KnownProfiles:
    """Caches the profiles of one configuration and catalogue, since all runs of one kind of caller share them."""

    def __init__(self) -> None:
        self._source: tuple[Settings, Catalogue] | None = None
        self._made: dict[object, AgentProfile] = {}
        self._official: dict[object, dict[str, ToolInfo]] = {}

    def _remembering(self, caller: Caller | None, profile: AgentProfile) -> AgentProfile:
        """The profile with the official tools that such a caller's agent had before and that a reload or a server took.

        What a model says of their deeds is checked as before.
        """
        toolset, seen = profile.toolset, self._official.setdefault(_kind(caller), {})
        there = {tool.name: tool for tool in toolset.every if tool.official}
        seen.update(there)
        for name in list(seen)[:-MOST_GONE]:
            del seen[name]
        taken = there.keys() | {tool.name for tool in toolset.tools}
        gone = tuple(tool for name, tool in seen.items() if name not in taken)
        return replace(profile, toolset=replace(toolset, gone=gone)) if gone else profile

    def of(
        self,
        settings: Settings,
        catalogue: Catalogue,
        caller: Caller | None,
        options: AgentOptions,
        prompt_tools: PromptTools | None = None,
    ) -> AgentProfile:
        """The `agent_profile`, cached by the properties of caller and options that it depends on."""
        if self._source is None or self._source[0] is not settings or self._source[1] is not catalogue:
            self._source, self._made = (settings, catalogue), {}
        wanted = (options.system_prompt, options.language, options.max_steps, options.deadline_s, options.provider)
        key = (_kind(caller), wanted, prompt_tools)
        if key not in self._made:
            if len(self._made) >= MOST_KNOWN:
                self._made.clear()
            made = agent_profile(settings, catalogue, caller, options, prompt_tools)
            if made.toolset.unbound:
                log.warning("tools.not_offered", tools=sorted(made.toolset.unbound), to_do="correct client.toml")
            self._made[key] = self._remembering(caller, made)
        return self._made[key]


def _kind(caller: Caller | None) -> object:
    """What callers share whose agents have the same tools."""
    return None if caller is None else (caller.scopes, caller.profile)
