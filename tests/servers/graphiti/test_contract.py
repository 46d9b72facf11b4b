"""The examples of seed 000 §2.4 and seed 001 §2.2 to §2.4, over real stdio."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.servers.graphiti.conftest import connect

DATA = [
    {"customer_name": "PT ABC Corp", "outstanding_amount": 15000000},
    {"customer_name": "CV XYZ", "outstanding_amount": 8500000},
]
METADATA = {
    "data_description": "Daftar customer belum lunas",
    "source_operation_id": "get_raw_outstanding_details",
    "column_schema": [{"name": "customer_name", "type": "string"}, {"name": "outstanding_amount", "type": "decimal"}],
}
ORDER_LINES = {
    "from_table": "order_lines",
    "from_column": "order_id",
    "to_table": "sales_orders",
    "to_column": "order_id",
    "relationship_type": "FOREIGN_KEY",
}


async def test_schema_info_is_the_seeds_answer(state: Path) -> None:
    """seed 000 §2.4, whole"""
    async with connect(state) as server:
        answer = await server.call(
            "get_relevant_schema_info", intent="sales_analysis", entities=["sales", "Januari 2023", "total_amount"]
        )
    assert answer == {
        "relevant_tables": [
            {
                "table_name": "sales_orders",
                "purpose": "Mencatat semua transaksi penjualan.",
                "columns": [
                    {
                        "name": "order_id",
                        "type": "VARCHAR",
                        "description": "ID unik order",
                        "classification": "identifier",
                        "is_aggregatable": False,
                    },
                    {
                        "name": "order_date",
                        "type": "DATE",
                        "description": "Tanggal order dibuat",
                        "classification": "temporal",
                        "is_aggregatable": False,
                    },
                    {
                        "name": "customer_id",
                        "type": "VARCHAR",
                        "description": "ID pelanggan",
                        "classification": "identifier",
                        "is_aggregatable": False,
                    },
                    {
                        "name": "total_amount",
                        "type": "DECIMAL",
                        "description": "Total nilai order",
                        "classification": "financial_amount",
                        "is_aggregatable": True,
                    },
                ],
            },
            {
                "table_name": "order_lines",
                "purpose": "Detail item per transaksi penjualan.",
                "columns": [
                    {"name": "line_id", "type": "VARCHAR", "classification": "identifier"},
                    {"name": "order_id", "type": "VARCHAR", "classification": "identifier"},
                    {"name": "product_id", "type": "VARCHAR", "classification": "identifier"},
                    {"name": "quantity", "type": "INTEGER", "classification": "quantitative", "is_aggregatable": True},
                    {
                        "name": "unit_price",
                        "type": "DECIMAL",
                        "classification": "financial_amount",
                        "is_aggregatable": True,
                    },
                ],
            },
        ],
        "table_relationships": [ORDER_LINES],
        "financial_columns": {"sales_orders": ["total_amount"], "order_lines": ["quantity", "unit_price"]},
        "temporal_columns": {"sales_orders": ["order_date"]},
    }


async def test_schema_for_plans_holds_the_seeds_answer(state: Path) -> None:
    """seed 001 §2.2: the seed's table comes first, with the seed's columns among its keys"""
    async with connect(state) as server:
        answer = await server.call("get_relevant_schema", intent="EXECUTE_QUERY", entities=["sales", "monthly_data"])
    assert answer["success"] is True
    table = answer["relevant_tables"][0]
    assert {key: table[key] for key in ("table_name", "purpose", "business_category")} == {
        "table_name": "sales_orders",
        "purpose": "Mencatat semua transaksi penjualan.",
        "business_category": "financial_transaction",
    }
    columns = {column["name"]: column for column in table["columns"]}
    assert columns["order_date"] == {
        "name": "order_date",
        "type_from_db": "DATE",
        "classification": "temporal",
        "is_aggregatable": False,
    }
    assert columns["total_amount"] == {
        "name": "total_amount",
        "type_from_db": "DECIMAL(18, 2)",
        "classification": "financial_amount",
        "is_aggregatable": True,
    }
    assert ORDER_LINES in answer["table_relationships"]


async def test_what_is_nowhere_is_not_found(state: Path) -> None:
    """seed 001 §2.2, error; seed 003 §3.2: an empty answer, about which the caller warns"""
    async with connect(state) as server:
        assert await server.call("get_relevant_schema", intent="EXECUTE_QUERY", entities=["xyz"]) == {
            "success": False,
            "error": "Tidak dapat menemukan skema yang relevan untuk entitas 'xyz'.",
        }
        assert await server.call("get_relevant_schema_info", intent="sales_analysis", entities=["xyz", "2023"]) == {
            "relevant_tables": [],
            "table_relationships": [],
            "financial_columns": {},
            "temporal_columns": {},
        }


async def test_data_put_away_come_back_by_their_handle(state: Path) -> None:
    """seed 001 §2.3 and §2.4"""
    session = "user_123_session_002"
    async with connect(state, AGENTD_CLOCK="2024-10-27T17:00:10+07:00") as server:
        stored = await server.call("store_session_data", session_id=session, data_to_store=DATA, metadata=METADATA)
        handle_id = stored["data_handle"].pop("data_handle_id")
        assert re.fullmatch(r"ep-raw-[0-9a-f-]{36}", handle_id)
        assert stored == {
            "success": True,
            "data_handle": {
                "storage_location": "Graphiti",
                "group_id": session,
                "data_description": "Daftar customer belum lunas",
                "source_operation_id": "get_raw_outstanding_details",
                "row_count": 2,
                "column_schema": METADATA["column_schema"],
                "created_at": "2024-10-27T10:00:10Z",
            },
        }
    async with connect(state) as server:  # a restart loses nothing
        assert await server.call("retrieve_session_data", session_id=session, data_handle_id=handle_id) == {
            "success": True,
            "retrieved_data": DATA,
        }
        missing = {"success": False, "error": f"Data dengan handle_id '{handle_id}' tidak ditemukan untuk sesi ini."}
        asked = {"data_handle_id": handle_id}
        assert await server.call("retrieve_session_data", session_id="user_123_session_003", **asked) == missing
        assert await server.call("delete_session_data", session_id=session) == {"success": True, "deleted": 1}
        assert await server.call("retrieve_session_data", session_id=session, **asked) == missing
        assert await server.call("retrieve_session_data", session_id=session, data_handle_id="ep-raw-uuid-xyz-123") == {
            "success": False,
            "error": "Data dengan handle_id 'ep-raw-uuid-xyz-123' tidak ditemukan untuk sesi ini.",
        }


async def test_the_tools_say_what_they_do(state: Path) -> None:
    async with connect(state) as server:
        assert server.client.server_info is not None
        assert server.client.server_info.name == "graphiti_server"
        assert "get_relevant_schema" in (server.client.instructions or "")
        tools = {tool.name: tool for tool in (await server.client.list_tools()).tools}
    reads = {name: bool(tool.annotations and tool.annotations.read_only_hint) for name, tool in tools.items()}
    assert reads == {
        "get_relevant_schema_info": True,
        "get_relevant_schema": True,
        "store_session_data": False,
        "retrieve_session_data": True,
        "delete_session_data": False,
    }
    assert all(tool.output_schema for tool in tools.values())


@pytest.mark.cold
async def test_nothing_is_reported_home(state: Path, tmp_path: Path) -> None:
    """Before it reports anything, Graphiti leaves an identity of its own in the home folder."""
    async with connect(state, HOME=str(tmp_path)) as server:
        await server.call("get_relevant_schema", intent="x", entities=["piutang"])
    assert not any(tmp_path.iterdir())  # noqa: ASYNC240 - a test may look into a folder
