"""A question for the first five gets five, and no figure is made of rows that a LIMIT cut. Issue 19 "Any model"."""

from __future__ import annotations

import pytest

from agentd.apps.analytics.checks.guarded_times import part_of_the_period
from agentd.apps.analytics.checks.guards import silent_mistakes
from agentd.apps.analytics.checks.limits import asked_for, lists_for_one, number_words
from agentd.apps.analytics.plan import Plan
from agentd.apps.analytics.planner.conversion import read_plan
from agentd.apps.analytics.schema import NO_SCHEMA

DATES = {"TODAY": "2023-03-01", "START_DATE": "2023-01-01", "END_DATE": "2023-01-31"}
TODAY = {"TODAY": "2023-03-01"}
SALES = "SELECT customer, SUM(total) AS t FROM sales GROUP BY customer ORDER BY t DESC"


def test_a_number_is_known_by_each_of_its_words() -> None:
    assert {"dua", "two"} <= number_words(2) and {"sepuluh", "ten"} <= number_words(10)
    assert not number_words(1234)


def faults(question: str, query: str, dates: dict[str, str] = TODAY) -> list[str]:
    written = {"sql_queries_plan": [{"query": query, "result_key": "R"}], "response_template": "{R}"}
    return silent_mistakes(read_plan(written, "sql", dates, [question]), dates, question, NO_SCHEMA)


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("5 customer dengan penjualan terbesar tahun 2022?", 5),
        ("Sebutkan tiga pemasok terbesar pada kuartal 2 2022", 3),
        ("Top 10 products by sales in the last 3 months", 10),
        ("Which three customers owe the most?", 3),
        ("Customer terbesar pada kuartal 3 2022?", None),
        ("Customer terbesar dalam 3 bulan terakhir?", None),
        ("Customer terbesar dari 10 Januari sampai 15 Maret 2023?", None),
        ("Faktur terbesar di atas 5 juta?", None),
        ("Largest invoice of more than 50 dollars?", None),
        ("Barang dengan diskon 20% terbanyak?", None),
        ("Barang kelas 2 di 3 gudang terbesar?", None),
        ("Berapa faktur 5 customer?", None),
    ],
)
def test_the_number_of_rows_is_read_from_the_question(question: str, rows: int | None) -> None:
    assert asked_for(question) == rows


@pytest.mark.parametrize(
    ("question", "query", "reason"),
    [
        ("5 customer terbesar?", f"{SALES} LIMIT 3", "asks for 5 rows, not 3"),
        ("5 customer terbesar?", SALES, "write LIMIT 5"),
        ("Total penjualan?", "SELECT SUM(total) AS t FROM (SELECT * FROM sales LIMIT 100) AS s", "LIMIT 100 inside"),
    ],
)
def test_a_plan_of_other_rows_is_refused_with_its_reason(question: str, query: str, reason: str) -> None:
    assert [fault for fault in faults(question, query) if reason in fault]


@pytest.mark.parametrize(
    ("question", "query"),
    [
        ("5 customer terbesar?", f"{SALES} LIMIT 5"),
        ("Customer terbesar?", f"{SALES} LIMIT 1"),
        ("Customer terbesar?", SALES),
        ("Total penjualan?", "SELECT (SELECT name FROM c ORDER BY n LIMIT 1) AS n, 1 AS t"),
        (
            "3 customer terbesar?",
            "SELECT * FROM (SELECT c, RANK() OVER (ORDER BY t DESC) AS r FROM s) AS x WHERE r <= 3 ORDER BY r",
        ),
    ],
)
def test_a_plan_of_the_rows_asked_for_is_let_through(question: str, query: str) -> None:
    assert faults(question, query) == []


@pytest.mark.parametrize(
    ("question", "query", "template", "word"),
    [
        ("Customer terbesar?", SALES, "{R}", "terbesar"),
        ("Which customer bought the most?", f"{SALES} LIMIT 5", "{CUSTOMER}", "most"),
        ("Customer terbesar?", f"{SALES} LIMIT 1", "{R}", ""),
        ("Customer terbesar?", SALES, "{TOP R}", ""),
        ("5 customer terbesar?", f"{SALES} LIMIT 5", "{R}", ""),
        ("Harga tertinggi?", "SELECT MAX(price) AS m FROM products", "{M}", ""),
        ("Customer terbesar?", f"{SALES.replace(' ORDER', ' HAVING t = (SELECT MAX(t) FROM s) ORDER')}", "{R}", ""),
        ("Urutkan customer dari yang terbesar", SALES, "{R}", ""),
        ("Penjualan per customer, terbesar dulu", SALES, "{R}", ""),
        ("Sales by customer, from the largest to the smallest", SALES, "{R}", ""),
        ("Penjualan tiap customer di Budapest", SALES, "{R}", ""),
        ("Sales by customer in Budapest", SALES, "{R}", ""),
    ],
)
def test_a_list_is_no_sure_answer_to_a_question_for_the_one_at_its_end(
    question: str, query: str, template: str, word: str
) -> None:
    """Issue 19 "Confidence that means something": eight such plans of three databases passed without a doubt."""
    written = {"sql_queries_plan": [{"query": query, "result_key": "R"}], "response_template": template}
    found = lists_for_one(read_plan(written, "sql", TODAY, [question]), question)
    assert found == ({"R": word} if word else {})


