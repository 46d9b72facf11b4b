"""What the stored values of a property are: years, dates. Looks at ranges and samples; links nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator

from servers.text2cypher.cypher.tokens import named
from servers.text2cypher.graph.backend import GraphBackend, QueryError
from servers.text2cypher.graph.schema import INTEGER, STRING
from servers.text2cypher.linking.language import languages
from servers.text2cypher.linking.values import Place, ValueIndex

FIRST_YEAR, LAST_YEAR = 1000, 2200
DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ].*)?")
_SAMPLE = 20


def said_of(backend: GraphBackend, values: ValueIndex) -> Iterator[tuple[str, str]]:
    """(phrase, property) for the words by which languages speak of years and dates."""
    words = languages()
    for label, properties in backend.schema.nodes.items():
        for name, kind in properties.items():
            if kind == INTEGER and _are_years(backend, label, name):
                yield from ((phrase, name) for phrase in words.of_years)
            if kind == STRING and _are_dates(values.sample(Place(label, name), _SAMPLE)):
                yield from ((phrase, name) for phrase in (*words.of_years, *words.of_dates))


def _are_years(backend: GraphBackend, label: str, name: str) -> bool:
    held = named(name)
    try:
        rows = backend.run(f"MATCH (n:{named(label)}) RETURN min(n.{held}), max(n.{held})").rows
    except QueryError:
        return False
    low, high = rows[0] if rows else (None, None)
    return low is not None and high is not None and FIRST_YEAR <= low <= high <= LAST_YEAR


def _are_dates(held: list[str]) -> bool:
    return bool(held) and all(DATE.fullmatch(value) for value in held)
