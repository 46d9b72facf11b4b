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

from agentd.agent.toolset import assemble
from agentd.messages import ServerSettings
from bridges.mcp import Limits, McpToolHost
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
    until,
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
    catalogue = "server complains: ERROR servers.certificate.catalogue: letter type left out:"
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


async def test_a_server_that_reads_nothing_cannot_hold_up_the_host(
    bridge: OpenBridge, caplog: pytest.LogCaptureFixture
) -> None:
    """It has filled its standard error, too, which somebody must read for it to come so far."""
    host = await bridge(hostile("deaf"), friendly(), limits=Limits(unread_bytes=1_000_000, grace_s=0.5))
    text = "x" * 700_000
    outcome = await do(host, "deaf", timeout_s=0.5, text=text)
    assert "gave no answer within 0.5 s" in outcome.message
    outcome = await do(host, "deaf", text=text)
    assert "it does not read its standard input" in outcome.message
    await until_state(host, "deaf", "up", restarts=1)
    assert "its guardian did not end" not in caplog.text, "the guardian never learned that it should"
    assert (await do(host, "friendly", "echo", text="x")).success


async def test_chatter_on_standard_output_is_skipped_and_never_logged(
    bridge: OpenBridge, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    host = await bridge(hostile("banner"))
    outcome = await do(host, "banner", nik="3171234567890123")
    assert (outcome.success, outcome.output) == (True, "done")
    assert "are not MCP" in caplog.text
    assert "3171234567890123" not in "".join(r.getMessage() for r in caplog.records if r.name.startswith("bridges"))


@pytest.mark.parametrize(
    ("script", "reason"),
    [("flood", "its standard output is not MCP"), ("endless", "it sends a message without end")],
)
async def test_output_without_end_is_ended(bridge: OpenBridge, script: str, reason: str) -> None:
    host = await bridge(hostile(script), limits=Limits(message_bytes=100_000, runaway_bytes=1_000_000, grace_s=0.5))
    outcome = await do(host, script)
    assert reason in outcome.message
    await until_state(host, script, "up", restarts=1)


@pytest.mark.parametrize("where", ["first", "last"])
async def test_a_giant_message_fails_its_own_call_and_no_other(bridge: OpenBridge, where: str) -> None:
    """Issue 9's matrix: a message of 100 MB."""
    host = await bridge(hostile("giant"), friendly())
    giant = asyncio.create_task(do(host, "giant", bytes=100_000_000, id=where))
    assert (await do(host, "friendly", "echo", text="x")).success
    outcome = await giant
    assert outcome.error_type == "tool_execution"
    assert "at most 1.0 MB are accepted" in outcome.message
    assert (await do(host, "giant", "ping")).output == "pong"
    assert state(host, "giant").restarts == 0
    assert len((await do(host, "giant", bytes=900_000)).output) == 900_000


async def test_a_giant_message_that_hides_what_it_answers_ends_by_the_calls_time(bridge: OpenBridge) -> None:
    host = await bridge(hostile("giant"))
    outcome = await do(host, "giant", timeout_s=1, bytes=2_000_000, id="hidden")
    assert "gave no answer within 1 s" in outcome.message
    assert (await do(host, "giant", "ping")).output == "pong"


async def test_text_that_no_json_may_hold_is_repaired(bridge: OpenBridge) -> None:
    outcome = await do(await bridge(hostile("surrogate")), "surrogate")
    assert (outcome.success, outcome.output) == (True, {"half": "a?b", "nan": None, "much": None})


async def test_half_a_surrogate_pair_in_arguments_is_repaired_too(bridge: OpenBridge) -> None:
    outcome = await do(await bridge(friendly()), "friendly", "echo", text="a\ud800b")
    assert outcome.output == {"said": "a?b"}


async def test_a_server_that_closes_its_output_and_lives_is_ended(bridge: OpenBridge) -> None:
    host = await bridge(hostile("half_closed"))
    outcome = await do(host, "half_closed")
    assert "it closed its standard output" in outcome.message
    await until_state(host, "half_closed", "up", restarts=1)


async def test_a_server_that_ends_at_the_new_protocols_question_is_asked_in_the_old_one(
    bridge: OpenBridge, tmp_path: Path
) -> None:
    """And what it speaks is remembered, so that the detour is made once."""
    diary = tmp_path / "diary"
    host = await bridge(hostile("old_only", env={"DIARY": str(diary)}))
    assert (await do(host, "old_only")).output == "done"
    assert state(host, "old_only").protocol_version == "2024-11-05"
    await host.restart("old_only")
    assert (await do(host, "old_only")).output == "done"
    assert diary.read_text().split() == ["server/discover", "initialize", "initialize"]


async def test_pages_that_lead_in_a_circle_are_read_once(bridge: OpenBridge) -> None:
    host = await bridge(hostile("pages"))
    assert [tool.name for tool in host.catalogue().tools] == ["tool_0", "do", "storms_0", "tool_1", "tool_2"]


async def test_a_storm_of_changes_is_read_once_in_a_while(bridge: OpenBridge) -> None:
    host = await bridge(hostile("pages"))
    await do(host, "pages")
    await until(host, lambda catalogue: catalogue.tool("storms_1") is not None)


async def test_a_storm_of_changes_does_not_keep_us_asking(bridge: OpenBridge) -> None:
    host = await bridge(hostile("pages"), limits=Limits(settle_s=3600))
    pages_read = {(await do(host, "pages")).output for _ in range(20)}
    assert len(pages_read) == 1, "more were read than at the start"


async def test_what_a_server_asks_uninvited_is_refused(bridge: OpenBridge) -> None:
    outcome = await do(await bridge(hostile("nosy")), "nosy")
    assert outcome.output == {"elicitation/create": True, "sampling/createMessage": True, "roots/list": True}


@pytest.mark.parametrize("how", ["schema", "protocol"])
async def test_a_result_that_breaks_its_own_rules_is_a_failed_call(
    bridge: OpenBridge, how: str, caplog: pytest.LogCaptureFixture
) -> None:
    host = await bridge(hostile("liar"))
    outcome = await do(host, "liar", how=how)
    assert (outcome.success, outcome.error_type) == (False, "tool_execution")
    assert "can't be used" in outcome.message
    assert "3171" not in outcome.message + caplog.text


async def test_a_large_result_is_checked_without_holding_up_others(bridge: OpenBridge) -> None:
    """The check of 20,000 rows takes two seconds: it must not take them from the loop."""
    host = await bridge(hostile("liar"), limits=Limits())
    loop = asyncio.get_running_loop()
    checking = asyncio.create_task(do(host, "liar", how="rows", count=20_000))
    began = last = loop.time()
    longest = 0.0
    while not checking.done():
        await asyncio.sleep(0)
        now = loop.time()
        longest, last = max(longest, now - last), now
    assert (await checking).success
    assert longest < (last - began) / 2, "most of it was one pause of the loop"
    assert "can't be used" in (await do(host, "liar", how="rows", count=20_000, last="wrong")).message


async def test_a_call_waits_for_a_server_that_is_still_starting(bridge: OpenBridge, tmp_path: Path) -> None:
    host = await bridge(hostile("crash"))
    gate = tmp_path / "gate"
    slow = hostile("slow_start", env={"GATE": str(gate)})
    call = request(host, "crash")
    await host.reconfigure([slow])
    waiting = asyncio.create_task(
        host.call(call.model_copy(update={"tool": call.tool.model_copy(update={"server": "slow_start"})}))
    )
    assert state(host, "slow_start").state == "starting"
    gate.touch()
    assert (await asyncio.wait_for(waiting, 300)).output == "done"


async def until_error(host: McpToolHost, server: str, words: str) -> None:
    """Between two attempts: while a server is tried again, it has no error."""
    await until(host, lambda catalogue: any(s.name == server and words in (s.error or "") for s in catalogue.servers))


async def test_each_bad_server_is_one_clear_line_and_the_others_live(
    bridge: OpenBridge, caplog: pytest.LogCaptureFixture
) -> None:
    """Issue 21: no such command, a key that is missing, 300 tools with a huge description, two tools of one name."""
    caplog.set_level(logging.WARNING)
    absent = ServerSettings(name="absent", command="no-such-mcp-server")
    host = await bridge(absent, hostile("keyless"), hostile("many"), friendly("one"), friendly("two"))
    await until_error(host, "absent", "no-such-mcp-server")
    await until_error(host, "keyless", "WEATHER_API_KEY environment variable is required")
    tools = [tool for tool in host.catalogue().tools if tool.server == "many"]
    assert len(tools) == 300 and len(tools[0].description) == QUICK.description_chars
    told = [record.getMessage() for record in caplog.records if "server many" in record.getMessage()]
    assert told == ["server many: the description of tool_0 has 100000 characters; 4000 are kept"]
    both = [tool.server for tool in assemble(host.catalogue(), None, servers=["one", "two"]).tools]
    assert len(both) == 2 * both.count("one") > 0
    assert {state(host, name).state for name in ("many", "one", "two")} == {"up"}
