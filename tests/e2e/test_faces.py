"""The daemon through other programs' doors: `agentd acp`, `agentd mcp`, `top`, `purge` (issue: operating)."""

from __future__ import annotations

import asyncio
import os
import shlex
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import openai
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

from agentd.access import TokenStore
from tests import warm
from tests.daemon import AGENTD, HEAD, TOKEN, Daemon, call, final, one_daemon, running
from tests.e2e.test_main_job import LETTER, WORDS
from tests.waiting import until

office = one_daemon(call("get_current_time"), LETTER, final("Surat Anda selesai."))


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


def test_without_an_editor_acp_says_who_starts_it() -> None:
    run = subprocess.run([AGENTD, "acp"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stdout) == (1, "") and "an editor starts this command" in run.stderr


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


async def test_who_can_take_back_nothing_hears_no_claim_that_is_withheld(tmp_path: Path) -> None:
    claim = final("Surat domisili Anda sudah terbit.")
    with running(tmp_path, claim, claim, claim, claim) as liar:
        async with asyncio.timeout(300), edited(liar) as (editor, agent):
            session = (await agent.new_session(cwd="/", mcp_servers=[])).session_id
            await agent.prompt(session_id=session, prompt=[text_block("Apa surat saya sudah jadi?")])
        async with openai.AsyncOpenAI(api_key=TOKEN, base_url=f"{liar.url}/v1", max_retries=0) as client:
            asked: Any = [{"role": "user", "content": "Apa surat saya sudah jadi?"}]
            stream = await client.chat.completions.create(model="agent", messages=asked, stream=True)
            streamed = "".join([one.choices[0].delta.content or "" async for one in stream if one.choices])
    for heard in (editor.text, streamed):
        assert heard
        assert "sudah terbit" not in heard


@pytest.mark.parametrize("decision", ["decline", "broken"])
async def test_an_editors_no_makes_no_letter_and_its_session_can_be_loaded_again(office: Daemon, decision: str) -> None:
    async with asyncio.timeout(300), edited(office, decision) as (editor, agent):
        session = (await agent.new_session(cwd="/", mcp_servers=[])).session_id
        await agent.prompt(session_id=session, prompt=[text_block(WORDS)])
        declined = [one for one in editor.of_kind("tool_call_update") if one.status == "failed"]
        assert [one.title for one in declined] == [LETTER["tool"]]
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
        [*client, "--format", "text", "--approve-all", "--timeout", "300", "exec", WORDS],
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
