"""The fault matrix: what a server does wrong, and that it harms neither the daemon nor the other servers.

Each test talks to a real process in hostile/, and fails when the defence that it names is taken out.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from agentd.messages import ServerSettings
from bridges.mcp import ServerLimits
from tests.bridges.mcp.conftest import (
    PATIENCE,
    QUICK,
    Marked,
    OpenBridge,
    do,
    friendly,
    hostile,
    request,
    state,
    until_state,
)


async def test_a_crash_during_a_call_is_typed_and_followed_by_a_restart(
    bridge: OpenBridge, caplog: pytest.LogCaptureFixture
) -> None:
    """Seed 002: `ToolError::Execution`; the log has the server's last words without the citizen's or its keys."""
    caplog.set_level(logging.WARNING)
    settings = hostile("crash", env={"API_KEY": "key-0123-secret"})
    host = await bridge(settings, limits=replace(QUICK, grace_s=PATIENCE / 2))  # its end may come long after its output
    outcome = await do(host, "crash", name="Siti Aminah", nik="3171234567890123")
    assert outcome.error_type == "tool_execution"
    assert outcome.message == "The server `crash` was lost during the call of `do`: it ended with exit code 3."
    await until_state(host, "crash", "up", restarts=1)
    assert (await do(host, "crash", "ping")).output == "pong"
    words = next(record.getMessage() for record in caplog.records if "stderr: could not file" in record.getMessage())
    assert not [secret for secret in ("Siti", "Aminah", "3171", "key-0123") if secret in words]


class Reports(logging.Handler):
    """What a logger says, as it says it."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.lines: asyncio.Queue[str] = asyncio.Queue()

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.put_nowait(record.getMessage())


async def test_what_a_server_reports_as_an_error_is_in_the_log_by_its_name_and_once(bridge: OpenBridge) -> None:
    """A broken folder is read by who runs the daemon; what a strange server says once it knows citizens is not."""
    reports, logger = Reports(), logging.getLogger("bridges.mcp.stdio")
    logger.addHandler(reports)
    try:
        host = await bridge(hostile("complains", env={"API_KEY": "key-0123-secret"}))
        async with asyncio.timeout(PATIENCE):
            before = [await reports.lines.get() for _ in range(2)]
            assert (await do(host, "complains", name="Siti")).output == "done"
            after = await reports.lines.get()
    finally:
        logger.removeHandler(reports)
    catalogue = "server complains: ERROR servers.certificate.letters.catalogue: letter type left out:"
    assert before == [
        f"{catalogue} ktp/letter.toml:3: title: Field required",
        "server complains: ERROR shelf: no key …",
    ]
    assert after == f"{catalogue} kk" and reports.lines.empty()


async def test_a_server_killed_while_idle_is_up_again_before_the_next_call(bridge: OpenBridge, marked: Marked) -> None:
    host = await bridge(hostile("crash", env=marked.env))
    os.kill(marked.server(), signal.SIGKILL)
    await until_state(host, "crash", "starting")
    assert (await do(host, "crash", "ping")).output == "pong"


async def test_all_calls_under_way_fail_at_once_when_their_server_dies(bridge: OpenBridge) -> None:
    host = await bridge(hostile("stuck"))
    calls = [asyncio.create_task(host.call(request(host, "stuck"))) for _ in range(5)]
    await asyncio.sleep(0)
    await host.restart("stuck")
    outcomes = await asyncio.wait_for(asyncio.gather(*calls), 300)
    assert {outcome.error_type for outcome in outcomes} == {"tool_execution"}
    assert {outcome.message for outcome in outcomes} == {
        "The server `stuck` was lost during the call of `do`: it is being restarted."
    }


async def test_a_server_that_crashes_again_and_again_is_started_ever_more_rarely(bridge: OpenBridge) -> None:
    host = await bridge(hostile("crash_again"), friendly())
    down = await until_state(host, "crash_again", "down", restarts=1)
    assert down.error is not None
    assert "exit code 4" in down.error
    assert (await do(host, "friendly", "echo", text="x")).success


async def test_a_server_that_never_answers_is_down_with_its_last_words(bridge: OpenBridge) -> None:
    host = await bridge(hostile("mute", start_timeout_s=1), friendly())
    error = (await until_state(host, "mute", "down")).error
    assert error == "it did not answer within 1 s of being started: thinking about it"
    assert (await do(host, "friendly", "echo", text="x")).success


