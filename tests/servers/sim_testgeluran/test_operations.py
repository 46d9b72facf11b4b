"""What an operation may ask, and that SQLite and MariaDB answer it alike."""

from __future__ import annotations

from typing import Any

import pytest

from servers.common.database import Database, UnavailableError
from servers.sim_testgeluran.executor import MAX_ROWS, Executor


def operation(main_table: str, *columns: str | tuple[str, str] | dict[str, Any], **parts: Any) -> dict[str, Any]:
    """`"field"`, `("field or expression", "alias")`, or a column as it stands on the wire."""
    chosen: list[dict[str, Any]] = []
    for each in columns:
        if isinstance(each, dict):
            chosen.append(each)
        elif isinstance(each, tuple):
            chosen.append({"field_name": each[0], "alias": each[1], "is_expression": True})
        else:
            chosen.append({"field_name": each})
    return {"operation_id": "op", "main_table": main_table, "select_columns": chosen} | parts


def where(*conditions: Any, operator: str = "AND") -> dict[str, Any]:
    made = [
        {"field_or_expression": each[0], "operator": each[1], **({"value": each[2]} if len(each) > 2 else {})}
        if isinstance(each, tuple)
        else each
        for each in conditions
    ]
    return {"logical_operator": operator, "conditions": made}


def join(table: str, left: str, right: str, kind: str = "INNER") -> dict[str, Any]:
    return {
        "target_table": table,
        "type": kind,
        "on_conditions": [{"left_table_field": left, "right_table_field": right}],
    }


def ordered(*names: str) -> list[dict[str, str]]:
    return [
        {"field_or_expression": name.lstrip("-"), "direction": "DESC" if name[0] == "-" else "ASC"} for name in names
    ]


async def rows(executor: Executor, asked: dict[str, Any]) -> list[dict[str, Any]]:
    result = (await executor.run([asked]))["results"]["op"]
    assert result["status"] == "success", result
    return result["data"]


async def error(executor: Executor, asked: dict[str, Any]) -> str:
    result = (await executor.run([asked]))["results"]["op"]
    assert result["status"] == "error", result
    assert result["error"].startswith("ORM Execution Failed: ")
    return result["error"].removeprefix("ORM Execution Failed: ")


JANUARY = where(("sales_orders.order_date", "BETWEEN", ["2023-01-01", "2023-01-31"]))


SUM = {"field_name": "total_amount", "aggregation": "SUM", "alias": "total"}


COUNT = {"field_name": "*", "aggregation": "COUNT", "alias": "count"}


async def test_january_2023_is_125_000_000_50_in_456_transactions(executor: Executor) -> None:
    assert await rows(executor, operation("sales_orders", SUM, COUNT, filters=JANUARY)) == [
        {"total": 125000000.50, "count": 456}
    ]


async def test_numbers_may_come_as_text(executor: Executor) -> None:
    outstanding = where(("(DocValueLocal - PaymentValueLocal)", ">", " 0 "), ("TOP", "IN", ["30", 45]))
    having = where(("total", ">=", "6000000.00"))
    asked = operation("arbook", "DocNo", ("SUM(DocValueLocal - PaymentValueLocal)", "total"), filters=outstanding)
    assert len(await rows(executor, asked | {"having": having})) == 3
    assert len(await rows(executor, asked | {"having": where(("total", "BETWEEN", ["6000001", "1e9"]))})) == 2


async def test_the_usual_spellings_are_understood(executor: Executor) -> None:
    asked = operation(
        "arbook",
        {"field_name": "arbook.CustomerCode", "aggregation": "count distinct", "alias": "n"},
        joins=[join("mastercustomer", "arbook.CustomerCode", "mastercustomer.Code", kind="left outer join")],
        filters=where(("mastercustomer.City", "==", "JKT"), ("DocNo", "not  like", "SI%"), operator="and"),
    )
    assert await rows(executor, asked) == [{"n": 1}]


async def test_a_database_that_goes_away_leaves_what_was_answered(sqlite_url: str) -> None:
    """seed 001 §3.2: only a batch of which nothing could be run fails as a whole."""

    class Leaving(Database):
        async def fetch(self, *asked: Any, **limits: Any) -> Any:
            if left:
                raise UnavailableError("the connection was lost")
            left.append(True)
            return await super().fetch(*asked, **limits)

    left: list[bool] = []
    plans = [operation("mastercity", COUNT) | {"operation_id": name} for name in ("first", "second", "third")]
    outcome = await Executor(Leaving(sqlite_url)).run(plans)
    said = "ORM Execution Failed: Gagal terhubung ke database SQLite: the connection was lost."
    assert outcome == {
        "success": True,
        "results": {
            "first": {"status": "success", "data": [{"count": 14}]},
            "second": {"status": "error", "error": said},
            "third": {"status": "error", "error": said},
        },
    }
    assert await Executor(Leaving(sqlite_url)).run(plans) == {
        "success": False,
        "error": "Gagal terhubung ke database SQLite: the connection was lost.",
    }


