"""An in-memory implementation of every port, so that those who build on agentd can test without model, server or disk.

They are no mocks: each passes the same contract tests in tests/contract as the real implementation.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Self, get_args

from agentd.errors import FaultKind, ProviderFailure
from agentd.messages import (
    Catalogue,
    ModelInfo,
    ModelReply,
    ModelRequest,
    ProviderSettings,
    ProviderState,
    ServerSettings,
    ServerState,
    ToolCall,
    ToolInfo,
    ToolOutcome,
    Usage,
)
from agentd.ports import Act, IsLast, ProgressSink, Record, TextChunk, TextSink

FAULTS: frozenset[str] = frozenset(get_args(FaultKind))
_DIRECTIVE = {"text", "error", "after_ms"}


class ScriptedModel:
    """A model that replays a script: provider type `scripted` with `script = "FILE.jsonl"`.

    Each line is the raw text of one model turn, or `{"text": …, "after_ms": n}`, or `{"error": kind, "after_ms": n}`.
    Line number `request.attempt` (from 0) is played; after the last line, that one is repeated.
    """

    def __init__(self, settings: ProviderSettings) -> None:
        path = Path(settings.config_dir) / str(settings.settings.get("script", ""))
        try:
            lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        except OSError as error:
            raise ValueError(f"script: cannot read {path.name}: {error.strerror}") from None
        if not lines:
            raise ValueError(f"script: {path.name} has no line; write one model turn a line")
        self._lines = lines
        self._settings = settings
        self._model = settings.model or "scripted"

    @classmethod
    def of(cls, *turns: str | dict[str, Any], provider: str = "scripted") -> ScriptedModel:
        """Make a model from turns in Python: dicts are written as JSON, strings are raw turns."""
        model = cls.__new__(cls)
        model._lines = [turn if isinstance(turn, str) else json.dumps(turn) for turn in turns]
        model._settings = ProviderSettings(id=provider, type="scripted")
        model._model = "scripted"
        return model

    @property
    def provider(self) -> str:
        return self._settings.id

    async def turn(self, request: ModelRequest, on_text: TextSink | None = None) -> ModelReply:
        """Play this attempt's line. Raises ProviderFailure if the line is an error."""
        line = self._lines[min(request.attempt, len(self._lines) - 1)]
        text, after_ms, fault = _directive(line)
        if after_ms:
            await asyncio.sleep(after_ms / 1000)
        if fault is not None:
            raise ProviderFailure(fault, f"scripted {fault}")
        if on_text is not None:
            for start in range(0, len(text), 8):
                on_text(TextChunk(text[start : start + 8]))
        words = sum(len(message.content.split()) for message in request.messages)
        usage = Usage(input_tokens=words, output_tokens=len(text.split()))
        return ModelReply(text=text, provider=self.provider, model=self._model, usage=usage)

    def state(self) -> ProviderState:
        models = self._settings.models or (ModelInfo(name=self._model),)
        return ProviderState(id=self.provider, type="scripted", models=models, state="ready")

    async def aclose(self) -> None:
        """Do nothing."""


def _directive(line: str) -> tuple[str, float, Any]:
    try:
        value = json.loads(line)
    except ValueError:
        return line, 0.0, None
    if not isinstance(value, dict) or value.keys() - _DIRECTIVE or value.keys() <= {"after_ms"}:
        return line, 0.0, None
    fault = value.get("error")
    fault = fault if fault is None or fault in FAULTS else "unavailable"
    return str(value.get("text", "")), float(value.get("after_ms", 0)), fault


Handler = Callable[[dict[str, Any]], Any | Awaitable[Any]]


class MemoryTools:
    """A tool host of plain functions, `{tool's name: function}`. An exception's text is the failed call's message."""

    def __init__(self, tools: Mapping[str, Handler] | None = None, infos: Sequence[ToolInfo] = ()) -> None:
        self._handlers = dict(tools or {})
        named = {info.name: info for info in infos}
        self._all = tuple(named.get(name, ToolInfo(name=name, server="memory")) for name in self._handlers)
        self._tools = self._all
        self._version = 1
        self.calls: list[ToolCall] = []

    def catalogue(self) -> Catalogue:
        states = tuple(ServerState(name=name, state="up") for name in sorted({tool.server for tool in self._tools}))
        return Catalogue(tools=self._tools, servers=states, version=self._version)

    async def call(self, call: ToolCall, on_progress: ProgressSink | None = None) -> ToolOutcome:
        self.calls.append(call)
        handler = self._handlers.get(call.tool.name)
        if handler is None:
            return ToolOutcome(success=False, message=f"Unknown tool: {call.tool.name}", error_type="unknown_tool")
        if on_progress is not None:
            on_progress(0.0, 1.0, None)
        try:
            result = handler(call.input)
            output = await result if isinstance(result, Awaitable) else result
        except Exception as error:
            return ToolOutcome(success=False, message=str(error), error_type="tool_execution")
        return ToolOutcome(success=True, output=output, message=output if isinstance(output, str) else "")


class MemoryServers(MemoryTools):
    """A host of servers that are up while configured; at first all servers of the tools are configured."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        """Do nothing."""

    async def ready(self) -> Catalogue:
        return self.catalogue()

    async def reconfigure(self, settings: Sequence[ServerSettings]) -> None:
        """Offer only the tools of these servers."""
        names = {server.name for server in settings}
        self._tools = tuple(tool for tool in self._all if tool.server in names)
        self._version += 1


class WordsMeaning:
    """Nearness as the share of the query's words found in a text: no model, no synonyms."""

    async def nearness(self, query: str, texts: Sequence[str]) -> list[float]:
        asked = set(query.casefold().split())
        return [len(asked & set(text.casefold().split())) / max(1, len(asked)) for text in texts]


class MemoryJournal:
    """A journal in a dict: a recorded name is answered from its record. Reuse `records` to simulate a crash."""

    def __init__(self, records: dict[str, Record] | None = None) -> None:
        self.records: dict[str, Record] = {} if records is None else records

    async def step(self, name: str, act: Act, *, effects: bool = False, is_last: IsLast = lambda _: False) -> Record:
        del effects, is_last  # one process, which never stops in the middle, nor between a step and the end
        if name not in self.records:
            self.records[name] = json.loads(json.dumps(await act()))
        return self.records[name]


class ManualClock:
    """A clock that moves only when told to."""

    def __init__(self, start: datetime | None = None) -> None:
        self._now = start or datetime(2026, 1, 5, 2, 0, tzinfo=UTC)
        self._monotonic = 0.0

    def advance(self, seconds: float) -> None:
        self._now += timedelta(seconds=seconds)
        self._monotonic += seconds

    def leap(self, seconds: float) -> None:
        """Set the clock forward (or back) without time passing, as when somebody sets it."""
        self._now += timedelta(seconds=seconds)

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        return self._monotonic
