"""The daemon through other programs' doors: `agentd acp`, `agentd mcp`, `top`, `purge` (issue: operating)."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import subprocess
import urllib.error
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest
from acp import (
    PROTOCOL_VERSION,
    RequestError,
    embedded_text_resource,
    resource_block,
    schema,
    spawn_agent_process,
    text_block,
)
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from agentd.access import TokenStore
from tests import warm
from tests.daemon import HEAD, TOKEN, Daemon, RpcFailed, call, final, running
from tests.e2e.test_main_job import LETTER, WORDS
from tests.waiting import until


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    folder = tmp_path_factory.mktemp("faces")
    with running(folder, call("get_current_time"), LETTER, final("Surat Anda selesai.")) as daemon:
        yield daemon


def words(daemon: Daemon, *command: str) -> list[str]:
    """A command line of agentd that finds this daemon."""
    place = ["--config", str(daemon.config), "--state", str(daemon.state), "--listen", daemon.url.rpartition("/")[2]]
    return [str(warm.command()), *command, *place]


def agentd(daemon: Daemon, *command: str, **env: str) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "AGENTD_TOKEN": TOKEN, **env}
    return subprocess.run(words(daemon, *command), env=environ, capture_output=True, text=True, timeout=300)


# ── acp ──────────────────────────────────────────────────────────────────────────────────────────────────────────────


class Editor:
    """An ACP client: keeps what it is told, decides as told."""

    def __init__(self, decision: str) -> None:
        self.decision = decision
        self.hold = asyncio.Event()
        """Set while an answer is given at once."""
        self.hold.set()
        self.permission = asyncio.Event()
        """Set once it was asked."""
        self.updates: list[Any] = []
        self.asked: list[Any] = []

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        self.updates.append(update)

    async def request_permission(self, session_id: str, tool_call: Any, options: list[Any], **_: Any) -> Any:
        self.asked.append(tool_call)
        self.permission.set()
        await self.hold.wait()
        if self.decision == "broken":
            raise RequestError.internal_error()
        outcome = schema.AllowedOutcome(outcome="selected", option_id=self.decision)
        return schema.RequestPermissionResponse(outcome=outcome)

    @property
    def text(self) -> str:
        return "".join(one.content.text for one in self.updates if one.session_update == "agent_message_chunk")

    def of_kind(self, kind: str) -> list[Any]:
        return [one for one in self.updates if one.session_update == kind]


@asynccontextmanager
async def edited(
    office: Daemon, decision: str = "approve", token: str = TOKEN, before: bytes = b""
) -> AsyncIterator[tuple[Editor, Any]]:
    """`before`: what is written to the agent before the protocol begins."""
    editor = Editor(decision)
    program, *arguments = words(office, "acp")
    env = {**os.environ, "AGENTD_TOKEN": token}
    async with spawn_agent_process(editor, program, *arguments, env=env) as (connection, process):  # type: ignore[arg-type]
        assert process.stdin is not None
        process.stdin.write(before)
        await connection.initialize(protocol_version=PROTOCOL_VERSION)
        yield editor, connection


async def test_an_editor_sees_the_tools_decides_the_letter_and_reads_the_answer(office: Daemon) -> None:
    async with asyncio.timeout(300), edited(office) as (editor, agent):
        session = (await agent.new_session(cwd="/", mcp_servers=[])).session_id
        ended = await agent.prompt(session_id=session, prompt=[text_block(WORDS)])
    assert ended.stop_reason == "end_turn"
    assert [one.raw_input["nama"] for one in editor.asked] == ["Budi Santoso"]
    assert editor.text.endswith("Surat Anda selesai.")
    assert [one.title for one in editor.of_kind("tool_call")] == [
        "get_current_time",
        "generate_surat_keterangan_domisili",
    ]
    assert {one.status for one in editor.of_kind("tool_call_update")} == {"completed"}


@pytest.mark.parametrize("decision", ["decline", "broken"])
async def test_an_editors_no_makes_no_letter_and_its_session_can_be_loaded_again(office: Daemon, decision: str) -> None:
    async with asyncio.timeout(300), edited(office, decision) as (editor, agent):
        session = (await agent.new_session(cwd="/", mcp_servers=[])).session_id
        await agent.prompt(session_id=session, prompt=[text_block(WORDS)])
        editor.updates.clear()
        await agent.load_session(cwd="/", session_id=session, mcp_servers=[])
    assert [one.content.text for one in editor.of_kind("user_message_chunk")] == [WORDS]
    history = office.call("Session.get", session_id=session)["history"]
    assert history[0]["artifacts"] == []


async def test_a_session_of_nobody_is_an_error_of_the_protocol(office: Daemon) -> None:
    async with asyncio.timeout(300), edited(office) as (_, agent):
        with pytest.raises(RequestError) as refused:
            await agent.load_session(cwd="/", session_id="nobodys", mcp_servers=[])
    assert refused.value.code == -32010


def test_npms_acpx_talks_to_the_agent_and_its_permission_issues_the_letter(tmp_path: Path, office: Daemon) -> None:
    """The client that others use, unchanged."""
    packages = Path(__file__).parents[1] / "node_modules"
    node = next((str(path) for path in packages.glob("node-linux-*/bin/node")), None)
    assert node is not None, "the tests' npm programs are missing; run: python -m tests.prepare"
    before = len(list(office.state.glob("letters/**/*.pdf")))
    client = [node, str(packages / "acpx" / "dist" / "cli.js"), "--agent", shlex.join(words(office, "acp"))]
    told = subprocess.run(
        [*client, "--format", "text", "--approve-all", "--timeout", "120", "exec", WORDS],
        env={**os.environ, "AGENTD_TOKEN": TOKEN, "HOME": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert "session/request_permission" in told.stdout, told.stdout + told.stderr
    assert "- Keperluan: Melamar pekerjaan" in told.stdout
    assert len(list(office.state.glob("letters/**/*.pdf"))) - before == 1


def until_running(daemon: Daemon, session_id: str) -> None:
    """Nothing tells another caller of a run's start before its id is known."""
    until(lambda: daemon.call("Agent.list", session_id=session_id, status="running")["runs"], "a running run")


