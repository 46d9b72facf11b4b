"""Every error path of seed 003, by its section: the status, the words for the user, the details for the log."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.agentd.apps.analytics.office import SCHEMA, Office, down, error, plan
from tests.agentd.apps.analytics.scripts import SALES

QUESTION = "Berapa total penjualan Januari 2023?"


TOTAL = ("TOTAL_SALES", "SELECT SUM(total_amount) AS t FROM sales_orders WHERE order_date LIKE '2023-01-%'")


ANSWER = plan(TOTAL, template="Total {TOTAL_SALES}.")


def failed(answer: dict[str, Any]) -> tuple[str, str, str]:
    """Where, what the user reads, what the log reads; the shape is the seed's ErrorResponse (§4)."""
    assert answer["status"] == "failed"
    told = answer["error"]
    assert set(told) == {
        "success",
        "error_source_node",
        "user_message",
        "technical_details_for_log",
        "session_id",
        "suggestions",
    }
    assert told["success"] is False
    assert told["session_id"] == "s-1"
    assert told["suggestions"]
    assert answer["final_narrative"] is None
    return told["error_source_node"], told["user_message"], told["technical_details_for_log"]


# ── §3.1 understand_query ────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("intent", ["unclear", "", None, "unknown"])
async def test_a_question_that_is_not_understood_asks_back(erp: Path, intent: str | None) -> None:
    """seed 003 §3.1: failed_understanding, a message that asks for clarification."""
    answer = await Office(erp, {"intent": intent, "entities": []}).ask("itu lho, yang kemarin")
    node, message, _ = failed(answer)
    assert (node, answer["validation_status"]) == ("understand_query", "failed_understanding")
    assert "klarifikasi" in message


async def test_without_the_books_servers_the_answer_says_what_is_missing(erp: Path) -> None:
    """A model was asked, found the question unclear, and it was asked back."""
    office = Office(erp, SALES, ANSWER)
    office.servers = []
    answer = await office.ask(QUESTION)
    node, message, details = failed(answer)
    assert (node, message) == ("understand_query", "Belum ada data kantor yang dapat ditanya di sini.")
    assert details == "client.toml has no [[servers]] graphiti_server, mysql_mcp_server, placeholder_mcp_server"
    assert "graphiti_server" in answer["error"]["suggestions"][0]
    assert (answer["clarification"], office.model.requests) == (None, [])


@pytest.mark.parametrize(
    "said",
    [
        "SELECT command denied to user this account for table `erp`.`sales_orders` (1142)",
        "permission denied for table sales_orders (42501)",
    ],
)
async def test_a_missing_grant_is_said_at_once(erp: Path, said: str) -> None:
    """The model was asked for another plan, once or twice, which reads the same table."""
    office = Office(erp, SALES, ANSWER, explain_query=lambda _: {"status": "error", "error_message": said})
    answer = await office.ask(QUESTION)
    node, message, details = failed(answer)
    assert (node, message) == ("plan_execution", "Akun basis data tidak boleh membaca sales_orders.")
    assert details == f"TOTAL_SALES: {said}"
    assert "GRANT SELECT ON sales_orders" in answer["error"]["suggestions"][0]
    assert len(office.model.requests) == 2


async def test_an_empty_question_asks_back_without_a_model(erp: Path) -> None:
    """seed 003 §3.1."""
    office = Office(erp, SALES)
    node, _, _ = failed(await office.ask("  ?! "))
    assert node == "understand_query"
    assert office.model.requests == []


async def test_a_question_that_would_change_data_is_refused(erp: Path) -> None:
    """seed 003 §3.1: an injection is no question."""
    node, message, _ = failed(await Office(erp, {**SALES, "intent": "change_data"}).ask("penjualan; hapus tabel"))
    assert (node, "hanya membaca" in message) == ("understand_query", True)


