"""After the plan: data, validation and words that fail, warnings, and answers that come after all."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agentd.runs.records import RunBrief, RunRecord
from tests.agentd.apps.analytics.office import STAFF, Office, differs, down, plan, unsure
from tests.agentd.apps.analytics.scripts import SALES, SALES_NARRATIVE, SALES_PLAN
from tests.agentd.apps.analytics.test_error_paths import ANSWER, QUESTION, TOTAL, failed

# ── §3.4 execute_query ───────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_dead_database_server_is_told(erp: Path) -> None:
    """seed 003 §3.4."""
    answer = await Office(erp, SALES, ANSWER, execute_sql_query=down, explain_query=None).ask(QUESTION)
    node, message, technical = failed(answer)
    assert (node, message) == ("execute_query", "Gagal menghubungi database.")
    assert technical.startswith("MySQL MCP Server communication error")
    assert [entry["tool_name"] for entry in answer["mcp_tool_call_history"]].count("execute_sql_query") == 3


async def test_a_table_renamed_under_its_feet_is_a_total_failure(erp: Path) -> None:
    """seed 003 §3.4: the user's words, and the database's for the log."""
    gone = plan(("TOTAL", "SELECT SUM(x) FROM pindah"), template="Total {TOTAL}.")
    node, message, technical = failed(await Office(erp, SALES, gone).ask(QUESTION))
    assert (node, message) == ("execute_query", "Terjadi kesalahan saat mengambil data dari database.")
    assert "no such table: pindah" in technical


async def test_half_of_the_queries_failing_is_a_partial_failure_with_a_warning(erp: Path) -> None:
    """seed 003 §3.4: it goes on, says what is missing, and scores lower."""
    half = plan(TOTAL, ("MARGIN", "SELECT SUM(laba) FROM sales_orders"), template="Total {TOTAL_SALES}, laba {MARGIN}.")
    office = Office(erp, SALES, half)
    answer = await office.ask(QUESTION)
    assert answer["final_narrative"].startswith("Jawaban ini belum pasti: Sebagian data tidak dapat diambil: margin.")
    assert answer["final_narrative"].endswith("\n\nTotal Rp 125.000.000,50, laba tidak tersedia.")
    assert answer["validation_status"] == "passed_with_warnings"
    assert any("margin" in warning for warning in answer["warnings_for_display"])
    assert answer["quality_score"] < 100
    changes = office.records["execute_query"]["changes"]
    assert changes["query_execution_status"] == "partial_failure"
    assert "laba" in changes["query_execution_errors"][0]["error_message"]


async def test_an_answer_from_sample_data_says_so_in_its_words_and_loses_no_quality(erp: Path) -> None:
    """Issue 15, row 6: sample data says so in every answer."""
    sample = "Contoh: data perusahaan rekaan, bukan data kantor ini (DATABASE_URL belum diatur)."

    def noticed(given: dict[str, Any]) -> dict[str, Any]:
        found = office.sql(given)
        found["batch_results"][0] |= {"notice": sample}
        return found

    office = Office(erp, SALES, ANSWER, execute_sql_query=noticed)
    answer = await office.ask(QUESTION)
    plain = await Office(erp, SALES, ANSWER).ask(QUESTION)
    assert answer["final_narrative"] == f"{plain['final_narrative']}\n\n{sample}"
    assert answer["warnings_for_display"] == [sample]
    for key in ("validation_status", "quality_score", "executive_summary"):
        assert answer[key] == plain[key]


async def test_cut_rows_are_a_warning(erp: Path) -> None:
    """seed 003 §3.4: data that is too large."""

    def cut(given: dict[str, Any]) -> dict[str, Any]:
        found = office.sql(given)
        found["batch_results"][0] |= {"truncated": True, "notice": "Only the first 1000 rows."}
        return found

    office = Office(erp, SALES, ANSWER, execute_sql_query=cut)
    answer = await office.ask(QUESTION)
    assert answer["warnings_for_display"] == ["TOTAL_SALES: hasil terpotong karena terlalu banyak baris."]


async def test_a_database_out_of_reach_of_operations_is_told(erp: Path) -> None:
    """seed 001 §3.2, the whole call failed; seed 003 §3.4."""
    gone = {"success": False, "error": "Gagal terhubung ke database MySQL: Connection refused."}
    operations = {"operations": [{"operation_id": "a", "main_table": "arbook"}], "response_template": "{A}"}
    answer = await Office(erp, SALES, operations, execute_operation_plan=lambda _: gone).ask(
        QUESTION, style="operations"
    )
    assert failed(answer)[:2] == ("execute_query", "Gagal menghubungi database.")


# ── §3.5 validate_results ────────────────────────────────────────────────────────────────────────────────────────────


async def test_no_data_is_told_as_such(erp: Path) -> None:
    """seed 003 §3.5: failed_no_data, for a NULL sum too."""
    none = plan(
        ("TOTAL", "SELECT SUM(total_amount) FROM sales_orders WHERE order_date > '2031-01-01'"), template="{TOTAL}"
    )
    answer = await Office(erp, SALES, none).ask("Penjualan 2031?")
    node, message, _ = failed(answer)
    assert (node, answer["validation_status"]) == ("validate_results", "failed_no_data")
    assert message == "Tidak ada data ditemukan untuk periode atau kriteria yang diminta."


async def test_a_result_that_cannot_be_true_is_not_shown(erp: Path) -> None:
    """seed 003 §3.5: failed_critical."""
    negative = plan(
        ("TOTAL_SALES", "SELECT -SUM(total_amount) FROM sales_orders"),
        template="{TOTAL_SALES}",
        validation_rules_for_results=[{"rule": "TOTAL_SALES >= 0"}],
    )
    answer = await Office(erp, SALES, negative).ask("Berapa total penjualan?")
    node, message, _ = failed(answer)
    assert (node, answer["validation_status"]) == ("validate_results", "failed_critical")
    assert message == "Hasil data tidak valid setelah diverifikasi."


async def test_a_light_anomaly_passes_with_a_warning(erp: Path) -> None:
    """seed 003 §3.5: passed_with_warnings."""
    odd = plan(
        ("TOTAL_SALES", "SELECT SUM(100.0)"),
        ("ORDER_COUNT", "SELECT 4"),
        ("AVG_ORDER_VALUE", "SELECT 30.0"),
        template="{TOTAL_SALES} {ORDER_COUNT} {AVG_ORDER_VALUE}",
    )
    answer = await Office(erp, SALES, odd).ask(QUESTION)
    assert (answer["validation_status"], answer["quality_score"]) == ("passed_with_warnings", 90)


# ── §3.6 replace_placeholders ────────────────────────────────────────────────────────────────────────────────────────


async def test_a_dead_placeholder_server_is_told(erp: Path) -> None:
    """seed 003 §3.6."""
    node, message, technical = failed(await Office(erp, SALES, ANSWER, fill_placeholders=down).ask(QUESTION))
    assert (node, message) == ("replace_placeholders", "Gagal memformat hasil akhir.")
    assert technical.startswith("Placeholder MCP Server communication error")


async def test_a_placeholder_without_a_value_leaves_the_rest_of_the_narrative(erp: Path) -> None:
    """seed 003 §3.6: the narrative as far as it goes, and the detail noted."""
    office = Office(erp, SALES, plan(TOTAL, template="Total {TOTAL_SALES}, per hari {TARGET}."))
    answer = await office.ask(QUESTION)
    narrative = "Total Rp 125.000.000,50, per hari tidak tersedia."
    assert answer["final_narrative"] == unsure("Nilai untuk TARGET tidak tersedia.", narrative)
    assert "TARGET" in office.records["replace_placeholders"]["changes"]["technical_error_details"]


# ── §4 generate_error_response ───────────────────────────────────────────────────────────────────────────────────────


async def test_technical_details_are_for_admin_alone(erp: Path) -> None:
    """seed 003 §4; design.md "technical_details_for_log"."""
    answer = await Office(erp, SALES, ANSWER, fill_placeholders=down).ask(QUESTION, caller=STAFF)
    assert failed(answer)[2] is None


async def test_a_server_that_is_not_configured_fails_only_its_node(erp: Path) -> None:
    node, _, technical = failed(await Office(erp, SALES, get_relevant_schema_info=None).ask(QUESTION))
    assert node == "consult_schema"
    assert "get_relevant_schema_info" in technical


# ── the whole ────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_all_is_well_with_two_turns_of_the_model(erp: Path) -> None:
    """seed 003 §2 and §3: every key of the state in its node, two model turns, one event pair a node."""
    office = Office(erp, SALES, SALES_PLAN)
    answer = await office.ask("Laporan penjualan Januari 2023")
    assert answer["final_narrative"] == SALES_NARRATIVE
    assert len(office.model.requests) == 2
    understood = office.records["understand_query"]["changes"]
    assert understood["time_period"] == {
        "start_date": "2023-01-01",
        "end_date": "2023-01-31",
        "period_label": "Januari 2023",
    }
    assert understood["entities_mentioned"] == ["sales", "Januari 2023", "total_amount"]
    assert office.records["execute_query"]["changes"]["financial_calculations"] == {
        "TOTAL_SALES_VALUE": 125000000.5,
        "TRANSACTION_COUNT_VALUE": 456,
    }
    fill_call = next(e for e in answer["mcp_tool_call_history"] if e["tool_name"] == "fill_placeholders")
    assert fill_call["request_payload"] == {
        "response_template": SALES_PLAN["response_template"],
        "data_values": {
            "PERIOD_LABEL": "Januari 2023",
            "TOTAL_SALES_VALUE": 125000000.5,
            "TRANSACTION_COUNT_VALUE": 456,
        },
        "formatting_rules": {
            "PERIOD_LABEL": {"type": "text"},
            "TOTAL_SALES_VALUE": {"type": "currency_IDR"},
            "TRANSACTION_COUNT_VALUE": {"type": "number_with_separator"},
        },
    }
    assert "sales_orders(order_id, order_date date, total_amount) -- Mencatat semua transaksi penjualan." in (
        office.model.requests[1].messages[-1].content
    )
    kinds = [kind for kind, _ in office.events]
    assert kinds.count("tool.started") == kinds.count("tool.finished") == 6
    assert kinds.count("model.finished") == 2


async def test_placeholders_named_after_the_columns_of_one_row_need_no_repair(erp: Path) -> None:
    """seed 003 §3.3 point 5; the model is asked twice."""
    query = "SELECT SUM(total_amount) AS total_sales, COUNT(*) AS `ORDER_COUNT` FROM sales_orders"
    office = Office(erp, SALES, plan(("SUMMARY", query), template="{TOTAL_SALES} dari {ORDER_COUNT} pesanan"))
    answer = await office.ask("Total semua penjualan?")
    assert answer["final_narrative"] == "Rp 5.377.343.500,50 dari 1.194 pesanan"
    assert len(office.model.requests) == 2


async def test_a_run_that_was_cut_goes_on_after_its_last_node(erp: Path) -> None:
    """Issue 7: one owner of recovery; a recorded node is not run again and the model is not asked again."""
    first = Office(erp, SALES, SALES_PLAN, execute_sql_query=None, explain_query=None)
    await first.ask("Laporan penjualan Januari 2023")
    second = Office(erp, "never read")
    second.records = {name: first.records[name] for name in ("understand_query", "consult_schema", "plan_execution")}
    result = await second.result("Laporan penjualan Januari 2023")
    assert result.outcome["final_narrative"] == SALES_NARRATIVE
    assert second.model.requests == []
    assert result.attempts == 2


async def test_a_follow_up_is_of_the_year_that_was_talked_about(erp: Path) -> None:
    """Issue 7: "yang bulan Februari?"."""
    done = RunRecord(
        "run-0", "s-1", "admin", "analytics", "Total penjualan Januari 2022?", RunBrief(), "completed", "2023-02-28"
    )
    before = replace(done, outcome={"response": "Rp 1"})
    february = plan(
        ("T", "SELECT SUM(total_amount) FROM sales_orders WHERE order_date BETWEEN '{START_DATE}' AND '{END_DATE}'"),
        template="{PERIOD_LABEL}: {T}",
    )
    office = Office(erp, SALES, february, history=[before])
    answer = await office.ask("yang bulan Februari?")
    assert answer["final_narrative"].startswith("Februari 2022: ")
    assert "2022-02-01" in answer["plan"][0]["query"]
    assert "Total penjualan Januari 2022?" in office.model.requests[0].messages[-1].content


@pytest.mark.parametrize("name", ["YEAR", "TAHUN", "BULAN", "PERIOD_NAME"])
async def test_a_placeholder_called_by_a_unit_of_time_is_the_period(erp: Path, name: str) -> None:
    """ "sepanjang tahun {YEAR}" read "sepanjang tahun tidak tersedia"."""
    answer = await Office(erp, SALES, plan(TOTAL, template=f"{{{name}}}: {{TOTAL_SALES}}")).ask(QUESTION)
    assert answer["final_narrative"].startswith("Januari 2023: Rp ")


@pytest.mark.parametrize(
    ("question", "told", "read"),
    [("Total penjualan 2022?", "Tahun {YEAR}", "Tahun 2022:"), (QUESTION, "Januari {PERIOD_LABEL}", "Januari 2023:")],
)
async def test_a_year_has_no_thousands_and_no_month_comes_twice(erp: Path, question: str, told: str, read: str) -> None:
    asked = (TOTAL[0], TOTAL[1].replace("LIKE '2023-01-%'", "BETWEEN '{START_DATE}' AND '{END_DATE}'"))
    answer = await Office(erp, SALES, plan(asked, template=f"{told}: {{TOTAL_SALES}}")).ask(question)
    assert answer["final_narrative"].startswith(read)


async def test_division_by_zero_is_a_warning_and_no_number(erp: Path) -> None:
    answer = await Office(
        erp, SALES, plan(TOTAL, ("SHARE", "SELECT 1.0 / 0"), template="{TOTAL_SALES}, porsi {SHARE}")
    ).ask(QUESTION)
    assert answer["final_narrative"].endswith("porsi tidak tersedia")
    assert answer["validation_status"] == "passed_with_warnings"


async def test_a_ranking_is_told_line_by_line_with_each_number_formatted(erp: Path) -> None:
    ranking = plan(("TOP", "SELECT 'PT A' AS NAME, 1500.5 AS AMOUNT UNION SELECT 'PT B', 20"), template="Teratas:{TOP}")
    answer = await Office(erp, SALES, ranking).ask(QUESTION)
    assert answer["final_narrative"] == unsure(differs("total"), "Teratas:\n- PT A: Rp 1.500,50\n- PT B: Rp 20")
    assert answer["data_table_for_display"] == [{"NAME": "PT A", "AMOUNT": 1500.5}, {"NAME": "PT B", "AMOUNT": 20}]


async def test_a_long_result_is_begun_in_the_narrative_and_whole_in_the_table(erp: Path) -> None:
    customers = plan(("CUSTOMERS", "SELECT Name, City FROM mastercustomer"), template="Customer: {CUSTOMERS}.")
    answer = await Office(erp, SALES, customers).ask("Daftar semua customer?")
    lines = answer["final_narrative"].splitlines()
    assert lines[1] == "- PT ABC Corp: JKT"
    assert lines[11:] == ["- … dan 24 baris lagi (lihat tabel)."]
    assert len(answer["data_table_for_display"]) == 34


async def test_the_plans_format_of_a_column_holds_for_each_of_its_rows(erp: Path) -> None:
    """seed 003 §3.3 point 5."""
    rows = "SELECT 'Januari' AS BULAN, 12.5 AS TOTAL UNION SELECT 'Maret', 7"
    monthly = plan(("M", rows), template="{M}", placeholder_mapping={"TOTAL": "currency_IDR"})
    answer = await Office(erp, SALES, monthly).ask(QUESTION)
    assert answer["final_narrative"] == unsure(differs("total"), "\n- Januari: Rp 12,50\n- Maret: Rp 7")


async def test_a_question_right_after_the_start_waits_for_the_servers(erp: Path) -> None:
    """design.md: a server that is configured and not up yet has told of no tool; calling one waits for it there."""
    office = Office(erp, SALES, ANSWER)
    office.starting = True
    assert (await office.ask(QUESTION))["final_narrative"] == "Total Rp 125.000.000,50."