async def test_nested_conditions_in_and_like_hold_together(executor: Executor) -> None:
    either = where(("City", "IN", ["JKT", "SBY"]), ("CustomerGroup", "=", "PRY"), operator="or")
    asked = operation(
        "mastercustomer",
        "Code",
        filters=where(("Name", "LIKE", "%XYZ%"), either, ("IsDeleted", "=", 0), ("TOP", "NOT IN", [14, 45])),
    )
    assert await rows(executor, asked) == [{"Code": "C002"}]


async def test_what_is_missing_is_found_by_is_null(executor: Executor) -> None:
    open_orders = operation("joborderh", COUNT, filters=where(("FinishDate", "IS NULL")))
    by_equality = operation("joborderh", COUNT, filters=where(("FinishDate", "=", None)))
    by_status = operation("joborderh", COUNT, filters=where(("Status", "=", "OPEN")))
    expected = await rows(executor, by_status)
    assert expected[0]["count"] > 0
    assert await rows(executor, open_orders) == await rows(executor, by_equality) == expected


async def test_having_and_order_by_go_by_alias_or_by_aggregate(executor: Executor) -> None:
    asked = operation(
        "salesinvoiceh",
        ("YEAR(salesinvoiceh.DocDate)", "year"),
        ("MONTH(salesinvoiceh.DocDate)", "month"),
        {"field_name": "salesinvoiceh.DocNo", "aggregation": "COUNT", "alias": "invoices"},
        group_by=["YEAR(salesinvoiceh.DocDate)", "month"],
        having=where(("invoices", ">", 100), ("SUM(salesinvoiceh.TotalNetto)", ">=", 125_000_000)),
        order_by_clauses=ordered("-invoices"),
    )
    assert await rows(executor, asked) == [{"year": 2023, "month": 1, "invoices": 456}]


async def test_selected_columns_that_are_not_aggregated_are_grouped_by(executor: Executor) -> None:
    asked = operation(
        "arbook",
        ("mastercustomer.Name", "customer"),
        ("SUM(DocValueLocal - PaymentValueLocal)", "outstanding"),
        joins=[join("mastercustomer", "arbook.CustomerCode", "mastercustomer.Code")],
        group_by=["arbook.CustomerCode"],
        having=where(("outstanding", ">", 0)),
        order_by_clauses=ordered("customer"),
    )
    assert await rows(executor, asked) == [
        {"customer": "CV XYZ", "outstanding": 8_500_000},
        {"customer": "PT ABC Corp", "outstanding": 15_000_000},
        {"customer": "PT DEF Industries", "outstanding": 6_000_000},
    ]


async def test_a_left_join_keeps_what_has_no_partner_and_a_right_join_the_other_side(executor: Executor) -> None:
    tie = ("purchaseorderh.PRDocNo", "purchaserequesth.DocNo")
    left = operation(
        "purchaserequesth",
        COUNT,
        joins=[join("purchaseorderh", *tie, kind="LEFT")],
        filters=where(("purchaseorderh.DocNo", "IS NULL")),
    )
    right = operation(
        "purchaseorderh",
        COUNT,
        joins=[join("purchaserequesth", *tie, kind="RIGHT")],
        filters=where(("purchaseorderh.DocNo", "IS NULL")),
    )
    unordered = operation("purchaserequesth", COUNT, filters=where(("Status", "!=", "APPROVED")))
    expected = await rows(executor, unordered)
    assert expected[0]["count"] > 0
    assert await rows(executor, left) == await rows(executor, right) == expected


