"""What a small model plans and a database carries out without a word (issue 19), as it stood in its stored plans."""

from __future__ import annotations

import pytest

from agentd.apps.analytics.checks.coverage import uncovered
from agentd.apps.analytics.checks.guards import invented_keys, silent_mistakes
from agentd.apps.analytics.checks.joins import misjoined
from agentd.apps.analytics.plan import Plan
from agentd.apps.analytics.planner.conversion import read_plan
from agentd.apps.analytics.schema import NO_SCHEMA, Schema
from tests.agentd.apps.analytics.scripts import table

QUARTER = {"TODAY": "2023-03-01", "START_DATE": "2022-07-01", "END_DATE": "2022-09-30"}
WITHIN = "DocDate >= '2022-07-01' AND DocDate <= '2022-09-30'"


def of(*queries: str) -> Plan:
    named = enumerate(queries, 1)
    return Plan([{"purpose": "", "query": each, "result_key": f"R{n}"} for n, each in named])


@pytest.mark.parametrize(
    ("query", "fault"),
    [
        (f"SELECT COUNT(*) AS N FROM t WHERE {WITHIN} AND MONTH(DocDate) = 3", "MONTH(DocDate) = 3"),
        (f"SELECT COUNT(*) AS N FROM t WHERE {WITHIN} AND QUARTER(DocDate) = 4", "QUARTER(DocDate) = 4"),
        (f"SELECT COUNT(*) AS N FROM t WHERE {WITHIN} AND MONTH(DocDate) = 8", ""),
        (f"SELECT COUNT(*) AS N FROM t WHERE {WITHIN} AND QUARTER(DocDate) = 3", ""),
        ("SELECT COUNT(*) AS N FROM t WHERE DocDate LIKE '2022-03-%'", "2022-03"),
        ("SELECT COUNT(*) AS N FROM t WHERE STRFTIME('%Y-%m', DocDate) = '2022-10'", "2022-10"),
        ("SELECT COUNT(*) AS N FROM t WHERE STRFTIME('%Y-%m', DocDate) BETWEEN '2022-07' AND '2022-09'", ""),
        (f"SELECT SUM(a) AS NOV, SUM(a) AS DEC_, MAX(b) AS C FROM t WHERE {WITHIN}", "NOV and DEC_ are both SUM(a)"),
        (f"SELECT a FROM t WHERE b = TRUE AND {WITHIN} AND b = TRUE", "b = TRUE is there twice"),
        (f"SELECT SUM(a) - SUM(a) AS MORE FROM t WHERE {WITHIN}", "SUM(a) - SUM(a) is always 0"),
        ("SELECT a FROM t WHERE DocDate = '2022-07-01' AND DocDate = '2022-09-30'", "no DocDate is both from"),
        (
            "SELECT a FROM t WHERE DocDate < '2022-07-01' AND b = 1 AND DocDate > '2022-09-30'",
            "no DocDate is both from",
        ),
        ("SELECT a FROM t WHERE DocDate >= '2022-09-30' AND DocDate <= '2022-09-30'", ""),
        (f"SELECT '{{PERIOD}}' AS LABEL FROM t WHERE {WITHIN}", "LABEL is read from no column"),
        (f"SELECT CASE WHEN 'A' > 'B' THEN 'Jadi' ELSE 'Tidak' END AS C FROM t WHERE {WITHIN}", "C is read from no"),
        (f"SELECT COUNT(*) AS N, (SELECT MAX(a) FROM u) AS M FROM t WHERE {WITHIN}", ""),
        (
            f"SELECT SUM(CASE WHEN a = 'A' THEN 1 ELSE 0 END) AS N FROM t WHERE EXISTS (SELECT 1 FROM u) AND {WITHIN}",
            "",
        ),
    ],
)
def test_months_outside_the_period_and_words_for_data_are_refused(query: str, fault: str) -> None:
    found = silent_mistakes(of(query), QUARTER, "kuartal 3 2022", Schema.read([table("t", "DocDate temporal")]))
    assert [each for each in found if fault in each] if fault else not found, found


def test_the_months_of_a_period_that_crosses_a_year_are_its_own() -> None:
    winter = {"TODAY": "2023-03-01", "START_DATE": "2022-12-01", "END_DATE": "2023-01-31"}
    query = "SELECT COUNT(*) AS N FROM t WHERE d >= '2022-12-01' AND d <= '2023-01-31' AND MONTH(d) = {}"
    faulty = [bool(silent_mistakes(of(query.format(month)), winter, "", NO_SCHEMA)) for month in (11, 12, 1, 2)]
    assert faulty == [True, False, False, True]


