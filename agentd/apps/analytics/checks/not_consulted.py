"""Tables and columns of a plan instead of which the question names others, or none. Pure."""

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
    select, asked = reading.select, reading.asked
    chosen = (leaf for leaf in select.comparisons if any(asked.says(each.name) for each in of_kind(leaf, exp.Literal)))
    valued = {column.table.casefold() for leaf in chosen for column in of_kind(leaf, exp.Column)}
    words = re.findall(r"[^\W\d_]{4,}", asked.said) if reading.unknown else ()
    for alias, name in reading.unknown.items():
        read = (each.name for each in select.columns_of(alias))
        said = any(word in name.casefold() for word in words)
        if not (alias in valued or said or _between(reading, alias) or any(map(asked.hits, [name, *read]))):
            yield name


def instead_of(reading: Reading) -> Iterator[str]:
    """Tables whose name has words that the question lacks, if another one that it names, with all the columns that are
    read of them, is not read: student_record, for course_offering."""
    for alias, table in reading.sources.items():
        read = {each.name.casefold() for each in reading.select.columns_of(alias)}
        for other in reading.schema.tables if not _said(reading, table.name) else ():
            there = {name.casefold() for name in other.names}
            if other not in reading.sources.values() and read and read <= there and _said(reading, other.name):
                yield table.name


def of_a_sibling(reading: Reading) -> Iterator[str]:
    """Columns whose name differs by one word from another one's that nothing reads, if the question has only the
    other's word: `to_airport`, for "depart from each airport"."""
    read = {column.name for column in reading.select.columns}
    for column in (*reading.select.shown, *reading.select.grouping):
        found = reading.column(column)
        words = words_of(column.name).split()
        of_a_pair = found and len(words) > 1 and found[1].kind != "identifier"  # keys differ by the thing
        for other in found[0].names if found and of_a_pair else ():
            others = words_of(other).split()
            apart = [pair for pair in zip(words, others, strict=False) if pair[0] != pair[1]]
            if len(others) == len(words) and len(apart) == 1 and other not in read:
                own, said = (said_in(word, reading.asked.said) for word in apart[0])
                if said and not own:
                    yield column.name


def _said(reading: Reading, name: str) -> bool:
    """Whether the question has every word of a table's name."""
    return all(said_in(word, reading.asked.said) for word in words_of(name).split())


def _between(reading: Reading, alias: str) -> bool:
    """Whether a table only connects two other tables."""
    tied = {id(side): {each.table.casefold() for each in tie} for tie in reading.select.ties for side in tie}
    read = reading.select.columns_of(alias)
    ends = set[str]().union(*(tied.get(id(column), set()) for column in read))
    return all(id(column) in tied for column in read) and len(ends - {"", alias}) > 1
