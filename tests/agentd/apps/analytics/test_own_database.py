"""An office's own database: `[books]` alone makes every server read it, and nothing of the sample is left."""

from __future__ import annotations

import json
import os
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from agentd import config
from agentd.agent.toolset import assemble
from agentd.apps.analytics.nodes.node_context import Ports
from agentd.apps.analytics.planner.conversion import read_plan
from agentd.apps.analytics.planner.examples import ExampleLibrary
from agentd.apps.analytics.planner.own_examples import examples_of
from agentd.apps.analytics.run import AnalyticsRun
from agentd.apps.analytics.schema import Schema
from agentd.apps.analytics.section import BooksSettings
from agentd.clock import clock_of
from agentd.errors import ConfigError
from agentd.messages import Caller
from agentd.plugins import TOOL_HOSTS, plugin
from agentd.runs.execution import RunContext
from agentd.runs.records import RunBrief, RunRecord
from agentd.testing import MemoryJournal, ScriptedModel
from lab.eval.books import build, load
from tests import warm
from tests.agentd.apps.analytics.office import Counting, Office, plan, unsure
from tests.agentd.apps.analytics.scripts import CONFIG, SALES, table
from tests.mariadb import mariadb
from tests.postgresql import postgresql

UNDERSTOOD = {
    "intent": "sales_analysis",
    "entities_mentioned": ["invoice", "customer"],
    "requested_metrics": ["total"],
    "query_complexity": "simple",
}
BEST = (
    "RANKING",
    "SELECT Customer.LastName AS NAME, SUM(Invoice.Total) AS TOTAL FROM Invoice JOIN Customer "
    "ON Invoice.CustomerId = Customer.CustomerId GROUP BY Customer.LastName ORDER BY TOTAL DESC LIMIT 1",
)

FILLED = (
    "SELECT BillingCountry AS C, COUNT(BillingState) AS N FROM Invoice GROUP BY BillingCountry ORDER BY N DESC LIMIT 2"
)
"""Of the invoices of all countries some have no state."""
TODAY = "2022-03-01T02:00:00+00:00"


def loaded(folder: Path, books: str, python: str = "python3", **environ: str) -> Any:
    """The settings of an office with these `[books]`, whose servers that Python runs."""
    file = folder / "client.toml"
    servers = CONFIG.replace('command = "python3"', f'command = "{python}"')
    file.write_text(f"{servers}\n[books]\n{books}\n")
    return config.load(file, state=str(folder / "state"), environ={**os.environ, **environ})


# ── the configuration ────────────────────────────────────────────────────────────────────────────────────────────────


def test_one_table_of_the_configuration_is_for_all_servers_of_the_books(tmp_path: Path) -> None:
    settings = loaded(
        tmp_path,
        'url = "mysql+aiomysql://db:3306/erp"\naccount = "reader"\ntables = ["a", "b"]\n',
        reader="staff:s3:c/r@t%",
    )
    servers = {server.name: server for server in settings.servers}
    for name in ("mysql_mcp_server", "sim_testgeluran_server", "graphiti_server"):
        assert servers[name].credentials["database_url"] == b"mysql+aiomysql://staff:s3%3Ac%2Fr%40t%25@db:3306/erp"
        assert servers[name].env["BOOKS_TABLES"] == "a,b"
        assert servers[name].env["BOOKS_FILE"] == str(tmp_path / "books.toml")
    assert not servers["placeholder_mcp_server"].credentials
    assert "reader" in settings.credential_names


def test_an_account_that_is_missing_keeps_the_servers_from_starting(tmp_path: Path) -> None:
    settings = loaded(tmp_path, 'url = "mysql+aiomysql://db/erp"\naccount = "nobody_gave_it"')
    blocked = {server.name: server.blocked for server in settings.servers}
    assert "nobody_gave_it" in str(blocked["graphiti_server"])
    assert blocked["placeholder_mcp_server"] is None


@pytest.mark.parametrize(
    ("books", "said"),
    [
        ('account = "reader"', "`account` without `url`"),
        ('url = "sqlite+aiosqlite:///x.db"\ncurency = "USD"', "`currency`"),
        ('url = "sqlite+aiosqlite:///x.db"\ncurrency = "dollars"', "currency"),
    ],
)
def test_a_wrong_table_of_the_books_is_told(tmp_path: Path, books: str, said: str) -> None:
    with pytest.raises(ConfigError) as told:
        loaded(tmp_path, books)
    assert said in str(told.value)


@pytest.mark.parametrize(
    ("books", "sample"), [('currency = "EUR"', True), ("", True), ('url = "sqlite+aiosqlite:///x.db"', False)]
)
def test_books_without_an_address_are_said_to_be_the_sample(tmp_path: Path, books: str, sample: bool) -> None:
    warnings = [str(each) for each in loaded(tmp_path, books).warnings]
    assert any("made-up sample company" in each for each in warnings) is sample


