"""What is wrong with an operation is named with what would be right."""

from __future__ import annotations

from typing import Any

import pytest

from servers.common.database import Database
from servers.sim_testgeluran.executor import Executor
from tests.servers.sim_testgeluran.test_operations import COUNT, error, join, operation, ordered, where

CUSTOMER = join("mastercustomer", "arbook.CustomerCode", "mastercustomer.Code")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (operation("arbok", "DocNo"), "Unknown table 'arbok'; did you mean 'arbook'?"),
        (
            operation("arbook", "arbook.PaymentValueLocl"),
            "Unknown column 'arbook.PaymentValueLocl' in 'field list'; did you mean 'arbook.PaymentValueLocal'?",
        ),
        (
            operation("arbook", "mastercustomer.Name"),
            "Unknown column 'mastercustomer.Name' in 'field list': 'mastercustomer' is not joined; add it to joins",
        ),
        (operation("arbook", "Currency", joins=[CUSTOMER]), "Column 'Currency' in 'field list' is ambiguous; write "),
        (operation("arbook", "TotalNetto"), "in 'field list'; purchaseinvoiceh, purchaseorderh, salesinvoiceh has"),
        (operation("arbook", ("DocNo", "a"), ("TOP", "a")), "Two columns are called 'a'; give one another alias"),
        (
            operation("arbook", "DocNo", order_by_clauses=ordered("Outstanding")),
            "Unknown column 'Outstanding' in 'order",
        ),
        (operation("arbook", ("DueDate - DocDate", "x")), "for the days between two use DATEDIFF(later, earlier)"),
        (operation("arbook", ("SLEEP(5)", "x")), "Unknown function 'SLEEP'"),
        (operation("arbook", ("(SELECT 1)", "x")), "unexpected '1' at position 9"),
        (operation("arbook", ("DocNo; DROP TABLE arbook", "x")), "unexpected ';' at position 6"),
        (operation("arbook", ("ABS(1, 2)", "x")), "ABS takes 1 arguments, not 2"),
        (operation("arbook", ("SUM(SUM(TOP))", "x")), "SUM holds another aggregate"),
        (
            operation("arbook", ("SUM(TOP) + TOP", "x")),
            "'x' uses arbook.TOP, which is neither aggregated nor in group_by",
        ),
        (operation("arbook", COUNT, filters=where(("count", ">", 1))), "it belongs into having, not into filters"),
        (operation("arbook", "DocNo", filters=where(("TOP", "BETWEEN", [1]))), "BETWEEN takes two values ('TOP')"),
        (operation("arbook", "DocNo", filters=where(("TOP", "IN", 1))), "IN takes a list ('TOP')"),
        (operation("arbook", "DocNo", filters=where(("TOP", "IS NULL", 1))), "IS NULL takes no value ('TOP')"),
        (operation("arbook", "DocNo", filters=where(("TOP", ">", None))), "'>' needs a value ('TOP')"),
        (operation("arbook", "DocNo", filters=where(("TOP", ">", [1]))), "'>' takes one value, not a list ('TOP')"),
        (
            operation("arbook", "DocNo", filters=where(("DueDate", "<", "kemarin"))),
            "'kemarin' is no date for 'DueDate'; write it as 2023-01-31",
        ),
        (
            operation("arbook", "DocNo", filters=where(("TOP", ">", "banyak"))),
            "'banyak' is no number to compare with 'TOP'",
        ),
        (operation("arbook", "DocNo", filters=where(("TOP", ">", "nan"))), "'nan' is no number to compare with"),
        (operation("arbook", "*"), "'*' can only be counted; name the columns"),
        (
            operation("arbook", "DocNo", joins=[{"target_table": "mastercustomer", "on_conditions": []}]),
            "has no on_conditions; the schema has arbook.CustomerCode = mastercustomer.Code",
        ),
        (
            operation("arbook", "DocNo", joins=[join("mastercustomer", "arbook.DocNo", "arbook.CustomerCode")]),
            "which doesn't tie 'mastercustomer' to another table; the schema has arbook.CustomerCode",
        ),
        (operation("arbook", "DocNo", joins=[CUSTOMER, CUSTOMER]), "Table 'mastercustomer' is joined twice"),
        (operation("arbook", "DocNo", colour="red"), "Invalid operation: colour: Extra inputs are not permitted"),
        (operation("arbook", "DocNo", filters=where(("TOP", "~", 1))), "filters.conditions.0.operator"),
    ],
)
async def test_a_fault_is_named_with_what_would_be_right(sqlite_url: str, asked: dict[str, Any], said: str) -> None:
    assert said in await error(Executor(Database(sqlite_url)), asked)
