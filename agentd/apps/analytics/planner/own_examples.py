"""Example plans for an office's own tables, generated from its schema for a model to imitate. Asks nobody."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from agentd.apps.analytics.answer.formats import FIGURES
from agentd.apps.analytics.checks.agreement import parts_of_names, speaks, words_of
from agentd.apps.analytics.checks.joins import Pair, pairs, spelled
from agentd.apps.analytics.planner.examples import Example
from agentd.apps.analytics.planner.select_pattern import MONTHS
from agentd.apps.analytics.sql.tree import Side, quoted
from agentd.apps.analytics.state import PlanStyle
from agentd.apps.analytics.vocabulary import finder
from agentd.apps.analytics.wording import label_for, say_for

Table = Mapping[str, Any]


def examples_of(
    tables: Sequence[Table],
    relationships: Sequence[Mapping[str, Any]],
    style: PlanStyle,
    count: int,
    question: str = "",
    dialect: str | None = None,
) -> list[Example]:
    """Up to `count` questions that these tables answer, with plans, in the language of the question asked.

    Each is of a different kind; the kind of the question asked (by month, without) comes first.
    """
    if style == "sql":
        makers = _sql(tables, relationships, question, dialect)
    else:
        makers = _operations(tables, relationships, say_for(question))
    return list(islice(makers, count))


def _sql(
    tables: Sequence[Table], relationships: Sequence[Mapping[str, Any]], question: str, dialect: str | None
) -> Iterator[Example]:
    say, dated = say_for(question), _dated(tables)
    joined = next((join for join in pairs(relationships) if join[0][0] != join[1][0]), None)
    if joined and finder("without").search(question):
        (detail, key), (other, _) = joined
        query = (
            f"SELECT COUNT(*) AS ROW_COUNT FROM {quoted(other)} LEFT JOIN {quoted(detail)} "
            f"ON {spelled(joined)} WHERE {quoted(detail)}.{quoted(key)} IS NULL"
        )
        asked = say["example_without"].format(table=words_of(other), other=words_of(detail))
        yield _example(asked, query, "ROW_COUNT", f"{asked.rstrip('?')}: {{ROW_COUNT}}.", {})
    if dated and dialect in MONTHS and finder("by_month").search(question):
        table, amount, day = dated
        month = MONTHS[dialect].format(quoted(day))
        query = (
            f"SELECT {month} AS MONTH, SUM({quoted(amount)}) AS TOTAL FROM {quoted(table)} WHERE {quoted(day)} >= "
            f"'{{START_DATE}}' AND {quoted(day)} <= '{{END_DATE}}' GROUP BY {month} ORDER BY MONTH"
        )
        asked = say["example_by_month"].format(amount=words_of(amount), table=words_of(table))
        yield _example(f"{asked} 2022", query, "MONTHS", f"{asked} {{PERIOD_LABEL}}: {{MONTHS}}", {})
    if ranked := _ranked(tables, relationships):
        (detail, amount), (other, label), (left, right) = ranked
        shown = _shown(tables, other, label)
        names = [f"{quoted(other)}.{quoted(each)}" for each, _ in shown]
        named = ", ".join(f"{quoted(other)}.{quoted(each)} AS {alias}" for each, alias in shown)
        factors = [amount, *next(_pieces(each, amount) for each in tables if each["table_name"] == detail)]
        added = " * ".join(f"{quoted(detail)}.{quoted(each)}" for each in factors)
        value = say["example_value"].format(table=words_of(detail)) if len(factors) > 1 else words_of(amount)
        query = (
            f"SELECT {named}, SUM({added}) AS TOTAL FROM {quoted(detail)} JOIN "
            f"{quoted(other)} ON {spelled((left, right))} "
            f"GROUP BY {', '.join([f'{quoted(other)}.{quoted(right[1])}', *names])} ORDER BY TOTAL DESC LIMIT 5"
        )
        asked = say["example_ranked"].format(table=words_of(other), amount=value)
        money = {"TOTAL": _money(tables, detail, amount)}
        yield _example(asked, query, "RANKING", f"{asked[2:].capitalize()}: {{RANKING}}", money)
    if dated:
        table, amount, day = dated
        query = (
            f"SELECT SUM({quoted(amount)}) AS TOTAL FROM {quoted(table)} "
            f"WHERE {quoted(day)} >= '{{START_DATE}}' AND {quoted(day)} <= '{{END_DATE}}'"
        )
        yield _example(
            f"Total {words_of(amount)} {words_of(table)} {label_for(question, 'Maret 2022')}",
            query,
            "TOTAL",
            f"Total {words_of(amount)} {{PERIOD_LABEL}}: {{TOTAL}}.",
            {"TOTAL": _money(tables, table, amount)},
        )
    for each in tables:
        name = each["table_name"]
        yield _example(
            say["example_count"].format(table=words_of(name)),
            f"SELECT COUNT(*) AS ROW_COUNT FROM {quoted(name)}",
            "ROW_COUNT",
            say["example_counted"].format(number="{ROW_COUNT}", table=words_of(name)),
            {"ROW_COUNT": "number_with_separator"},
        )


def _operations(
    tables: Sequence[Table], relationships: Sequence[Mapping[str, Any]], say: Mapping[str, str]
) -> Iterator[Example]:
    if ranked := _ranked(tables, relationships):
        (detail, amount), (other, label), (left, right) = ranked
        shown = _shown(tables, other, label)
        operation = {
            "operation_id": "ranking",
            "main_table": detail,
            "select_columns": [
                *({"field_name": f"{other}.{each}", "alias": alias, "is_expression": False} for each, alias in shown),
                {"field_name": f"{detail}.{amount}", "aggregation": "SUM", "alias": "TOTAL", "is_expression": False},
            ],
            "joins": [
                {
                    "target_table": other,
                    "type": "INNER",
                    "on_conditions": [{"left_table_field": ".".join(left), "right_table_field": ".".join(right)}],
                }
            ],
            "group_by": [".".join(right)],
            "order_by_clauses": [{"field_or_expression": "TOTAL", "direction": "DESC"}],
            "limit": 5,
            "result_key": "RANKING",
            "expected_result_format": "list_of_dicts",
        }
        asked = say["example_ranked"].format(table=words_of(other), amount=words_of(amount))
        yield Example(asked, {"operations": [operation], "response_template": f"{asked[2:].capitalize()}: {{RANKING}}"})
    for each in tables:
        name = each["table_name"]
        operation = {
            "operation_id": "count",
            "main_table": name,
            "select_columns": [
                {"field_name": "*", "aggregation": "COUNT", "alias": "ROW_COUNT", "is_expression": False}
            ],
            "result_key": "ROW_COUNT",
            "expected_result_format": "single_value",
        }
        sentence = say["example_counted"].format(number="{ROW_COUNT}", table=words_of(name))
        plan = {"operations": [operation], "response_template": sentence}
        yield Example(say["example_count"].format(table=words_of(name)), plan)


def _example(question: str, query: str, key: str, template: str, mapping: dict[str, str]) -> Example:
    step = {"purpose": question[:60], "query": query, "result_key": key}
    plan = {"sql_queries_plan": [step], "response_template": template, "placeholder_mapping": mapping}
    return Example(question, plan)


def _ranked(tables: Sequence[Table], relationships: Sequence[Mapping[str, Any]]) -> tuple[Side, Side, Pair] | None:
    """(an amount column of one table, the label column of another, the join between them), or None."""
    known = {table["table_name"]: table for table in tables}
    for join in relationships:
        detail, other = known.get(join["from_table"]), known.get(join["to_table"])
        if detail is None or other is None or detail is other:
            continue
        amount, label = _of(detail, *FIGURES), _label(other)
        if amount and label:
            left, right = ((join[f"{side}_table"], join[f"{side}_column"]) for side in ("from", "to"))
            return (detail["table_name"], amount), (other["table_name"], label), (left, right)
    return None


def _shown(tables: Sequence[Table], other: str, label: str) -> list[tuple[str, str]]:
    """(column, alias) of the parts of a thing's name."""
    parts = next(parts_of_names(table) for table in tables if table["table_name"] == other)
    return [(each, words_of(each).upper().replace(" ", "_")) for each in parts] or [(label, "NAME")]


