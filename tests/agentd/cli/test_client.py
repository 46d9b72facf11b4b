"""The client of the commands: what it says of a port where something else than agentd listens."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from agentd.cli.client import Client, Refused
from tests.daemon import AGENTD, final, running

ASKED = (
    "tools",
    "tools explain get_current_time",
    "tools try get_current_time --input {}",
    "models try",
    "ask Halo",
    "purge --older-than 30d",
    "top --once",
)


async def _page(_request: web.Request) -> web.Response:
    return web.Response(text="<h1>Not found</h1>", content_type="text/html", status=404)


async def _garbled(_request: web.Request) -> web.Response:
    return web.Response(text="hello", content_type="application/json")


@pytest.mark.parametrize("answer", [_page, _garbled])
async def test_a_port_of_another_program_is_named_with_what_to_do(answer: web.Handler) -> None:
    app = web.Application()
    app.router.add_route("*", "/{any:.*}", answer)
    async with TestServer(app) as server, Client.to(f"http://127.0.0.1:{server.port}", None) as client:
        with pytest.raises(Refused, match=r"answers, but not as agentd does.*AGENTD_LISTEN"):
            await client.call("Agent.run", {"prompt": "Halo"})
        with pytest.raises(Refused, match=r"answers, but not as agentd does"):
            async with client.asked("GET", "/metrics") as response:
                await response.json()


def test_what_the_daemon_refuses_is_one_line_of_every_command(tmp_path: Path) -> None:
    """Three of them showed a traceback."""
    with running(tmp_path, final("Halo")) as daemon:
        where = ["--config", str(daemon.config), "--state", str(daemon.state), "--listen", daemon.url[7:]]
        env = {key: value for key, value in os.environ.items() if key != "AGENTD_TOKEN"}
        for words in ASKED:
            done = subprocess.run([AGENTD, *words.split(), *where], env=env, capture_output=True, text=True)
            (line,) = done.stderr.splitlines()
            assert (done.returncode, line.split(":")[0]) == (1, f"agentd {words.split()[0]}")
            assert "AGENTD_TOKEN" in line
