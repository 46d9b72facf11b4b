"""Cancels, forks and followers of runs on a real store: none is lost, none is seen twice."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agentd.agent.approval import waiting
from agentd.errors import Busy, Conflict, InvalidParams, ToolExecution
from agentd.messages import LIVE_ONLY, AgentOptions, AgentOutcome, Event, ToolCall, ToolOutcome
from agentd.ports import ProgressSink
from agentd.runs.records import RunRecord
from agentd.testing import MemoryTools
from tests.agentd.runs.test_engine import KIOSK, LETTER, STAFF, Daemon, Start, call, final, start

__all__ = ["start"]


def files_holding(word: str, folder: Path) -> list[str]:
    return [file.name for file in folder.iterdir() if word.encode() in file.read_bytes()]


async def test_a_deleted_session_leaves_no_word_in_any_file(start: Start, tmp_path: Path) -> None:
    secret = "RAHASIA-3175064501900003"
    async with start(call("make_letter", nama=secret), final(f"Baik {secret}")) as daemon:
        await daemon.runs.run(f"Nama saya {secret}", AgentOptions(session_id="s1"), KIOSK)
        await daemon.sessions.delete("s1", KIOSK)
        assert daemon.elsewhere.forgotten == ["s1"]
    assert files_holding(secret, tmp_path) == []


@pytest.mark.parametrize(
    "before", ["x", "", "MQ==", "e30=", "W10=", "WzEsIDJd", "WyJhIiwgIDFd", "\ud800", "bnVsbA==" * 9]
)
async def test_a_cursor_that_no_page_gave_is_refused(start: Start, before: str) -> None:
    async with start(final("satu")) as daemon:
        for caller in (STAFF, KIOSK):
            with pytest.raises(InvalidParams):
                await daemon.sessions.list(caller, before=before)


async def test_sessions_are_paged_newest_first(start: Start) -> None:
    async with start(final("satu")) as daemon:
        for title in "012":
            await daemon.sessions.create(STAFF, title)
            daemon.clock.advance(1)
        page = await daemon.sessions.list(STAFF, limit=2)
        assert [one["title"] for one in page["sessions"]] == ["2", "1"]
        rest = await daemon.sessions.list(STAFF, limit=2, before=page["next"])
        assert ([one["title"] for one in rest["sessions"]], rest["next"]) == (["0"], None)


async def test_a_fork_shares_the_past_and_no_future(start: Start) -> None:
    async with start(final("satu"), final("dua")) as daemon:
        await daemon.runs.run("a", AgentOptions(session_id="s1"), KIOSK)
        forked = await daemon.sessions.fork("s1", KIOSK)
        fork, visitor = forked["session_id"], KIOSK.with_key(forked["session_key"])
        await daemon.runs.run("b", AgentOptions(session_id=fork), visitor)
        assert len((await daemon.sessions.get("s1", KIOSK))["history"]) == 1
        await daemon.sessions.delete("s1", KIOSK)
        history = (await daemon.sessions.get(fork, visitor))["history"]
        assert [turn["prompt"] for turn in history] == ["a", "b"]


async def test_earlier_turns_are_evidence_though_the_clock_was_set_back(start: Start) -> None:
    async with start(final("Baik"), call("get_current_time"), final("Pagi")) as daemon:
        await daemon.runs.run("Nama saya Budi", AgentOptions(session_id="s1"), KIOSK)
        daemon.clock.leap(-3600)
        await daemon.runs.run("Jam berapa?", AgentOptions(session_id="s1"), KIOSK)
        said = [one.text for one in daemon.tools.calls[-1].said if one.by == "citizen"]
        assert said == ["Nama saya Budi", "Jam berapa?"]


async def test_a_follower_sees_every_stored_event_once_while_the_run_goes_on(start: Start) -> None:
    go = asyncio.Event()

    async def waits(_: dict[str, Any]) -> str:
        await go.wait()
        return "ok"

    tools = MemoryTools({"make_letter": waits}, [LETTER])
    async with start(call("make_letter"), final("Selesai"), tools=tools) as daemon:
        await daemon.runs.start("x", AgentOptions(run_id="r1"), KIOSK)
        seen: list[Event] = []
        async for event in daemon.runs.events("r1", KIOSK):
            seen.append(event)
            if event.type == "model.finished":
                go.set()
        stored = [event for event in seen if event.type not in LIVE_ONLY]
        assert stored == await daemon.events("r1")
        assert (stored[-1].type, stored[-1].data["status"]) == ("run.finished", "completed")


async def test_a_queued_run_is_cancelled_at_once_while_the_one_before_it_goes_on(start: Start) -> None:
    asked, go = asyncio.Event(), asyncio.Event()

    async def waits(_: dict[str, Any]) -> str:
        asked.set()
        await go.wait()
        return "ok"

    tools = MemoryTools({"make_letter": waits}, [LETTER])
    async with start(call("make_letter"), final("Selesai"), tools=tools) as daemon:
        first = asyncio.create_task(daemon.runs.run("a", AgentOptions(run_id="r1", session_id="s"), KIOSK))
        await asked.wait()
        await daemon.runs.start("b", AgentOptions(run_id="r2", session_id="s"), KIOSK)
        assert (await daemon.runs.cancel("r2", KIOSK)).status == "cancelled"
        assert [event.type for event in await daemon.events("r2")] == ["run.finished"]
        go.set()
        assert (await first).response == "Selesai"


async def test_a_cancel_reaches_a_run_that_begins_at_that_moment(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, go, begun = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def waits(_: dict[str, Any]) -> str:
        if asked.is_set():
            begun.set()
            await asyncio.Event().wait()
        asked.set()
        await go.wait()
        return "ok"

    tools = MemoryTools({"make_letter": waits}, [LETTER])
    async with start(call("make_letter"), final("Selesai"), call("make_letter"), tools=tools) as daemon:
        change = daemon.store.change

        async def cancelled() -> bool:
            row = await daemon.store.run("r2")
            return row is not None and row.status == "cancelled"

        async def changed(*rows: RunRecord) -> bool:
            done = await change(*rows)
            go.set()
            while not begun.is_set() and not await cancelled():  # noqa: ASYNC110 - the store tells nobody
                await asyncio.sleep(0.01)
            return done

        first = asyncio.create_task(daemon.runs.run("a", AgentOptions(run_id="r1", session_id="s"), KIOSK))
        await asked.wait()
        await daemon.runs.start("b", AgentOptions(run_id="r2", session_id="s"), KIOSK)
        monkeypatch.setattr(daemon.store, "change", changed)
        assert (await daemon.runs.cancel("r2", KIOSK)).status == "cancelled"
        assert (await first).response == "Selesai"


async def test_a_direct_call_that_fails_as_a_run_keeps_its_own_error(start: Start) -> None:
    def broken(_: dict[str, Any]) -> None:
        raise RuntimeError("printer kosong")

    official = LETTER.model_copy(update={"official": True})
    async with start(final("x"), tools=MemoryTools({"make_letter": broken}, [official])) as daemon:
        with pytest.raises(ToolExecution, match="printer kosong"):
            await daemon.direct.call("make_letter", {}, None, STAFF)


async def cancelled_meanwhile(daemon: Daemon, go: asyncio.Event) -> AgentOutcome:
    """The run r1's end, cancelled while its tool works; the tool goes on once the run is stopped."""
    stopping = asyncio.create_task(daemon.runs.cancel("r1", STAFF))
    live = daemon.engine._live.get("r1")
    assert live is not None
    while live.steps.stopped is None:  # noqa: ASYNC110 - the step tells nobody
        await asyncio.sleep(0)
    go.set()
    return await stopping


