"""People nobody knows, times to come, two languages in one, a database that changes: nothing is made up (issue 19)."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.agentd.apps.analytics.office import Office, down, plan
from tests.agentd.apps.analytics.scripts import SALES

SUM = "SELECT SUM(total_amount) AS t FROM sales_orders WHERE order_date BETWEEN '{START_DATE}' AND '{END_DATE}'"
NOTHING = {
    "Berapa penjualan kepada Budi Yang Tidak Ada pada Januari 2023?": f"{SUM} AND customer_id = 'Budi Yang Tidak Ada'",
    "Berapa penjualan Desember 2099?": SUM,
}
MIXED = ("Berapa total sales in January 2023 ya?", "Tell me total penjualan Januari 2023, please")


@pytest.mark.parametrize("question", NOTHING)
async def test_who_is_not_there_and_what_has_not_been_have_no_figure(erp: Path, question: str) -> None:
    answer = await Office(erp, SALES, plan(("TOTAL", NOTHING[question]), template="Total {TOTAL}.")).ask(question)
    assert (answer["final_narrative"], answer["validation_status"]) == (None, "failed_no_data")
    assert answer["error"]["user_message"] == "Tidak ada data ditemukan untuk periode atau kriteria yang diminta."


@pytest.mark.parametrize("question", MIXED)
async def test_two_languages_in_one_question_are_read_as_one(erp: Path, question: str) -> None:
    answer = await Office(erp, SALES, plan(("TOTAL", SUM), template="Total {TOTAL}.")).ask(question)
    assert answer["final_narrative"] == "Total Rp 125.000.000,50."


@pytest.mark.parametrize("question", ["total penjualan bln kmrn brp?", "Berapa total penjualan sblm thn 2023?"])
async def test_a_period_in_a_chats_shorthands_is_read_as_one_in_full(erp: Path, question: str) -> None:
    """Nothing of `bln kmrn` was read: the answer was of all time."""
    office = Office(erp, SALES, plan(("TOTAL", SUM), template="Total {TOTAL}."))
    await office.ask(question)
    period = office.records["understand_query"]["changes"]["time_period"]
    assert period["end_date"] in ("2023-02-28", "2022-12-31")


@pytest.mark.parametrize(
    "change", ["DROP TABLE sales_orders", "ALTER TABLE sales_orders RENAME COLUMN total_amount TO gross"]
)
async def test_a_database_that_changes_under_a_question_gives_no_figure(erp: Path, tmp_path: Path, change: str) -> None:
    """The plan was right when the database was asked about it, and isn't when it is carried out."""
    own = Path(shutil.copy(erp, tmp_path))

    def explained(_: dict[str, Any]) -> dict[str, Any]:
        with closing(sqlite3.connect(own)) as database:
            database.execute(change)
        return {"status": "success"}

    made = plan(("TOTAL", SUM), template="Total {TOTAL}.")
    answer = await Office(own, SALES, made, explain_query=explained).ask("Berapa penjualan Januari 2023?")
    assert answer["final_narrative"] is None
    assert answer["error"]["user_message"] == "Terjadi kesalahan saat mengambil data dari database."
    assert "no such" in answer["error"]["technical_details_for_log"]


@pytest.mark.parametrize("value", ["NaN", "Infinity"])
async def test_a_sum_that_is_no_number_is_no_certain_answer(erp: Path, value: str) -> None:
    """PostgreSQL adds a NaN up to a NaN."""
    batch = {"batch_results": [{"status": "success", "results": [{"t": value}]}]}
    office = Office(erp, SALES, plan(("TOTAL", SUM), template="Total {TOTAL}."), execute_sql_query=lambda _: batch)
    answer = await office.ask("Berapa penjualan Januari 2023?")
    assert answer["final_narrative"].startswith(f"Jawaban ini belum pasti: TOTAL bukan angka ({value})")


@pytest.mark.parametrize(("column", "sure"), [("City", False), ("Country", True)])
async def test_a_zero_for_a_text_that_no_row_has_is_no_sure_answer(erp: Path, column: str, sure: bool) -> None:
    """A place that another column holds is counted as none without a word."""
    made = plan(("N", f"SELECT COUNT(*) AS n FROM mastercustomer WHERE {column} = 'ID'"), template="Ada {N} customer.")
    answer = await Office(erp, SALES, made).ask("Berapa customer di ID?")
    assert ("ID" in (answer["final_narrative"] or "").partition("\n")[0]) != sure
    assert sure or answer["quality_score"] < 90


async def test_no_number_is_given_to_the_rows_of_a_result_that_was_cut(erp: Path) -> None:
    def cut(given: dict[str, Any]) -> dict[str, Any]:
        found = office.sql(given)
        found["batch_results"][0] |= {"truncated": True}
        return found

    customers = plan(("CUSTOMERS", "SELECT Name, City FROM mastercustomer"), template="Customer: {CUSTOMERS}")
    office = Office(erp, SALES, customers, execute_sql_query=cut)
    answer = await office.ask("Daftar semua customer?")
    assert answer["final_narrative"].splitlines()[-1] == "- … dan baris lain; hasil terpotong"


async def test_a_database_that_is_away_before_its_tables_were_read_is_told_as_that(erp: Path) -> None:
    away = {"batch_results": [{"status": "error", "error_message": "Connection refused.", "cause": "unavailable"}]}
    office = Office(erp, SALES, get_relevant_schema_info=down, execute_sql_query=lambda _: away)
    answer = await office.ask("Berapa penjualan Januari 2023?")
    assert answer["error"]["user_message"] == "Gagal menghubungi database."


@pytest.mark.parametrize(
    ("cause", "said"),
    [
        ("unavailable", "Gagal menghubungi database."),
        ("locked", "Data ini sedang dipakai program lain."),
        ("large", "Satu barisnya terlalu besar untuk ditampilkan."),
        ("late", "Database terlalu lama menghitungnya, sehingga dihentikan."),
    ],
)
async def test_a_database_that_is_away_busy_or_slow_is_no_fault_of_the_plan(erp: Path, cause: str, said: str) -> None:
    away = {"status": "error", "error_message": "Connection refused.", "cause": cause}
    batch = {"batch_results": [away]}
    made = plan(("TOTAL", SUM), template="Total {TOTAL}.")
    office = Office(erp, SALES, made, explain_query=lambda _: away, execute_sql_query=lambda _: batch)
    answer = await office.ask("Berapa penjualan Januari 2023?")
    assert answer["error"]["user_message"] == said
    assert len(answer["error"]["suggestions"]) == 1
    assert len(office.model.requests) == 2  # no repair
