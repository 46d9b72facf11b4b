"""Calls that are late, cancelled or wrong, and databases that are away, over the wire."""

from __future__ import annotations

import asyncio
import json

import pytest
from mcp import Client

from servers.common.database import Database
from servers.mysql.server import create_server
from tests.mariadb import PASSWORD, MariaDB
from tests.servers.mysql.test_server import execute, process, url
from tests.servers.process import refused

__all__ = ["url"]

ENDLESS = "SELECT COUNT(*) FROM sales_orders a, sales_orders b, sales_orders c, sales_orders d"


# ── trouble ──────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_late_statement_is_an_error_and_the_next_one_runs(url: str) -> None:
    async with Client(create_server(Database(url))) as client:
        late, good = await execute(client, ENDLESS, "SELECT 1 AS a", timeout_seconds=2)
    assert late["status"] == "error"
    assert "stopped after 2 seconds" in late["error_message"]
    assert good["results"] == [{"a": 1}]


async def test_cancelling_the_call_kills_the_query_on_the_server(maria: MariaDB) -> None:
    async def running(expected: int) -> None:
        async with asyncio.timeout(300):
            while True:
                if await asyncio.to_thread(maria.running, "sales_orders d") == expected:
                    return
                await asyncio.sleep(0.01)  # a poll: the server announces nothing

    async with process(DATABASE_URL=maria.url("reader")) as client:
        task = asyncio.create_task(execute(client, ENDLESS, ENDLESS))
        await running(1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await running(0)
        [answer] = await execute(client, "SELECT 1 AS a")
    assert answer["results"] == [{"a": 1}]


async def test_a_database_that_is_down_is_told_by_each_call_and_the_server_lives(unused_tcp_port: int) -> None:
    secret = f"mysql://reader:{PASSWORD}@127.0.0.1:{unused_tcp_port}/erp"
    async with process(DATABASE_URL=secret) as client:
        assert len((await client.list_tools()).tools) == 4
        answers = await execute(client, "SELECT 1", "DROP TABLE t", "SELECT 2")
        described = await client.call_tool("describe_schema", {})
        sampled = await client.call_tool("sample_rows", {"table_name": "arbook"})
    assert [answer["status"] for answer in answers] == ["error"] * 3
    assert "can't be reached: Connection refused" in answers[0]["error_message"]
    assert all(answer["cause"] == "unavailable" for answer in answers)
    assert described.is_error
    assert sampled.is_error
    said = json.dumps(answers) + str(described) + str(sampled)
    assert PASSWORD not in said
    assert str(unused_tcp_port) not in said


def test_an_address_that_cannot_be_used_ends_the_start_with_a_reason() -> None:
    said = refused("mysql", DATABASE_URL="oracle://u:rahasia@h/d")
    assert "DATABASE_URL" in said and "rahasia" not in said
