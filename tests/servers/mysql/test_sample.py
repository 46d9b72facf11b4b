"""The sample company: read only where nothing is configured, and then every answer says so (issue 15, row 6)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from servers.common.database import ConfigurationError, Database
from servers.common.database_address import SAMPLE
from servers.mysql.server import create_server
from servers.sim_testgeluran.executor import Executor

ONE = "SELECT COUNT(*) AS n FROM sales_orders"


@asynccontextmanager
async def client(**environ: str) -> AsyncIterator[Client]:
    async with Client(create_server(Database.from_environment(environ))) as opened:
        yield opened


async def call(opened: Client, tool: str, **arguments: Any) -> Any:
    return (await opened.call_tool(tool, arguments)).structured_content


async def test_every_answer_from_the_sample_company_says_that_it_is_one(tmp_path: Path) -> None:
    async with client(AGENTD_STATE=str(tmp_path)) as opened:
        batch = await call(opened, "execute_sql_query", sql_queries=[ONE, "SELECT * FROM sales_orders"], max_rows=1)
        others = [
            await call(opened, "describe_schema"),
            await call(opened, "sample_rows", table_name="sales_orders"),
            await call(opened, "explain_query", sql_query=ONE),
        ]
    whole, cut = batch["batch_results"]
    assert {whole["notice"], *(answer["notice"] for answer in others)} == {SAMPLE}
    assert cut["truncated"] and cut["notice"].startswith(f"{SAMPLE} Only the first 1 rows")
    assert SAMPLE.startswith("Contoh: ")
    operation = {
        "operation_id": "n",
        "purpose": "count",
        "main_table": "sales_orders",
        "select_columns": [{"field_name": "sales_orders.order_id", "aggregation": "COUNT", "alias": "N"}],
        "result_key": "N",
        "expected_result_format": "single_value",
    }
    plan = await Executor(Database.from_environment({"AGENTD_STATE": str(tmp_path)})).run([operation])
    assert plan["results"]["n"].get("notice") == SAMPLE, plan


async def test_a_configured_database_that_is_away_is_an_error_and_no_sample(tmp_path: Path) -> None:
    (tmp_path / "database_url").write_text("mysql://reader:secret@127.0.0.1:9/erp\n")
    for environ in ({"CREDENTIALS_DIRECTORY": str(tmp_path)}, {"DATABASE_URL": f"sqlite:///{tmp_path}/away.db"}):
        async with client(AGENTD_STATE=str(tmp_path / "state"), **environ) as opened:
            [result] = (await call(opened, "execute_sql_query", sql_queries=[ONE]))["batch_results"]
        assert result["status"] == "error"
        assert "can't be reached" in result["error_message"]
        assert not (tmp_path / "state").exists()


@pytest.mark.parametrize("given", ["DATABASE_URL", "CREDENTIALS_DIRECTORY"])
def test_an_address_that_is_set_but_empty_is_refused(tmp_path: Path, given: str) -> None:
    (tmp_path / "database_url").write_text("\n")
    environ = {"AGENTD_STATE": str(tmp_path), given: "" if given == "DATABASE_URL" else str(tmp_path)}
    with pytest.raises(ConfigurationError, match="set, but empty"):
        Database.from_environment(environ)
