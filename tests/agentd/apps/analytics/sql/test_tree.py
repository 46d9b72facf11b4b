"""A planned query is read as a tree and edited at its tokens, so that no way of writing it passes unread."""

from __future__ import annotations

from typing import Any

import pytest

from agentd.apps.analytics.checks.joins import misjoined
from agentd.apps.analytics.planner.conversion import read_plan
from agentd.apps.analytics.schema import Schema
from agentd.apps.analytics.sql import edits, tree
from agentd.apps.analytics.sql.query import Query
from tests.agentd.apps.analytics.checks.test_joins import KNOWN, TABLES


def doubled(query: str) -> list[str]:
    plan: dict[str, Any] = {"sql_queries_plan": [{"query": query, "result_key": "N"}], "response_template": "{N}"}
    return misjoined(read_plan(plan, "sql", {}, []), Schema.read(TABLES, KNOWN))


@pytest.mark.parametrize(
    "query",
    [
        "SELECT SUM(h.TotalNetto) AS N FROM salesorderh h, salesorderd d WHERE h.DocNo = d.DocNo",
        "SELECT SUM(`TotalNetto`) AS N FROM `salesorderh` JOIN `salesorderd` USING (`DocNo`)",
        'SELECT SUM("h"."TotalNetto") AS N FROM "salesorderh" "h" JOIN "salesorderd" "d" ON "h"."DocNo" = "d"."DocNo"',
        "SELECT SUM(h.TotalNetto) AS N FROM erp.salesorderh h LEFT OUTER JOIN erp.salesorderd d ON d.DocNo = h.DocNo",
        "WITH d AS (SELECT * FROM salesorderd) SELECT SUM(TotalNetto) AS N FROM salesorderh h JOIN d USING (DocNo)",
        "SELECT SUM(x.TotalNetto) AS N FROM (SELECT TotalNetto FROM salesorderh) x CROSS JOIN salesorderd",
        "SELECT (SELECT SUM(TotalNetto) FROM salesorderh, salesorderd) AS N",
    ],
)
def test_an_amount_added_once_for_each_detail_is_found_however_it_is_written(query: str) -> None:
    """Issue 16: `FROM h, d` and backticks passed the check of text."""
    assert doubled(query) == [
        "N: salesorderh.TotalNetto would be added once for each row of salesorderd; add a column of salesorderd, "
        "or leave salesorderd out"
    ]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT SUM(h.TotalNetto) AS N FROM salesorderh h "
        "JOIN (SELECT DocNo, SUM(Netto) AS n FROM salesorderd GROUP BY DocNo) d ON d.DocNo = h.DocNo",
        "SELECT SUM(TotalNetto) AS N FROM salesorderh WHERE DocNo IN (SELECT DocNo FROM salesorderd)",
        "SELECT SUM(TotalNetto) AS N, 'FROM salesorderd' AS note FROM salesorderh",
    ],
)
def test_details_that_repeat_no_document_may_stand_beside_it(query: str) -> None:
    assert doubled(query) == []


def test_a_subquery_knows_the_tables_around_it() -> None:
    query = "SELECT * FROM salesorderh h WHERE EXISTS (SELECT 1 FROM salesorderd d WHERE d.DocNo = h.DocNo)"
    assert [select.equal for select in Query("N", query).selects if select.equal] == [
        ((("salesorderd", "DocNo"), ("salesorderh", "DocNo")),)
    ]


@pytest.mark.parametrize(
    ("query", "reads"),
    [
        ("SELECT 1", True),
        ("WITH a AS (SELECT 1) SELECT * FROM a", True),
        ("SELECT 'DELETE FROM t' AS told", True),
        ("SELECT a FROM t UNION ALL SELECT b FROM u", True),
        ("DELETE FROM t", False),
        ("SELECT 1; DROP TABLE t", False),
        ("SELECT 1 INTO OUTFILE '/tmp/x'", False),
        ("CALL p()", False),
        ("this is no SQL", False),
        (f"SELECT {'(' * 5000}1{')' * 5000}", False),
        ("", False),
    ],
)
def test_only_select_is_taken_for_reading(query: str, reads: bool) -> None:
    assert tree.reads_only(query) is reads