async def test_a_letter_that_is_being_made_when_its_run_is_cancelled_stands_in_it(start: Start) -> None:
    asked, go = asyncio.Event(), asyncio.Event()

    async def slow(_: dict[str, Any]) -> dict[str, Any]:
        asked.set()
        await go.wait()
        return {"number": 1}

    async with start(call("make_letter"), tools=MemoryTools({"make_letter": slow}, [LETTER])) as daemon:
        await daemon.runs.start("x", AgentOptions(run_id="r1"), STAFF)
        await asked.wait()
        ended = await cancelled_meanwhile(daemon, go)
        assert (ended.status, [step.output for step in ended.steps]) == ("cancelled", [{"number": 1}])


class Asks(MemoryTools):
    """Every call waits for a human, once `go` is set."""

    def __init__(self) -> None:
        super().__init__({"make_letter": lambda _: "made"}, [LETTER])
        self.asked, self.go = asyncio.Event(), asyncio.Event()

    async def call(self, call: ToolCall, on_progress: ProgressSink | None = None) -> ToolOutcome:
        self.asked.set()
        await self.go.wait()
        pending = waiting(call, "Buat?") | {"rule": "citizen"}
        return ToolOutcome(success=False, pending=pending)


async def test_a_run_that_is_cancelled_on_its_way_to_an_approval_waits_for_none(start: Start) -> None:
    tools = Asks()
    async with start(call("make_letter"), tools=tools) as daemon:
        await daemon.runs.start("x", AgentOptions(run_id="r1"), STAFF)
        await tools.asked.wait()
        ended = await cancelled_meanwhile(daemon, tools.go)
        assert (ended.status, ended.approval) == ("cancelled", None)


async def test_a_yes_that_comes_too_late_says_so_in_the_citizens_words(start: Start) -> None:
    tools = Asks()
    tools.go.set()
    async with start(call("make_letter"), tools=tools) as daemon:
        options = AgentOptions(session_id="s1")
        assert (await daemon.runs.run("Buat surat", options, KIOSK)).status == "needs_approval"
        daemon.clock.advance(901)
        with pytest.raises(Conflict) as late:
            await daemon.runs.run("ya", options, KIOSK)
        assert late.value.user_message("en") == "The time to agree has run out. Please ask for it again."


async def test_of_two_decisions_at_once_only_one_asks_an_officer(start: Start) -> None:
    tools = Asks()
    tools.go.set()
    async with start(call("make_letter"), tools=tools) as daemon:
        await daemon.runs.run("Buat surat", AgentOptions(run_id="r1"), STAFF)
        row = await daemon.store.run("r1")
        assert row is not None and row.approval is not None
        await daemon.engine.ask_another(row, row, row.approval)
        with pytest.raises(Conflict):
            await daemon.engine.ask_another(row, row, row.approval)


async def test_of_many_that_come_at_once_as_many_are_taken_as_may_wait(start: Start) -> None:
    async with start(final("Halo")) as daemon:
        daemon.engine.limits = replace(daemon.engine.limits, queue_limit=3)
        asked = (daemon.runs.run("Halo", AgentOptions(), STAFF) for _ in range(20))
        outcomes = await asyncio.gather(*asked, return_exceptions=True)
        assert sum(isinstance(outcome, Busy) for outcome in outcomes) == 17
        assert (await daemon.runs.run("Halo", AgentOptions(), STAFF)).status == "completed"
