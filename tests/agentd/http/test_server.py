"""Listening: free ports, taken ports, sockets of a daemon that died, sockets that were passed."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web

from agentd.http.server import serving


def app() -> web.Application:
    async def hello(_request: web.Request) -> web.Response:
        return web.Response(text="halo")

    made = web.Application()
    made.router.add_get("/", hello)
    return made


async def read(url: str, connector: aiohttp.BaseConnector | None = None) -> str:
    async with aiohttp.ClientSession(connector=connector) as session, session.get(url) as answer:
        return await answer.text()


async def test_a_taken_port_is_named_with_what_to_do() -> None:
    async with serving(app(), listen=("127.0.0.1", 0)) as (address,):
        port = int(address.rpartition(":")[2])
        with pytest.raises(OSError, match=f"127.0.0.1:{port} is taken by another program; .*--listen"):
            async with serving(app(), listen=("127.0.0.1", port)):
                pass
        assert await read(address) == "halo"


async def test_a_socket_left_by_a_killed_daemon_is_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "agentd.sock"
    dead = socket.socket(socket.AF_UNIX)
    dead.bind(str(path))
    dead.close()
    async with serving(app(), listen=None, unix_path=path, unix_mode=0o600) as (address,):
        assert address == f"unix:{path}"
        assert oct(path.stat().st_mode & 0o777) == "0o600"
        assert await read("http://a/", aiohttp.UnixConnector(str(path))) == "halo"
        with pytest.raises(OSError, match="served by another daemon"):
            async with serving(app(), listen=None, unix_path=path):
                pass
        assert path.exists()


async def test_a_file_that_is_no_socket_is_not_removed(tmp_path: Path) -> None:
    path = tmp_path / "agentd.sock"
    path.write_text("letters")
    with pytest.raises(OSError, match="is no socket"):
        async with serving(app(), listen=None, unix_path=path):
            pass
    assert path.read_text() == "letters"


async def test_passed_sockets_take_the_place_of_addresses(tmp_path: Path) -> None:
    tcp = socket.create_server(("127.0.0.1", 0))
    unix = socket.socket(socket.AF_UNIX)
    unix.bind(str(tmp_path / "passed.sock"))
    async with serving(
        app(), listen=("127.0.0.1", 1), unix_path=tmp_path / "no.sock", sockets=[tcp, unix]
    ) as addresses:
        assert addresses == (f"http://127.0.0.1:{tcp.getsockname()[1]}", f"unix:{tmp_path}/passed.sock")
        assert await read(addresses[0]) == "halo"
        assert not (tmp_path / "no.sock").exists()
    assert (tmp_path / "passed.sock").exists()


async def test_a_crowd_that_connects_at_once_waits_and_none_is_dropped() -> None:
    async with serving(app(), listen=("127.0.0.1", 0)) as (address,):
        port = int(address.rpartition(":")[2])
        crowd = [
            socket.create_connection(("127.0.0.1", port), timeout=0.5) for _ in range(300)
        ]  # the loop stands still
        for one in crowd:
            one.close()


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b"GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ANI\0\r\n\r\n", b"read: Invalid header value char"),
        (b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"ANI" * 9000, b"read: Got more than 8190 bytes when reading"),
        (b"GET /\xc3\xa9ANI HTTP/1.1\r\nHost: a\r\n\r\n", b"read: its address"),
    ],
)
async def test_what_is_no_http_is_told_why_without_its_own_words(line: bytes, says: bytes) -> None:
    async with serving(app(), listen=("127.0.0.1", 0)) as (address,):
        reader, writer = await asyncio.open_connection("127.0.0.1", int(address.rpartition(":")[2]))
        writer.write(line)
        answer = await reader.read()
        writer.close()
    assert answer.split()[1] == b"400" and says in answer and b"ANI" not in answer


@pytest.mark.parametrize(
    ("path", "body", "answered"), [("/rpc", b"{}", True), ("/rpc", b"{", False), ("/v1", b"{}", False)]
)
async def test_a_caller_that_sends_no_more_is_answered_if_its_call_is_whole(
    path: str, body: bytes, answered: bool
) -> None:
    async def act(request: web.Request) -> web.Response:
        await request.read()
        for _ in range(20):  # turns of the loop, in which it sees that the other side has closed
            await asyncio.sleep(0)
        return web.Response(text="halo")

    made = web.Application()
    made.router.add_post(path, act)
    async with serving(made, listen=("127.0.0.1", 0)) as (address,):
        reader, writer = await asyncio.open_connection("127.0.0.1", int(address.rpartition(":")[2]))
        writer.write(f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n".encode() + body)
        writer.write_eof()
        assert (await reader.read()).endswith(b"halo") == answered
        writer.close()
