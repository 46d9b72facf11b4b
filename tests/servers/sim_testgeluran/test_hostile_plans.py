"""Plans made by chance may fail, but never raise, hang, or run anything but one SELECT."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
import sqlglot
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError
from sqlalchemy.dialects import mysql, sqlite
from sqlglot import exp

from servers.common.catalogue import Catalogue
from servers.common.database import Database
from servers.sim_testgeluran.compiler import compile_operation
from servers.sim_testgeluran.executor import Executor
from servers.sim_testgeluran.expression import ExpressionError, parse
from servers.sim_testgeluran.plan import DatabaseOperation
from servers.sim_testgeluran.scope import PlanError

pytestmark = pytest.mark.slow
FIELDS = ["arbook.DocNo", "DocValueLocal", "arbook.DueDate", "mastercustomer.Name", "nope", "x", "*", "arbook.`TOP`"]
PIECES = [
    *("SUM(", "COUNT(*", "ABS(", "CASE WHEN ", " THEN ", " ELSE ", " END", "DATEDIFF(", "(", ")", ",", "+", "-", "/"),
    *(
        "%",
        "=",
        "<",
        " AND ",
        " OR ",
        " NOT ",
        " IS NULL",
        "1",
        "2.5",
        "'t'",
        "';--",
        "/*",
        "`",
        "\\",
        "SELECT ",
        "\x00",
    ),
]
texts = st.one_of(
    st.sampled_from(FIELDS), st.lists(st.sampled_from(FIELDS + PIECES), max_size=12).map("".join), st.text(max_size=20)
)
scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=10), st.just("2023-01-31"))
operators = st.sampled_from(["=", ">", "LIKE", "IN", "not  in", "BETWEEN", "IS NULL", "IS NOT NULL", "~"])
conditions = st.fixed_dictionaries(
    {"field_or_expression": texts, "operator": operators},
    optional={"value": st.one_of(scalars, st.lists(scalars, max_size=3))},
)
filters = st.recursive(
    conditions,
    lambda inner: st.fixed_dictionaries(
        {"logical_operator": st.sampled_from(["AND", "or"]), "conditions": st.lists(inner, max_size=3)}
    ),
    max_leaves=6,
)
columns = st.fixed_dictionaries(
    {"field_name": texts},
    optional={"aggregation": st.sampled_from(["SUM", "COUNT", "COUNT_DISTINCT", "MAX", None]), "alias": texts},
)
joins = st.fixed_dictionaries(
    {
        "target_table": st.sampled_from(["mastercustomer", "salesinvoiceh", "arbook", "nope"]),
        "on_conditions": st.lists(
            st.fixed_dictionaries(
                {
                    "left_table_field": st.sampled_from(["arbook.CustomerCode", "arbook.DocNo", "nope"]),
                    "right_table_field": st.sampled_from(["mastercustomer.Code", "salesinvoiceh.DocNo", "1"]),
                }
            ),
            max_size=2,
        ),
    },
    optional={"type": st.sampled_from(["INNER", "left", "RIGHT", "FULL"])},
)
plans = st.fixed_dictionaries(
    {
        "operation_id": st.just("op"),
        "main_table": st.sampled_from(["arbook", "ARBOOK", "nope"]),
        "select_columns": st.lists(columns, max_size=3),
    },
    optional={
        "joins": st.lists(joins, max_size=2),
        "filters": filters,
        "group_by": st.lists(texts, max_size=2),
        "having": filters,
        "order_by_clauses": st.lists(
            st.fixed_dictionaries({"field_or_expression": texts, "direction": st.sampled_from(["asc", "DESC"])}),
            max_size=2,
        ),
        "limit": st.integers(-1, 5),
        "offset": st.integers(0, 3),
    },
)


@pytest.fixture(scope="module")
def runner() -> Any:
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture(scope="module")
def plain_executor(sqlite_url: str) -> Executor:
    return Executor(Database(sqlite_url))


@pytest.fixture(scope="module")
def catalogue(runner: asyncio.Runner, plain_executor: Executor) -> Catalogue:
    return runner.run(plain_executor.catalogue())


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(plan=plans)
def test_any_plan_ends_in_rows_or_in_its_own_error(
    runner: asyncio.Runner, plain_executor: Executor, plan: dict[str, Any]
) -> None:
    outcome = runner.run(asyncio.wait_for(plain_executor.run([plan]), 300))
    result = outcome["results"]["op"]
    assert result["status"] == "success" or result["error"].startswith("ORM Execution Failed: ")


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(plan=plans)
def test_whatever_compiles_is_one_select(catalogue: Catalogue, plan: dict[str, Any]) -> None:
    try:
        compiled = compile_operation(DatabaseOperation.model_validate(plan), catalogue)
    except (PlanError, ValidationError):
        return
    for dialect, name in ((sqlite.dialect(paramstyle="named"), "sqlite"), (mysql.dialect(paramstyle="named"), "mysql")):
        statements = sqlglot.parse(str(compiled.statement.compile(dialect=dialect)), read=name)
        assert [type(statement) for statement in statements] == [exp.Select]


@settings(max_examples=300, deadline=None)
@given(text=texts)
def test_any_text_is_an_expression_or_a_named_fault(text: str) -> None:
    try:
        parse(text)
    except ExpressionError as error:
        assert str(error)


def test_nesting_ends_in_an_error_and_not_in_the_stack() -> None:
    for text in ("(" * 1000 + "1" + ")" * 1000, "-" * 1000 + "1", "CASE WHEN " + "NOT " * 500 + "1 = 1 THEN 1 END"):
        with pytest.raises(ExpressionError, match="nested too deeply"):
            parse(text)


async def test_a_deeply_nested_filter_is_refused(sqlite_url: str) -> None:
    deep: dict[str, Any] = {"field_or_expression": "TOP", "operator": "=", "value": 1}
    for _ in range(600):
        deep = {"conditions": [deep]}
    plan = {"operation_id": "op", "main_table": "arbook", "select_columns": [{"field_name": "TOP"}], "filters": deep}
    outcome = await Executor(Database(sqlite_url)).run([plan])
    assert outcome["results"]["op"]["status"] == "error"


@pytest.mark.parametrize("value", ["' OR 1=1 --", "'; DROP TABLE arbook; --", "\\' OR '1'='1", "%", "a%s(b)d"])
async def test_values_stay_values(executor: Executor, value: str) -> None:
    plan = {
        "operation_id": "op",
        "main_table": "arbook",
        "select_columns": [{"field_name": "*", "aggregation": "COUNT", "alias": 'n:%(x)s `"'}],
        "filters": {"conditions": [{"field_or_expression": "DocNo", "operator": "=", "value": value}]},
    }
    assert await executor.run([plan]) == {
        "success": True,
        "results": {"op": {"status": "success", "data": [{'n:%(x)s `"': 0}]}},
    }
