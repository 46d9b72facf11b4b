"""The daemon as another agent's tool, and its terminal's commands: `agentd mcp`, `top`, `purge`."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import subprocess
import urllib.error
from contextlib import closing
from pathlib import Path

import httpx2
import openai
import pytest
from acp import RequestError, text_block
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from tests import warm
from tests.daemon import HEAD, TOKEN, Daemon, RpcFailed, final, running
from tests.e2e.test_faces import agentd, edited, office, until_running, words
from tests.e2e.test_main_job import WORDS
from tests.waiting import until

__all__ = ["office"]

# ── mcp ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_another_agent_asks_this_one_as_a_tool(office: Daemon) -> None:
    program, *arguments = words(office, "mcp")
    server = StdioServerParameters(command=program, args=arguments, env={**os.environ, "AGENTD_TOKEN": TOKEN})
    async with asyncio.timeout(300), Client(stdio_client(server)) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == ["ask"]
        asked = await client.call_tool("ask", {"prompt": WORDS})
        assert asked.structured_content is not None
        assert asked.structured_content["status"] == "needs_approval"
        session = asked.structured_content["session_id"]
        issued = await client.call_tool("ask", {"prompt": "ya", "session_id": session})
    assert issued.structured_content is not None
    assert issued.structured_content["response"] == "Surat Anda selesai."
    assert len(issued.structured_content["artifacts"]) == 1


async def test_who_gives_up_an_asked_question_or_hangs_up_stops_its_run(tmp_path: Path) -> None:
    with running(tmp_path, {"text": "{}", "after_ms": 900_000}, config=HEAD) as slow:
        program, *arguments = words(slow, "mcp")
        server = StdioServerParameters(command=program, args=arguments, env={**os.environ, "AGENTD_TOKEN": TOKEN})
        async with asyncio.timeout(300), Client(stdio_client(server)) as client:
            for session in ("given-up", "hung-up"):
                asked = asyncio.create_task(client.call_tool("ask", {"prompt": "Halo", "session_id": session}))
                await asyncio.to_thread(until_running, slow, session)
                if session == "given-up":
                    asked.cancel()
                    await asyncio.wait((asked,))
                    await asyncio.to_thread(until, lambda: ended(slow, "given-up") == "cancelled", "a cancelled run")
        await asyncio.to_thread(until, lambda: ended(slow, "hung-up") == "cancelled", "a cancelled run")
        await asyncio.wait((asked,))


@pytest.mark.parametrize("stream", [True, False])
async def test_who_hangs_up_an_openai_request_stops_its_run(tmp_path: Path, stream: bool) -> None:
    """It went on: with one embedded model, everybody else waited for an answer that nobody would read."""
    with running(tmp_path, {"text": "{}", "after_ms": 900_000}, config=HEAD) as slow:
        async with openai.AsyncOpenAI(api_key=TOKEN, base_url=f"{slow.url}/v1", max_retries=0) as client:
            ask = client.chat.completions.create(
                model="agent",
                messages=[{"role": "user", "content": "Halo"}],
                stream=stream,
                metadata={"session_id": "hung-up"},
            )
            asked = asyncio.ensure_future(ask)
            await asyncio.to_thread(until_running, slow, "hung-up")
            asked.cancel()
            await asyncio.wait((asked,))
        await asyncio.to_thread(until, lambda: ended(slow, "hung-up") == "cancelled", "a cancelled run")


def ended(daemon: Daemon, session_id: str) -> str:
    """How the session's run stands."""
    return str(daemon.call("Agent.list", session_id=session_id)["runs"][0]["status"])


