"""`mysql_mcp_server` on the wire: the document's example, what a client sees, a database in trouble (seed 000 §3)."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from mcp import Client

from servers.common.database import Database
from servers.mysql.server import create_server
from tests import warm
from tests.mariadb import MariaDB
from tests.servers.mysql.test_guard import cases
from tests.servers.process import call, served

ROOT = Path(__file__).resolve().parents[3]


KEYS = ["query", "status", "row_count", "column_names", "results", "error_message"]


JANUARY = "WHERE order_date >= '2023-01-01' AND order_date <= '2023-01-31';"


TOTAL = f"SELECT SUM(total_amount) AS total_sales FROM sales_orders {JANUARY}"


COUNT = f"SELECT COUNT(*) AS transaction_count FROM sales_orders {JANUARY}"


def process(**env: str) -> Client:
    return served("mysql", **env)


@pytest.fixture(params=["mysql", "sqlite"])
def url(request: pytest.FixtureRequest, maria: MariaDB, sqlite_erp: Path) -> str:
    return maria.url("reader") if request.param == "mysql" else f"sqlite+aiosqlite:///{sqlite_erp}"


async def execute(client: Client, *queries: str, **options: Any) -> list[dict[str, Any]]:
    answer = await call(client, "execute_sql_query", sql_queries=list(queries), **options)
    return answer["batch_results"]


# ── the document ─────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_the_example_of_the_document_answers_as_printed_there(url: str) -> None:
    """Seed 000 §3.4, on MariaDB and on SQLite."""
    async with process(DATABASE_URL=url) as client:
        result = await client.call_tool("execute_sql_query", {"sql_queries": [TOTAL, COUNT]})
    expected = {
        "batch_results": [
            {
                "query": TOTAL,
                "status": "success",
                "row_count": 1,
                "column_names": ["total_sales"],
                "results": [{"total_sales": 125000000.50}],
                "error_message": None,
            },
            {
                "query": COUNT,
                "status": "success",
                "row_count": 1,
                "column_names": ["transaction_count"],
                "results": [{"transaction_count": 456}],
                "error_message": None,
            },
        ]
    }
    assert result.structured_content == expected
    assert json.loads(result.content[0].text) == expected
    assert [list(entry) for entry in json.loads(result.content[0].text)["batch_results"]] == [KEYS, KEYS]


async def test_without_an_address_the_embedded_erp_answers(tmp_path: Path) -> None:
    async with process(AGENTD_STATE=str(tmp_path)) as client:
        assert client.server_info.name == "mysql_mcp_server"
        [answer] = await execute(client, COUNT)
    assert answer["results"] == [{"transaction_count": 456}]


async def test_a_client_that_knows_only_the_protocol_can_list_and_call(tmp_path: Path) -> None:
    """Lines of JSON by hand, in the protocol's older form: no SDK on this side."""
    server = await asyncio.create_subprocess_exec(
        *(warm.python(), "-m", "servers.mysql"),
        cwd=ROOT,
        env={"AGENTD_STATE": str(tmp_path)},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert server.stdin is not None
    assert server.stdout is not None
    client = {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "by-hand", "version": "0"}}
    query = {"name": "execute_sql_query", "arguments": {"sql_queries": [COUNT]}}
    for message in (
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
        {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": query},
    ):
        server.stdin.write(json.dumps(message).encode() + b"\n")
    answers = {}
    async with asyncio.timeout(300):
        while len(answers) < 3:
            answer = json.loads(await server.stdout.readline())
            answers[answer["id"]] = answer["result"]
        server.stdin.close()
        assert await server.wait() == 0
    assert answers[1]["serverInfo"]["name"] == "mysql_mcp_server"
    assert len(answers[2]["tools"]) == 4
    assert answers[3]["structuredContent"]["batch_results"][0]["results"] == [{"transaction_count": 456}]


async def test_a_client_learns_what_the_server_is_and_that_it_only_reads(sqlite_erp: Path) -> None:
    async with Client(create_server(Database(f"sqlite:///{sqlite_erp}"))) as client:
        assert "describe_schema" in str(client.instructions)
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == {"execute_sql_query", "describe_schema", "explain_query", "sample_rows"}
        for tool in tools.values():
            assert tool.annotations is not None
            assert tool.annotations.read_only_hint is True
            assert tool.description
        inputs = tools["execute_sql_query"].input_schema
        assert inputs["required"] == ["sql_queries"]
        assert {name: field.get("default") for name, field in inputs["properties"].items()} == {
            "sql_queries": None,
            "max_rows": 1000,
            "timeout_seconds": 30,
        }
        answers = await execute(client, "SELECT order_id FROM sales_orders; DROP TABLE t", max_rows=1)
        jsonschema.validate({"batch_results": answers}, tools["execute_sql_query"].output_schema or {})


# ── statements ───────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_every_honest_statement_gives_rows_and_every_hostile_one_an_error(url: str) -> None:
    """Issue 6: both layers together."""
    database = Database(url)
    async with Client(create_server(database)) as client:
        for kind, what, sql in cases("honest"):
            if kind == database.kind:
                [answer] = await execute(client, sql, max_rows=5)
                assert answer["status"] == "success", (what, answer["error_message"])
                assert answer["query"] == sql.strip()
        for kind, what, sql in cases("hostile"):
            if kind == database.kind:
                answers = await execute(client, sql, max_rows=5, timeout_seconds=5)
                assert "error" in [answer["status"] for answer in answers], what


async def test_several_statements_in_a_string_are_answered_one_by_one(url: str) -> None:
    async with Client(create_server(Database(url))) as client:
        answers = await execute(
            client, "SELECT 1 AS a; DELETE FROM arbook; SELECT nope FROM arbook;", "SELECT 2 AS b", " ; "
        )
    assert [(each["query"], each["status"]) for each in answers] == [
        ("SELECT 1 AS a;", "success"),
        ("DELETE FROM arbook;", "error"),
        ("SELECT nope FROM arbook;", "error"),
        ("SELECT 2 AS b", "success"),
        (";", "error"),
    ]
    assert answers[1]["error_message"] == "Only SELECT statements are allowed; this one begins with DELETE."
    assert "nope" in answers[2]["error_message"]
    assert answers[4]["error_message"] == "The statement is empty."
    for failed in (answers[1], answers[2], answers[4]):
        assert list(failed) == KEYS
        assert (failed["row_count"], failed["column_names"], failed["results"]) == (None, None, None)


async def test_a_cut_result_says_so_and_a_whole_one_has_no_further_keys(url: str) -> None:
    async with Client(create_server(Database(url))) as client:
        cut, whole = await execute(
            client, "SELECT * FROM sales_orders; SELECT * FROM mastercurrency LIMIT 2", max_rows=2
        )
    assert list(cut) == [*KEYS, "truncated", "notice"]
    assert cut["truncated"] is True
    assert cut["row_count"] == len(cut["results"]) == 2
    assert "first 2 rows" in cut["notice"]
    assert list(whole) == KEYS


async def test_an_empty_result_is_a_success_with_its_columns(url: str) -> None:
    async with Client(create_server(Database(url))) as client:
        [answer] = await execute(client, "SELECT order_id FROM sales_orders WHERE 1 = 0")
    assert answer["status"] == "success"
    assert (answer["row_count"], answer["column_names"], answer["results"]) == (0, ["order_id"], [])


async def test_a_name_in_quotes_that_no_column_has_is_an_error_and_no_text(url: str) -> None:
    """SQLite would read it as text: a sum of 0, as if there were no sales."""
    quote = "`" if url.startswith("mysql") else '"'
    asked = (
        f"SELECT SUM({quote}{name}{quote}) AS {quote}a b{quote} FROM sales_orders" for name in ("total", "total_amount")
    )
    async with Client(create_server(Database(url))) as client:
        missing, there = [(await execute(client, each))[0] for each in asked]
    assert (missing["status"], there["column_names"]) == ("error", ["a b"])
    assert "total" in missing["error_message"]


async def test_half_of_a_surrogate_pair_is_answered_not_dropped(sqlite_erp: Path) -> None:
    async with Client(create_server(Database(f"sqlite:///{sqlite_erp}"))) as client:
        [answer] = await execute(client, "SELECT 'a\ud800'")
    assert answer["status"] == "error"


WRONG: list[dict[str, Any]] = [{}, {"sql_queries": []}, {"sql_queries": [1]}, {"sql_queries": ["SELECT 1;" * 60]}]


WRONG += [{"sql_queries": ["SELECT 1"], "max_rows": 0}, {"sql_queries": ["SELECT 1"], "timeout_seconds": -1}]


@pytest.mark.parametrize("arguments", WRONG)
async def test_wrong_arguments_are_an_error_of_the_call(sqlite_erp: Path, arguments: dict[str, Any]) -> None:
    async with Client(create_server(Database(f"sqlite:///{sqlite_erp}"))) as client:
        result = await client.call_tool("execute_sql_query", arguments)
        assert result.is_error


# ── the other tools ──────────────────────────────────────────────────────────────────────────────────────────────────


async def test_the_schema_comes_with_keys_and_comments(url: str) -> None:
    async with Client(create_server(Database(url))) as client:
        listed = (await call(client, "describe_schema"))["tables"]
        described = await call(client, "describe_schema", table_names=["order_lines", "arbook", "arbok"])
    assert {"arbook", "sales_orders", "mastercustomer"} <= {table["table_name"] for table in listed}
    assert all("columns" not in table and table["comment"] for table in listed if table["table_name"] != "every_type")
    table, receivables = described["tables"]
    assert [column["name"] for column in table["columns"]][:2] == ["line_id", "order_id"]
    assert all(column["comment"] for column in receivables["columns"])
    assert table["primary_key"] == ["line_id"]
    assert {"columns": ["order_id"], "table": "sales_orders", "referred_columns": ["order_id"]} in table["references"]
    assert "arbook" in described["unknown_tables"][0]


async def test_a_query_can_be_explained_but_only_a_select(url: str) -> None:
    async with Client(create_server(Database(url))) as client:
        plan = await call(client, "explain_query", sql_query="SELECT * FROM arbook WHERE DocNo = 'INV-001'")
        refused = await call(client, "explain_query", sql_query="DELETE FROM arbook")
    assert plan["status"] == "success"
    assert "arbook" in json.dumps(plan["results"])
    assert refused["status"] == "error"


async def test_some_rows_of_a_table_can_be_looked_at(url: str) -> None:
    async with Client(create_server(Database(url))) as client:
        rows = await call(client, "sample_rows", table_name="mastercustomer", limit=3)
        assert rows["row_count"] == 3
        wrong = await client.call_tool("sample_rows", {"table_name": "mastercustomr` UNION SELECT 1 -- "})
        assert wrong.is_error
