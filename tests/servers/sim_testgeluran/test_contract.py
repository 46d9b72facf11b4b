"""The server as a client sees it, over real stdio: the examples of seed 001 §3.2, on SQLite and MariaDB."""

from __future__ import annotations

import copy
import json
import socket
import subprocess
from pathlib import Path
from typing import Any

from mcp import Client

from servers.common.database_address import SAMPLE
from tests import warm
from tests.servers.process import refused, served
from tests.servers.sim_testgeluran.seed import DETAILS, DETAILS_ANSWER, SUMMARY, SUMMARY_ANSWER


def server(**env: str) -> Client:
    return served("sim_testgeluran", **env)


async def execute(client: Client, *operations: dict[str, Any]) -> Any:
    result = await client.call_tool("execute_operation_plan", {"operations": list(operations)})
    assert not result.is_error
    assert json.loads(result.content[0].text) == result.structured_content  # type: ignore[union-attr]
    return result.structured_content


async def test_the_seeds_plan_gives_the_seeds_answer(url: str) -> None:
    """seed 001 §3.2, success"""
    async with server(DATABASE_URL=url) as client:
        assert await execute(client, SUMMARY, DETAILS) == {
            "success": True,
            "results": {"get_summary_stats": SUMMARY_ANSWER, "get_raw_outstanding_details": DETAILS_ANSWER},
        }


async def test_one_faulty_operation_leaves_the_others_their_rows(sqlite_url: str) -> None:
    """seed 001 §3.2, partial failure"""
    faulty = copy.deepcopy(SUMMARY)
    faulty["select_columns"][1]["field_name"] = "(arbook.DocValueLocal - arbook.PaidValueLocal)"
    async with server(DATABASE_URL=sqlite_url) as client:
        assert await execute(client, faulty, DETAILS) == {
            "success": True,
            "results": {
                "get_summary_stats": {
                    "status": "error",
                    "error": "ORM Execution Failed: Unknown column 'arbook.PaidValueLocal' in 'field list'; "
                    "did you mean 'arbook.DocValueLocal'?",
                },
                "get_raw_outstanding_details": DETAILS_ANSWER,
            },
        }


async def test_a_database_that_refuses_fails_the_whole_call() -> None:
    """seed 001 §3.2, total failure"""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: connections are refused
        url = f"mysql+aiomysql://reader:rahasia@127.0.0.1:{taken.getsockname()[1]}/erp"
        async with server(DATABASE_URL=url) as client:
            assert await execute(client, SUMMARY, DETAILS) == {
                "success": False,
                "error": "Gagal terhubung ke database MySQL: Connection refused.",
            }


async def test_a_refused_login_fails_the_whole_call_and_names_no_account(mariadb_url: str) -> None:
    async with server(DATABASE_URL=mariadb_url.replace("reader:", "reader:not-")) as client:
        assert await execute(client, SUMMARY) == {
            "success": False,
            "error": "Gagal terhubung ke database MySQL: access denied (wrong user or password).",
        }


async def test_the_tool_says_what_it_takes_and_that_it_only_reads(tmp_path: Path) -> None:
    async with server(AGENTD_STATE=str(tmp_path)) as client:
        assert client.server_info is not None
        assert client.server_info.name == "sim_testgeluran_server"
        assert "never write SQL" in (client.instructions or "")
        (tool,) = (await client.list_tools()).tools
        assert tool.name == "execute_operation_plan"
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint
        operation = tool.input_schema["properties"]["operations"]["items"]
        assert set(operation["required"]) == {"operation_id", "main_table", "select_columns"}
        assert tool.output_schema is not None
        sample = {**SUMMARY_ANSWER, "notice": SAMPLE}
        assert await execute(client, SUMMARY) == {"success": True, "results": {"get_summary_stats": sample}}


async def test_an_operation_of_the_wrong_shape_is_that_operations_error(sqlite_url: str) -> None:
    async with server(DATABASE_URL=sqlite_url) as client:
        answer = await execute(client, {"operation_id": "bad", "main_table": "arbook"}, DETAILS, DETAILS)
    assert answer["results"]["bad"] == {
        "status": "error",
        "error": "ORM Execution Failed: Invalid operation: select_columns: Field required",
    }
    assert answer["results"]["get_raw_outstanding_details"] == DETAILS_ANSWER
    repeated = answer["results"]["get_raw_outstanding_details (3)"]
    assert "operation_id is used by an earlier operation" in repeated["error"]


def test_export_schema_writes_every_table_with_keys_and_comments(url: str) -> None:
    ran = subprocess.run(
        [warm.python(), "-m", "servers.sim_testgeluran", "export-schema"],
        env={"DATABASE_URL": url, "PATH": ""},
        capture_output=True,
        timeout=300,
        check=True,
    )
    document = json.loads(ran.stdout)
    assert document["database"] == "erp"
    assert document["dialect"] in ("sqlite", "mysql")
    tables = {table["name"]: table for table in document["tables"]}
    assert len(tables) == 46
    assert tables["arbook"]["comment"] == "Buku piutang usaha per dokumen pelanggan (accounts receivable)."
    assert tables["arbook"]["primary_key"] == ["Periode", "CustomerCode", "TransType", "DocNo"]
    assert {"columns": ["CustomerCode"], "referred_table": "mastercustomer", "referred_columns": ["Code"]} in tables[
        "arbook"
    ]["foreign_keys"]
    columns = {column["name"]: column for column in tables["sales_orders"]["columns"]}
    assert columns["total_amount"] == {
        "name": "total_amount",
        "type": "DECIMAL(18, 2)",
        "nullable": True,
        "comment": "Total nilai order",
        "primary_key": False,
    }
    assert columns["order_id"]["primary_key"] is True


def test_a_wrong_address_ends_the_server_with_the_reason_and_no_password() -> None:
    said = refused("sim_testgeluran", DATABASE_URL="oracle://scott:rahasia@host/erp")
    assert "DATABASE_URL names a driver" in said and "rahasia" not in said