@pytest.mark.parametrize(
    ("query", "edited"),
    [
        ("SELECT a / b AS s FROM t", "SELECT a * 1.0 / b AS s FROM t"),
        ("SELECT a*100/b FROM t", "SELECT a*100 * 1.0 / b FROM t"),
        ("SELECT a / b, 'x / y' FROM t", "SELECT a * 1.0 / b, 'x / y' FROM t"),
        ("SELECT a / b FROM t WHERE c > 1.5", "SELECT a * 1.0 / b FROM t WHERE c > 1.5"),
    ],
)
def test_a_quotient_keeps_its_decimals_and_text_stays_as_it_is(query: str, edited: str) -> None:
    assert edits.fractions(query) == edited


def test_the_limit_is_that_of_the_whole_query() -> None:
    query = "SELECT * FROM (SELECT a FROM t LIMIT 3) x ORDER BY a LIMIT 10"
    assert Query("N", query).limit == 10
    assert edits.without_limit(query) == "SELECT * FROM (SELECT a FROM t LIMIT 3) x ORDER BY a"
    assert Query("N", "SELECT * FROM (SELECT a FROM t LIMIT 3) x").limit is None


@pytest.mark.parametrize(
    ("dialect", "query", "spelled"),
    [
        (
            "postgres",
            "SELECT SUM(invoice.total) AS Total FROM Invoice WHERE OrderDate > 'Total'",
            'SELECT SUM("Invoice"."Total") AS "Total" FROM "Invoice" WHERE "OrderDate" > \'Total\'',
        ),
        ("postgres", "SELECT DATE '2020-01-01', Date(Date) FROM t", "SELECT DATE '2020-01-01', Date(\"Date\") FROM t"),
        ("postgres", "SELECT kode FROM `Order Details`", 'SELECT kode FROM "Order Details"'),
        ("mysql", 'SELECT "Total" FROM invoice', "SELECT `Total` FROM `Invoice`"),
        ("mysql", "SELECT total FROM Invoice WHERE Name = 'Name'", "SELECT total FROM Invoice WHERE Name = 'Name'"),
        ("sqlite", 'SELECT "Total" FROM `invoice`', 'SELECT "Total" FROM `invoice`'),
        (None, 'SELECT "Total" FROM `invoice`', 'SELECT "Total" FROM `invoice`'),
    ],
)
def test_names_are_spelled_as_their_database_needs_them(dialect: str | None, query: str, spelled: str) -> None:
    columns = [{"name": name} for name in ("Total", "OrderDate", "Name", "Date", "kode")]
    tables = [{"table_name": name, "columns": columns} for name in ("Invoice", "Order Details")]
    assert edits.named(query, Schema.read(tables, (), dialect)) == spelled


@pytest.mark.parametrize(
    ("query", "whole"),
    [
        ("SELECT a FROM t WHERE at <= '2023-01-31'", "SELECT a FROM t WHERE at < '2023-02-01'"),
        ("SELECT a FROM t WHERE t.at<='2023-12-31'", "SELECT a FROM t WHERE t.at< '2024-01-01'"),
        (
            "SELECT a FROM t WHERE At BETWEEN '2023-01-01' AND '2023-01-31'",
            "SELECT a FROM t WHERE At BETWEEN '2023-01-01' AND '2023-01-31 23:59:59.999999'",
        ),
        ("SELECT a FROM t WHERE at <= '2023-01-31 12:00'", "SELECT a FROM t WHERE at <= '2023-01-31 12:00'"),
        ("SELECT a FROM t WHERE day <= '2023-01-31'", "SELECT a FROM t WHERE day <= '2023-01-31'"),
        ("SELECT 'at' <= '2023-01-31' FROM t", "SELECT 'at' <= '2023-01-31' FROM t"),
    ],
)
def test_the_last_day_of_a_period_is_read_whole(query: str, whole: str) -> None:
    assert edits.whole_days(query, ["at"]) == whole