@pytest.mark.parametrize(
    ("query", "asked", "invented"),
    [
        ("SELECT COUNT(*) AS N FROM Album WHERE AlbumId NOT IN (1, 2, 3, 4)", "album tanpa track", True),
        ("SELECT COUNT(*) AS N FROM Album WHERE AlbumId IN (1, 2, 3)", "album 1, 2, 3", False),
        ("SELECT COUNT(*) AS N FROM Album WHERE Status IN (1, 2, 3)", "album yang terbuka", False),
        ("SELECT COUNT(*) AS N FROM Album WHERE AlbumId IN (SELECT AlbumId FROM Track)", "album", False),
    ],
)
def test_a_list_of_keys_that_nobody_named_is_refused(query: str, asked: str, invented: bool) -> None:
    album = {"table_name": "Album", "columns": [{"name": "AlbumId", "is_primary_key": True}, {"name": "Status"}]}
    assert bool(list(invented_keys(of(query), Schema.read([album]), asked))) is invented


KNOWN = [
    {"from_table": table, "from_column": "CustomerCode", "to_table": "customer", "to_column": "Code"}
    for table in ("invoice", "balance")
]
BOTH = (
    "customer JOIN invoice ON invoice.CustomerCode = customer.Code JOIN balance ON balance.CustomerCode = customer.Code"
)


@pytest.mark.parametrize(
    ("query", "wrong"),
    [
        (f"SELECT invoice.No, balance.End FROM {BOTH}", True),
        (f"SELECT COUNT(DISTINCT invoice.No) AS N FROM {BOTH}", False),
        ("SELECT invoice.No FROM invoice JOIN customer ON invoice.CustomerCode = customer.Code", False),
        (f"SELECT invoice.No FROM {BOTH} AND balance.No = invoice.No", False),
        (f"SELECT invoice.No, unknown.End FROM {BOTH}".replace("balance", "unknown"), True),
        ("SELECT u.End FROM customer JOIN unknown u ON u.CustomerCode = customer.Code", False),
    ],
)
def test_two_tables_of_one_customer_are_not_read_side_by_side(query: str, wrong: bool) -> None:
    assert bool(misjoined(of(query), Schema.read((), KNOWN))) is wrong


@pytest.mark.parametrize(
    ("question", "queries", "words"),
    [
        ("Compare payments in and out", ["SELECT d, SUM(a) AS A FROM t GROUP BY d"], ["GROUP BY d"]),
        ("Penjualan per kota?", ["SELECT k, SUM(a) AS A FROM t GROUP BY k"], []),
        ("Kota mana yang penjualannya terbesar?", ["SELECT k, SUM(a) AS A FROM t GROUP BY k ORDER BY A DESC"], []),
        ("Germany vs France", ["SELECT k, SUM(a) AS A FROM t WHERE k IN ('Germany', 'France') GROUP BY k"], []),
        ("5 kota", ["SELECT k, SUM(a) AS A FROM t GROUP BY k LIMIT 5"], []),
        ("Penjualan?", ["SELECT SUM(a) AS A FROM t", "SELECT SUM(a) AS B FROM t"], ["R2 = R1"]),
        ("Penjualan?", ["SELECT SUM(a) AS A FROM t", "SELECT SUM(b) AS A FROM t"], []),
    ],
)
def test_what_nobody_asked_to_split_or_to_say_twice_is_a_doubt(
    question: str, queries: list[str], words: list[str]
) -> None:
    assert uncovered(question, of(*queries)) == words


def test_a_comparison_goes_forward_in_time() -> None:
    """ "naik 5,3% dari" February "menjadi" January would be a rise for a fall."""
    month = "SELECT SUM(a) AS {0} FROM t WHERE d >= '2023-0{1}-01' AND d <= '2023-0{1}-28'"
    queries = [{"query": month.format(name, n), "result_key": name} for name, n in (("JAN", 1), ("FEB", 2))]

    def made(template: str) -> str:
        return read_plan({"sql_queries_plan": queries, "response_template": template}, "sql", {}, []).template

    assert made("Turun: {COMPARE JAN FEB}.") == "Turun: {COMPARE FEB JAN}."
    assert made("{COMPARE FEB JAN}; {SHARE JAN FEB}") == "{COMPARE FEB JAN}; {SHARE JAN FEB}"
    assert made("{COMPARE JAN OTHER}") == "{COMPARE JAN OTHER}"
