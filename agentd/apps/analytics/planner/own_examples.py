"""Example plans for an office's own tables, generated from its schema for a model to imitate. Asks nobody."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from agentd.apps.analytics.checks.agreement import parts_of_names
from agentd.apps.analytics.checks.joins import spelled
from agentd.apps.analytics.planner.examples import Example
from agentd.apps.analytics.planner.select_pattern import MONTHS
from agentd.apps.analytics.schema import FIGURES, Pair, Schema, Table
from agentd.apps.analytics.sql.tree import quoted
from agentd.apps.analytics.state import PlanStyle
from agentd.apps.analytics.vocabulary import finder, speaks, words_of
from agentd.apps.analytics.wording import label_for, labelled, say_for


def examples_of(schema: Schema, style: PlanStyle, count: int, question: str = "") -> list[Example]:
    """Up to `count` questions that these tables answer, with plans, in the language of the question asked.

    Each is of a different kind; the kind of the question asked (by month, without) comes first.
    """
    makers = _sql(schema, question) if style == "sql" else _of_operations(schema, say_for(question))
    return list(islice(makers, count))


def _sql(schema: Schema, question: str) -> Iterator[Example]:
    say, dated = say_for(question), _dated(schema)
    joined = next((join for join in schema.joins if join[0][0] != join[1][0]), None)
    if joined and finder("without").search(question):
        (detail, key), (other, _) = joined
        query = (
            f"SELECT COUNT(*) AS ROW_COUNT FROM {quoted(other)} LEFT JOIN {quoted(detail)} "
            f"ON {spelled(joined)} WHERE {quoted(detail)}.{quoted(key)} IS NULL"
        )
        asked = say["example_without"].format(table=words_of(other), other=words_of(detail))
        yield _example(asked, query, "ROW_COUNT", f"{asked.rstrip('?')}: {{ROW_COUNT}}.", {})
    if dated and schema.dialect in MONTHS and finder("by_month").search(question):
        dated_table, amount, day = dated
        table = dated_table.name
        month = MONTHS[schema.dialect].format(quoted(day))
        query = (
            f"SELECT {month} AS MONTH, SUM({quoted(amount)}) AS TOTAL FROM {quoted(table)} WHERE {quoted(day)} >= "
            f"'{{START_DATE}}' AND {quoted(day)} <= '{{END_DATE}}' GROUP BY {month} ORDER BY MONTH"
        )
        asked = say["example_by_month"].format(amount=words_of(amount), table=words_of(table))
        yield _example(f"{asked} 2022", query, "MONTHS", f"{asked} {{PERIOD_LABEL}}: {{MONTHS}}", {})
    if ranked := _ranked(schema):
        detail_table, amount, other_table, join = ranked
        there = quoted(other_table.name)
        names = [f"{there}.{quoted(each)}" for each, _ in _shown(other_table)]
        named = ", ".join(f"{there}.{quoted(each)} AS {alias}" for each, alias in _shown(other_table))
        factors = [amount, *_pieces(detail_table, amount)]
        added = " * ".join(f"{quoted(detail_table.name)}.{quoted(each)}" for each in factors)
        value = say["example_value"].format(table=words_of(detail_table.name)) if len(factors) > 1 else words_of(amount)
        query = (
            f"SELECT {named}, SUM({added}) AS TOTAL FROM {quoted(detail_table.name)} JOIN {there} ON {spelled(join)} "
            f"GROUP BY {', '.join([f'{there}.{quoted(join[1][1])}', *names])} ORDER BY TOTAL DESC LIMIT 5"
        )
        asked = say["example_ranked"].format(table=words_of(other_table.name), amount=value)
        money = {"TOTAL": _money(detail_table, amount)}
        yield _example(asked, query, "RANKING", f"{asked[2:].capitalize()}: {{RANKING}}", money)
    if dated:
        dated_table, amount, day = dated
        table = dated_table.name
        query = (
            f"SELECT SUM({quoted(amount)}) AS TOTAL FROM {quoted(table)} "
            f"WHERE {quoted(day)} >= '{{START_DATE}}' AND {quoted(day)} <= '{{END_DATE}}'"
        )
        yield _example(
            f"Total {words_of(amount)} {words_of(table)} {label_for(question, labelled('month_3'))} 2022",
            query,
            "TOTAL",
            f"Total {words_of(amount)} {{PERIOD_LABEL}}: {{TOTAL}}.",
            {"TOTAL": _money(dated_table, amount)},
        )
    for each in schema.tables:
        name = each.name
        yield _example(
            say["example_count"].format(table=words_of(name)),
            f"SELECT COUNT(*) AS ROW_COUNT FROM {quoted(name)}",
            "ROW_COUNT",
            say["example_counted"].format(number="{ROW_COUNT}", table=words_of(name)),
            {"ROW_COUNT": "number_with_separator"},
        )


def _of_operations(schema: Schema, say: Mapping[str, str]) -> Iterator[Example]:
    """Examples in the style `operations`: the five rows with the most of an amount, then the rows of each table."""
    if ranked := _ranked(schema):
        detail, amount, other, join = ranked
        left, right = map(".".join, join)
        names = [(f"{other.name}.{each}", "", alias) for each, alias in _shown(other)]
        tie = {"left_table_field": left, "right_table_field": right}
        further = {
            "joins": [{"target_table": other.name, "type": "INNER", "on_conditions": [tie]}],
            "group_by": [right],
            "order_by_clauses": [{"field_or_expression": "TOTAL", "direction": "DESC"}],
            "limit": 5,
        }
        columns = [*names, (f"{detail.name}.{amount}", "SUM", "TOTAL")]
        asked = say["example_ranked"].format(table=words_of(other.name), amount=words_of(amount))
        yield _operation(asked, detail.name, columns, "RANKING", f"{asked[2:].capitalize()}: {{RANKING}}", further)
    for name in (each.name for each in schema.tables):
        asked = say["example_count"].format(table=words_of(name))
        sentence = say["example_counted"].format(number="{ROW_COUNT}", table=words_of(name))
        yield _operation(asked, name, [("*", "COUNT", "ROW_COUNT")], "ROW_COUNT", sentence, {})


def _operation(
    asked: str, table: str, columns: list[tuple[str, str, str]], key: str, template: str, further: dict[str, Any]
) -> Example:
    """An example with one operation. `columns`: (field, aggregation or "", alias); `further`: its other parts."""
    operation = {
        "operation_id": key.casefold(),
        "main_table": table,
        "select_columns": [
            {"field_name": field, **({"aggregation": kind} if kind else {}), "alias": alias, "is_expression": False}
            for field, kind, alias in columns
        ],
        **further,
        "result_key": key,
        "expected_result_format": "list_of_dicts" if further else "single_value",
    }
    return Example(asked, {"operations": [operation], "response_template": template})


def _example(question: str, query: str, key: str, template: str, mapping: dict[str, str]) -> Example:
    step = {"purpose": question[:60], "query": query, "result_key": key}
    plan = {"sql_queries_plan": [step], "response_template": template, "placeholder_mapping": mapping}
    return Example(question, plan)


def _ranked(schema: Schema) -> tuple[Table, str, Table, Pair] | None:
    """(a table, its amount, another table whose things have a name, the join between them), or None."""
    known = {table.name: table for table in schema.tables}
    for join in schema.joins:
        detail, other = (known.get(name) for name, _ in join)
        if detail and other and detail is not other and _shown(other) and (amount := _of(detail, *FIGURES)):
            return detail, amount, other, join
    return None


def _shown(table: Table) -> list[tuple[str, str]]:
    """(column, alias) of the name of a table's things, or of its parts; empty if they have none."""
    parts = [(each, words_of(each).upper().replace(" ", "_")) for each in parts_of_names(table)]
    texts = table.of_kind("descriptive", "identifier", "")
    labels = [name for name in texts if finder("names").search(name) or finder("titles").search(name)]
    return parts or [(name, "NAME") for name in labels[:1]]


def _dated(schema: Schema) -> tuple[Table, str, str] | None:
    """(a table, its amount, its date), or None."""
    for table in schema.tables:
        amount, day = _of(table, "financial_amount"), table.date or _of(table, "temporal")
        if amount and day:
            return table, amount, day
    return None


def _of(table: Table, *kinds: str) -> str:
    """Its first column of the first of these kinds that it has; "" without one."""
    return next((name for kind in kinds for name in table.of_kind(kind)), "")


def _pieces(table: Table, amount: str) -> list[str]:
    """The quantity column of a row, if the amount is a unit value."""
    names = table.names if speaks(amount, "unit_values") else []
    return [name for name in names if name != amount and speaks(name, "quantities")][:1]


def _money(table: Table, column: str) -> str:
    return "currency_IDR" if column in table.of_kind("financial_amount") else "number_with_separator"
