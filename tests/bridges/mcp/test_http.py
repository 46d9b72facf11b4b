"""Servers behind a URL: headers, restarts that nobody announces, bodies without end, and links that aren't ours."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from agentd.messages import ServerSettings
from bridges.mcp.lines import PARTS
from tests import warm
from tests.bridges.mcp.conftest import HERE, QUICK, OpenBridge, do, state, until, until_state
from tests.ports import free_port


def at(port: int, **more: Any) -> ServerSettings:
    return ServerSettings(name="remote", url=f"http://127.0.0.1:{port}/mcp", **more)


@asynccontextmanager
async def friendly_at(port: int, **env: str) -> AsyncIterator[None]:
    """The friendly server over HTTP. It needs no wait: the bridge tries again until it is there."""
    process = await asyncio.create_subprocess_exec(
        warm.python(), str(HERE / "friendly.py"), str(port), env=env, stderr=asyncio.subprocess.DEVNULL
    )
    try:
        yield
    finally:
        process.kill()
        await process.wait()


async def test_a_server_behind_a_url_is_called_like_any_other(bridge: OpenBridge, tmp_path: Path) -> None:
    port = free_port()
    async with friendly_at(port):
        host = await bridge(at(port))
        await until_state(host, "remote", "up")
        assert (await do(host, "remote", "echo", text="halo")).output == {"said": "halo"}
        await do(host, "remote", "learn", name="sing")
        await until(host, lambda catalogue: catalogue.tool("sing") is not None)


async def test_a_remote_servers_file_link_is_not_taken_for_a_file_of_ours(bridge: OpenBridge, tmp_path: Path) -> None:
    secret = tmp_path / "office.key"
    secret.write_text("ours")
    port = free_port()
    async with friendly_at(port):
        host = await bridge(at(port, artifacts_dir=str(tmp_path / "kept")))
        await until_state(host, "remote", "up")
        assert (await do(host, "remote", "contents", kind="link", path=secret.as_uri())).artifacts == ()
        (kept,) = (await do(host, "remote", "contents", kind="blob")).artifacts
        assert kept.path is not None


async def test_a_restarted_server_shows_its_new_instructions(bridge: OpenBridge) -> None:
    """Issue 3: restarting only that server changes the next prompt, with no other change."""
    port = free_port()
    async with friendly_at(port, SAY="Be friendly."):
        host = await bridge(at(port))
        await until_state(host, "remote", "up")
    async with friendly_at(port, SAY="Be quick."):
        await until(host, lambda catalogue: catalogue.servers[0].instructions == "Be quick.")
        await until_state(host, "remote", "up")
        assert (await do(host, "remote", "echo", text="x")).success


async def test_a_server_that_went_away_is_down_although_nobody_calls_it(bridge: OpenBridge) -> None:
    port = free_port()
    async with friendly_at(port):
        host = await bridge(at(port))
        await until_state(host, "remote", "up")
    await until(host, lambda catalogue: catalogue.servers[0].error == "nothing answers at its address")


Handler = Callable[[web.Request, dict[str, Any]], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def old_server(on_call: Handler) -> AsyncIterator[tuple[ServerSettings, list[web.Request]]]:
    """A server of the old protocol with sessions; `on_call` answers tools/call. Gives what was requested, too."""
    seen: list[web.Request] = []
    tools = {"tools": [{"name": "do", "inputSchema": {"type": "object"}}]}
    about = {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "old", "version": "1"}}

    async def post(request: web.Request) -> web.StreamResponse:
        seen.append(request)
        message = await request.json()
        match message.get("method"):
            case "initialize":
                body = {"jsonrpc": "2.0", "id": message["id"], "result": about}
                return web.json_response(body, headers={"Mcp-Session-Id": f"session-{len(seen)}"})
            case "tools/list":
                return web.json_response({"jsonrpc": "2.0", "id": message["id"], "result": tools})
            case "tools/call":
                return await on_call(request, message)
            case _:
                return web.Response(status=404 if "id" in message else 202)

    async def delete(request: web.Request) -> web.Response:
        seen.append(request)
        return web.Response()

    app = web.Application()
    app.router.add_post("/mcp", post)
    app.router.add_delete("/mcp", delete)
    runner = web.AppRunner(app)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        yield at(runner.addresses[0][1], headers={"Authorization": "Bearer abc"}), seen
    finally:
        await runner.cleanup()


def done(message: dict[str, Any]) -> web.Response:
    result = {"content": [{"type": "text", "text": "done"}]}
    return web.json_response({"jsonrpc": "2.0", "id": message["id"], "result": result})


async def test_configured_headers_go_with_every_request(bridge: OpenBridge) -> None:
    async def on_call(_: web.Request, message: dict[str, Any]) -> web.StreamResponse:
        return done(message)

    async with old_server(on_call) as (settings, seen):
        host = await bridge(settings)
        assert (await do(host, "remote")).output == "done"
        assert {request.headers["Authorization"] for request in seen} == {"Bearer abc"}
        assert "Bearer" not in repr(settings)


async def test_a_call_to_a_forgotten_session_is_made_again_in_a_new_one(bridge: OpenBridge) -> None:
    """A server that was restarted has not seen it, so that once more is once."""
    forgotten: set[str] = set()

    async def on_call(request: web.Request, message: dict[str, Any]) -> web.StreamResponse:
        if not forgotten:
            forgotten.add(request.headers["Mcp-Session-Id"])
        known = request.headers["Mcp-Session-Id"] not in forgotten
        return done(message) if known else web.Response(status=404)

    async with old_server(on_call) as (settings, _):
        host = await bridge(settings)
        assert (await do(host, "remote")).output == "done"
        assert state(host, "remote").restarts == 1


async def test_leaving_ends_the_session_at_the_server(bridge: OpenBridge) -> None:
    async def on_call(_: web.Request, message: dict[str, Any]) -> web.StreamResponse:
        return done(message)

    async with old_server(on_call) as (settings, seen):
        host = await bridge(settings)
        await host.__aexit__(None, None, None)
        sessions = {request.headers.get("Mcp-Session-Id") for request in seen} - {None}
        assert [(seen[-1].method, seen[-1].headers["Mcp-Session-Id"])] == [("DELETE", sessions.pop())]


@pytest.mark.parametrize("status", [404, 405])
async def test_an_address_of_the_older_transport_is_told_as_such(bridge: OpenBridge, status: int) -> None:
    """`/sse` is what many servers' READMEs name; "Not Found" alone told nobody what to do."""

    async def refuse(_: web.Request) -> web.Response:
        return web.Response(status=status)

    app = web.Application()
    app.router.add_post("/mcp", refuse)
    async with TestServer(app) as server:
        host = await bridge(at(server.port or 0))
        await until_state(host, "remote", "down")
        assert "Streamable HTTP" in (state(host, "remote").error or "")


