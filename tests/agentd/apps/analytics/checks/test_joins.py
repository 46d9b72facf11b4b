"""A plan over a join that the schema doesn't know is refused, in both styles (issue 7 "Planning")."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from agentd.apps.analytics.checks.dates import dates_for
from agentd.apps.analytics.checks.joins import (
    codes_for_names,
    misjoined,
    only_some,
    unexplained_joins,
    without_details,
)
from agentd.apps.analytics.planner.conversion import read_plan
from agentd.apps.analytics.schema import Schema

COLUMNS = {
    "salesorderh": ("DocNo", "DocDate", "TotalNetto"),
    "salesorderd": ("DocNo", "MaterialCode", "Netto"),
    "mastermaterial": ("Code", "Name"),
}
TABLES: list[dict[str, Any]] = [
    {"table_name": name, "columns": [{"name": column} for column in columns]} for name, columns in COLUMNS.items()
]
KNOWN = [
    {"from_table": table, "from_column": column, "to_table": other, "to_column": key}
    for table, column, other, key in (
        ("salesorderd", "DocNo", "salesorderh", "DocNo"),
        ("salesorderd", "MaterialCode", "mastermaterial", "Code"),
    )
]


def sql(condition: str, tables: str = "salesorderd JOIN mastermaterial") -> dict[str, Any]:
    query = f"SELECT SUM(Netto) AS N FROM {tables} ON {condition}"
    return {"sql_queries_plan": [{"query": query, "result_key": "N"}], "response_template": "{N}"}


def operation(left: str, right: str) -> dict[str, Any]:
    join = {"target_table": "mastermaterial", "on_conditions": [{"left_table_field": left, "right_table_field": right}]}
    columns = [{"field_name": "salesorderd.Netto", "aggregation": "SUM", "alias": "N"}]
    one = {"operation_id": "n", "main_table": "salesorderd", "select_columns": columns, "joins": [join]}
    return {"operations": [one | {"result_key": "N"}], "response_template": "{N}"}


def faults(value: dict[str, Any], style: Any = "sql", known: Any = KNOWN) -> list[str]:
    return misjoined(read_plan(value, style, dates_for("", [], date(2023, 3, 1)), []), Schema.read(TABLES, known))


@pytest.mark.parametrize(
    "plan",
    [
        sql("salesorderd.MaterialCode = mastermaterial.Code"),
        sql("mastermaterial.Code = T1.MaterialCode", "salesorderd AS T1 JOIN mastermaterial"),
        sql("a.DocNo = b.DocNo", "salesorderh a JOIN salesorderd b"),
        sql("salesorderd.MaterialCode = elsewhere.Code", "salesorderd JOIN elsewhere"),
    ],
)
def test_a_join_of_the_schema_or_of_one_name_is_right(plan: dict[str, Any]) -> None:
    assert faults(plan) == []


@pytest.mark.parametrize(
    "plan",
    [
        sql("salesorderh.CustomerCode = mastermaterial.Code", "salesorderh JOIN mastermaterial"),
        sql("T1.CustomerCode = T2.Code", "salesorderh AS T1 JOIN mastermaterial AS T2"),
    ],
)
def test_a_made_up_join_is_told_with_those_that_there_are(plan: dict[str, Any]) -> None:
    assert faults(plan) == [
        "N: salesorderh.CustomerCode = mastermaterial.Code joins what has nothing in common; "
        "joins are salesorderd.DocNo = salesorderh.DocNo, salesorderd.MaterialCode = mastermaterial.Code"
    ]
    assert faults(plan, known=None) == []


@pytest.mark.parametrize(
    ("column", "other", "made_up"),
    [("DocNo", "Unit", True), ("salesorderh.DocNo", "d.MaterialCode", True), ("DocNo", "DocNo", False)],
)
def test_rows_that_are_in_another_table_are_so_by_a_join_of_the_schema(column: str, other: str, made_up: bool) -> None:
    """Albums whose ArtistId is no AlbumId of a track passed without a doubt for those without a track that was sold."""
    query = f"SELECT COUNT(*) AS n FROM salesorderh WHERE {column} NOT IN (SELECT {other} FROM salesorderd AS d)"
    found = faults({"sql_queries_plan": [{"query": query, "result_key": "N"}]})
    assert [each.startswith("N: salesorderh.DocNo = salesorderd.") for each in found] == [True] * made_up


def test_an_operation_joins_as_the_schema_does() -> None:
    assert faults(operation("salesorderd.MaterialCode", "mastermaterial.Code"), "operations") == []
    [fault] = faults(operation("salesorderd.Unit", "mastermaterial.Code"), "operations")
    assert fault.startswith("N: salesorderd.Unit = mastermaterial.Code joins what has nothing in common")


def added(
    expression: str, tables: str = "salesorderd JOIN salesorderh ON salesorderd.DocNo = salesorderh.DocNo"
) -> list[str]:
    query = f"SELECT {expression} AS N FROM {tables}"
    plan = {"sql_queries_plan": [{"query": query, "result_key": "N"}], "response_template": "{N}"}
    return misjoined(read_plan(plan, "sql", {}, []), Schema.read(TABLES, KNOWN))


@pytest.mark.parametrize(
    "expression", ["SUM(salesorderh.TotalNetto)", "SUM(TotalNetto)", "AVG(1.0 * salesorderh.TotalNetto)"]
)
def test_a_documents_amount_is_not_added_once_for_each_of_its_details(expression: str) -> None:
    """A planner was seen to tell a material's sales by the totals of the orders it was in."""
    assert added(expression) == [
        "N: salesorderh.TotalNetto would be added once for each row of salesorderd; add a column of salesorderd, "
        "or leave salesorderd out"
    ]


