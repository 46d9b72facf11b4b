"""A rank that cuts between equals, or begins with what has no value. Reads the query's order; chooses none."""

from __future__ import annotations

from collections.abc import Callable

from servers.text2cypher.core.twice import Rows
from servers.text2cypher.cypher.facts import QueryFacts


def tied(facts: QueryFacts, rows: Rows, run: Callable[[str], Rows | None]) -> str | None:
    """The first that is left out and ranks equally with the last shown; None without.

    `run` gives None for a query that doesn't run. Read are orders by one thing that a column shows.
    """
    words = [token.text.upper() for token in facts.returned]
    at = _ranked_by(facts)
    if at is None or not rows or words[-2:] != ["LIMIT", str(len(rows))]:
        return None
    last = len(rows)
    more = run(f"{facts.query[: facts.returned[-1].start]}{last + 1}") or []
    return str(more[last][0]) if len(more) > last and more[last][at] == rows[-1][at] else None


def unranked(facts: QueryFacts, rows: Rows) -> str | None:
    """What the rows are ordered by, where one of the first few has none: by the engine it is the largest."""
    at = _ranked_by(facts)
    short = "LIMIT" in facts.words
    return facts.columns[at] if short and at is not None and any(row[at] is None for row in rows) else None


def _ranked_by(facts: QueryFacts) -> int | None:
    """The column by which alone the rows are ordered."""
    tokens = facts.returned
    words = [token.text.upper() for token in tokens]
    if words.count("BY") != 1:
        return None
    begin = tokens[words.index("BY") + 1]
    ends = ("ASC", "DESC", "ASCENDING", "DESCENDING", "SKIP", "LIMIT")
    way = next((token for token in tokens if token.is_word(*ends)), None)
    key = facts.query[begin.start : way.start if way else None].strip()
    return facts.columns.index(key) if key in facts.columns else None