async def test_a_server_that_does_not_let_us_in_says_so(bridge: OpenBridge) -> None:
    async def on_call(_: web.Request, message: dict[str, Any]) -> web.StreamResponse:
        return web.Response(status=401)

    async with old_server(on_call) as (settings, _):
        host = await bridge(settings)
        assert "it does not let us in (HTTP 401); see its `headers`" in (await do(host, "remote")).message


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
async def test_a_body_without_end_is_a_failed_call(bridge: OpenBridge, kind: str) -> None:
    async def on_call(request: web.Request, _: dict[str, Any]) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": kind})
        await response.prepare(request)
        await response.write(b"data: ")
        try:
            while True:
                await response.write(b"x" * 65536)
        except ConnectionError:
            return response

    async with old_server(on_call) as (settings, _):
        host = await bridge(settings)
        outcome = await do(host, "remote")
        assert outcome.error_type == "tool_execution"
        assert "no answer within" not in outcome.message


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
async def test_an_answer_of_too_many_values_is_a_failed_call(bridge: OpenBridge, kind: str) -> None:

    async def on_call(_: web.Request, message: dict[str, Any]) -> web.StreamResponse:
        result = {"content": [0] * PARTS}
        body = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result})
        return web.Response(text=f"data: {body}\n\n" if "event" in kind else body, content_type=kind)

    async with old_server(on_call) as (settings, _):
        host = await bridge(settings)
        assert f"more than {PARTS:,} values" in (await do(host, "remote")).message


async def test_a_flood_of_broken_notifications_ends_the_connection_with_few_lines_of_log(
    bridge: OpenBridge, caplog: pytest.LogCaptureFixture
) -> None:
    broken = 'data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"percent":1}}\n\n'

    async def on_call(_: web.Request, message: dict[str, Any]) -> web.StreamResponse:
        times = message["params"]["arguments"]["times"]
        return web.Response(text=f"{broken * times}data: {done(message).text}\n\n", content_type="text/event-stream")

    caplog.set_level(logging.WARNING)
    async with old_server(on_call) as (settings, _):
        host = await bridge(settings, limits=replace(QUICK, heartbeat_s=600.0))  # a ping's answer is no noise
        assert (await do(host, "remote", times=QUICK.noise_lines - 1)).output == "done"
        assert "what it sends is not MCP" in (await do(host, "remote", times=20_000)).message
        assert len(caplog.records) < 10
        await until_state(host, "remote", "up", restarts=1)


async def test_a_compressed_body_is_not_unpacked(bridge: OpenBridge) -> None:
    """Some kilobytes may unpack to gigabytes."""

    async def on_call(_: web.Request, message: dict[str, Any]) -> web.StreamResponse:
        response = done(message)
        response.enable_compression(web.ContentCoding.gzip)
        return response

    async with old_server(on_call) as (settings, _):
        host = await bridge(settings)
        outcome = await do(host, "remote")
        assert "it sends compressed answers, though asked not to" in outcome.message


async def test_an_answer_that_is_no_json_is_a_failed_call_and_stays_out_of_the_log(
    bridge: OpenBridge, caplog: pytest.LogCaptureFixture
) -> None:
    async def on_call(_: web.Request, message: dict[str, Any]) -> web.StreamResponse:
        wrong = json.dumps({"jsonrpc": "2.0", "id": {}, "result": "nik 3171234567890123"})
        return web.Response(text=wrong, content_type="application/json")

    caplog.set_level(logging.DEBUG)
    async with old_server(on_call) as (settings, _):
        host = await bridge(settings)
        outcome = await do(host, "remote", nik="3171234567890123")
        assert outcome.error_type == "tool_execution"
        assert "3171" not in outcome.message
        assert "3171" not in caplog.text
