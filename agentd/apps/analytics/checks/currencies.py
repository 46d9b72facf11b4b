"""Keeps amounts of different currencies apart: never summed, never shown in the office's if a row names another.

The schema's sample values tell which columns of an office's own database hold currencies. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import replace

from sqlglot import exp

from agentd.apps.analytics.answer.statements import names_of, statements_in
from agentd.apps.analytics.checks.schema_reading import Reading
from agentd.apps.analytics.plan import Plan
from agentd.apps.analytics.schema import Schema, Side
from agentd.apps.analytics.sql.edits import grouped_also
from agentd.apps.analytics.sql.query import Query
from agentd.apps.analytics.sql.tree import of_kind, quoted
from agentd.apps.analytics.vocabulary import finder, topics_of, words_of

CODES = frozenset("IDR USD EUR SGD MYR JPY CNY AUD GBP HKD THB KRW INR SAR CHF CAD NZD PHP VND TWD AED BND".split())


def mixed(plan: Plan, schema: Schema) -> list[str]:
    """Errors for sums over rows of several currencies, or for the most of them, in a plan that names no currency, one
    sentence each."""
    known, faults = _known(schema), []
    amounts = {each.name for each in schema.columns if each.kind == "financial_amount"}
    compared = {name.casefold() for each in statements_in(plan.template) for name in names_of(each)}
    pairs = ((query, select) for query in plan.selects for select in query.selects) if known else ()
    for query, select in pairs:
        for table, column in (*select.added, *_ranked(select.tables, query, amounts, compared)):
            for name in known.keys() & ({table} if table else select.tables):
                currency, codes = known[name]
                if currency.casefold() not in query.text.casefold() and not finder("own_currency").search(column):
                    faults.append(
                        f"{query.key}: {column} of {name} would add or compare {' and '.join(codes)}; "
                        f"select and group by {currency}, or choose one"
                    )
    return list(dict.fromkeys(faults))


def _ranked(tables: Iterable[str], query: Query, amounts: set[str], compared: Container[str]) -> Iterator[Side]:
    """The amounts by which a query of one table picks the most or the least: MAX, MIN, or an ORDER BY with a LIMIT; all
    that it shows if a computed statement compares them."""
    name = list(tables)
    if len(name) == 1 and query.key.casefold() in compared:
        yield from ((name[0], column) for each in query.columns for _, column in each.over if column in amounts)
    for select in query.selects if len(name) == 1 else ():
        parts = [*select.own(exp.Max, exp.Min), *([select.cutting_order] if select.cutting_order else [])]
        found = (column.name for part in parts for column in of_kind(part, exp.Column))
        yield from ((name[0], column) for column in found if column in amounts)


def apart(reading: Reading, text: str) -> Iterator[tuple[str, str, str]]:
    """(the query `text` with the amounts of each currency apart, a figure of it, what tells them apart), if a table
    whose amounts are added or compared has a column for the currency that the query doesn't read: the rows tell
    whether there are several even if the schema has no sample values."""
    read = {column.name.casefold() for column in reading.select.all(exp.Column)}
    added = reading.select.own(exp.Sum, exp.Avg, exp.Max, exp.Min)
    figures = ((each, column) for each in added for column in reading.select.valued(each))
    for figure, column in figures:
        found = reading.column(column) if reading.kind(column) == "financial_amount" else None
        if found is None or finder("own_currency").search(column.name):
            continue
        for name in found[0].of_kind("descriptive", "identifier", ""):
            if "currency" in topics_of(words_of(name)) and name.casefold() not in read:
                key = f"{column.table}.{quoted(name)}" if column.table else quoted(name)
                made = grouped_also(text, key) if reading.select.keys else f"{text.rstrip('; ')} GROUP BY {key}"
                yield made, figure.sql(), f"GROUP BY {name}"
                return


def half_converted(plan: Plan, schema: Schema) -> Iterator[str]:
    """Differences or comparisons of an amount in the office's currency with one whose table also has it in that
    currency: `DocValueLocal - PaymentValue`."""
    names = {column.name for column in schema.columns}
    own = {name for name in names if finder("own_currency").search(name)}
    foreign = {name for name in names - own if any(each.startswith(name) for each in own)}
    for each in plan.all(exp.Sub, exp.Predicate) if foreign else ():
        sides = {side.name for side in (each.this, each.args.get("expression")) if isinstance(side, exp.Column)}
        if len(sides & own) == len(sides & foreign) == 1:
            yield each.sql()


def unlabelled(plan: Plan, schema: Schema) -> Plan:
    """The plan with amounts as plain numbers where its query separates them by currency, because the rows name it, or
    shows rows of several: they are not the office's. A figure of rows of one currency stands behind its code."""
    known, mapping, template = _known(schema), dict(plan.mapping), plan.template
    for query in plan.selects:
        plain = (words_of(name) for each in query.columns if not each.aggregate for _, name in each.over)
        named = any(currency.casefold() in query.text.casefold() for currency, _ in known.values())
        apart = named or any("currency" in topics_of(words) for words in plain)
        read = (each for each in schema.tables if each.name in known and each.name.casefold() in query.tables)
        foreign = {name for table in read for name in table.of_kind("financial_amount")}
        foreign = {name for name in foreign if not finder("own_currency").search(name)}
        names = [query.key] if apart else []
        names += [each.name for each in query.columns if apart or foreign & {name for _, name in each.over}]
        numbers = (name for name in names if not mapping.get(name, "").startswith("percent"))
        mapping |= dict.fromkeys(numbers, "number_with_separator")
        codes = {each.expression.name for each in query.all(exp.EQ)} & CODES
        alone = len(codes) == len(query.columns) == 1 and query.columns[0].aggregate not in ("", "COUNT")
        if alone and query.outer and not query.outer.keys and foreign & {name for _, name in query.columns[0].over}:
            slot = rf"(?:\b{(code := codes.pop())}\s*)?(\{{\s*{re.escape(query.key)}\s*\}})"
            template = re.sub(slot, rf"{code} \1", template)
    return replace(plan, mapping=mapping, template=template)


def _known(schema: Schema) -> dict[str, tuple[str, list[str]]]:
    """{table: (its currency column, the codes in it)} for tables with more than one currency."""
    return {
        table.name: (column.name, list(values))
        for table in schema.tables
        for column in table.columns
        if len(values := column.sample_values) > 1 and set(values) <= CODES
    }
