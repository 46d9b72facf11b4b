"""/ws over a real WebSocket: the same methods both ways, and events as notifications."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from agentd.errors import Busy
from agentd.rpc.method import WireLimits
from tests.agentd.memory_runs import MemoryRun
from tests.agentd.twins import Wire, wire


class Talk:
    """A client that numbers its calls and sorts what comes."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.socket = socket
        self._id = 0

    async def send(self, method: str, **params: Any) -> int:
        self._id += 1
        await self.socket.send_json({"jsonrpc": "2.0", "method": method, "params": params, "id": self._id})
        return self._id

    async def hear(self) -> Any:
        return await self.socket.receive_json(timeout=300)

    async def call(self, method: str, **params: Any) -> Any:
        number = await self.send(method, **params)
        answer = await self.hear()
        assert answer["id"] == number
        return answer


@asynccontextmanager
async def talking(at: Wire, **headers: str) -> AsyncIterator[Talk]:
    async with aiohttp.ClientSession() as session, session.ws_connect(at.url + "/ws", headers=headers) as socket:
        yield Talk(socket)


async def test_the_methods_are_those_of_post_rpc(tmp_path: Path) -> None:
    async with wire(tmp_path) as at, talking(at) as talk:
        assert (await talk.call("Agent.run", prompt="halo"))["result"]["response"] == "halo"
        assert (await talk.call("Nothing.here"))["error"]["code"] == -32601
        await talk.socket.send_str("{")
        assert (await talk.hear())["error"]["code"] == -32700
        await talk.socket.send_bytes(b'[{"jsonrpc": "2.0", "method": "System.health", "id": "b"}]')
        assert [one["id"] for one in await talk.hear()] == ["b"]


async def test_a_slow_call_holds_up_no_other(tmp_path: Path) -> None:
    gate = asyncio.Event()

    async def work(run: MemoryRun) -> str:
        await gate.wait()
        return "selesai"

    async with wire(tmp_path, work=work) as at, talking(at) as talk:
        slow = await talk.send("Agent.run", prompt="halo")
        assert (await talk.call("System.health"))["result"]["status"] == "ok"
        gate.set()
        answer = await talk.hear()
        assert (answer["id"], answer["result"]["response"]) == (slow, "selesai")


async def test_events_follow_the_answer_as_notifications(tmp_path: Path) -> None:
    async with wire(tmp_path) as at, talking(at) as talk:
        await talk.call("Agent.run", prompt="halo", run_id="r-1")
        assert (await talk.call("Events.subscribe", run_id="r-1"))["result"] == {"run_id": "r-1", "after": 0}
        first, second = await talk.hear(), await talk.hear()
        assert "id" not in first
        assert (first["jsonrpc"], first["method"]) == ("2.0", "Events.event")
        assert [(one["params"]["seq"], one["params"]["type"]) for one in (first, second)] == [
            (1, "run.started"),
            (2, "run.finished"),
        ]
        await talk.call("Events.subscribe", run_id="r-1", after=1)
        assert (await talk.hear())["params"]["seq"] == 2


async def test_wrong_subscriptions_are_refused_by_name(tmp_path: Path) -> None:
    async with wire(tmp_path) as at, talking(at) as talk:
        assert (await talk.call("Events.subscribe", run_id="none"))["error"]["data"]["type"] == "not_found"
        assert "after" in (await talk.call("Events.subscribe", run_id="r", after="1"))["error"]["message"]


async def test_a_stream_that_breaks_off_says_where_to_resume(tmp_path: Path) -> None:
    async def work(run: MemoryRun) -> str:
        await asyncio.Event().wait()
        return ""

    async with wire(tmp_path, work=work) as at, talking(at) as talk:
        await talk.call("Agent.start", prompt="halo", run_id="r-1")
        await talk.call("Events.subscribe", run_id="r-1")
        assert (await talk.hear())["params"]["type"] == "run.started"
        at.runs.run_of("r-1").break_off(Busy("the reader was too slow"))
        dropped = await talk.hear()
        assert dropped["method"] == "Events.dropped"
        assert (dropped["params"]["after"], dropped["params"]["error"]["code"]) == (1, -32008)


async def test_a_client_that_leaves_stops_no_run_and_is_forgotten(tmp_path: Path) -> None:
    gate = asyncio.Event()

    async def work(run: MemoryRun) -> str:
        await gate.wait()
        return "selesai"

    async with wire(tmp_path, work=work) as at:
        async with talking(at) as talk:
            await talk.send("Agent.run", prompt="halo", run_id="r-1")
            await talk.call("System.health")
            await talk.call("Events.subscribe", run_id="r-1")
            await talk.hear()
        run = at.runs.run_of("r-1")
        await asyncio.wait_for(run.unread.wait(), 300)
        gate.set()
        assert run.task is not None
        await run.task
        assert run.outcome.status == "completed"