def test_a_server_s_own_address_is_no_sample(tmp_path: Path) -> None:
    own = CONFIG.replace('"servers.mysql"]', '"servers.mysql"]\nenv = { DATABASE_URL = "sqlite+aiosqlite:///x.db" }')
    file = tmp_path / "client.toml"
    file.write_text(own + '\n[books]\ncurrency = "EUR"\n')
    assert not any("sample" in str(each) for each in config.load(file, state=str(tmp_path)).warnings)


def test_two_databases_for_one_server_are_refused(tmp_path: Path) -> None:
    own = CONFIG.replace('"servers.mysql"]', '"servers.mysql"]\ncredentials = ["database_url"]')
    file = tmp_path / "client.toml"
    file.write_text(own + '\n[books]\nurl = "sqlite+aiosqlite:///x.db"\n')
    with pytest.raises(ConfigError, match="a database of its own beside"):
        config.load(file, state=str(tmp_path))


# ── the examples shown ───────────────────────────────────────────────────────────────────────────────────────────────

TABLES = [
    table("Order Details", "OrderID identifier, UnitPrice financial_amount"),
    table("Orders", "OrderID identifier, OrderDate temporal, Freight financial_amount, ShipName descriptive"),
]
JOINS = [{"from_table": "Order Details", "from_column": "OrderID", "to_table": "Orders", "to_column": "OrderID"}]


@pytest.mark.parametrize("style", ["sql", "operations"])
def test_examples_for_an_own_database_name_its_tables(style: Any) -> None:
    shown = examples_of(Schema.read(TABLES, JOINS), style, 3)
    assert len(shown) == 3
    dates = {"START_DATE": "2022-03-01", "END_DATE": "2022-03-31"}
    for example in shown:
        made = read_plan(example.plan, style, dates, [example.question], Schema.read(TABLES))
        assert (made.fatal, made.doubts) == ([], []), example
        assert "`Order Details`" in str(example.plan) or "Order" in str(example.plan)
    assert ExampleLibrary(shipped=False).nearest("penjualan", style, 3) == []
    # By the key, so that things of one name stay apart.
    assert re.search(r"GROUP BY Orders\.OrderID|'group_by': \['Orders\.OrderID'\]", str(shown[0].plan))


@pytest.mark.parametrize("dialect", ["sqlite", "mysql", "postgres"])
@pytest.mark.parametrize(
    ("asked", "first", "query"),
    [
        ("Which month sold most?", "5 orders with the largest unit price", "LIMIT 5"),
        ("Freight per month in 2022", "freight of orders per month 2022", "GROUP BY"),
        ("Ongkos kirim per bulan", "freight orders per bulan 2022", "GROUP BY"),
        ("Berapa order tanpa rincian?", "Berapa orders tanpa order details?", "LEFT JOIN `Order Details`"),
        ("How many orders have no lines?", "How many orders have no order details?", "IS NULL"),
    ],
)
def test_the_first_example_is_of_the_kind_and_in_the_language_that_is_asked(
    asked: str, first: str, query: str, dialect: str
) -> None:
    example = examples_of(Schema.read(TABLES, JOINS, dialect), "sql", 3, asked)[0]
    assert example.question == first
    assert query in str(example.plan)
    dates = {"START_DATE": "2022-01-01", "END_DATE": "2022-12-31"}
    made = read_plan(example.plan, "sql", dates, [example.question], Schema.read(TABLES, dialect=dialect))
    assert (made.fatal, made.doubts) == ([], [])


def test_an_example_multiplies_what_a_piece_is_worth_by_the_pieces() -> None:
    """A planner that is shown SUM(UnitPrice) sums prices."""
    details, *others = TABLES
    pieces = {**details, "columns": [*details["columns"], {"name": "Quantity", "classification": "quantitative"}]}
    example = examples_of(Schema.read([pieces, *others], JOINS, "sqlite"), "sql", 1, "Penjualan per order")[0]
    assert "SUM(`Order Details`.UnitPrice * `Order Details`.Quantity)" in str(example.plan)
    assert example.question == "5 orders dengan nilai order details terbesar"


async def test_the_planner_of_an_own_database_sees_no_table_of_the_sample(erp: Path) -> None:
    schema = {"relevant_tables": TABLES, "table_relationships": JOINS, "financial_columns": {"Orders": ["Freight"]}}
    office = Office(erp, SALES, plan(("N", "SELECT 1 AS n"), template="{N}"), get_relevant_schema_info=lambda _: schema)
    office.examples = ExampleLibrary(shipped=False)
    await office.ask("Berapa ongkos kirim?")
    words = "".join(message.content for message in office.model.requests[1].messages)
    assert "`Order Details`" in words
    for name in ("arbook", "DocValueLocal", "salesinvoiceh", "mastercustomer"):
        assert name not in words