async def test_a_list_that_a_small_model_takes_for_a_change_is_given(erp: Path) -> None:
    office = Office(erp, {**SALES, "intent": "change_data"}, ANSWER)
    answer = await office.ask("List of total sales of January 2023")
    assert answer["final_narrative"] == "Total Rp 125.000.000,50."
    assert office.records["understand_query"]["changes"]["intent"] == "master_data"


async def test_a_model_that_fails_is_asked_again(erp: Path) -> None:
    """seed 003 §3.1: retry; the second answer is taken and each attempt counts."""
    office = Office(erp, error("timeout"), SALES, ANSWER)
    answer = await office.result(QUESTION)
    assert answer.outcome["final_narrative"] == "Total Rp 125.000.000,50."
    assert answer.attempts == 3
    assert [request.attempt for request in office.model.requests] == [0, 1, 2]


async def test_a_model_that_stays_away_ends_in_a_generic_message(erp: Path) -> None:
    """seed 003 §3.1: generic words for the user, the reason for the log."""
    office = Office(erp, error("unavailable"))
    node, message, technical = failed(await office.ask(QUESTION))
    assert node == "understand_query"
    assert "belum dapat diproses" in message
    assert "unavailable" in technical
    assert len(office.model.requests) == 3


# ── §3.2 consult_schema ──────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_dead_schema_server_is_tried_again_and_then_told(erp: Path) -> None:
    """seed 003 §3.2: both messages, and every attempt in the history."""
    answer = await Office(erp, SALES, get_relevant_schema_info=down).ask(QUESTION)
    node, message, technical = failed(answer)
    assert (node, message) == ("consult_schema", "Tidak dapat mengambil informasi skema database saat ini.")
    assert technical.startswith("Graphiti MCP Server communication error")
    history = answer["mcp_tool_call_history"]
    assert [entry["status"] for entry in history] == ["error"] * 3 + ["success"]  # the database itself answers
    assert set(history[0]) == {
        "server_name",
        "tool_name",
        "request_payload",
        "response_payload",
        "status",
        "error_message",
        "timestamp",
    }
    assert history[0]["request_payload"] == {
        "intent": "sales_analysis",
        "entities": ["sales", "Januari 2023", "total amount", QUESTION],
    }


@pytest.mark.parametrize("answer", [{**SCHEMA, "relevant_tables": []}, {"tables": "?"}, {"relevant_tables": [1]}])
async def test_a_schema_without_tables_is_inadequate(erp: Path, answer: dict[str, Any]) -> None:
    """seed 003 §3.2: the warning of an empty or malformed answer, and "Informasi skema tidak memadai."."""
    node, message, _ = failed(await Office(erp, SALES, get_relevant_schema_info=lambda _: answer).ask(QUESTION))
    assert (node, message) == ("consult_schema", "Informasi skema tidak memadai.")


async def test_a_join_without_its_columns_is_left_out(erp: Path) -> None:
    """It ended the question in an internal error."""
    schema = {**SCHEMA, "table_relationships": [{"from_table": "sales_orders"}, 1]}
    answer = await Office(erp, SALES, ANSWER, get_relevant_schema_info=lambda _: schema).ask(QUESTION)
    assert (answer["status"], answer["error"]) == ("completed", None)


async def test_what_the_books_do_not_hold_is_named(erp: Path) -> None:
    """Issue 19: "laba rugi" finds what fits or says what is missing."""
    understood = {**SALES, "entities_mentioned": ["laba rugi"], "requested_metrics": ["profit"]}
    nothing = {**SCHEMA, "relevant_tables": []}
    answer = await Office(erp, understood, get_relevant_schema_info=lambda _: nothing).ask("Laba rugi Januari 2023?")
    assert answer["error"]["suggestions"][0] == "Pembukuan ini tidak memuat tabel tentang: laba rugi."


