"""GET /events over real HTTP: numbered, resumable, live ones without a number, slow readers dropped (issue: Events)."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import structlog

from agentd.errors import Busy
from agentd.messages import AgentOptions
from agentd.rpc.method import WireLimits
from agentd.runs.events import READER_LIMIT, EventLog
from tests.agentd.memory_runs import MemoryRun
from tests.agentd.twins import ADMIN, Wire, wire

Frame = dict[str, str]


async def frames(answer: aiohttp.ClientResponse) -> AsyncIterator[Frame]:
    """Each event's fields; a comment is {"": text}."""
    fields: Frame = {}
    async for raw in answer.content:
        line = raw.decode().rstrip("\n")
        if not line:
            if fields and "retry" not in fields:
                yield fields
            fields = {}
        else:
            name, _, value = line.partition(": ")
            fields[name] = value


@asynccontextmanager
async def stream(at: Wire, query: str, **headers: str) -> AsyncIterator[aiohttp.ClientResponse]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    async with aiohttp.ClientSession() as session, session.get(f"{at.url}/events?{query}", headers=named) as answer:
        yield answer


async def start(at: Wire, prompt: str = "halo", run_id: str = "r-1") -> MemoryRun:
    call = {"jsonrpc": "2.0", "method": "Agent.start", "params": {"prompt": prompt, "run_id": run_id}, "id": 1}
    async with aiohttp.ClientSession() as session, session.post(at.url + "/rpc", json=call) as answer:
        assert "result" in await answer.json()
    return at.runs.run_of(run_id)


class Gate:
    """Work that emits what it is told, when it is told."""

    def __init__(self) -> None:
        self._orders: asyncio.Queue[tuple[Any, dict[str, Any]] | None] = asyncio.Queue()

    async def __call__(self, run: MemoryRun) -> str:
        while (order := await self._orders.get()) is not None:
            run.emit(*order)
        return "selesai"

    def emit(self, kind: str, **data: Any) -> None:
        self._orders.put_nowait((kind, data))

    def finish(self) -> None:
        self._orders.put_nowait(None)


async def test_a_stream_tells_the_run_from_its_start_to_its_end(tmp_path: Path) -> None:
    gate = Gate()
    async with wire(tmp_path, work=gate) as at:
        await start(at)
        async with stream(at, "run_id=r-1") as answer:
            assert answer.headers["Content-Type"] == "text/event-stream"
            gate.emit("model.started")
            gate.emit("model.delta", text="Sel")
            gate.emit("model.finished")
            gate.finish()
            seen = [frame async for frame in frames(answer)]
        assert [(frame.get("id"), frame["event"]) for frame in seen] == [
            ("1", "run.started"),
            ("2", "model.started"),
            (None, "model.delta"),
            ("3", "model.finished"),
            ("4", "run.finished"),
        ]
        delta = json.loads(seen[2]["data"])
        assert (delta["seq"], delta["data"], delta["run_id"]) == (2, {"text": "Sel"}, "r-1")
        assert set(delta) == {"seq", "run_id", "session_id", "type", "at", "data"}


async def test_a_stream_cut_after_each_event_and_resumed_misses_and_repeats_none(tmp_path: Path) -> None:
    gate = Gate()
    async with wire(tmp_path, work=gate) as at:
        await start(at)
        for _ in range(18):
            gate.emit("model.started")
        gate.finish()
        seen: list[str] = []
        for _ in range(20):
            headers = {"Last_Event_ID": seen[-1]} if seen else {}
            async with stream(at, "run_id=r-1&after=0", **headers) as answer:
                seen.append((await anext(frames(answer)))["id"])
        assert seen == [str(n) for n in range(1, 21)]
        async with stream(at, "run_id=r-1&after=0", Last_Event_ID="20") as answer:
            assert answer.status == 204  # so that an EventSource stops asking


async def test_after_begins_behind_that_event(tmp_path: Path) -> None:
    async with wire(tmp_path) as at:
        await start(at)
        async with stream(at, "run_id=r-1&after=1") as answer:
            assert [frame["id"] async for frame in frames(answer)] == ["2"]


@pytest.mark.parametrize(
    ("query", "status", "kind"),
    [
        ("run_id=none", 404, "not_found"),
        ("", 400, "invalid_params"),
        ("run_id=r-1&after=x", 400, "invalid_params"),
        ("run_id=r-1&after=-1", 400, "invalid_params"),
        ("run_id=r-1&afer=1", 400, "invalid_params"),
    ],
)
async def test_what_cannot_be_followed_says_why(tmp_path: Path, query: str, status: int, kind: str) -> None:
    async with wire(tmp_path) as at:
        await start(at)
        async with stream(at, query) as answer:
            body = await answer.json()
            assert (answer.status, body["error"]["data"]["type"]) == (status, kind)


async def test_the_events_of_somebody_elses_run_are_not_found(tmp_path: Path) -> None:
    async with wire(tmp_path) as at:
        await start(at)
        token = at.tokens.add("front", frozenset({"kiosk"}), now=datetime(2026, 1, 5, tzinfo=UTC))
        async with stream(at, "run_id=r-1", Authorization=f"Bearer {token}") as answer:
            assert answer.status == 404


async def test_a_quiet_stream_is_kept_alive(tmp_path: Path) -> None:
    gate = Gate()
    async with wire(tmp_path, work=gate, limits=WireLimits(heartbeat_s=0.02)) as at:
        await start(at)
        async with stream(at, "run_id=r-1&after=1") as answer:
            assert await anext(frames(answer)) == {"": "waiting"}
            gate.emit("model.started")
            async for frame in frames(answer):
                if "id" in frame:
                    assert frame["id"] == "2"
                    break
        gate.finish()