async def test_joins_go_through_several_tables(executor: Executor) -> None:
    asked = operation(
        "salesorderd",
        ("mastermaterialgroup.Name", "group"),
        {"field_name": "salesorderd.Netto", "aggregation": "SUM", "alias": "netto"},
        joins=[
            join("salesorderh", "salesorderd.DocNo", "salesorderh.DocNo"),
            join("mastermaterial", "salesorderd.MaterialCode", "mastermaterial.Code"),
            join("mastermaterialgroup", "mastermaterial.MaterialGroup", "mastermaterialgroup.Code"),
        ],
        filters=where(("salesorderh.DocDate", ">=", "2023-01-01"), ("salesorderh.DocDate", "<", "2023-02-01")),
        group_by=["mastermaterialgroup.Name"],
    )
    assert sum(row["netto"] for row in await rows(executor, asked)) == 125_000_000.50


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("DATEDIFF('2023-03-01', DueDate)", 45),
        ("YEAR(DueDate) * 100 + MONTH(DueDate)", 202301),
        ("DAY(DueDate)", 15),
        ("QUARTER(DocDate)", 4),
        ("DATE_FORMAT(DueDate, '%Y-%m')", "2023-01"),
        ("DATE(DueDate)", "2023-01-15"),
        ("COALESCE(NULL, ABS(-3))", 3),
        ("ROUND(DocValueLocal / 7, 2)", 2142857.14),
        ("IFNULL(PaymentValueLocal / 0, -1)", -1),
        ("TOP % 7", 2),
        ("TOP % 0", None),
        ("7 / 2", 3.5),
        ("FLOOR(-1.5) + CEILING(1.2)", 0),
        ("GREATEST(1, 2) - LEAST(1, 2)", 1),
        ("CONCAT(UPPER('inv'), ' ', LOWER(DC))", "INV d"),
        ("LENGTH(DocNo)", 7),
        ("SUBSTRING(DocNo, 1, 3)", "INV"),
        ("NULLIF(DC, 'D')", None),
        ("IF(TOP > 14, 'lama', 'singkat')", "lama"),
        ("CASE WHEN TOP <= 14 THEN 'a' WHEN (TOP = 30 OR TOP = 45) AND NOT DC IS NULL THEN 'b' ELSE 'c' END", "b"),
        ("'it''s 100%'", "it's 100%"),
        ("2 - -3 * (1 + 1)", 8),
        ("`arbook`.`DocNo`", "INV-001"),
        ("ARBOOK.docno", "INV-001"),
    ],
)
async def test_an_expression_means_the_same_everywhere(executor: Executor, expression: str, value: object) -> None:
    asked = operation("arbook", (expression, "x"), filters=where(("DocNo", "=", "INV-001")))
    assert await rows(executor, asked) == [{"x": value}]


async def test_overdue_receivables_are_40_days_late_on_average(
    executor: Executor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock of the server is the one that AGENTD_CLOCK sets."""
    monkeypatch.setenv("AGENTD_CLOCK", "2023-03-01T09:00:00+07:00")
    late = "DATEDIFF(CURRENT_DATE, arbook.DueDate)"
    asked = operation(
        "arbook",
        {"field_name": late, "aggregation": "AVG", "alias": "days", "is_expression": True},
        filters=where((late, ">", 0), ("DocValueLocal - PaymentValueLocal", ">", 0)),
    )
    assert await rows(executor, asked) == [{"days": 40}]


async def test_an_empty_result_is_an_empty_list(executor: Executor) -> None:
    assert await rows(executor, operation("arbook", "DocNo", filters=where(("DocNo", "=", "none")))) == []
    assert await rows(executor, operation("arbook", "DocNo", filters=where(("DocNo", "IN", [])))) == []


async def test_pages_follow_each_other(executor: Executor) -> None:
    asked = operation("mastermaterial", "Code", order_by_clauses=ordered("Code"), limit=2)
    assert await rows(executor, asked | {"offset": 2}) == [{"Code": "M003"}, {"Code": "M004"}]
    assert len(await rows(executor, operation("mastermaterial", "Code", offset=25))) == 5


async def test_rows_beyond_the_limit_are_cut_and_said_so(executor: Executor) -> None:
    result = (await executor.run([operation("stockmutation", "MutationNo")]))["results"]["op"]
    assert (len(result["data"]), result["truncated"]) == (MAX_ROWS, True)
    assert "there are more" in result["notice"]
    single = operation("stockmutation", "MutationNo", expected_result_format="single_value")
    result = (await executor.run([single]))["results"]["op"]
    assert (len(result["data"]), result["truncated"]) == (1, True)


async def test_a_table_made_since_is_found(mariadb_url: str, tmp_path: Any) -> None:
    import sqlite3

    path = tmp_path / "small.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE first (id INTEGER)")
    executor = Executor(Database(f"sqlite+aiosqlite:///{path}"))
    assert "Unknown table 'second'" in await error(executor, operation("second", "id"))
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE second (id INTEGER)")
    executor._read_at -= 60
    assert await rows(executor, operation("second", "id")) == []