@pytest.mark.parametrize(
    "expression",
    [
        "SUM(salesorderd.Netto)",
        "COUNT(DISTINCT salesorderh.DocNo)",
        "MAX(salesorderh.TotalNetto)",
        "SUM(CASE WHEN salesorderh.DocDate < '2023-01-01' THEN salesorderd.Netto ELSE 0 END)",
    ],
)
def test_what_the_details_hold_may_be_added_and_what_repeats_no_harm_be_read(expression: str) -> None:
    assert added(expression) == []
    assert added("SUM(TotalNetto)", "salesorderh") == []


@pytest.mark.parametrize(
    ("query", "wrong"),
    [
        ("SELECT m.Name, d.Netto - d.Disc AS N FROM {} GROUP BY m.Name", True),
        ("SELECT m.Name AS X, d.Netto FROM {} GROUP BY X", True),
        ("SELECT m.Name, MAX(d.Netto) AS N FROM {} GROUP BY 1", False),
        ("SELECT m.Name, d.Netto, SUM(d.Netto) AS N FROM {} GROUP BY m.Name, d.Netto", False),
        ("SELECT m.Name, SUM(d.Netto) AS N FROM {} GROUP BY d.MaterialCode", False),
        ("SELECT m.Code, m.Name, SUM(d.Netto) AS N FROM {} GROUP BY m.Code", False),
        ("SELECT d.DocNo, d.Netto FROM {} GROUP BY d.DocNo", True),
        ("SELECT DocNo, Netto FROM salesorderd GROUP BY DocNo", True),
        ("SELECT Name, Code FROM mastermaterial GROUP BY Name", False),
    ],
)
def test_what_a_group_has_several_of_is_not_shown_as_one(query: str, wrong: bool) -> None:
    """The embedded model: one document's amount beside a customer's name, for the sum of them."""
    written = query.format("salesorderd d JOIN mastermaterial m ON d.MaterialCode = m.Code")
    plan = {"sql_queries_plan": [{"query": written, "result_key": "N"}], "response_template": "{N}"}
    found = misjoined(read_plan(plan, "sql", {}, []), Schema.read(TABLES, KNOWN))
    assert bool(found) is wrong, found


@pytest.mark.parametrize(
    ("shown", "joined"),
    [
        ("SUM(salesorderh.TotalNetto) AS N", False),
        ("SUM(salesorderh.TotalNetto) AS N, COUNT(*) AS M", True),
        ("SUM(salesorderh.TotalNetto) AS N, SUM(Netto) AS M", True),
        ("SUM(salesorderd.Netto) AS N", True),
    ],
)
def test_details_of_which_nothing_is_read_are_left_out(shown: str, joined: bool) -> None:
    query = f"SELECT {shown} FROM salesorderh INNER JOIN salesorderd ON salesorderd.DocNo = salesorderh.DocNo"
    value = {"sql_queries_plan": [{"query": f"{query} WHERE TotalNetto > 0", "result_key": "R"}]}
    made = without_details(read_plan({**value, "response_template": "{R}"}, "sql", {}, []), Schema.read(TABLES, KNOWN))
    kept = query if joined else f"SELECT {shown} FROM salesorderh"
    assert made.queries[0]["query"] == f"{kept} WHERE TotalNetto > 0"


LEDGER = [
    {"from_table": table, "from_column": column, "to_table": other, "to_column": key}
    for table, column, other, key in (
        ("paid", "DocNo", "ledger", "DocNo"),
        ("paid", "CustomerCode", "customer", "Code"),
        ("ledger", "CustomerCode", "customer", "Code"),
    )
]