async def test_an_editors_cancel_stops_the_turn_and_so_does_the_end_of_its_rights(tmp_path: Path) -> None:
    with running(tmp_path, {"text": "{}", "after_ms": 900_000}, config=HEAD) as slow:
        async with asyncio.timeout(300), edited(slow) as (_, agent):
            for at_once in (False, True):
                session = (await agent.new_session(cwd="/", mcp_servers=[])).session_id
                turn = asyncio.create_task(agent.prompt(session_id=session, prompt=[text_block("Halo")]))
                if at_once:
                    await asyncio.sleep(0)  # the prompt is written first; whether its run has begun is open
                else:
                    await asyncio.to_thread(until_running, slow, session)
                await agent.cancel(session_id=session)
                assert (await turn).stop_reason == "cancelled"
        tokens = TokenStore(slow.state / "access.json")
        token = tokens.add("siti", frozenset({"staff"}), now=datetime.now(UTC))
        async with asyncio.timeout(300), edited(slow, token=token) as (_, agent):
            session = (await agent.new_session(cwd="/", mcp_servers=[])).session_id
            turn = asyncio.create_task(agent.prompt(session_id=session, prompt=[text_block("Halo")]))
            await asyncio.to_thread(until_running, slow, session)
            with pytest.raises(RequestError, match="Invalid request"):
                await agent.prompt(session_id=session, prompt=[text_block("Halo")])
            tokens.revoke("siti")
            with pytest.raises(RequestError) as ended:
                await turn
            assert ended.value.data is not None
            assert ended.value.data["type"] == "unauthorized"


async def test_an_editors_cancel_while_it_is_asked_makes_no_letter(office: Daemon) -> None:
    async with asyncio.timeout(300), edited(office) as (editor, agent):
        editor.hold.clear()
        session = (await agent.new_session(cwd="/", mcp_servers=[])).session_id
        turn = asyncio.create_task(agent.prompt(session_id=session, prompt=[text_block(WORDS)]))
        await editor.permission.wait()
        await agent.cancel(session_id=session)
        run = office.call("Agent.list", session_id=session)["runs"][0]["run_id"]
        await asyncio.to_thread(
            until, lambda: office.call("Agent.get", run_id=run)["status"] == "cancelled", "a cancelled run"
        )
        editor.hold.set()  # its yes comes too late
        assert (await turn).stop_reason == "cancelled"
    assert office.call("Session.get", session_id=session)["history"][0]["artifacts"] == []


async def test_a_file_that_an_editor_attaches_is_not_what_the_person_says(office: Daemon) -> None:
    async with asyncio.timeout(300), edited(office) as (editor, agent):
        session = (await agent.new_session(cwd="/", mcp_servers=[])).session_id
        attached = resource_block(embedded_text_resource("file:///surat.txt", WORDS))
        with pytest.raises(RequestError, match="Invalid params"):
            await agent.prompt(session_id=session, prompt=[text_block("Tolong diproses"), attached])
    assert editor.asked == []


async def test_what_is_no_message_ends_no_conversation(office: Daemon) -> None:
    odd = [b"[1]", b"5", b"null", b'{"id":0,"error":5}', b"x" * 3_000_000, b"[" * 100_000, b"\xff"]
    async with asyncio.timeout(300), edited(office, before=b"".join(line + b"\n" for line in odd)) as (_, agent):
        assert (await agent.new_session(cwd="/", mcp_servers=[])).session_id


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


def ended(daemon: Daemon, session_id: str) -> str:
    """How the session's run stands."""
    return str(daemon.call("Agent.list", session_id=session_id)["runs"][0]["status"])


async def test_the_same_tool_answers_over_http_with_its_token_alone(office: Daemon) -> None:
    process = await asyncio.create_subprocess_exec(
        *words(office, "mcp", "--http", "127.0.0.1:0"),
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
        purged = agentd(daemon, "purge", "--older-than", "1d")
        assert purged.returncode == 0, purged.stderr
        if not daemon_runs:
            daemon.start()
        with pytest.raises(RpcFailed):
            daemon.call("Session.get", session_id="old")
        assert daemon.call("Session.get", session_id="new")["turns"] == 1
    left = [path.name for path in daemon.state.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]
    assert left == []


def test_an_age_that_is_none_is_refused(office: Daemon) -> None:
    refused = agentd(office, "purge", "--older-than", "soon")
    assert refused.returncode == 2
    assert "for example 30d" in refused.stderr
