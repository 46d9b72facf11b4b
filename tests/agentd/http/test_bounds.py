"""What is given up or refused before it is read: bodies, heads, batches; and what needs no token."""

from __future__ import annotations

import asyncio
import json
import zlib
from pathlib import Path
from typing import Any

import aiohttp
import aiohttp.http_parser
import aiohttp.web
import pytest
import structlog

from agentd.rpc.method import WireLimits
from tests.agentd.http.test_guard import HEALTH, RELOAD, get, kind, post, token
from tests.agentd.twins import stands, wire


async def test_a_body_beyond_the_bound_is_refused(tmp_path: Path) -> None:
    async with wire(tmp_path, limits=WireLimits(max_body_bytes=2000)) as at, aiohttp.ClientSession() as session:
        assert kind(await post(at, {**HEALTH, "pad": "x" * 3000})) == (413, "invalid_request")

        async def chunks() -> Any:
            for _ in range(10):
                yield b"x" * 500

        headers = {"Content-Type": "application/json"}
        async with session.post(at.url + "/rpc", data=chunks(), headers=headers) as answer:
            assert (answer.status, (await answer.json())["error"]["code"]) == (413, -32600)


@pytest.mark.parametrize("kind", ["gzip", "deflate", "br"])
async def test_a_compressed_body_is_refused_and_never_unpacked(tmp_path: Path, kind: str) -> None:
    packed = zlib.compress(bytes(20_000_000))  # 20 kB, below every limit until it is unpacked
    async with wire(tmp_path) as at, aiohttp.ClientSession() as session:
        headers = {"Content-Type": "application/json", "Content-Encoding": kind}
        async with session.post(at.url + "/rpc", data=packed, headers=headers) as answer:
            assert answer.status == 415
            assert "must not be compressed" in (await answer.json())["error"]["message"]


async def test_a_body_that_never_ends_is_given_up(tmp_path: Path) -> None:
    async with wire(tmp_path, limits=WireLimits(body_timeout_s=0.05)) as at:
        reader, writer = await asyncio.open_connection("127.0.0.1", int(at.url.rpartition(":")[2]))
        writer.write(
            b"POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"
        )
        assert b"408" in await asyncio.wait_for(reader.readline(), 300)
        writer.close()


