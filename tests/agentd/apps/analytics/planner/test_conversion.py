"""What is made of a plan as the model wrote it: dates of the question, whole lists, true fractions (issue 7)."""

from __future__ import annotations

from datetime import date

import pytest

from agentd.apps.analytics.answer.narrative import one_unit
from agentd.apps.analytics.checks.dates import dates_for, offered
from agentd.apps.analytics.planner.conversion import read_plan
from agentd.apps.analytics.planner.examples import ExampleLibrary, as_asked
from agentd.apps.analytics.question.periods import periods_of
from agentd.apps.analytics.schema import Schema
from agentd.apps.analytics.wording import heading

TODAY = date(2023, 3, 1)


def planned(query: str, question: str = "") -> str:
    plan = {"sql_queries_plan": [{"query": query, "result_key": "N"}], "response_template": "{N}"}
    dates = dates_for(question, periods_of(question, TODAY), TODAY)
    return read_plan(plan, "sql", dates, [question]).queries[0]["query"]


@pytest.mark.parametrize(
    ("query", "runs"),
    [
        (
            "SELECT (SUM(a) / SUM(b)) * 100 AS PAID_PERCENT FROM t",
            "SELECT (SUM(a) * 1.0 / SUM(b)) * 100 AS PAID_PERCENT FROM t",
        ),
        ("SELECT SUM(a) / SUM(b) AS SHARE FROM t", "SELECT SUM(a) * 1.0 / SUM(b) AS SHARE FROM t"),
        ("SELECT Price * 100 AS VALUE FROM t", "SELECT Price * 100 AS VALUE FROM t"),
        (
            "SELECT COUNT(*) AS N FROM t WHERE DocNo = 'A/1 * 100'",
            "SELECT COUNT(*) AS N FROM t WHERE DocNo = 'A/1 * 100'",
        ),
    ],
)
def test_a_quotient_keeps_its_decimals_on_every_database(query: str, runs: str) -> None:
    """SQLite cuts a quotient of integers."""
    assert planned(query) == runs


@pytest.mark.parametrize(
    ("question", "kept"),
    [
        ("Jumlah customer per kota?", False),
        ("Lima kota dengan customer terbanyak", True),
        ("5 kota dan jumlah customernya", True),
        ("lima kota dan jumlah customernya", True),
        ("kota dengan customer terbanyak", True),
    ],
)
def test_a_limit_that_nobody_asked_for_is_taken_away(question: str, kept: bool) -> None:
    assert planned("SELECT City AS CITY FROM t ORDER BY CITY LIMIT 5", question).endswith("LIMIT 5") is kept


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("Berapa faktur bulan lalu?", "START_DATE END_DATE"),
        ("Penjualan bulan lalu dibanding sebelumnya?", "START_DATE END_DATE PREV_START_DATE PREV_END_DATE"),
        ("Bandingkan Januari dan Februari 2023", "START_DATE END_DATE START_DATE_2 END_DATE_2"),
        ("Berapa jumlah karyawan?", ""),
        ("Berapa piutang yang lewat jatuh tempo?", "TODAY"),
    ],
)
def test_a_planner_is_told_of_the_dates_that_its_question_gives(question: str, named: str) -> None:
    dates = dates_for(question, periods_of(question, TODAY), TODAY)
    assert set(offered(question, dates)) == set(named.split())
    assert dates["TODAY"] == "2023-03-01"


def test_a_unit_is_told_once() -> None:
    rules = {
        "SHARE": {"type": "percentage"},
        "TOTAL": {"type": "currency_IDR"},
        "COUNT": {"type": "number_with_separator"},
    }
    assert (
        one_unit("Diskon {SHARE}% dari Rp {TOTAL}; {COUNT}% naik", rules)
        == "Diskon {SHARE} dari {TOTAL}; {COUNT}% naik"
    )


@pytest.mark.parametrize(
    ("queries", "template", "keys"),
    [
        (["SELECT COUNT(*) AS N FROM t"], "Ada {N}.", ["N"]),
        (["SELECT Name, COUNT(*) AS N FROM t GROUP BY Name"], "Daftar: {LIST}", ["LIST"]),
        (["SELECT Name, COUNT(*) AS N FROM t GROUP BY Name"], "{NAME}: {N}", ["RESULT"]),
        (["SELECT a AS A FROM t", "SELECT b AS B FROM t"], "{A} {B} {PERIOD_LABEL}", ["A", "B"]),
        (["SELECT a AS A FROM t", "SELECT Name, b AS B FROM t"], "{A}: {TOP ROWS}", ["A", "ROWS"]),
        (["SELECT a AS X FROM t", "SELECT b AS X FROM t"], "{X} {Y}", ["RESULT_1", "RESULT_2"]),
        (["SELECT a AS A FROM t", "SELECT b AS B FROM t"], "{C} {D}", ["A", "B"]),
        (["SELECT a AS A FROM t", "SELECT a AS A FROM t"], "{A}", ["A"]),
    ],
)
def test_a_result_without_a_key_is_called_what_the_template_calls_it(
    queries: list[str], template: str, keys: list[str]
) -> None:
    """Issue 19: what the model leaves out is derived. Of two names that fit two results none is guessed."""
    plan = {"sql_queries_plan": [{"query": query} for query in queries], "response_template": template}
    assert [each["result_key"] for each in read_plan(plan, "sql", {}, []).queries] == keys


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Total pada {PERIOD_LABEL}: {N}.", "Total: {N}."),
        ("Total per negara: {PERIOD_LABEL}. {N}.", "Total per negara: {N}."),
        ("Total ({PERIOD}) {N}.", "Total {N}."),
    ],
)
def test_a_narrative_names_no_period_that_the_question_does_not(said: str, told: str) -> None:
    plan = {"sql_queries_plan": [{"query": "SELECT COUNT(*) AS N FROM t"}], "response_template": said}
    assert read_plan(plan, "sql", {"TODAY": "2023-03-01"}, ["Berapa total?"]).template == told
    dated = read_plan(plan, "sql", {"START_DATE": "2023-01-01"}, ["Total Januari 2023?", "Januari 2023"])
    assert dated.template == said


