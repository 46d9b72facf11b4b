"""`ask_books`: the staff's agent asks the books, and answers with their words (issue 7, Ways in; design.md, Names)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from agentd import config
from agentd.access import TokenStore
from agentd.agent.brief import Brief, Conclusion
from agentd.agent.loop import Agent
from agentd.agent.policies import PolicedTools
from agentd.agent.toolset import assemble
from agentd.apps.analytics.books_tool import TOOL, Books, Verbatim
from agentd.apps.analytics.nodes.node_context import Ports
from agentd.apps.analytics.run import AnalyticsRun
from agentd.apps.analytics.servers import NEEDED
from agentd.messages import AgentOptions, Caller, Catalogue, ToolCall, ToolInfo
from agentd.profiles import agent_profile, toolset_for
from agentd.runs.execution import Result, RunContext
from agentd.runs.records import RunBrief, RunRecord
from agentd.testing import ManualClock, MemoryJournal, MemoryTools
from tests.agentd.apps.analytics.office import QUICK, STAFF, Office, plan
from tests.agentd.apps.analytics.scripts import CONFIG, SALES, SALES_NARRATIVE, SALES_PLAN, fenced
from tests.daemon import RpcFailed, call, final, running

SHIPPED = Path(__file__).parents[4] / "config" / "client.toml"
KIOSK = Caller(id="layar", scopes=frozenset({"kiosk"}))
QUESTION = "Total penjualan Januari 2023 dan jumlah transaksinya?"
LYING = final("Penjualannya Rp 999.999.999.")


async def _unasked(_: RunContext) -> Result:
    raise AssertionError("only the catalogue is looked at")


_UNASKED = Books(ManualClock(), _unasked)


class Asked:
    """One run of the staff's agent over an Office: `told` is what the page heard meanwhile."""

    def __init__(self, office: Office, caller: Caller = STAFF) -> None:
        self.told: list[tuple[str, dict[str, Any]]] = []
        workflow = AnalyticsRun(
            Ports(office.model, lambda: self.books, lambda _: assemble(self.books.catalogue(), None), office.clock),
            retrying=QUICK,
        )
        self.books = PolicedTools(office.tools, (), (Books(office.clock, workflow.execute),))
        brief = Brief(
            run_id="r-1",
            session_id="s-1",
            prompt=QUESTION,
            prefix=(),
            toolset=assemble(self.books.catalogue(), None),
            caller=caller,
        )
        self.agent = Agent(
            Verbatim(office.model),
            self.books,
            brief,
            MemoryJournal(),
            lambda kind, data: self.told.append((kind, data)),
        )

    async def concluded(self) -> Conclusion:
        return await self.agent.run()


SQL = plan(
    ("TOTAL", "SELECT SUM(total_amount) AS t FROM sales_orders WHERE order_date LIKE '2023-01-%'"),
    template="Total penjualan {PERIOD_LABEL}: {TOTAL}.",
    placeholder_mapping={"TOTAL": "currency_IDR"},
)


async def test_the_answer_is_the_books_own_words_whatever_the_model_would_have_said(erp: Path) -> None:
    """Issue 7: numbers never pass through a model; the turn after the tool asks none."""
    office = Office(erp, call(TOOL, question="Total penjualan Januari 2023?"), SALES, SQL, LYING)
    asked = Asked(office)
    done = await asked.concluded()
    assert (done.status, done.response) == ("completed", "Total penjualan Januari 2023: Rp 125.000.000,50.")
    assert len(office.model.requests) == 3  # which tool, what is meant, how to find it
    [step] = done.so_far.steps
    assert (step.tool, step.server, step.message) == (TOOL, "analytics", done.response)
    assert step.output["quality_score"] == 100 and step.output["plan"]
    assert done.so_far.attempts == 3  # so that the session's next turn counts on from there
    heard = [data["message"] for kind, data in asked.told if kind == "tool.progress" and data.get("total")]
    assert heard[0] == "understand_query" and heard[-1] == "replace_placeholders"


async def test_a_question_the_books_cannot_answer_is_answered_with_what_to_try(erp: Path) -> None:
    office = Office(erp, call(TOOL, question="Siapa presiden?"), "no JSON", "nor this", "nor that", LYING)
    done = await Asked(office).concluded()
    assert done.status == "completed" and done.response
    assert "999" not in done.response
    assert done.so_far.steps[0].output["error"]["error_source_node"] == "understand_query"


async def test_the_books_stay_shut_to_a_call_that_no_officer_made(erp: Path) -> None:
    office = Office(erp, SALES, SQL)
    asked = Asked(office)
    tool = asked.books.catalogue().tool(TOOL)
    assert tool is not None
    for caller in (None, KIOSK):
        made = ToolCall(tool=tool, input={"question": QUESTION}, run_id="r", session_id="s", step=1, caller=caller)
        outcome = await asked.books.call(made)
        assert (outcome.success, outcome.error_type) == (False, "unknown_tool")
    assert office.model.requests == []


