"""A rank that cuts between equals, or begins with what has no value. Reads the query's order; chooses none."""

from __future__ import annotations

from servers.text2cypher.core.twice import Rows, Run
from servers.text2cypher.cypher.facts import QueryFacts


def tied(facts: QueryFacts, rows: Rows, run: Run) -> str | None:
    """The first that is left out and ranks equally with the last shown; None without."""
    last = len(rows)
    words = [token.text.upper() for token in facts.returned]
    if not rows or words[-2:] != ["LIMIT", str(last)] or (ranked := _ranked(facts)) is None:
        return None
    query, at = ranked
    more = run(f"{query}{last + 1}") or []
    return str(more[last][0]) if len(more) > last and more[last][at] == more[last - 1][at] else None


def unranked(facts: QueryFacts, rows: Rows, run: Run) -> str | None:
    """What is null in one of the first rows: what ranks it (engines sort null as the largest), or its group's key."""
    if not rows or "SKIP" in facts.words or (ranked := _ranked(facts)) is None:
        return None
    query, at = ranked
    if facts.aggregates and (
        none := [name for row in rows for name, cell in zip(facts.columns, row, strict=False) if cell is None]
    ):
        return none[0]
    found = rows if at < len(facts.columns) else run(f"{query}{len(rows)}") or []
    return _key(facts) if any(row[at] is None for row in found) else None


def is_cut(facts: QueryFacts, rows: Rows, run: Run) -> bool:
    """True where there are more rows than the query's limit lets through."""
    limit = facts.returned[-1] if [held.text.upper() for held in facts.returned[-2:-1]] == ["LIMIT"] else None
    if limit is None or str(len(rows)) != limit.text:
        return limit is None or not limit.text.isdecimal()
    more = run(f"{facts.query[: limit.start]}{len(rows) + 1}")
    return more is None or len(more) > len(rows)


def _ranked(facts: QueryFacts) -> tuple[str, int] | None:
    """The query up to its limit, and the column that its rows are ordered by: one more where it shows none."""
    key = _key(facts)
    if not key:
        return None
    order, limit = (next(held.start for held in facts.returned if held.is_word(word)) for word in ("ORDER", "LIMIT"))
    shown, ordered = facts.query[:order].rstrip(), f"{facts.query[order:limit]}LIMIT "
    if key in facts.columns:
        return f"{shown} {ordered}", facts.columns.index(key)
    return f"{shown}, {key} AS ranked_by {ordered}", len(facts.columns)


def _key(facts: QueryFacts) -> str:
    """By what alone the first few come first; "" without."""
    tokens = facts.returned
    words = [token.text.upper() for token in tokens]
    if words.count("BY") != 1 or "LIMIT" not in words or not facts.columns:
        return ""
    after = tokens[words.index("BY") + 1 :]
    ends = ("ASC", "DESC", "ASCENDING", "DESCENDING", "SKIP", "LIMIT")
    key = facts.query[after[0].start : next(token.start for token in after if token.is_word(*ends))].strip()
    return "" if "," in key else key
