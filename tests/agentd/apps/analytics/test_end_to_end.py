"""Analytics.ask through real processes: the daemon, its four data servers, the seed ERP; only the model is scripted."""

from __future__ import annotations

import contextlib
import http.client
import json
import signal
import threading
import urllib.error
from pathlib import Path

import pytest

from tests.agentd.apps.analytics.scripts import (
    CONFIG,
    RECEIVABLES,
    RECEIVABLES_PLAN,
    SALES,
    SALES_NARRATIVE,
    SALES_PLAN,
    fenced,
)
from tests.daemon import Daemon, RpcFailed, one_daemon
from tests.waiting import until

SAMPLE = "\n\nContoh: data perusahaan rekaan, bukan data kantor ini (DATABASE_URL belum diatur)."
"""What every answer from the sample company ends with."""
SALES_QUESTION = "Buat laporan penjualan Januari 2023: total penjualan dan jumlah transaksinya"


office = one_daemon(
    SALES,
    fenced(SALES_PLAN),
    RECEIVABLES,
    RECEIVABLES_PLAN,
    config=CONFIG,
    env={"AGENTD_CLOCK": "2023-03-01T09:00:00+07:00"},
)
"""One daemon; each test scripts its own questions in a session of its own."""


def test_the_seeds_example_is_answered_to_the_last_digit_in_both_styles(office: Daemon) -> None:
    """seed 000 §4.4, seed 001 §3.2, seed 003 §3.6: the narrative of the documents, from the database."""
    sales = office.call("Analytics.ask", question=SALES_QUESTION, session_id="books", run_id="sales-1")
    assert sales["error"] is None, sales["error"]
    assert sales["final_narrative"] == SALES_NARRATIVE + SAMPLE
    assert (sales["status"], sales["validation_status"], sales["quality_score"]) == ("completed", "passed", 100)
    assert sales["executive_summary"] == {"TOTAL_SALES_VALUE": "Rp 125.000.000,50", "TRANSACTION_COUNT_VALUE": "456"}
    assert [query["result_key"] for query in sales["plan"]] == ["TOTAL_SALES_VALUE", "TRANSACTION_COUNT_VALUE"]
    tools = [call["tool_name"] for call in sales["mcp_tool_call_history"]]
    assert tools[0] == "get_relevant_schema_info"
    assert tools.count("execute_sql_query") == 2
    assert "fill_placeholders" in tools

    owed = office.call(
        "Analytics.ask", question="Piutang yang belum lunas?", session_id="books", plan_style="operations"
    )
    assert owed["error"] is None, owed["error"]
    assert owed["final_narrative"] == "Piutang Rp 29.500.000 dari 3 customer." + SAMPLE
    assert owed["data_table_for_display"] == [
        {"Customer Name": "PT ABC Corp", "Invoice Number": "INV-001", "Outstanding": 15000000},
        {"Customer Name": "CV XYZ", "Invoice Number": "INV-002", "Outstanding": 8500000},
        {"Customer Name": "PT DEF Industries", "Invoice Number": "INV-003", "Outstanding": 6000000},
    ]
    tools = [call["tool_name"] for call in owed["mcp_tool_call_history"]]
    assert {"get_relevant_schema", "execute_operation_plan", "store_session_data", "retrieve_session_data"} <= set(
        tools
    )

    nodes = [event["data"]["tool"] for event in office.events("sales-1") if event["type"] == "tool.finished"]
    assert nodes == [
        "understand_query",
        "consult_schema",
        "plan_execution",
        "execute_query",
        "validate_results",
        "replace_placeholders",
    ]


def test_a_question_that_was_cut_by_a_kill_goes_on_after_its_last_node(tmp_path: Path) -> None:
    """Issue 7, design.md "Durable runs": kill -9 while the model plans; the understanding is not asked for again."""
    never = {"text": json.dumps(SALES_PLAN), "after_ms": 3_600_000}
    daemon = Daemon(tmp_path, [SALES, never], CONFIG, {"AGENTD_CLOCK": "2023-03-01T09:00:00+07:00"}).start()
    try:
        asking = threading.Thread(target=_ask_and_be_cut_off, args=(daemon,), daemon=True)
        asking.start()
        until(lambda: "plan_execution" in _begun(daemon), "the node plan_execution")
        daemon.kill()
        asking.join(300)
        daemon.script("this line is not asked for again", SALES_PLAN)
        daemon.start()
        answer = daemon.call("Analytics.ask", question=SALES_QUESTION, session_id="cut", run_id="cut-1")
        assert answer["final_narrative"] == SALES_NARRATIVE + SAMPLE
        assert daemon.call("Agent.get", run_id="cut-1")["response"] == SALES_NARRATIVE + SAMPLE
        with pytest.raises(RpcFailed, match="used for something else"):
            daemon.call("Analytics.ask", question=SALES_QUESTION, run_id="cut-1", plan_style="operations")
        nowhere = daemon.call("Analytics.ask", question="Berapa?", session_id="other")
        assert (nowhere["status"], nowhere["error"]["error_source_node"]) == ("needs_clarification", "understand_query")
        failed = daemon.call("Agent.get", run_id=nowhere["run_id"])
        assert (failed["status"], failed["error"]["data"]["type"]) == ("failed", "tool_execution")
        assert failed["error"]["data"]["user_message"] == nowhere["error"]["user_message"]
    finally:
        if daemon.process is not None and daemon.process.poll() is None:
            daemon.kill(signal.SIGTERM)


def _ask_and_be_cut_off(daemon: Daemon) -> None:
    with contextlib.suppress(OSError, http.client.HTTPException):
        daemon.call("Analytics.ask", question=SALES_QUESTION, session_id="cut", run_id="cut-1")


def _begun(daemon: Daemon) -> set[str]:
    """The nodes that have begun, as a follower of the run sees them until now."""
    found: set[str] = set()
    try:
        with daemon.request("/events?run_id=cut-1") as response:
            for line in response:
                if line.startswith(b"data:"):
                    event = json.loads(line[5:])
                    found.add(event["data"].get("tool", ""))
                    if event["data"].get("tool") == "plan_execution":
                        break
    except urllib.error.HTTPError:
        return found
    return found