@pytest.mark.parametrize(
    ("where", "reason"),
    [
        ("d >= '2023-02-01' AND d <= '2023-02-28'", "2023-02-28; the question's period has other bounds"),
        ("d >= '2023-01-15'", "2023-01-15; the question's period has other bounds"),
        ("d <= '{TODAY}'", "the question names no period for TODAY"),
        ("d >= '2022-12-01'", "it asks for 2022"),
    ],
)
def test_other_days_than_the_question_names_are_refused(where: str, reason: str) -> None:
    named = {name: day for name, day in DATES.items() if name != "TODAY"}
    written = {
        "sql_queries_plan": [{"query": f"SELECT SUM(t) AS t FROM s WHERE {where}", "result_key": "R"}],
        "response_template": "{R}",
    }
    plan = read_plan(written, "sql", named, ["Total penjualan Januari 2023"])
    told = [*plan.fatal, *silent_mistakes(plan, named, "Total penjualan Januari 2023", NO_SCHEMA)]
    assert [each for each in told if reason in each]


def test_the_bounds_of_the_period_and_of_its_months_are_let_through() -> None:
    year = {"START_DATE": "2022-01-01", "END_DATE": "2022-12-31"}
    query = (
        "SELECT SUM(CASE WHEN d < '2022-02-01' THEN t END) AS a FROM s WHERE d >= '{START_DATE}' AND d < '2023-01-01'"
    )
    assert faults("Total penjualan 2022", query, year) == []


@pytest.mark.parametrize(
    ("where", "part"),
    [
        ("d >= '2022-02-01' AND d <= '2022-12-31'", ["2022-02-01 – 2022-12-31"]),
        ("d >= '2022-01-01' AND d < '2022-12-01'", ["2022-01-01 – 2022-12-01"]),
        ("d >= '2022-03-01' AND d < '2022-04-01'", []),
        ("d <= '2022-12-31'", []),
        ("d = '2022-12-31'", ["2022-12-31"]),
        ("d = '2022-03-01' AND d <= '2022-03-31'", ["2022-03-01"]),
        ("d = (SELECT MAX(d) FROM StockBalance) AND d = '2022-12-31'", []),
        ("d >= '2022-01-01'", []),
        ("number IS NOT NULL", ["2022-01-01 – 2022-12-31"]),
        ("total_2022 > 0", ["2022-01-01 – 2022-12-31"]),
    ],
)
def test_a_part_of_the_period_is_doubted_and_a_balance_or_a_month_that_is_named_too_is_not(
    where: str, part: list[str]
) -> None:
    query = {"purpose": "", "query": f"SELECT SUM(t) AS t FROM s WHERE {where}", "result_key": "T"}
    named = {"START_DATE": "2022-01-01", "END_DATE": "2022-12-31"}
    named |= {"START_DATE_2": "2022-03-01", "END_DATE_2": "2022-03-31"}
    assert list(part_of_the_period(Plan([query]), named)) == part


@pytest.mark.parametrize(
    "where",
    [
        "d >= '2022-01-01'",
        "d LIKE '2022%'",
        "STRFTIME('%Y', d) = '2022'",
        "YEAR(d) = 2022",
        "EXTRACT(YEAR FROM d) = 2022",
    ],
)
def test_a_year_is_refused_where_the_question_names_no_time(where: str) -> None:
    assert "it asks for 2022" in faults("Total penjualan?", f"SELECT SUM(t) AS t FROM s WHERE {where}")[0]


@pytest.mark.parametrize("where", ["d < '{TODAY}'", "amount > 2000", "number = 'INV-2022-7'"])
def test_what_is_no_year_of_a_condition_is_let_through(where: str) -> None:
    assert faults("Piutang di atas 2.000?", f"SELECT SUM(t) AS t FROM s WHERE {where}") == []


@pytest.mark.parametrize(
    ("where", "part"),
    [
        ("d >= '2022-11-01' AND d <= '2022-11-30'", ["2022-12-01 – 2022-12-31"]),
        ("d >= '2022-11-01' AND d <= '2022-12-31'", []),
    ],
)
def test_a_period_that_is_named_beside_another_and_left_aside_is_doubted(where: str, part: list[str]) -> None:
    """ "More orders in November or in December?": November alone was counted, with 100 points."""
    query = {"purpose": "", "query": f"SELECT COUNT(*) AS n FROM s WHERE {where}", "result_key": "N"}
    named = {"START_DATE": "2022-11-01", "END_DATE": "2022-11-30"}
    named |= {"START_DATE_2": "2022-12-01", "END_DATE_2": "2022-12-31"}
    assert list(part_of_the_period(Plan([query]), named)) == part
