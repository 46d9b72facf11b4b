"""Messages that no server should send: chatter, giants, storms, broken rules; the others live."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

import pytest

from agentd.agent.toolset import assemble
from agentd.messages import ServerSettings
from bridges.mcp import McpToolHost, ServerLimits
from tests.bridges.mcp.conftest import QUICK, OpenBridge, do, friendly, hostile, request, state, until, until_state


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
    ("script", "reason"), [("flood", "its standard output is not MCP"), ("endless", "it sends a message without end")]
)
async def test_output_without_end_is_ended(bridge: OpenBridge, script: str, reason: str) -> None:
    host = await bridge(
        hostile(script), limits=ServerLimits(message_bytes=100_000, runaway_bytes=1_000_000, grace_s=0.5)
    )
    outcome = await do(host, script)
    assert reason in outcome.message
    await until_state(host, script, "up", restarts=1)


async def test_a_flood_of_broken_notifications_is_ended_with_few_lines_of_log(
    bridge: OpenBridge, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    host = await bridge(hostile("sloppy"))
    assert (await do(host, "sloppy", times=QUICK.noise_lines - 1)).output == "done"
    assert "its standard output is not MCP" in (await do(host, "sloppy", times=100_000)).message
    assert len(caplog.records) < 10
    await until_state(host, "sloppy", "up", restarts=1)


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


async def test_of_a_message_of_progress_one_short_line_is_passed_on(bridge: OpenBridge) -> None:
    """Each is kept for every reader of the run's events: of megabytes, a slow reader's queue would fill the memory."""
    heard: list[str | None] = []
    host = await bridge(hostile("chatty"))
    outcome = await host.call(request(host, "chatty"), lambda *progress: heard.append(progress[2]))
    assert (outcome.output, heard) == ("done", ["x" * 300] * 3)


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
    host = await bridge(hostile("pages"), limits=ServerLimits(settle_s=3600))
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
    host = await bridge(hostile("liar"), limits=ServerLimits())
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


async def test_no_schema_of_a_servers_own_stops_the_daemon(bridge: OpenBridge) -> None:
    """An expression that backtracks, references that multiply, 20,000 fields."""
    host = await bridge(hostile("liar"))
    assert (await do(host, "liar", how="expression")).success
    assert "can't be used" in (await do(host, "liar", how="references")).message
    assert "bulky" not in [tool.name for tool in host.catalogue().tools]


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
    assert told == ["server many: its tool tool_0 has a description of 100000 characters; 4000 are kept"]
    both = [tool.server for tool in assemble(host.catalogue(), None, servers=["one", "two"]).tools]
    assert len(both) == 2 * both.count("one") > 0
    assert {state(host, name).state for name in ("many", "one", "two")} == {"up"}