# ── the real servers ─────────────────────────────────────────────────────────────────────────────────────────────────


@asynccontextmanager
async def asking(folder: Path, *turns: Any, url: str = "", books: str = "", style: str = "sql") -> AsyncIterator[Any]:
    """A function that asks Chinook through the real servers; `url` where it is no SQLite file."""
    url = url or f"sqlite+aiosqlite:///{build('chinook', folder / 'chinook.db')}"
    settings = loaded(folder, f'url = "${{shop}}"\ncurrency = "USD"\n{books}', warm.python(), shop=url)
    settings.state.mkdir(parents=True, exist_ok=True)
    async with plugin(TOOL_HOSTS, "mcp")(settings.servers) as host:
        await host.ready()
        model = Counting(ScriptedModel.of(*turns))

        async def ask(question: str) -> dict[str, Any]:
            run = AnalyticsRun(
                Ports(
                    model,
                    lambda: host,
                    lambda _: assemble(host.catalogue(), None),
                    clock_of("2022-03-01T02:00:00+00:00"),
                ),
                examples=ExampleLibrary(shipped=False),
                currency=settings.section(BooksSettings).currency,
            )
            caller = Caller(id="t", scopes=frozenset({"admin"}))
            brief = RunBrief({"plan_style": style}, caller)
            row = RunRecord("r", "s", caller.id, "analytics", question, brief, "running", "2022-03-01")
            result = await run.execute(RunContext(row, MemoryJournal(), lambda *_: None))
            assert result.error is None
            return result.outcome

        yield ask, model


@pytest.fixture(scope="module", params=["sqlite", "postgresql", "mariadb"])
def chinook(request: pytest.FixtureRequest) -> Iterator[str]:
    """Its address on a real server; "" for a SQLite file."""
    if request.param == "sqlite":
        yield ""
    elif request.param == "postgresql":
        with postgresql() as url:
            load("chinook", url.replace("postgresql://", "postgresql+psycopg://"))
            yield url
    else:
        with mariadb("chinook") as server:
            load("chinook", server.url(driver="mysql+pymysql"))
            yield server.url("reader")


async def test_chinook_is_asked_with_one_line_of_configuration(tmp_path: Path, chinook: str) -> None:
    """Its tables, joins and currency; nothing says that it is a sample. Names may be written as on any database."""
    made = plan(BEST, template="Pelanggan dengan pembelian terbesar: {NAME}, {TOTAL}.")
    async with asking(tmp_path, UNDERSTOOD, made, url=chinook) as (ask, model):
        answer = await ask("Siapa customer dengan total invoice terbesar?")
    assert answer["error"] is None
    tied = "Ada baris lain yang nilainya sama dengan yang terakhir ditampilkan."
    said, headed = answer["final_narrative"].split("\n\n", 1)
    assert said.startswith(f"Jawaban ini belum pasti: {tied}")
    assert "lastname" in said.casefold()  # several people have one last name
    assert headed.startswith("Siapa customer dengan total invoice terbesar: ")
    assert "USD " in answer["final_narrative"]
    assert "Rp" not in answer["final_narrative"]
    assert "Contoh" not in json.dumps(answer)
    request = model.requests[1].messages[-1].content
    assert "Invoice.CustomerId = Customer.CustomerId" in request
    assert "InvoiceId key" in request


async def test_what_a_count_leaves_out_is_said_on_any_database(tmp_path: Path, chinook: str) -> None:
    made = plan(("RANKING", FILLED), template="{RANKING}")
    async with asking(tmp_path, UNDERSTOOD, made, made, made, url=chinook) as (ask, _):
        answer = await ask("2 negara dengan invoice terbanyak?")
    left_out = "17 baris tidak berisi BillingState dan tidak ikut dihitung."
    assert left_out in answer["warnings_for_display"]
    assert answer["final_narrative"] == unsure(left_out, "\n- USA: 7\n- Canada: 3")
    assert [[name.upper() for name in row] for row in answer["data_table_for_display"]] == [["C", "N"]] * 2


async def test_a_table_that_is_not_listed_is_neither_shown_nor_read(tmp_path: Path) -> None:
    made = plan(("N", "SELECT COUNT(*) AS n FROM Employee"), template="{N}")
    async with asking(tmp_path, UNDERSTOOD, made, books='tables = ["Invoice", "Customer"]') as (ask, model):
        answer = await ask("Berapa employee?")
    assert answer["error"]["error_source_node"] == "execute_query"
    assert "not among the tables" in answer["error"]["technical_details_for_log"]
    assert "Employee(" not in model.requests[1].messages[-1].content
