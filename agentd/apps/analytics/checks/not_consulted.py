"""Tables of a plan that the schema search did not find and that the question doesn't justify. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlglot import exp

from agentd.apps.analytics.checks.schema_reading import Reading
from agentd.apps.analytics.checks.unknown_words import said_in
from agentd.apps.analytics.sql.tree import of_kind
from agentd.apps.analytics.vocabulary import words_of


def not_consulted(reading: Reading) -> Iterator[str]:
    """Tables that the schema search did not find if the question has no name, column or value of them."""
    words = re.findall(r"[^\W\d_]{4,}", reading.asked.said)
    chosen = [leaf for leaf in reading.leaves() if any(reading.asked.says(v.name) for v in of_kind(leaf, exp.Literal))]
    valued = {column.table.casefold() for leaf in chosen for column in of_kind(leaf, exp.Column)}
    others = {alias: name for alias, name in reading.unknown.items() if alias not in valued}
    for alias, name in others.items():
        read = [each.name for each in reading.own(exp.Column) if each.table.casefold() in ("", alias)]
        if (
            not _between(reading, alias)
            and not any(map(reading.asked.hits, [name, *read]))
            and not any(word in name.casefold() for word in words)
        ):
            yield name


def instead_of(reading: Reading) -> Iterator[str]:
    """Tables whose name has words that the question lacks, if another one that it names, with all the columns that are
    read of them, is not read: student_record, for course_offering."""
    for alias, table in reading.sources.items():
        read = {each.name.casefold() for each in reading.own(exp.Column) if each.table.casefold() in ("", alias)}
        for other in reading.schema.tables if not _said(reading, table.name) else ():
            there = {name.casefold() for name in other.names}
            if other not in reading.sources.values() and read and read <= there and _said(reading, other.name):
                yield table.name


def _said(reading: Reading, name: str) -> bool:
    """Whether the question has every word of a table's name."""
    return all(said_in(word, reading.asked.said) for word in words_of(name).split())


def _between(reading: Reading, alias: str) -> bool:
    """Whether a table only connects two other tables."""
    ties = [
        (each.this, each.expression)
        for each in reading.own(exp.EQ)
        if isinstance(each.this, exp.Column) and isinstance(each.expression, exp.Column)
    ]
    tied = {id(side): {each.table.casefold() for each in tie} for tie in ties for side in tie}
    read = [column for column in reading.own(exp.Column) if column.table.casefold() in ("", alias)]
    ends = set[str]().union(*(tied.get(id(column), set()) for column in read))
    return all(id(column) in tied for column in read) and len(ends - {"", alias}) > 1