LISTED = "SELECT g AS G, COUNT(*) AS N FROM t GROUP BY g ORDER BY N DESC"


@pytest.mark.parametrize(
    ("question", "query", "told"),
    [
        ("Berapa track per genre?", LISTED, "question"),
        ("Genre mana yang tracknya terbanyak?", LISTED, "as it is"),
        ("3 genre", f"{LISTED} LIMIT 3", "as it is"),
    ],
)
def test_all_rows_are_not_called_the_most_of_something(question: str, query: str, told: str) -> None:
    """The embedded model told all genres as "Genre dengan track terbanyak" (100 points)."""
    said = "Genre dengan track terbanyak: {LIST}"
    made = read_plan({"sql_queries_plan": [{"query": query}], "response_template": said}, "sql", {}, [question])
    assert made.template == (f"{question.rstrip('?')}: {{LIST}}" if told == "question" else said)
    assert made.doubts == []


def test_a_list_has_one_heading_where_what_is_said_of_it_falls() -> None:
    """ "Jumlah track per genre:" stood twice over the list, with 100 points."""
    said = "Jumlah track per genre:\n{LIST} Ini naik tajam dan tertinggi"
    question = "Jumlah track per genre"
    made = read_plan({"sql_queries_plan": [{"query": LISTED}], "response_template": said}, "sql", {}, [question])
    assert made.template == "Jumlah track per genre: {LIST}"


def test_a_question_that_the_plan_repeats_is_no_second_heading_of_its_list() -> None:
    """ "Utang … berapa? utang … berapa:" stood over the list."""
    assert heading("Utang kita berapa? {LIST} dari {NAME}.", "{LIST} dari {NAME}.", "utang kita berapa?") == ""


def test_an_example_is_shown_without_what_is_derived_of_it_and_read_alike() -> None:
    dates = dict.fromkeys("START_DATE END_DATE START_DATE_2 END_DATE_2 TODAY".split(), "2022-01-01")
    for example in ExampleLibrary().nearest("", "sql", 99):
        shown = as_asked(example.plan)
        assert {key for query in shown["sql_queries_plan"] for key in query} == {"query"}
        read = read_plan(shown, "sql", dates, [example.question])
        assert (read.fatal, read.doubts) == ([], []), example.question


def test_a_key_that_the_queries_do_not_give_is_kept_in_what_is_shown() -> None:
    queries = [{"query": f"SELECT {name}, Price AS P FROM t", "result_key": f"{name}S"} for name in ("ONE", "TWO")]
    shown = as_asked({"sql_queries_plan": queries, "response_template": "{ONES} {TWOS}"})
    assert shown["sql_queries_plan"] == queries
    assert as_asked({"operations": []}) == {"operations": []}


@pytest.mark.parametrize(
    ("told", "read"),
    [
        ("{PRODUCT}: {TOTAL}", "{NAME}: {TOTAL}"),
        ("{NAME}: {AMOUNT}", "{NAME}: {AMOUNT}"),
        ("{PRODUCT} {CITY}: {TOTAL}", "{PRODUCT} {CITY}: {TOTAL}"),
    ],
)
def test_the_one_name_that_nothing_gives_is_the_one_column_of_names_that_is_left(told: str, read: str) -> None:
    query = "SELECT Name AS NAME, SUM(Netto) AS TOTAL FROM salesinvoiced GROUP BY Name"
    assert read_plan({"sql_queries_plan": [query], "response_template": told}, "sql", {}, []).template == read


@pytest.mark.parametrize(("said", "named"), [("{SHARE}", "{CANADA_SHARE}"), ("{GROWTH}", "{GROWTH}")])
def test_the_only_figure_is_meant_by_a_part_of_its_name(said: str, named: str) -> None:
    query = "SELECT 1.0 * SUM(CASE WHEN Country = 'Canada' THEN 1 END) / COUNT(*) AS CANADA_SHARE FROM Customer"
    value = {"sql_queries_plan": [{"query": query, "result_key": "RESULT"}], "response_template": said}
    assert named in read_plan(value, "sql", {}, ["Berapa persen pelanggan di Canada?"]).template


@pytest.mark.parametrize("kinds", [("DATETIME", "DATE"), ("DATE", "DATETIME")])
def test_a_period_has_its_whole_last_day_if_one_of_two_columns_of_a_name_has_a_time(kinds: tuple[str, str]) -> None:
    """Of two tables' columns `at` the last one's type decided: sales of the last day were left out."""
    tables = [{"table_name": kind, "columns": [{"name": "at", "type": kind}]} for kind in kinds]
    value = {"sql_queries_plan": [{"query": "SELECT COUNT(*) AS n FROM a WHERE a.at <= '2023-01-31'"}]}
    read = read_plan(value, "sql", {}, ["Berapa?"], Schema.read(tables))
    assert read.queries[0]["query"].endswith("a.at < '2023-02-01'")
