"""The grammar of the readings a question has: the model chooses among them by writing one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any

from servers.text2cypher.grammar.lark import either, grammar, literal
from servers.text2cypher.grammar.readings import Reading
from servers.text2cypher.graph.backend import GraphBackend, GraphUnavailableError, QueryError

CHOICES = 2
"""Of readings guessed from names. The first are the likeliest: of 78 questions with a right one 68 hold it in two."""


def question_grammar(readings: list[Reading], *, thinking: bool = False) -> str:
    """Raises lark.GrammarError; `readings` must not be empty."""
    by_returns: dict[tuple[str, ...], list[str]] = {}
    for reading in readings:
        by_returns.setdefault(reading.returns, []).append(reading.match)
    rules = []
    for number, (returns, matches) in enumerate(by_returns.items()):
        rules.append(f"q{number}: {either([literal(m) for m in matches])} {either([literal(r) for r in returns])}")
    rules.append("query: " + " | ".join(f"q{number}" for number in range(len(by_returns))))
    return grammar(rules, thinking=thinking)


def without(readings: list[Reading], tried: Collection[str]) -> list[Reading]:
    """The readings left when some queries have been written already."""
    left = [replace(r, returns=tuple(text for text in r.returns if r.match + text not in tried)) for r in readings]
    return [reading for reading in left if reading.returns]


def first_differing(readings: list[Reading], run: Callable[[str], Sequence[Sequence[Any]] | None]) -> list[Reading]:
    """The first two texts whose results differ; all readings where none do. `run` gives None for what doesn't run."""
    kept: dict[str, tuple[str, str]] = {}
    for match, text in ((reading.match, text) for reading in readings for text in reading.returns):
        rows = run(match + text)
        kept.setdefault(repr(sorted(map(repr, rows))) if rows is not None else "", (match, text))
        if len(kept) == CHOICES:
            return [Reading(held, (shown,)) for held, shown in kept.values()]
    return readings


def finding_something(readings: list[Reading], backend: GraphBackend) -> list[Reading]:
    """The readings whose pattern matches anything; all of them when none does."""
    found = []
    for reading in readings:
        try:
            if backend.run(f"{reading.match} RETURN 1 LIMIT 1").rows:
                found.append(reading)
        except (QueryError, GraphUnavailableError):
            continue
    return found or readings