async def test_the_same_tool_answers_over_http_with_its_token_alone(office: Daemon) -> None:
    process = await asyncio.create_subprocess_exec(
        *(warm.python(), "-m", "tests.e2e.hurried", *words(office, "mcp", "--http", "127.0.0.1:0")[1:]),
        env={**os.environ, "AGENTD_TOKEN": TOKEN},
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        assert process.stderr is not None
        async with asyncio.timeout(300):
            url = (await process.stderr.readline()).decode().split()[1]
            file = Path((await process.stderr.readline()).decode().removeprefix("its token is in ").strip())
            token = await asyncio.to_thread(file.read_text)
            good = {"Authorization": f"Bearer {token.strip()}", "Accept": "application/json, text/event-stream"}
            body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
            held, writer = await asyncio.open_connection(*url.removeprefix("http://").removesuffix("/mcp").split(":"))
            writer.write(b"POST /mcp HTTP/1.1\r\nHost: ")
            async with httpx2.AsyncClient() as http:
                for shown in ("", "Bearer wrong", f"Bearer {TOKEN}"):
                    assert (
                        await http.post(url, json=body, headers={**good, "Authorization": shown})
                    ).status_code == 401
                assert (await http.post(url, json=body, headers={**good, "Host": "evil.example"})).status_code == 421
                assert (await http.post(url, json=body, headers={**good, "Origin": "null"})).status_code == 403
            assert file == office.state / "mcp.token"
            async with (
                httpx2.AsyncClient(headers=good) as http,
                Client(streamable_http_client(url, http_client=http)) as client,
            ):
                answer = await client.call_tool("ask", {"prompt": "Halo", "session_id": "over-http"})
            assert await held.read() == b""  # a head that never ends is given up
            writer.close()
        assert answer.structured_content is not None
        assert answer.structured_content["session_id"] == "over-http"
    finally:
        process.terminate()
        await asyncio.wait_for(process.wait(), 300)


async def test_a_message_beyond_the_limit_is_refused_kindly_by_whichever_way_it_comes(office: Daemon) -> None:
    """Issue 15, row 1: a citizen's message has 8 KB."""
    long, kindly = "Saya mau surat domisili " + '"' * 8192, "Tuliskan keperluan Anda dengan lebih singkat"
    for method in ("Agent.run", "Agent.start"):
        with pytest.raises(RpcFailed) as refused:
            office.call(method, prompt=long)
        assert (refused.value.error["code"], refused.value.error["data"]["field"]) == (-32602, "prompt")
        assert "longer than 8192 bytes" in refused.value.error["message"]
        assert kindly in refused.value.error["data"]["user_message"]
    body = {"model": "agent", "messages": [{"role": "user", "content": [{"type": "text", "text": long}]}]}
    with pytest.raises(urllib.error.HTTPError) as status:
        office.request("/v1/chat/completions", json.dumps(body).encode())
    told = json.load(status.value)["error"]
    assert (status.value.code, told["param"]) == (400, "messages")
    assert "longer than 8192 bytes" in told["message"]
    assert kindly in told["user_message"]
    async with asyncio.timeout(300), edited(office) as (_, agent):
        session = (await agent.new_session(cwd="/", mcp_servers=[])).session_id
        with pytest.raises(RequestError, match=kindly):
            await agent.prompt(session_id=session, prompt=[text_block(long)])
    program, *arguments = words(office, "mcp")
    server = StdioServerParameters(command=program, args=arguments, env={**os.environ, "AGENTD_TOKEN": TOKEN})
    async with asyncio.timeout(300), Client(stdio_client(server)) as client:
        asked = await client.call_tool("ask", {"prompt": long})
    assert asked.is_error
    assert kindly in str(asked.content)


def test_the_terminal_says_so_too_when_a_line_is_too_long(office: Daemon) -> None:
    env = {**os.environ, "AGENTD_TOKEN": TOKEN}
    line = "x" * 9000 + "\n"
    typed = subprocess.run(words(office, "chat"), input=line, env=env, capture_output=True, text=True, timeout=300)
    assert "Tuliskan keperluan Anda dengan lebih singkat" in typed.stdout


def test_without_tokens_no_other_machine_is_served(office: Daemon) -> None:
    refused = agentd(office, "mcp", "--http", "0.0.0.0:9001")
    assert refused.returncode == 2
    assert "not of this machine" in refused.stderr


# ── top, purge ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_top_shows_servers_models_and_runs(office: Daemon) -> None:
    office.call("Agent.run", prompt="Halo", session_id="seen-by-top")
    shown = agentd(office, "top", "--once", COLUMNS="160")
    assert shown.returncode == 0, shown.stderr
    for name in ("certificate", "time", "scripted", "completed"):
        assert name in shown.stdout


def test_top_says_that_no_daemon_is_there(office: Daemon) -> None:
    command = [warm.command(), "top", "--once", "--config", office.config, "--listen", "127.0.0.1:9"]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert shown.returncode == 1
    assert "agentd serve" in shown.stderr


SECRET = "Kucing saya bernama Belang"


@pytest.mark.parametrize("daemon_runs", [True, False], ids=["asked of the daemon", "without one"])
def test_a_purge_erases_what_is_old_to_the_last_byte_and_nothing_else(tmp_path: Path, daemon_runs: bool) -> None:
    def left() -> list[str]:
        files = [path for path in (tmp_path / "state").rglob("*") if path.is_file()]
        return [path.name for path in files if SECRET.encode() in path.read_bytes()]

    with running(tmp_path, final("Baik"), env={"AGENTD_CLOCK": "2026-01-01T00:00:00Z"}) as daemon:
        daemon.call("Agent.run", prompt=SECRET, session_id="old")
        daemon.kill(15)
        daemon.env.clear()
        daemon.start()
        daemon.call("Agent.run", prompt="Halo", session_id="new")
        if not daemon_runs:
            daemon.kill(15)
        counted = agentd(daemon, "purge", "--older-than", "1d", "--dry-run")
        assert counted.stdout.startswith("1 conversations"), counted.stderr
        with closing(sqlite3.connect(daemon.state / "agentd.db")) as reader:
            if daemon_runs:
                reader.execute("BEGIN")
                reader.execute("SELECT count(*) FROM agentd_runs").fetchone()
            purged = agentd(daemon, "purge", "--older-than", "1d")
        assert purged.returncode == 0, purged.stderr
        assert ("agentd.db: another program has it open" in purged.stderr) == daemon_runs
        if not daemon_runs:
            daemon.start()
        with pytest.raises(RpcFailed):
            daemon.call("Session.get", session_id="old")
        assert daemon.call("Session.get", session_id="new")["turns"] == 1
        until(lambda: not left(), "no word of it in any file")
    assert left() == []


def test_an_age_that_is_none_is_refused(office: Daemon) -> None:
    refused = agentd(office, "purge", "--older-than", "soon")
    assert refused.returncode == 2
    assert "for example 30d" in refused.stderr
