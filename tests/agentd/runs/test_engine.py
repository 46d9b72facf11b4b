"""Durable runs on a real SQLite file: they outlive a stop, act once, and can be followed and stopped."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from agentd.agent.brief import RunLimits
from agentd.agent.picking import PromptTools
from agentd.agent.toolset import Toolset, assemble
from agentd.audit import AuditTrail
from agentd.errors import AgentdError, Conflict, NotFound
from agentd.messages import AgentOptions, Caller, ChatMessage, Event, ModelReply, ModelRequest, ToolInfo
from agentd.profiles import AgentProfile
from agentd.runs import journal
from agentd.runs.agent_api import AgentRuns, Agents
from agentd.runs.agent_executor import AgentExecutor
from agentd.runs.approvals import Approvals
from agentd.runs.cluster import Node
from agentd.runs.engine import Engine
from agentd.runs.questions import Questions
from agentd.runs.records import RunBrief, RunRecord, SessionRecord
from agentd.runs.run_database import sqlite_engine
from agentd.runs.sessions import SessionData, SessionService
from agentd.runs.store import RunStore
from agentd.runs.tool_api import DirectTools, ToolExecutor
from agentd.testing import ManualClock, MemoryTools, ScriptedModel

KIOSK = Caller(id="kiosk-1", scopes=frozenset({"kiosk"}), session_key="k" * 32)


STAFF = Caller(id="siti", scopes=frozenset({"staff"}))


OTHER = Caller(id="kiosk-2", scopes=frozenset({"kiosk"}))


TIME = ToolInfo(name="get_current_time", server="time", annotations={"readOnlyHint": True})


LETTER = ToolInfo(name="make_letter", server="certificate")


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"action": "call_tool", "tool": tool, "input": arguments}


def final(text: str) -> dict[str, Any]:
    return {"action": "final", "response": text}


class KeptElsewhere(SessionData):
    """No app keeps anything of sessions here but what it owes; it notes which were deleted."""

    def __init__(self) -> None:
        self.forgotten: list[str] = []
        self.owed: set[str] = set()

    async def owes(self, session_id: str) -> bool:
        return session_id in self.owed

    async def forget(self, session_id: str) -> None:
        self.forgotten.append(session_id)


class Daemon:
    """The runs of one process over one state folder."""

    def __init__(
        self, state: Path, *turns: Any, tools: MemoryTools | None = None, clock: ManualClock | None = None
    ) -> None:
        self.tools = tools or MemoryTools(
            {"get_current_time": lambda _: "pagi", "make_letter": lambda _: {"n": 1}}, [TIME, LETTER]
        )
        self.clock = clock or ManualClock()
        self.audit = AuditTrail(state, self.clock)
        self.store = RunStore(sqlite_engine(state / "agentd.db"))

        def toolset(_: Caller | None) -> Toolset:
            return assemble(self.tools.catalogue(), None)

        def profile_of(caller: Caller | None, options: AgentOptions, prompt_tools: PromptTools | None) -> AgentProfile:
            prefix = (ChatMessage(role="system", content="x"),)
            return AgentProfile(
                toolset(caller), prefix, RunLimits(), options.deadline_s or 60, "[agent]", None, frozenset()
            )

        async def every_tool(*_: Any) -> None:
            """However many."""

        async def session_profile(_: str, *asked: Any) -> AgentProfile:
            return profile_of(*asked)

        agent = AgentExecutor(self.store, ScriptedModel.of(*turns), self.tools, session_profile)
        executors = {"agent": agent.execute, "call": ToolExecutor(self.tools, toolset).execute}
        self.engine = Engine(self.store, Node(sqlite_engine(state / "dbos.db")), executors, self.clock)
        approvals = Approvals(self.engine, self.tools, profile_of, self.clock, self.audit)
        self.runs = AgentRuns(self.store, self.engine, Agents(profile_of, every_tool), approvals, self.clock)
        calls = Questions("call", self.store, self.engine, self.clock)
        self.direct = DirectTools(self.tools, toolset, self.audit, calls)
        self.elsewhere = KeptElsewhere()
        self.sessions = SessionService(
            self.store, self.engine, self.clock, self.audit, state / "artifacts", [self.elsewhere]
        )

    async def events(self, run_id: str, after: int = 0) -> list[Event]:
        return [event async for event in self.runs.events(run_id, KIOSK, after)]


Start = Callable[..., AbstractAsyncContextManager[Daemon]]


@pytest.fixture
def start(tmp_path: Path) -> Start:
    @asynccontextmanager
    async def started(*turns: Any, tools: MemoryTools | None = None) -> AsyncIterator[Daemon]:
        daemon = Daemon(tmp_path, *turns, tools=tools)
        async with daemon.engine:
            yield daemon
        daemon.store.close()

    return started


async def test_a_run_ends_and_stays_readable_after_a_restart(start: Start) -> None:
    async with start(call("get_current_time"), final("Selamat pagi")) as daemon:
        outcome = await daemon.runs.run("Halo", AgentOptions(run_id="r1", session_id="s1"), KIOSK)
        told = await daemon.events("r1")
    assert (outcome.status, outcome.response) == ("completed", "Selamat pagi")
    async with start(final("x")) as daemon:
        assert (await daemon.runs.get("r1", KIOSK))["response"] == "Selamat pagi"
        assert await daemon.events("r1") == told
        assert [event.seq for event in told] == list(range(1, len(told) + 1))
        assert await daemon.events("r1", after=3) == told[3:]


async def test_a_runs_last_turn_is_kept_with_its_end_and_the_next_turn_reads_the_past_once(start: Start) -> None:
    statements: list[str] = []
    async with start(call("make_letter"), final("Selesai")) as daemon:

        @sa.event.listens_for(daemon.store.engine, "before_cursor_execute")
        def noted(_db: Any, _cursor: Any, statement: str, *_: Any) -> None:
            statements.append(" ".join(statement.split()))

        await daemon.runs.run("Buat surat", AgentOptions(session_id="s1"), KIOSK)
        kept = [statement for statement in statements if statement.startswith("INSERT INTO agentd_steps")]
        assert len(kept) == 2  # the turn that asks for the letter, and the letter
        statements.clear()
        await daemon.runs.run("Terima kasih", AgentOptions(session_id="s1"), KIOSK)
        assert len([statement for statement in statements if "JOIN agentd_turns" in statement]) == 1
        assert len([statement for statement in statements if statement.startswith("UPDATE agentd_runs")]) == 1
        history = (await daemon.sessions.get("s1", KIOSK))["history"]
        assert [turn["response"] for turn in history] == ["Selesai", "Selesai"]


async def test_the_same_run_id_answers_the_same_run_and_another_prompt_is_a_conflict(start: Start) -> None:
    async with start(call("make_letter"), final("Selesai")) as daemon:
        options = AgentOptions(run_id="r1")
        first, second = await asyncio.gather(
            daemon.runs.run("Buat surat", options, KIOSK), daemon.runs.run("Buat surat", options, KIOSK)
        )
        assert first == second == await daemon.runs.run("Buat surat", options, KIOSK)
        assert len(daemon.tools.calls) == 1
        with pytest.raises(Conflict):
            await daemon.runs.run("Lain", options, KIOSK)
        form = AgentOptions(run_id="r2", tool_hint="make_letter", tool_arguments={"nama": "Budi"})
        filled = await daemon.runs.run("Buat surat", form, KIOSK)
        assert filled == await daemon.runs.run("Buat surat", form, KIOSK)
        with pytest.raises(Conflict):  # another's form is no repetition
            await daemon.runs.run("Buat surat", form.model_copy(update={"tool_arguments": {"nama": "Siti"}}), KIOSK)
        ids = ("q1", "s2", STAFF.id, "analytics")
        now = "2026-01-05T02:00:00+00:00"
        asked = RunRecord(*ids, "Buat surat", RunBrief(), "failed", now)
        await daemon.store.add_run(asked, SessionRecord("s2", STAFF.id, now, now))
        with pytest.raises(Conflict):  # a question to the books is no run of the agent's
            await daemon.runs.run("Buat surat", AgentOptions(run_id="q1"), STAFF)


async def test_a_stopped_daemons_run_is_finished_by_the_next_one_without_repeating_a_step(start: Start) -> None:
    asked = asyncio.Event()

    async def slow(_: dict[str, Any]) -> dict[str, Any]:
        asked.set()
        await asyncio.Event().wait()
        return {}

    turns = (call("get_current_time"), call("make_letter"), final("Selesai"))
    stuck = MemoryTools({"get_current_time": lambda _: "pagi", "make_letter": slow}, [TIME, LETTER])
    async with start(*turns, tools=stuck) as daemon:
        await daemon.runs.start("Buat surat", AgentOptions(run_id="r1"), KIOSK)
        await asked.wait()
    async with start(*turns) as daemon:
        row = await daemon.engine.wait("r1")
        assert row is not None
        assert row.status == "completed"
        assert [made.tool.name for made in daemon.tools.calls] == ["make_letter"]
        assert [made.key for made in daemon.tools.calls] == [stuck.calls[-1].key]


async def test_a_cancel_reaches_the_tool_and_ends_the_run_as_cancelled(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal, "SETTLE_S", 0.05)  # what hangs is dropped then
    asked, dropped = asyncio.Event(), asyncio.Event()

    async def slow(_: dict[str, Any]) -> None:
        asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            dropped.set()

    async with start(call("make_letter"), tools=MemoryTools({"make_letter": slow}, [LETTER])) as daemon:
        running = asyncio.create_task(daemon.runs.run("x", AgentOptions(run_id="r1"), KIOSK))
        await asked.wait()
        assert (await daemon.runs.cancel("r1", KIOSK)).status == "cancelled"
        assert dropped.is_set()
        assert (await running).status == "cancelled"
        assert (await daemon.events("r1"))[-1].data["status"] == "cancelled"
        with pytest.raises(Conflict):
            await daemon.runs.cancel("r1", KIOSK)


async def test_a_deadline_ends_a_run_with_what_it_reached(start: Start) -> None:
    async with start(call("get_current_time"), {"text": "{}", "after_ms": 60_000}) as daemon:
        with pytest.raises(AgentdError) as late:
            await daemon.runs.run("x", AgentOptions(run_id="r1", deadline_s=2), STAFF)
        assert late.value.type == "budget_exceeded"
        assert [step["tool"] for step in late.value.data["steps"]] == ["get_current_time"]


async def test_a_late_question_says_which_section_has_its_deadline(start: Start) -> None:
    async with start({"text": "{}", "after_ms": 60_000}) as daemon:
        brief = RunBrief(deadline_s=0.2, deadline_of="[analytics]")
        books = Questions("agent", daemon.store, daemon.engine, daemon.clock, brief)
        with pytest.raises(AgentdError, match=r"its 0\.2 s \(`deadline_s` of \[analytics\]\)"):
            await books.ask("x", caller=STAFF, session_id=None, run_id="r1")


async def test_one_run_at_a_time_in_a_session_and_history_reaches_the_next(start: Start) -> None:
    async with start(final("satu"), final("dua")) as daemon:
        options = AgentOptions(session_id="s1")
        both = await asyncio.gather(*(daemon.runs.run(text, options, KIOSK) for text in ("a", "b")))
        assert sorted(outcome.response for outcome in both) == ["dua", "satu"]
        history = (await daemon.sessions.get("s1", KIOSK))["history"]
        assert [turn["response"] for turn in history] == ["satu", "dua"]


async def test_each_message_says_its_language_and_a_short_one_keeps_the_sessions(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    named: list[str] = []
    turn = ScriptedModel.turn

    async def heard(model: ScriptedModel, request: ModelRequest, *more: Any) -> ModelReply:
        named.append(json.loads(request.messages[-1].content)["language"])
        return await turn(model, request, *more)

    monkeypatch.setattr(ScriptedModel, "turn", heard)
    messages = ("Je voudrais changer d'adresse", "ok", "Terima kasih banyak", "3175", "几点开门?", "Opening hours?")
    async with start(final("…")) as daemon:
        for number, text in enumerate(messages):
            daemon.clock.advance(1)
            await daemon.runs.run(text, AgentOptions(session_id="s1", run_id=f"r{number}"), KIOSK)
        briefs = {row.run_id: row.brief for row in await daemon.store.sessions.turns("s1", 10)}
    assert named == ["French", "French", "Indonesian", "Indonesian", "Chinese", "English"]
    own = [briefs[f"r{number}"].language for number in range(len(messages))]
    assert own == ["en", "en", "id", "id", "en", "en"]


async def test_ids_of_others_are_not_found(start: Start) -> None:
    async with start(final("ok")) as daemon:
        await daemon.runs.run("x", AgentOptions(run_id="r1", session_id="s1"), KIOSK)
        for forbidden in (
            daemon.runs.get("r1", OTHER),
            daemon.runs.cancel("r1", OTHER),
            daemon.runs.approve("r1", "a1", True, None, OTHER),
            daemon.runs.run("x", AgentOptions(session_id="s1"), OTHER),
            daemon.runs.run("x", AgentOptions(run_id="r1"), OTHER),
            daemon.sessions.get("s1", OTHER),
            daemon.sessions.fork("s1", OTHER),
            daemon.sessions.export("s1", OTHER),
            daemon.sessions.delete("s1", OTHER),
        ):
            with pytest.raises(NotFound):
                await forbidden
