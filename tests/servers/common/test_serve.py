"""serve(): Streamable HTTP beside stdio, and a log that never quotes a citizen."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest
import uvicorn
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from starlette.types import Receive, Scope, Send
from uvicorn.server import ServerState

from hardening.logs import DiscreetFormatter
from servers.common import http, http_heads
from tests import warm
from tests.servers.process import refused

TOKEN = "a-token-that-somebody-gave"


@asynccontextmanager
async def over_http(folder: Path, program: str = "servers.time", **env: str) -> AsyncIterator[tuple[str, str]]:
    """A server behind Streamable HTTP: (its URL, its next line on standard error)."""
    process = await asyncio.create_subprocess_exec(
        *(warm.python(), "-m", program, "--http", "127.0.0.1:0"),
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "AGENTD_STATE": str(folder), **env},
    )
    try:
        assert process.stderr is not None
        line = (await asyncio.wait_for(process.stderr.readline(), 300)).decode()
        assert line.startswith("time listens at http://127.0.0.1:")
        second = "" if "HTTP_TOKEN" in env or "CREDENTIALS_DIRECTORY" in env else await process.stderr.readline()
        yield line.split()[-1], second.decode() if second else ""
    finally:
        process.terminate()
        await asyncio.wait_for(process.communicate(), 300)


async def ask(url: str, token: str) -> str:
    """The time zone that a client with that token is told."""
    headers = {"Authorization": f"Bearer {token.strip()}"}
    async with (
        httpx2.AsyncClient(headers=headers) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        result = await client.call_tool("get_current_time", {"timezone": "UTC"})
    assert result.structured_content is not None
    return str(result.structured_content["timezone"])


async def test_over_streamable_http_a_token_is_made_that_only_this_user_reads(tmp_path: Path) -> None:
    async with over_http(tmp_path) as (url, line):
        file = Path(line.removeprefix("its token is in ").strip())
        assert file == tmp_path / "time.token"
        assert os.stat(file).st_mode & 0o777 == 0o600  # noqa: PTH116 - Path's own would be blocking here
        assert await ask(url, await asyncio.to_thread(file.read_text)) == "UTC"


@pytest.mark.parametrize("given", ["HTTP_TOKEN", "CREDENTIALS_DIRECTORY"])
async def test_over_streamable_http_a_given_token_counts(tmp_path: Path, given: str) -> None:
    (tmp_path / "http_token").write_text(TOKEN + "\n")
    async with over_http(tmp_path, **{given: TOKEN if given == "HTTP_TOKEN" else str(tmp_path)}) as (url, _):
        assert await ask(url, TOKEN) == "UTC"
    assert not (tmp_path / "time.token").exists()


async def test_over_streamable_http_nobody_comes_in_without_the_token_or_by_another_name(tmp_path: Path) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    good = {"Authorization": f"Bearer {TOKEN}", "Accept": "application/json, text/event-stream"}
    async with (
        over_http(tmp_path, HTTP_TOKEN=TOKEN, HTTP_ORIGINS="https://desk.example") as (url, _),
        httpx2.AsyncClient() as http,
    ):

        async def status(method: str = "POST", **headers: str) -> int:
            sent = {**good, **headers}
            return (await http.request(method, url, json=body, headers=sent)).status_code

        for shown in ("", "Bearer", "Bearer wrong", f"Basic {TOKEN}", f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}"):
            assert await status(Authorization=shown) == 401, shown
        for method in ("GET", "DELETE", "OPTIONS"):
            assert await status(method, Authorization="") == 401
        assert await status(Host="evil.example") == 421
        assert await status(Host="evil.example:9001") == 421
        assert await status(Origin="http://evil.example") == 403
        assert await status(Origin="null") == 403
        assert await status(Origin="https://desk.example") not in (401, 403, 421)
        assert await status() not in (401, 403, 421)


async def test_over_streamable_http_a_head_or_a_body_that_never_ends_holds_no_connection(tmp_path: Path) -> None:
    async with over_http(tmp_path, "tests.servers.common.hurried", HTTP_TOKEN=TOKEN) as (url, _):
        place = url.removeprefix("http://").removesuffix("/mcp")
        head = f"POST /mcp HTTP/1.1\r\nHost: {place}\r\nContent-Length: 9\r\n"
        held = []
        for sent in ("", head, head + "\r\n", f"GET / HTTP/1.1\r\nHost: {place}\r\n\r\nGET"):
            reader, writer = await asyncio.open_connection(*place.split(":"))
            writer.write(sent.encode())
            held.append((reader, writer))
        async with asyncio.timeout(300):
            answers = [await reader.read() for reader, _ in held]
            assert [answer.split(b" ")[1:2] for answer in answers] == [[], [], [b"401"], [b"401"]]
        for _, writer in held:
            writer.close()
        assert await ask(url, TOKEN) == "UTC"


async def test_over_streamable_http_a_slow_or_a_giant_body_with_the_token_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(http_heads, "BODY_S", 0.1)
    monkeypatch.setattr(http, "MAX_BODY", 1000)
    ended: asyncio.Queue[int] = asyncio.Queue()

    async def reads(_scope: Scope, receive: Receive, send: Send) -> None:
        size, more = 0, True
        while more and (message := await receive())["type"] == "http.request":
            size, more = size + len(message["body"]), message["more_body"]
        ended.put_nowait(size)
        await send({"type": "http.response.start", "status": 400 if more else 200, "headers": []})
        await send({"type": "http.response.body"})

    config = uvicorn.Config(http.BearerOnly(reads, TOKEN), http=http_heads.HeadInTime, log_config=None)
    config.load()
    state = ServerState()
    listening = await asyncio.get_running_loop().create_server(
        lambda: http_heads.HeadInTime(config, state, {}), "127.0.0.1", 0
    )
    head = f"POST /mcp HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {TOKEN}\r\n"
    chunk = f"{600:x}\r\n{'x' * 600}\r\n"
    sent = (
        (f"{head}Content-Length: 5\r\n\r\n12345", b"200"),
        (f"{head}Content-Length: 5\r\n\r\n1", b""),
        (f"{head}Content-Length: 1001\r\n\r\n", b"413"),
        (f"{head}Transfer-Encoding: chunked\r\n\r\n{chunk}{chunk}", b"400"),
    )
    async with listening:
        for text, status in sent:
            reader, writer = await asyncio.open_connection(*listening.sockets[0].getsockname())
            writer.write(text.encode())
            async with asyncio.timeout(300):
                assert (await reader.readline())[9:12] == status
            writer.close()
    async with asyncio.timeout(300):
        whole, slow, giant = [await ended.get() for _ in range(3)]
    assert (whole, slow) == (5, 1) and giant <= 1000


@pytest.mark.parametrize(
    ("host", "token", "said"),
    [("0.0.0.0:0", None, "give a token"), ("[::]:0", None, "give a token"), ("127.0.0.1:0", "short", "16 characters")],
)
def test_no_address_but_loopbacks_is_served_without_a_given_token(host: str, token: str | None, said: str) -> None:
    assert said in refused("time", "--http", host, **({"HTTP_TOKEN": token} if token else {}))


def test_an_address_that_is_none_is_refused() -> None:
    said = refused("mysql", "--http", "9001")
    assert "usage: python -m servers.mysql [-h]" in said and "HOST:PORT" in said


@pytest.mark.parametrize("logger", ["mcp.server.mcpserver.server", "anyio", "root"])
def test_foreign_log_lines_lose_their_values_and_exceptions_their_text(logger: str) -> None:
    try:
        int("3175064508900001x")
    except ValueError:
        record = logging.LogRecord(logger, 40, __file__, 1, "Tool %r failed: %r", ("t", "3175064508900001"), None)
        record.exc_info = sys.exc_info()
    text = DiscreetFormatter().format(record)
    assert "3175064508900001" not in text
    assert "Tool %r failed" in text and "ValueError at" in text


def test_our_own_lines_are_printed_as_written() -> None:
    record = logging.LogRecord("servers.certificate", 30, __file__, 1, "%d letters\nfinished", (3,), None)
    assert DiscreetFormatter().format(record) == "WARNING servers.certificate: 3 letters finished"