async def test_a_client_that_does_not_read_is_cut_off(tmp_path: Path) -> None:
    async def work(run: MemoryRun) -> str:
        for _ in range(200):
            run.emit("tool.finished", {"output": "x" * 100_000})
        await asyncio.Event().wait()
        return ""

    async with wire(tmp_path, work=work, limits=WireLimits(stall_s=0.2)) as at, talking(at) as talk:
        await talk.call("Agent.start", prompt="halo", run_id="r-1")
        connection = talk.socket._response.connection  # type: ignore[attr-defined]
        connection.transport.pause_reading()
        await talk.send("Events.subscribe", run_id="r-1")
        run = at.runs.run_of("r-1")
        run.unread.clear()
        await asyncio.wait_for(run.unread.wait(), 300)
        connection.transport.abort()


@pytest.mark.parametrize("headers", [{"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}])
async def test_another_sites_page_opens_no_socket(tmp_path: Path, headers: dict[str, str]) -> None:
    async with wire(tmp_path) as at:
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            async with talking(at, **headers):
                pass
        assert refused.value.status == 403


async def test_a_plain_get_is_answered_with_how_to_connect(tmp_path: Path) -> None:
    async with wire(tmp_path) as at, aiohttp.ClientSession() as session, session.get(f"{at.url}/ws") as answer:
        assert answer.status == 400
        assert "ws://HOST:PORT/ws" in (await answer.json())["error"]["message"]


async def test_the_own_page_is_a_kiosk_on_the_socket_too(tmp_path: Path) -> None:
    async with wire(tmp_path) as at, talking(at, Origin=at.url) as talk:
        assert (await talk.call("Config.reload"))["error"]["data"]["type"] == "forbidden"
        assert (await talk.call("System.health"))["result"]["status"] == "ok"


async def test_a_message_beyond_the_bound_closes_the_socket(tmp_path: Path) -> None:
    async with wire(tmp_path, limits=WireLimits(max_body_bytes=1000)) as at, talking(at) as talk:
        await talk.socket.send_str("x" * 2000)
        message = await talk.socket.receive(timeout=300)
        assert (message.type, message.data) == (aiohttp.WSMsgType.CLOSE, aiohttp.WSCloseCode.MESSAGE_TOO_BIG)


async def test_a_daemon_that_stops_says_goodbye(tmp_path: Path) -> None:
    session = aiohttp.ClientSession()
    async with wire(tmp_path) as at:
        socket = await session.ws_connect(at.url + "/ws")
        waiting = asyncio.create_task(socket.receive())
        await asyncio.sleep(0)
    message = await waiting
    assert (message.type, message.data) == (aiohttp.WSMsgType.CLOSE, aiohttp.WSCloseCode.GOING_AWAY)
    await session.close()


@pytest.mark.parametrize("busy", [False, True])
async def test_a_revoked_tokens_socket_is_closed_and_hears_nothing_more(tmp_path: Path, busy: bool) -> None:
    never = asyncio.Event()

    async def waits(_run: MemoryRun) -> str:
        await never.wait()
        return ""

    async with wire(tmp_path, work=waits) as at, aiohttp.ClientSession() as session:
        token = at.tokens.add("front", frozenset({"kiosk"}), now=datetime(2026, 1, 5, tzinfo=UTC))
        async with session.ws_connect(at.url + "/ws", headers={"Authorization": f"Bearer {token}"}) as socket:
            talk = Talk(socket)
            started = (await talk.call("Agent.start", prompt="Halo"))["result"]
            seen = {"run_id": started["run_id"], "session_key": started["session_key"]}
            assert "result" in await talk.call("Events.subscribe", **seen)
            at.tokens.revoke("front")
            message = await socket.receive(timeout=300)
            while message.type is aiohttp.WSMsgType.TEXT:  # what was under way
                if busy:
                    await socket.send_json({"jsonrpc": "2.0", "method": "System.health", "id": 9})
                message = await socket.receive(timeout=300)
            assert (message.type, socket.close_code) == (aiohttp.WSMsgType.CLOSE, aiohttp.WSCloseCode.POLICY_VIOLATION)


async def test_a_message_after_the_revocation_is_not_answered(tmp_path: Path) -> None:
    async with wire(tmp_path) as at, aiohttp.ClientSession() as session:
        token = at.tokens.add("boss", frozenset({"admin"}), now=datetime(2026, 1, 5, tzinfo=UTC))
        async with session.ws_connect(at.url + "/ws", headers={"Authorization": f"Bearer {token}"}) as socket:
            assert "result" in await Talk(socket).call("Config.reload")
            at.tokens.revoke("boss")
            await Talk(socket).send("Config.reload")
            assert (await socket.receive(timeout=300)).type is aiohttp.WSMsgType.CLOSE


async def test_the_first_token_closes_the_sockets_of_those_who_had_none(tmp_path: Path) -> None:
    async with wire(tmp_path) as at, talking(at) as program, talking(at, Origin=at.url) as page:
        for talk in (program, page):
            assert "result" in await talk.call("System.health")
        at.tokens.add("front", frozenset({"kiosk"}), now=datetime(2026, 1, 5, tzinfo=UTC))
        for talk in (program, page):
            assert (await talk.socket.receive(timeout=300)).type is aiohttp.WSMsgType.CLOSE
