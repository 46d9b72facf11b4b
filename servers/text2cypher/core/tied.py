"""A rank that cuts between equals: which of them is shown is chance. Reads the query's order; chooses none."""

from __future__ import annotations

from collections.abc import Callable

from servers.text2cypher.core.twice import Rows
from servers.text2cypher.cypher.facts import QueryFacts


def tied(facts: QueryFacts, rows: Rows, run: Callable[[str], Rows | None]) -> str | None:
    """The first that is left out and ranks equally with the last shown; None without.

    `run` gives None for a query that doesn't run. Read are orders by one thing that a column shows.
    """
    tokens = facts.returned
    words = [token.text.upper() for token in tokens]
    if not rows or words[-2:] != ["LIMIT", str(len(rows))] or words.count("BY") != 1:
        return None
    begin, limit = tokens[words.index("BY") + 1], tokens[-1]
    way = next((token for token in tokens if token.is_word("ASC", "DESC", "ASCENDING", "DESCENDING")), tokens[-2])
    key = facts.query[begin.start : way.start].strip()
    if key not in facts.columns:
        return None
    at, last = facts.columns.index(key), len(rows)
    more = run(f"{facts.query[: limit.start]}{last + 1}") or []
    return str(more[last][0]) if len(more) > last and more[last][at] == rows[-1][at] else None
