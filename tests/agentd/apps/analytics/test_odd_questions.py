"""Questions with people that nobody knows, times to come, and two languages in one: nothing is made up (issue 19)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agentd.apps.analytics.office import Office, plan
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