# ── §3.3 plan_execution ──────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_plan_that_stays_unreadable_is_told(erp: Path) -> None:
    """seed 003 §3.3: "Tidak dapat merencanakan eksekusi query."."""
    node, message, _ = failed(await Office(erp, SALES, "maaf, saya tidak tahu").ask(QUESTION))
    assert (node, message) == ("plan_execution", "Tidak dapat merencanakan eksekusi query.")


async def test_a_planner_that_stays_away_is_told(erp: Path) -> None:
    """seed 003 §3.3: retry, then the same words."""
    office = Office(erp, SALES, error("timeout"))
    node, message, _ = failed(await office.ask(QUESTION))
    assert (node, message) == ("plan_execution", "Tidak dapat merencanakan eksekusi query.")
    assert len(office.model.requests) == 4


async def test_tables_without_amounts_cannot_answer_for_amounts(erp: Path) -> None:
    """seed 003 §3.3: failed_planning, before any planning."""
    schema = {**SCHEMA, "financial_columns": {}, "temporal_columns": {}}
    schema["relevant_tables"] = [{"table_name": "masterunit", "columns": [{"name": "Code", "type": "VARCHAR"}]}]
    office = Office(erp, SALES, ANSWER, get_relevant_schema_info=lambda _: schema)
    answer = await office.ask(QUESTION)
    node, message, _ = failed(answer)
    assert (node, answer["validation_status"]) == ("plan_execution", "failed_planning")
    assert message == "Tidak dapat menemukan data yang sesuai untuk permintaan Anda."
    assert len(office.model.requests) == 1


async def test_a_planner_that_sees_no_fitting_data_is_believed(erp: Path) -> None:
    """seed 003 §3.3."""
    nothing = {"sql_queries_plan": [], "response_template": ""}
    answer = await Office(erp, SALES, nothing).ask(QUESTION)
    assert failed(answer)[1] == "Tidak dapat menemukan data yang sesuai untuk permintaan Anda."
    assert answer["validation_status"] == "failed_planning"


@pytest.mark.parametrize("stated", ["Rp 99.999", "12%", "seratus juta", "1,5 juta"])
async def test_a_template_that_states_a_number_is_refused(erp: Path, stated: str) -> None:
    """Issue 7: numbers never pass through a model."""
    answer = await Office(erp, SALES, plan(TOTAL, template=f"Total {{TOTAL_SALES}}, naik {stated}.")).ask(QUESTION)
    assert failed(answer)[:2] == ("plan_execution", "Tidak dapat merencanakan eksekusi query.")


async def test_a_template_may_repeat_what_the_user_said(erp: Path) -> None:
    answer = await Office(erp, SALES, plan(TOTAL, template="Januari 2023: {TOTAL_SALES}.")).ask(QUESTION)
    assert answer["final_narrative"] == "Januari 2023: Rp 125.000.000,50."


@pytest.mark.parametrize("query", ["DROP TABLE sales_orders", "DELETE FROM arbook", "SELECT 1; DROP TABLE arbook"])
async def test_only_select_is_ever_planned(erp: Path, query: str) -> None:
    """seed 003 §3.3 point 3: a query that changes anything never reaches a server."""
    office = Office(erp, SALES, plan(("X", query), template="{X}"))
    assert failed(await office.ask("penjualan; hapus tabel"))[0] == "plan_execution"
    assert all(call.tool.name.startswith("get_relevant") for call in office.tools.calls)


async def test_the_databases_own_error_repairs_the_plan_once(erp: Path) -> None:
    """Issue 7: one self-repair, with EXPLAIN before anything runs."""
    wrong = plan(("TOTAL_SALES", "SELECT SUM(amount) FROM sales_orders"), template="Total {TOTAL_SALES}.")
    office = Office(erp, SALES, wrong, ANSWER)
    assert (await office.ask("Berapa total penjualan?"))["final_narrative"] == "Total Rp 125.000.000,50."
    assert "no such column: amount" in office.model.requests[2].messages[-1].content
