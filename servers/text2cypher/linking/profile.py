"""Which properties store years or dates, by ranges and samples of their values. Links nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from servers.text2cypher.graph.backend import GraphBackend, QueryError
from servers.text2cypher.graph.schema import INTEGER, STRING
from servers.text2cypher.linking.amounts import FIRST_YEAR, LAST_YEAR
from servers.text2cypher.linking.language import languages
from servers.text2cypher.linking.names import parts
from servers.text2cypher.linking.values import Place, ValueIndex

DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ].*)?")
_SAMPLE = 20
_SECONDS = (2e8, 4e9)  # Unix time, 1976 to 2096


def said_of(backend: GraphBackend, values: ValueIndex, moments: Iterable[str]) -> Iterator[tuple[str, str]]:
    """(phrase, property) for the languages' words for years and dates; `moments`: the properties from moments_of."""
    words = languages()
    yield from ((phrase, name) for name in moments for phrase in (*words.of_years, *words.of_dates))
    for label, properties in backend.schema.nodes.items():
        for name, kind in properties.items():
            if kind == INTEGER and _all_within(backend, label, name, FIRST_YEAR, LAST_YEAR):
                yield from ((phrase, name) for phrase in words.of_years)
            if kind == STRING and _are_dates(values.sample(Place(label, name), _SAMPLE)):
                yield from ((phrase, name) for phrase in (*words.of_years, *words.of_dates))


def moments_of(backend: GraphBackend) -> dict[str, int]:
    """{property: units per second} for integers that are called a date or time and count from 1970."""
    called, found = {*languages().of_dates}, {}
    for label, properties in backend.schema.nodes.items():
        for name in [name for name, kind in properties.items() if kind == INTEGER and called & {*parts(name)}]:
            for units in (1, 1000):
                if _all_within(backend, label, name, *(bound * units for bound in _SECONDS)):
                    found[name] = units
    return found


def _all_within(backend: GraphBackend, label: str, name: str, least: float, most: float) -> bool:
    try:
        found = backend.bounds(label, name)
    except QueryError:
        return False
    return found is not None and least <= found[0] <= found[1] <= most


def _are_dates(held: list[str]) -> bool:
    return bool(held) and all(DATE.fullmatch(value) for value in held)
