"""The payloads of seed 001 §3.2, verbatim."""

from __future__ import annotations

from typing import Any

SUMMARY: dict[str, Any] = {
    "operation_id": "get_summary_stats",
    "purpose": "Menghitung ringkasan data piutang customer",
    "main_table": "arbook",
    "select_columns": [
        {"field_name": "arbook.CustomerCode", "aggregation": "COUNT_DISTINCT", "alias": "TOTAL_CUSTOMERS_OUTSTANDING"},
        {
            "field_name": "(arbook.DocValueLocal - arbook.PaymentValueLocal)",
            "aggregation": "SUM",
            "alias": "TOTAL_OUTSTANDING_AMOUNT",
            "is_expression": True,
        },
    ],
    "filters": {
        "logical_operator": "AND",
        "conditions": [
            {
                "field_or_expression": "(arbook.DocValueLocal - arbook.PaymentValueLocal)",
                "operator": ">",
                "value": 0,
                "is_expression": True,
            }
        ],
    },
    "result_key": "SUMMARY_STATS",
    "expected_result_format": "single_value",
}

DETAILS: dict[str, Any] = {
    "operation_id": "get_raw_outstanding_details",
    "purpose": "Mengambil daftar detail piutang customer",
    "main_table": "arbook",
    "select_columns": [
        {"field_name": "mastercustomer.Name", "alias": "Customer Name"},
        {"field_name": "arbook.DocNo", "alias": "Invoice Number"},
        {
            "field_name": "(arbook.DocValueLocal - arbook.PaymentValueLocal)",
            "alias": "Outstanding",
            "is_expression": True,
        },
    ],
    "joins": [
        {
            "target_table": "mastercustomer",
            "type": "INNER",
            "on_conditions": [{"left_table_field": "arbook.CustomerCode", "right_table_field": "mastercustomer.Code"}],
        }
    ],
    "filters": {
        "logical_operator": "AND",
        "conditions": [
            {
                "field_or_expression": "(arbook.DocValueLocal - arbook.PaymentValueLocal)",
                "operator": ">",
                "value": 0,
                "is_expression": True,
            }
        ],
    },
    "order_by_clauses": [{"field_or_expression": "Outstanding", "direction": "DESC"}],
    "limit": 50,
    "result_key": "RAW_DATA_TABLE",
    "expected_result_format": "list_of_dicts",
}

SUMMARY_ANSWER = {
    "status": "success",
    "data": [{"TOTAL_CUSTOMERS_OUTSTANDING": 3, "TOTAL_OUTSTANDING_AMOUNT": 29500000.00}],
}

DETAILS_ANSWER = {
    "status": "success",
    "data": [
        {"Customer Name": "PT ABC Corp", "Invoice Number": "INV-001", "Outstanding": 15000000.00},
        {"Customer Name": "CV XYZ", "Invoice Number": "INV-002", "Outstanding": 8500000.00},
        {"Customer Name": "PT DEF Industries", "Invoice Number": "INV-003", "Outstanding": 6000000.00},
    ],
}
