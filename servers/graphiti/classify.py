"""Classifies columns by type, name and keys. Uses no model."""

from __future__ import annotations

import re
from collections.abc import Container
from typing import Literal, cast, get_args

from servers.common.catalogue import Column, Table
from servers.graphiti import glossary

Classification = Literal["temporal", "financial_amount", "quantitative", "identifier", "descriptive"]

_TEMPORAL = re.compile(r"^(DATE|DATETIME|TIMESTAMP|TIME|YEAR)\b", re.IGNORECASE)
_FRACTION = re.compile(r"^(DECIMAL|NUMERIC|NUMBER|MONEY|DOUBLE|FLOAT|REAL)", re.IGNORECASE)
_BINARY = re.compile(r"^(DOUBLE|FLOAT|REAL)", re.IGNORECASE)
_WHOLE = re.compile(r"^(TINYINT|SMALLINT|MEDIUMINT|BIGINT|INTEGER|INT)\b", re.IGNORECASE)
_JOINED_ID = re.compile(rf"(.+)(?:{'|'.join(glossary.IDENTIFIERS)})$")
_COUNTED = frozenset({"quantity", "stock", "minimum stock", "inflow", "outflow", "result", "terms"})
_RATES = frozenset({"exchange rate"})
_PRICED = frozenset({"price", "cost", "value", "salary", "discount"})


def classify(table: Table, column: Column, things: Container[str] = ()) -> Classification:
    """Return a column's kind; the glossary takes precedence. `quantitative`: numbers that aren't money. `things`: those
    of the catalogue."""
    if column.kind in get_args(Classification):
        return cast("Classification", column.kind)
    if _TEMPORAL.match(column.type):
        return "temporal"
    if column.primary_key or column.name in table.joining or column.name in table.primary_key:
        return "identifier"
    concepts = glossary.name_concepts(column.name)
    if _FRACTION.match(column.type):
        return "financial_amount" if _is_money(column, concepts) else "quantitative"
    if _identifies(column.name, things):
        return "identifier"
    if _WHOLE.match(column.type) and not column.name.lower().startswith(glossary.FLAGS):
        return "financial_amount" if concepts & _PRICED else "quantitative"
    return "descriptive"


def _is_money(column: Column, concepts: frozenset[str]) -> bool:
    """Whether a column of fractions has amounts of money: by its name; without a telling one, by an exact type."""
    named = {*glossary.words(column.name)}
    if concepts & (_COUNTED | _RATES) and "value" not in concepts:
        return False
    if concepts & _PRICED or (named & glossary.MONEY and not named & glossary.MEASURES):
        return True
    return not named & glossary.MEASURES and (bool(concepts) or not _BINARY.match(column.type))


def _identifies(name: str, things: Container[str]) -> bool:
    """Whether the last word is "id" or similar; joined to another, only after a known one or a table's: `custid`, not
    `void`; `pid` of publications, but no `bid` of bids."""
    last = glossary.words(name)[-1:]
    joined = _JOINED_ID.match(last[0]) if last else None
    return last[:1] in ([each] for each in glossary.IDENTIFIERS) or bool(
        joined and (_is_known(joined[1]) or (joined[1] in things and last[0] not in things))
    )


def _is_known(word: str) -> bool:
    """Whether it names a concept, or begins such a name: `cust`."""
    begins = any(name.startswith(word) for each in glossary.CONCEPTS for name in each.names)
    return bool(glossary.name_concepts(word)) or (len(word) > glossary.SHORT and begins)


def is_aggregatable(classification: Classification) -> bool:
    """Return whether sums and averages of the column make sense."""
    return classification in ("financial_amount", "quantitative")