async def test_a_reader_that_does_not_read_is_dropped_and_can_resume(tmp_path: Path) -> None:
    gate = Gate()
    async with wire(tmp_path, work=gate, limits=WireLimits(stall_s=0.2)) as at:
        run = await start(at)
        reader, writer = await asyncio.open_connection("127.0.0.1", int(at.url.rpartition(":")[2]), limit=2**26)
        writer.transport.pause_reading()  # type: ignore[attr-defined]
        writer.write(b"GET /events?run_id=r-1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        for _ in range(200):
            gate.emit("tool.finished", output="x" * 100_000)
        gate.finish()
        assert run.task is not None
        await run.task
        await asyncio.wait_for(run.unread.wait(), 300)  # the daemon lets go of it
        writer.transport.resume_reading()  # type: ignore[attr-defined]
        whole = (await asyncio.wait_for(reader.read(), 300)).decode()
        writer.close()
        error = json.loads(whole[whole.index("event: error\ndata: ") + 19 :].splitlines()[0])
        last = error["data"]["resume_after"]
        assert (error["code"], error["data"]["type"]) == (-32008, "busy")
        assert 0 < last < 202
        async with stream(at, f"run_id=r-1&after={last}") as answer:
            assert [int(frame["id"]) async for frame in frames(answer)] == list(range(last + 1, 203))


async def test_a_reader_that_reads_slowly_gets_a_large_event_whole(tmp_path: Path) -> None:
    gate, size = Gate(), 6_000_000
    async with wire(tmp_path, work=gate, limits=WireLimits(stall_s=0.5)) as at:
        await start(at)
        small = socket.socket()
        small.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2**16)
        small.connect(("127.0.0.1", int(at.url.rpartition(":")[2])))
        reader, writer = await asyncio.open_connection(sock=small, limit=2**16)
        writer.write(b"GET /events?run_id=r-1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
        gate.emit("tool.finished", output="x" * size)
        gate.finish()
        seen = b""
        while b"event: run.finished" not in seen and (more := await reader.read(100_000)):
            seen += more
            await asyncio.sleep(0.02)
        writer.close()
        assert b"event: error" not in seen and len(seen) > size


async def test_a_reader_that_was_dropped_before_the_end_is_told_so() -> None:
    log = EventLog("r-1", "s-1")
    follower = log.follow()
    log.publish("run.started", {}, "")
    assert (await anext(follower)).seq == 1
    for _ in range(READER_LIMIT + 2):
        log.publish("model.started", {}, "")
    log.end()
    with pytest.raises(Busy) as dropped:
        async for _ in follower:
            pass
    assert dropped.value.data["resume_after"] > 1000, "what it had got"


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (Busy("the reader was too slow", resume_after=1), "busy"),
        (ConnectionError("postgresql://agent:geheim@db gone"), "internal"),
        (TimeoutError("the database"), "internal"),
    ],
)
async def test_what_the_runs_raise_in_mid_stream_is_the_last_frame(tmp_path: Path, error: Exception, kind: str) -> None:
    gate = Gate()
    async with wire(tmp_path, work=gate) as at:
        run = await start(at)
        async with stream(at, "run_id=r-1") as answer:
            seen = frames(answer)
            assert (await anext(seen))["event"] == "run.started"
            run.break_off(error)
            last = await anext(seen)
            data = json.loads(last["data"])["data"]
            assert (last["event"], data["type"], data["resume_after"]) == ("error", kind, 1)
            assert "geheim" not in last["data"]
        gate.finish()


@pytest.mark.parametrize("heartbeat_s", [0.02, 60.0])
async def test_a_reader_that_leaves_is_forgotten_and_its_run_goes_on(tmp_path: Path, heartbeat_s: float) -> None:
    """Found by a beat or by the next event; it is no error of the daemon's, and was logged as one with its places."""
    gate = Gate()
    limits = WireLimits(heartbeat_s=heartbeat_s)
    with structlog.testing.capture_logs() as lines:
        async with wire(tmp_path, work=gate, limits=limits) as at:
            run = await start(at)
            async with stream(at, "run_id=r-1") as answer:
                await anext(frames(answer))
                assert run.readers == 1
            while run.readers:
                run.emit("model.delta", {"text": "…"})
                await asyncio.sleep(0.01)
            await asyncio.wait_for(run.unread.wait(), 300)
            assert run.outcome.status == "running"
            gate.finish()
    assert [line for line in lines if line["log_level"] == "error"] == []


async def test_a_daemon_that_stops_ends_its_streams(tmp_path: Path) -> None:
    gate = Gate()
    async with wire(tmp_path, work=gate) as at:
        await start(at)
        session = aiohttp.ClientSession()
        answer = await session.get(at.url + "/events?run_id=r-1")
        await anext(frames(answer))
    with pytest.raises(aiohttp.ClientError):
        await answer.content.readexactly(10_000)
    await session.close()
    gate.finish()


@pytest.mark.parametrize("busy", [False, True])
async def test_a_revoked_tokens_stream_ends_with_why(tmp_path: Path, busy: bool) -> None:
    gate = Gate()
    async with wire(tmp_path, work=gate) as at:
        token = at.tokens.add("boss", frozenset({"admin"}), now=datetime(2026, 1, 5, tzinfo=UTC))
        await at.runs.start("Halo", AgentOptions(run_id="r-1"), ADMIN)
        gate.emit("model.started")
        async with stream(at, "run_id=r-1", Authorization=f"Bearer {token}") as answer:
            read = frames(answer)
            await anext(read)
            if busy:
                gate.emit("model.started")
            at.tokens.revoke("boss")
            last: dict[str, Any] = {}
            async for frame in read:
                last = frame
                if busy:
                    gate.emit("model.started")
            assert last["event"] == "error"
            assert json.loads(last["data"])["data"]["type"] == "unauthorized"