def _dated(tables: Sequence[Table]) -> tuple[str, str, str] | None:
    for table in tables:
        amount, day = _of(table, "financial_amount"), table.get("date") or _of(table, "temporal")
        if amount and day:
            return table["table_name"], amount, day
    return None


def _of(table: Table, *kinds: str) -> str | None:
    found = (column["name"] for kind in kinds for column in table["columns"] if column.get("classification") == kind)
    return next(found, None)


def _pieces(table: Table, amount: str) -> list[str]:
    """The quantity column of a row, if the amount is a unit value."""
    names = [str(column["name"]) for column in table["columns"] if speaks(amount, "unit_values")]
    return [name for name in names if name != amount and speaks(name, "quantities")][:1]


def _label(table: Table) -> str | None:
    """The column with the name of a row's thing."""
    texts = [
        column["name"]
        for column in table["columns"]
        if column.get("classification") in ("descriptive", "identifier", None)
    ]
    named = (name for name in texts if finder("names").search(name) or finder("titles").search(name))
    return next(named, None)


def _money(tables: Sequence[Table], table: str, column: str) -> str:
    kinds = {(each["table_name"], one["name"]): one.get("classification") for each in tables for one in each["columns"]}
    return "currency_IDR" if kinds.get((table, column)) == "financial_amount" else "number_with_separator"