async def test_a_call_to_a_server_that_is_down_names_it_and_the_reason(bridge: OpenBridge) -> None:
    """Design: a tool of a configured server that is down is `tool_execution`, never `unknown_tool`."""
    host = await bridge(ServerSettings(name="gone", command="nonesuch-program"), friendly())
    call = request(host, "friendly", "echo")
    outcome = await host.call(call.model_copy(update={"tool": call.tool.model_copy(update={"server": "gone"})}))
    assert outcome.error_type == "tool_execution"
    assert outcome.message == (
        "The server `gone` of the tool `echo` is down: "
        "its command `nonesuch-program` is not installed (not found in PATH)."
    )


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        (ServerSettings(name="s", command="./nonesuch"), "its command ./nonesuch does not exist"),
        (ServerSettings(name="s", command="true", workdir="/nonesuch"), "its workdir /nonesuch is not a folder"),
        (ServerSettings(name="s", command=__file__), "Permission denied"),
        (ServerSettings(name="s", command="sh", args=("-c", "echo no licence >&2; exit 7")), "exit code 7: no licence"),
        (ServerSettings(name="s", command="sh", args=("-c", "exit 255")), "it ended with exit code 255"),
        (ServerSettings(name="s", command="sh", args=("-c", "kill -9 $$")), "it ended by SIGKILL"),
        (hostile("wrong_version"), "1999-12-31"),
        (ServerSettings(name="s", url="http://127.0.0.1:1/mcp"), "nothing answers at its address"),
    ],
)
async def test_a_server_that_cannot_start_says_why(bridge: OpenBridge, settings: ServerSettings, reason: str) -> None:
    host = await bridge(settings, limits=replace(QUICK, grace_s=PATIENCE / 2))  # its end may come long after its output
    assert reason in str((await until_state(host, settings.name, "down")).error)


async def test_a_server_that_is_stuck_is_ended_and_started_again(bridge: OpenBridge) -> None:
    host = await bridge(hostile("stuck"))
    outcome = await do(host, "stuck", timeout_s=0.2)
    assert "gave no answer within 0.2 s" in outcome.message
    await until_state(host, "stuck", "up", restarts=1)
    assert (await do(host, "stuck", "ping")).output == "pong"


async def test_a_server_that_is_only_busy_is_left_alone(bridge: OpenBridge, tmp_path: Path) -> None:
    """As long as another call is under way, silence is no proof that it is stuck."""
    gate = tmp_path / "gate"
    host = await bridge(hostile("busy", env={"GATE": str(gate)}))
    patient = asyncio.create_task(do(host, "busy"))
    for _ in range(2):
        assert "gave no answer" in (await do(host, "busy", timeout_s=2 * QUICK.probe_s)).message
    gate.touch()
    assert (await patient).output == "done"
    assert state(host, "busy").restarts == 0


@pytest.mark.parametrize("mode", ["reads", "only writes"])
async def test_a_server_that_never_ends_asking_is_restarted(bridge: OpenBridge, mode: str) -> None:
    host = await bridge(hostile("asks_on", env={"MODE": mode}), friendly())
    asked = asyncio.create_task(do(host, "asks_on", timeout_s=2))
    assert (await do(host, "friendly", "environment")).success
    assert "gave no answer within 2 s" in (await asked).message
    await until_state(host, "asks_on", "up", restarts=1)


async def test_a_server_that_reads_nothing_cannot_hold_up_the_host(
    bridge: OpenBridge, caplog: pytest.LogCaptureFixture
) -> None:
    """It has filled its standard error, too, which somebody must read for it to come so far."""
    host = await bridge(hostile("deaf"), friendly(), limits=ServerLimits(unread_bytes=1_000_000, grace_s=0.5))
    text = "x" * 700_000
    outcome = await do(host, "deaf", timeout_s=0.5, text=text)
    assert "gave no answer within 0.5 s" in outcome.message
    outcome = await do(host, "deaf", text=text)
    assert "it does not read its standard input" in outcome.message
    await until_state(host, "deaf", "up", restarts=1)
    assert "its guardian did not end" not in caplog.text, "the guardian never learned that it should"
    assert (await do(host, "friendly", "echo", text="x")).success
