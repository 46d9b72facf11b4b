"""What a constrained model can plan: the consulted tables and columns, and no others (issue 7 "Planning")."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from functools import cache
from typing import Any

import pytest
from llguidance import LLMatcher, LLTokenizer

from agentd.apps.analytics.planner.examples import ExampleLibrary
from agentd.apps.analytics.planner.schema import plan_schema
from agentd.apps.analytics.planner.select_pattern import select_pattern
from agentd.apps.analytics.schema import Schema
from bridges.llamacpp.constraint import from_schema
from servers.graphiti.schema_source import SHIPPED, read_schema
from servers.graphiti.search import relations

TABLES = [
    {
        "table_name": "arbook",
        "columns": [
            {"name": "DocNo", "classification": "identifier"},
            {"name": "DocDate"},
            {"name": "DocValueLocal"},
            {"name": "CustomerCode"},
        ],
    },
    {"table_name": "mastercustomer", "columns": [{"name": "Code"}, {"name": "Name"}]},
]
DATES = ("START_DATE", "END_DATE")
ALL_DATES = (*DATES, "START_DATE_2", "END_DATE_2", "TODAY")
TOKENS = LLTokenizer("byte")
RELATIONS = [{"from_table": "arbook", "from_column": "CustomerCode", "to_table": "mastercustomer", "to_column": "Code"}]


def writable(
    style: Any,
    plan: dict[str, Any],
    tables: Any = TABLES,
    joins: Any = RELATIONS,
    dates: Any = DATES,
    question: str = "Piutang di atas 5 juta",
    period: Any = None,
) -> bool:
    """Whether a model held by the schema could write that plan."""
    state = {"plan_style": style, "relevant_tables": tables, "table_relationships": joins, "user_query": question}
    state |= {"time_period": period}
    days = [column["name"] for table in tables for column in table["columns"] if "date" in column["name"].casefold()]
    schema = plan_schema({**state, "temporal_columns": {"all": days}}, dates)
    text = json.dumps(plan, separators=(",", ":"))
    held = matcher(json.dumps(schema)).deep_copy()
    return bool(held.try_consume_tokens(TOKENS.tokenize_str(text)) == len(text))


@cache
def matcher(schema: str) -> LLMatcher:
    """What a schema lets be written; most tests here ask of the same few."""
    return LLMatcher(TOKENS, from_schema(json.loads(schema)))


@pytest.mark.parametrize(
    ("query", "can"),
    [
        ("SELECT SUM(DocValueLocal) AS TOTAL FROM arbook WHERE DocDate >= '{START_DATE}'", True),
        ("SELECT mastercustomer.Name AS NAME, COUNT(*) AS N FROM mastercustomer GROUP BY mastercustomer.Name", True),
        ("SELECT 1.0 * SUM(CASE WHEN DocNo = 'A1' THEN DocValueLocal ELSE 0 END) / COUNT(*) AS S FROM arbook", True),
        ("SELECT Name AS N FROM mastercustomer JOIN arbook ON arbook.CustomerCode = mastercustomer.Code LIMIT 3", True),
        ("SELECT Name AS N FROM mastercustomer JOIN arbook ON arbook.DocNo = mastercustomer.Code LIMIT 3", False),
        ("SELECT SUM(DocValueLocal) AS arbook.DocNo FROM arbook", False),
        ("SELECT Name AS N FROM mastercustomer JOIN mastercity ON arbook.CustomerCode = mastercustomer.Code", False),
        ("SELECT COUNT(*) AS N FROM arbook WHERE DocDate < '{TODAY}'", False),
        ("SELECT COUNT(*) AS N FROM arbook WHERE DocNo NOT IN ( -- DocNo", False),
        ("SELECT COUNT(*) AS N FROM arbook WHERE (DocNo LIKE 'A%' OR DocValueLocal > 0) AND DocNo IS NULL", True),
        ("SELECT COUNT(*) AS N FROM arbook WHERE DocValueLocal - DocValueLocal > 0 AND DocNo IN ('A1', 'A2')", True),
        ("SELECT COUNT(*) AS N FROM arbook WHERE DocNo = 'A1' AND DocNo", False),
        ("SELECT COUNT(*) AS N FROM arbook WHERE SUM(DocNo) > 1", False),
        ("SELECT COUNT(*) AS N FROM arbook WHERE DocNo IN (0, 1, 2, 3, 4, 5, 6, 7)", False),
        ("SELECT COUNT(*) AS N FROM arbook WHERE " + " AND ".join(["DocNo = 'A1'"] * 7), False),
        ("SELECT SUM(THEN) AS TOTAL FROM arbook", False),
        ("SELECT DocNo 3 arbook.DocNo AS NAME FROM arbook", False),
        ("SELECT COUNT(DISTINCT CustomerCode) AS N, ROUND(AVG(DocValueLocal), 2) AS MEAN FROM arbook", True),
        ("SELECT Salary FROM arbook", False),
        ("SELECT arbook.Name AS NAME FROM arbook", False),
        ("SELECT Name FROM mastersupplier", False),
        ("DELETE FROM arbook", False),
    ],
)
def test_sql_can_name_the_consulted_tables_alone(query: str, can: bool) -> None:
    entry = {"purpose": "p", "query": query, "result_key": "TOTAL"}
    assert writable("sql", {"sql_queries_plan": [entry], "response_template": "{TOTAL}"}) is can


@pytest.mark.parametrize(
    ("condition", "question", "dates", "with_numbers"),
    [
        ("DocDate >= '2022-01-01'", "Penjualan 2022 di atas 5 juta?", DATES, False),
        ("DocDate LIKE '2022-%'", "Penjualan 2022 di atas 5 juta?", DATES, False),
        ("DocDate >= '2022-01-01'", "Piutang per customer?", (), True),
        ("MONTH(DocDate) = 3", "Piutang kuartal 3 2022?", DATES, False),
        ("DocDate LIKE '%-03-%'", "Piutang kuartal 3 2022?", DATES, False),
        ("DocNo = 'INV'", "Piutang bulan lalu per customer?", DATES, True),
        ("DocNo IN ('1', '2', '3')", "Piutang per customer?", (), True),
        ("DocValueLocal > 500", "Piutang per customer?", (), True),
        ("DocValueLocal = 1 AND DocDate IS NULL AND DocDate IS NULL", "Piutang per customer?", (), False),
    ],
)
def test_no_day_key_or_number_can_be_written_that_the_question_does_not_say(
    condition: str, question: str, dates: Any, with_numbers: bool
) -> None:
    """`DocDate >= '2022-01-01'`, as in the examples, for "How many clients have unpaid receivables", and
    `SupplierCode IN (1, 2, 3)` for all that was paid: refused, and written again."""

    def can(condition: str, question: str = question) -> bool:
        query = f"SELECT COUNT(*) AS TOTAL FROM arbook WHERE {condition}"
        plan = {"sql_queries_plan": [{"query": query, "result_key": "TOTAL"}], "response_template": "{TOTAL}"}
        return writable("sql", plan, dates=dates, question=question)

    assert not can(condition)
    assert can("DocValueLocal > 0 AND DocDate IS NULL")
    assert can(condition, "Faktur INV 500 dan 3, 01/01/2022") is with_numbers


@pytest.mark.parametrize(
    ("condition", "question", "can"),
    [
        ("City = 'Miami'", "Berapa total piutang?", False),
        ("City LIKE '%Miami'", "Berapa total piutang?", False),
        ("City IN ('Miami', 'Oslo')", "Berapa total piutang?", False),
        ("Status = 'UNPAID'", "Berapa total piutang?", True),
        ("City = 'Miami'", "Berapa total piutang di Miami?", True),
        ("City = 'Miami'", "berapa total piutang di miami", True),
        ("City = '{START_DATE}'", "Berapa total piutang?", False),
        ("DocDate = '{START_DATE}'", "Berapa total piutang?", False),
        ("DocDate BETWEEN '{START_DATE}' AND '{END_DATE}'", "Berapa total piutang?", True),
    ],
)
def test_no_text_can_be_written_that_neither_the_question_nor_a_column_shows(
    condition: str, question: str, can: bool
) -> None:
    """ "How much revenue did we make in February 2021?" was asked `AND BillingCity = 'Miami'`, and a month's invoices
    `AND InvoiceDate = '{START_DATE}'`, twice each."""
    status = {"name": "Status", "sample_values": ["PAID", "UNPAID"]}
    columns = [{"name": "DocDate"}, {"name": "DocValueLocal"}, {"name": "City"}, status]
    period = {"start_date": "2022-01-01", "end_date": "2022-01-31", "period_label": "Januari 2022"}
    query = f"SELECT SUM(DocValueLocal) AS TOTAL FROM arbook WHERE {condition}"
    plan = {"sql_queries_plan": [{"query": query}], "response_template": "{TOTAL}"}
    tables = [{"table_name": "arbook", "columns": columns}]
    assert writable("sql", plan, tables=tables, question=question, period=period) is can


def test_a_case_is_written_whole() -> None:
    """`SELECT DISTINCT THEN Name, THEN Code` was written for a list."""
    queries = ("SELECT DISTINCT THEN Name AS N FROM mastercustomer", "SELECT DISTINCT Name AS N FROM mastercustomer")
    plans = [{"sql_queries_plan": [{"query": query}], "response_template": "{N}"} for query in queries]
    assert [writable("sql", plan) for plan in plans] == [False, True]


def test_a_number_that_a_column_explains_can_be_written() -> None:
    flag = {"name": "Flag", "description": "2 bila masuk daftar hitam"}
    tables = [{"table_name": "mastercustomer", "columns": [{"name": "Code"}, flag]}]
    plans = [
        {
            "sql_queries_plan": [{"query": f"SELECT COUNT(*) AS N FROM mastercustomer WHERE Flag = {number}"}],
            "response_template": "{N}",
        }
        for number in (2, 3)
    ]
    assert [writable("sql", plan, tables=tables, question="Berapa yang masuk daftar hitam?") for plan in plans] == [
        True,
        False,
    ]


@pytest.mark.parametrize(
    ("dialect", "month"),
    [
        ("sqlite", "STRFTIME('%Y-%m', DocDate)"),
        ("mysql", "DATE_FORMAT(DocDate, '%Y-%m')"),
        ("postgres", "TO_CHAR(DocDate, 'YYYY-MM')"),
    ],
)
def test_an_own_database_is_asked_by_month_in_its_own_words(dialect: str, month: str) -> None:
    """The prompt named STRFTIME, and the grammar let the embedded model only write `GROUP BY STRFTIME, InvoiceDate`."""
    query = f"SELECT {month} AS MONTH, SUM(DocValueLocal) AS TOTAL FROM arbook GROUP BY {month} ORDER BY MONTH"
    own = {"sqlite", "mysql", "postgres", None}
    books = [{"table_name": "arbook", "columns": [{"name": "DocDate"}, {"name": "DocValueLocal"}]}]
    patterns = {each: select_pattern(Schema.read(books, (), each)) for each in own}
    assert {each for each, pattern in patterns.items() if re.fullmatch(pattern, query)} == {dialect}


@pytest.mark.parametrize(
    ("table", "field", "can"),
    [
        ("arbook", "arbook.DocValueLocal", True),
        ("arbook", "(arbook.DocValueLocal - arbook.DocValueLocal)", True),
        ("arbook", "arbook.Secret", False),
        ("apbook", "arbook.DocNo", False),
    ],
)
def test_operations_can_name_the_consulted_tables_alone(table: str, field: str, can: bool) -> None:
    operation = {
        "operation_id": "a",
        "main_table": table,
        "select_columns": [{"field_name": field, "aggregation": "SUM", "alias": "TOTAL", "is_expression": False}],
        "result_key": "TOTAL",
        "expected_result_format": "single_value",
    }
    assert writable("operations", {"operations": [operation], "response_template": "{TOTAL}"}) is can


def test_a_plan_of_nothing_can_be_written() -> None:
    """seed 003 §3.3: data that do not fit are no plan."""
    assert writable("sql", {"sql_queries_plan": [], "response_template": ""})
    assert writable("operations", {"operations": [], "response_template": ""})


@pytest.mark.parametrize("style", ["sql", "operations"])
@pytest.mark.slow
def test_every_shipped_example_can_be_written(style: Any) -> None:
    schema = read_schema(SHIPPED)
    for example in ExampleLibrary().nearest("", style, 99):
        named = set(re.findall(r"\w+", json.dumps(example.plan)))
        kept = [table for table in schema.tables if table.name in named]
        tables = [
            {"table_name": table.name, "columns": [{"name": one.name} for one in table.columns]} for table in kept
        ]
        joins = [asdict(relation) for relation in relations(kept)]
        assert writable(style, example.plan, tables, joins, ALL_DATES), example.question


@pytest.mark.parametrize(
    ("question", "brief", "most"),
    [
        ("Customer dengan penjualan terbesar Februari 2023?", True, 1),
        ("Customer dengan penjualan terbesar Februari 2023?", False, 3),
        ("Penjualan dan pembelian?", True, 3),
        ("Penjualan Februari dibanding Januari?", True, 3),
        ("Total sales, number of invoices", True, 3),
        ("Sales orders received in Q3 2022, how many?", True, 1),
    ],
)
def test_a_question_of_one_part_gets_one_query_of_a_model_that_writes_little(
    question: str, brief: bool, most: int
) -> None:
    """The embedded model wrote the same query three times, 256 tokens for 70."""
    state: Any = {"plan_style": "sql", "relevant_tables": TABLES, "user_query": question}
    first, again = (plan_schema(state, DATES, brief=brief, may_be_empty=empty) for empty in (True, False))
    assert [each["properties"]["sql_queries_plan"]["maxItems"] for each in (first, again)] == [most, 3]