async def test_a_client_that_hangs_up_in_its_body_is_no_error_of_ours(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    ended = asyncio.Event()

    async def read(request: aiohttp.web.Request) -> aiohttp.web.Response:
        try:
            await request.content.read()
        finally:
            ended.set()
        return aiohttp.web.Response()

    async with wire(tmp_path, pages=[aiohttp.web.post("/read", read)]) as at:
        _, writer = await asyncio.open_connection("127.0.0.1", int(at.url.rpartition(":")[2]))
        writer.write(b"POST /read HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n{")
        await writer.drain()
        writer.transport.abort()
        await asyncio.wait_for(ended.wait(), 300)
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


@pytest.mark.parametrize("parser", ["HttpRequestParser", "HttpRequestParserPy"])
@pytest.mark.parametrize(
    "sent", [b"KTP31x /\r\n\r\n", b"GET / HTTP/1.1\r\nHost: x\r\nKTP31x\r\n\r\n", b"GET KTP31x:y HTTP/1.1\r\n\r\n"]
)
async def test_what_is_no_request_is_one_line_of_the_log_without_its_bytes_and_no_error(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, sent: bytes, parser: str
) -> None:
    monkeypatch.setattr("aiohttp.web_protocol.HttpRequestParser", getattr(aiohttp.http_parser, parser))
    with structlog.testing.capture_logs() as lines:
        async with wire(tmp_path) as at:
            reader, writer = await asyncio.open_connection("127.0.0.1", int(at.url.rpartition(":")[2]))
            writer.write(sent)
            answer = await asyncio.wait_for(reader.read(), 300)
            writer.close()
    assert b" 400 " in answer.partition(b"\r\n")[0]
    assert [(line["log_level"], line["event"]) for line in lines] == [("info", "http.unreadable")]
    assert "KTP31x" not in f"{lines} {answer!r}"
    assert caplog.records == []


@pytest.mark.parametrize("path", ["/rpc", "/read"])
async def test_a_slow_body_is_given_up_whatever_reads_it(
    tmp_path: Path, path: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def read(request: aiohttp.web.Request) -> aiohttp.web.Response:
        await request.content.read()
        return aiohttp.web.Response()

    pages = [aiohttp.web.post("/read", read)]
    async with wire(tmp_path, limits=WireLimits(body_timeout_s=0.05), pages=pages) as at:
        reader, writer = await asyncio.open_connection("127.0.0.1", int(at.url.rpartition(":")[2]))
        head = (
            f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n"
        )
        writer.write(head.encode() + b"{")
        assert b" 408 " in await asyncio.wait_for(reader.readline(), 300)
        await asyncio.wait_for(reader.read(), 300)  # and the connection ends
        writer.close()
    assert caplog.records == []  # it is the sender's fault: a flood of them would fill the log


async def test_a_head_that_never_ends_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentd.http.server.HEAD_S", 0.1)
    whole = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    async with wire(tmp_path) as at:
        for sent in (b"", whole[:-2], whole + whole[:20]):
            reader, writer = await asyncio.open_connection("127.0.0.1", int(at.url.rpartition(":")[2]))
            if sent.startswith(whole):
                writer.write(whole)
                await reader.readuntil(b"}")
                sent = sent.removeprefix(whole)
            writer.write(sent)
            await asyncio.wait_for(reader.read(), 300)
            writer.close()


async def test_each_call_of_a_batch_counts_against_the_rate(tmp_path: Path) -> None:
    async with wire(tmp_path) as at:
        bearer = token(at, "front", "kiosk", rate_per_minute=3)
        batch = [{**HEALTH, "id": n} for n in range(3)]
        assert len((await post(at, batch, Authorization=bearer))[1]) == 3
        status, body = await post(at, {**HEALTH, "id": 9}, Authorization=bearer)
        assert (status, body["error"]["code"], body["id"]) == (429, -32014, 9)
        assert body["error"]["data"]["retry_after_s"] == 20.0
        assert kind(await get(at, "/events?run_id=r", Authorization=bearer)) == (429, "rate_limited")
        at.clock.advance(20)
        assert (await post(at, Authorization=bearer))[0] == 200


async def test_health_needs_no_token_and_shows_states_without_reasons(tmp_path: Path) -> None:
    async with wire(tmp_path, admin_token="secret") as at:
        assert (await get(at, "/healthz"))[0] == 200
        status, body = await get(at, "/readyz")
        assert (status, json.loads(body)["servers"]) == (200, {"time": "up", "certificate": "down"})
        assert "command" not in body


@pytest.mark.parametrize("state", ["starting", "draining"])
async def test_a_daemon_that_takes_no_work_is_not_ready(tmp_path: Path, state: str) -> None:
    async with wire(tmp_path, health=stands(state)) as at:
        assert (await get(at, "/readyz"))[0] == 503
        assert (await get(at, "/healthz"))[0] == 200


async def test_a_daemon_whose_database_takes_no_write_is_not_ready(tmp_path: Path) -> None:
    async with wire(tmp_path, health=stands("degraded", database="down")) as at:
        status, body = await get(at, "/readyz")
        assert status == 503
        assert (await post(at))[1]["result"].items() >= {"status": "degraded", "database": "down"}.items()
        assert json.loads(body).items() >= {"status": "degraded", "database": "down"}.items()


async def test_nothing_at_an_address_is_a_json_404_and_another_verb_a_405(tmp_path: Path) -> None:
    async with wire(tmp_path) as at:
        assert kind(await get(at, "/nowhere")) == (404, "not_found")
        status, body = await get(at, "/rpc")
        assert (status, json.loads(body)["error"]["code"]) == (405, -32600)


async def test_pages_are_open_and_carry_the_security_headers(tmp_path: Path) -> None:
    async def page(_request: aiohttp.web.Request) -> aiohttp.web.Response:
        return aiohttp.web.Response(text="<!doctype html>", content_type="text/html")

    pages = [aiohttp.web.get("/kiosk", page)]
    async with (
        wire(tmp_path, admin_token="secret", pages=pages) as at,
        aiohttp.ClientSession() as session,
        session.get(at.url + "/kiosk") as answer,
    ):
        assert answer.status == 200
        assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


async def test_the_unix_socket_is_the_owners_and_its_group_only(tmp_path: Path) -> None:
    path = tmp_path / "agentd.sock"
    async with wire(tmp_path, unix_path=path) as at:
        assert oct(path.stat().st_mode & 0o777) == "0o660"
        assert at.addresses[1] == f"unix:{path}"
        async with (
            aiohttp.ClientSession(connector=aiohttp.UnixConnector(str(path))) as session,
            session.post("http://anything/rpc", json=RELOAD) as answer,
        ):
            assert "result" in await answer.json()
    assert not path.exists()
