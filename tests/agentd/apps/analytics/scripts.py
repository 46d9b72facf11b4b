"""The scripted planner's turns for these tests, and the daemon's configuration. Not a test."""

from __future__ import annotations

import json
import re
from typing import Any

from agentd.apps.analytics.plan import Plan
from tests.daemon import HEAD, server_entry
from tests.servers.sim_testgeluran.seed import DETAILS, SUMMARY

KINDS = ("financial_amount", "quantitative", "temporal", "identifier", "descriptive", "flag")

SERVERS = {
    "mysql_mcp_server": "mysql",
    "sim_testgeluran_server": "sim_testgeluran",
    "graphiti_server": "graphiti",
    "placeholder_mcp_server": "placeholder",
}
CONFIG = HEAD + "\n".join(server_entry(name, "-m", f"servers.{module}") for name, module in SERVERS.items())

SALES = {
    "intent": "sales_analysis",
    "entities_mentioned": ["sales", "Januari 2023", "total_amount"],
    "requested_metrics": ["total_sales", "transaction_count"],
    "query_complexity": "simple",
}
JANUARY = "WHERE order_date >= '2023-01-01' AND order_date <= '2023-01-31'"
SALES_PLAN = {
    "sql_queries_plan": [
        {
            "purpose": "Total penjualan",
            "query": f"SELECT SUM(total_amount) AS total_sales FROM sales_orders {JANUARY};",
            "result_key": "TOTAL_SALES_VALUE",
        },
        {
            "purpose": "Jumlah transaksi",
            "query": f"SELECT COUNT(*) AS transaction_count FROM sales_orders {JANUARY};",
            "result_key": "TRANSACTION_COUNT_VALUE",
        },
    ],
    "response_template": "Laporan Penjualan {PERIOD_LABEL}:\n- Total Penjualan: {TOTAL_SALES_VALUE}\n"
    "- Jumlah Transaksi: {TRANSACTION_COUNT_VALUE} transaksi",
    "placeholder_mapping": {"TOTAL_SALES_VALUE": "currency_IDR", "TRANSACTION_COUNT_VALUE": "number_with_separator"},
    "raw_data_query_plan": None,
    "validation_rules_for_results": [{"rule": "TOTAL_SALES_VALUE >= 0"}],
}
SALES_NARRATIVE = (
    "Laporan Penjualan Januari 2023:\n- Total Penjualan: Rp 125.000.000,50\n- Jumlah Transaksi: 456 transaksi"
)

RECEIVABLES = {
    "intent": "receivables_report",
    "entities_mentioned": ["piutang", "customer"],
    "requested_metrics": ["outstanding_amount"],
    "query_complexity": "medium",
}
RECEIVABLES_PLAN: dict[str, Any] = {
    "operations": [SUMMARY, DETAILS],
    "response_template": "Piutang {TOTAL_OUTSTANDING_AMOUNT} dari {TOTAL_CUSTOMERS_OUTSTANDING} customer.",
    "placeholder_mapping": {"TOTAL_OUTSTANDING_AMOUNT": "currency_IDR"},
    "validation_rules_for_results": [],
}


def fenced(value: Any) -> str:
    """A turn with extra text and a code fence, as chatty models write it."""
    return json.dumps({"text": f"Berikut rencananya:\n```json\n{json.dumps(value)}\n```"})


def of(query: str, key: str = "RESULT") -> Plan:
    """A plan of one query, without a narrative."""
    return Plan([{"purpose": "", "query": query, "result_key": key}])


def table(name: str, columns: str, *, purpose: str = "", date: str = "") -> dict[str, Any]:
    """A table as the schema search gives it: `OrderID identifier key, Fax descriptive TEXT empty (nomor faks)`.

    After a column's name: its kind, type, `key`, `empty` (may be null) and description; a `flag` holds 0 or 1.
    """
    described = []
    for each in re.split(r", (?=\D)", columns) if columns else ():
        text, _, about = each.removesuffix(")").partition(" (") if " (" in each else (each, "", "")
        name_of, *words = text.split(" ")
        told = [word for word in words if word in KINDS]
        column = {"name": name_of, "is_primary_key": "key" in words, "is_nullable": "empty" in words}
        if type_ := " ".join(word for word in words if word not in (*KINDS, "key", "empty")):
            column["type"] = type_
        column |= {"classification": "descriptive" if told == ["flag"] else "".join(told), "description": about}
        described.append(column | {"sample_values": ["0", "1"] if told == ["flag"] else []})
    return {"table_name": name, "purpose": purpose, "date": date, "columns": described}