@pytest.mark.parametrize(
    ("query", "doubtful"),
    [
        ("COUNT(DISTINCT p.CustomerCode) AS N FROM paid p JOIN ledger l ON p.DocNo = l.DocNo WHERE l.Rest > 0", True),
        ("COUNT(DISTINCT p.CustomerCode) AS N FROM ledger l JOIN paid p ON l.DocNo = p.DocNo "
         "WHERE l.Value - p.Amount > 0", True),
        ("SUM(l.Value - p.Amount) AS N FROM ledger l JOIN paid p ON p.DocNo = l.DocNo", True),
        ("COUNT(DISTINCT p.CustomerCode) AS N FROM ledger l LEFT JOIN paid p ON p.DocNo = l.DocNo", False),
        ("COUNT(DISTINCT p.CustomerCode) AS N FROM paid p JOIN ledger l ON p.DocNo = l.DocNo "
         "WHERE l.Rest > 0 AND p.Amount > 9", False),
        ("SUM(p.Amount) AS N FROM paid p JOIN ledger l ON p.DocNo = l.DocNo WHERE l.Rest > 0", False),
        ("COUNT(DISTINCT CustomerCode) AS N FROM ledger WHERE Rest > 0", False),
        ("c.Name AS NAME, SUM(l.Value) AS N FROM ledger l JOIN customer c ON l.CustomerCode = c.Code "
         "GROUP BY c.Name", False),
    ],
)  # fmt: skip
def test_counting_by_details_leaves_out_documents_without_any(query: str, doubtful: bool) -> None:
    plan = {"sql_queries_plan": [{"query": f"SELECT {query}", "result_key": "N"}], "response_template": "{N}"}
    found = [*only_some(read_plan(plan, "sql", {}, []).selects[0], Schema.read((), LEDGER))]
    assert found == (["paid"] if doubtful else [])


@pytest.mark.parametrize(
    ("query", "codes"),
    [
        ("SELECT MediaTypeId, COUNT(*) AS N FROM Track GROUP BY MediaTypeId", ["MediaTypeId"]),
        ("SELECT Track.MediaTypeId AS TYPE FROM Track LIMIT 1", ["MediaTypeId"]),
        ("SELECT m.Name AS NAME, COUNT(*) AS N FROM Track t JOIN MediaType m ON t.MediaTypeId = m.MediaTypeId "
         "GROUP BY m.Name", []),
        ("SELECT Title, MediaTypeId FROM Track", []),
        ("SELECT COUNT(DISTINCT MediaTypeId) AS N FROM Track", []),
        ("SELECT InvoiceId, COUNT(*) AS N FROM Track GROUP BY InvoiceId", []),
    ],
)  # fmt: skip
def test_a_code_that_stands_for_a_name_is_doubted(query: str, codes: list[str]) -> None:
    """ "The media type with the most tracks is 1 with 156 tracks" had 100 points."""
    track = [
        {"name": "TrackId", "classification": "identifier", "is_primary_key": True},
        {"name": "MediaTypeId", "classification": "identifier"},
        *({"name": name} for name in ("InvoiceId", "Title")),
    ]
    tables = [
        {"table_name": "Track", "columns": track},
        {"table_name": "MediaType", "columns": [{"name": "MediaTypeId"}, {"name": "Name"}]},
        {"table_name": "Invoice", "columns": [{"name": "InvoiceId"}, {"name": "Total"}]},
    ]
    known = [
        {"from_table": "Track", "from_column": column, "to_table": other, "to_column": column}
        for column, other in (("MediaTypeId", "MediaType"), ("InvoiceId", "Invoice"))
    ]
    plan = {"sql_queries_plan": [{"query": query, "result_key": "N"}], "response_template": "{N}"}
    made = read_plan(plan, "sql", {}, []).selects[0]
    assert list(codes_for_names("", made, Schema.read(tables, known))) == codes
    assert not list(codes_for_names("ids of media types, invoice and track", made, Schema.read(tables, known)))
    for relations in (known, known[1:]):
        assert list(codes_for_names("", made, Schema.read(tables[::2], relations))) == codes, (
            "MediaType was not consulted"
        )


@pytest.mark.parametrize(
    ("condition", "doubted"),
    [
        ("writes.pid = author.aid", True),
        ("writes.aid = author.aid", False),
        ("writes.author = author.author_code", False),
        ("writes.author_id = author.id", False),
    ],
)
def test_without_known_joins_columns_with_no_word_in_common_are_a_doubt(condition: str, doubted: bool) -> None:
    tables = [{"table_name": name, "columns": []} for name in ("writes", "author")]
    made = read_plan(sql(condition, "writes JOIN author"), "sql", {}, []).selects[0]
    assert list(unexplained_joins(made, Schema.read(tables))) == ([condition] if doubted else [])
    assert list(unexplained_joins(made, Schema.read(tables, KNOWN))) == []
    unseen = Schema.read(tables[1:], [dict(zip(KNOWN[0], "abcd", strict=True))])
    assert list(unexplained_joins(made, unseen)) == ([condition] if doubted else []), "writes was not consulted"