def _with_books(host: MemoryTools) -> Catalogue:
    return PolicedTools(host, (), [_UNASKED]).catalogue()


def _host(*servers: str) -> MemoryTools:
    """A host of these servers, each with one tool."""
    infos = [ToolInfo(name=f"tool_of_{name}", server=name) for name in servers]
    return MemoryTools({info.name: lambda _: "done" for info in infos}, infos)


@pytest.mark.parametrize(("scope", "told"), [("kiosk", False), ("chat", False), ("staff", True), ("admin", False)])
def test_only_an_officers_model_is_told_of_it(tmp_path: Path, scope: Any, told: bool) -> None:
    """The counter's prompt is not a byte longer for it (nor the one that a fresh machine's admin shares with it)."""
    settings = config.load(SHIPPED, state=str(tmp_path))
    caller = Caller(id="x", scopes=frozenset({scope}))
    plain = _host("time", "certificate", *NEEDED)
    with_books = _with_books(plain)
    before, after = (agent_profile(settings, each, caller, AgentOptions()) for each in (plain.catalogue(), with_books))
    assert (before.prefix != after.prefix) is told
    assert (TOOL in after.prefix[0].content) is told
    assert (TOOL in {tool.name for tool in after.toolset.tools}) is told
    by_hand = {tool.name for tool in toolset_for(settings, with_books, caller, "person").tools}
    assert (TOOL in by_hand) is (scope in ("staff", "admin"))


def test_a_daemon_without_the_books_servers_has_no_such_tool() -> None:
    inner = _host("time")
    assert _with_books(inner) == inner.catalogue()


def test_the_books_name_which_of_their_servers_is_down() -> None:
    class Lame(MemoryTools):
        def catalogue(self) -> Catalogue:
            first, *others = super().catalogue().servers
            return (
                super()
                .catalogue()
                .model_copy(update={"servers": (first.model_copy(update={"state": "down"}), *others)})
            )

    infos = [ToolInfo(name=f"tool_of_{name}", server=name) for name in NEEDED]
    inner = Lame({info.name: lambda _: "done" for info in infos}, infos)
    books = _with_books(inner).servers[-1]
    assert (books.state, books.error) == ("down", f"it needs what is down: {inner.catalogue().servers[0].name}")


def test_an_officer_asks_in_the_chat_and_a_kiosk_cannot(tmp_path: Path) -> None:
    """Through the daemon, its data servers and the seed ERP; a follow-up knows what was asked before."""
    turns = [call(TOOL, question=QUESTION), SALES, fenced(SALES_PLAN)]
    with running(tmp_path, *turns, config=CONFIG, env={"AGENTD_CLOCK": "2023-03-01T09:00:00+07:00"}) as daemon:
        book = TokenStore(daemon.state / "access.json")
        staff, kiosk = (book.add(f"{name}-1", frozenset({name}), now=datetime.now(UTC)) for name in ("staff", "kiosk"))

        def rpc(token: str, method: str, **params: Any) -> Any:
            return daemon.called(method, params, Authorization=f"Bearer {token}")

        answer = rpc(staff, "Agent.run", prompt="Tolong lihat penjualan Januari 2023", session_id="meja")
        narrative, sample = answer["response"].split("\n\n")  # nothing is configured: the sample company answers
        assert (narrative, sample.partition(":")[0]) == (SALES_NARRATIVE, "Contoh")
        assert [step["tool"] for step in answer["steps"]] == [TOOL]
        assert TOOL in {tool["name"] for tool in rpc(staff, "Tools.list")["tools"]}

        assert TOOL not in {tool["name"] for tool in rpc(kiosk, "Tools.list")["tools"]}
        with pytest.raises(RpcFailed, match="unknown_tool:"):
            rpc(kiosk, "Tools.call", tool=TOOL, input={"question": QUESTION})


async def test_a_follow_up_knows_what_the_agent_had_asked(erp: Path) -> None:
    step = {"tool": TOOL, "server": "analytics", "success": True, "input": {"question": "Penjualan Mei 2023?"}}
    outcome = {"response": "Rp 5.", "steps": [{**step, "message": "Rp 5."}, {**step, "server": "time"}]}
    done = RunRecord("r-0", "s-1", "admin", "agent", "lihat penjualan", RunBrief(), "completed", "2023-01-01")
    before = replace(done, outcome=outcome)
    office = Office(erp, SALES, SQL, history=[before])
    await office.ask("yang bulan Januari 2023?")
    understood = office.model.requests[0].messages[-1].content
    assert "Penjualan Mei 2023?" in understood and "lihat penjualan" not in understood
