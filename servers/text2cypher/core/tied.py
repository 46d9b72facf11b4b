"""Ranks that cut between equal values or start with nulls. Reads the query's order; chooses none."""

from __future__ import annotations

from servers.text2cypher.core.twice import Rows, Run
from servers.text2cypher.cypher.facts import QueryFacts


def tied(facts: QueryFacts, rows: Rows, run: Run) -> tuple[str, bool] | None:
    """(the first omitted row's name if it ties with the last shown one, whether the first shown one ties too)."""
    last = len(rows)
    if not rows or facts.limit != str(last) or (ranked := _ranked(facts)) is None:
        return None
    query, at = ranked
    more = run(f"{query}{last + 1}") or []
    if len(more) <= last or more[last][at] != more[last - 1][at]:
        return None
    return str(more[last][0]), more[last][at] == more[0][at]


def unranked(facts: QueryFacts, rows: Rows, run: Run) -> str | None:
    """What is null in one of the first rows: the sort key (engines sort null as the largest) or a group's key."""
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
    """True if the query's limit drops rows."""
    if str(len(rows)) != facts.limit:
        return not facts.limit.isdecimal()
    more = run(f"{facts.query[: facts.returned[-1].start]}{len(rows) + 1}")
    return more is None or len(more) > len(rows)


def _ranked(facts: QueryFacts) -> tuple[str, int] | None:
    """(the query up to its limit's number, the index of the sort column, which is added if it isn't shown)."""
    key = _key(facts)
    if not key:
        return None
    order, limit = (next(held.start for held in facts.returned if held.is_word(word)) for word in ("ORDER", "LIMIT"))
    shown, ordered = facts.query[:order].rstrip(), f"{facts.query[order:limit]}LIMIT "
    if key in facts.columns:
        return f"{shown} {ordered}", facts.columns.index(key)
    return f"{shown}, {key} AS ranked_by {ordered}", len(facts.columns)


def _key(facts: QueryFacts) -> str:
    """The only sort key of a query with a limit; "" without one."""
    tokens = facts.returned
    words = [token.text.upper() for token in tokens]
    if words.count("BY") != 1 or "LIMIT" not in words or not facts.columns:
        return ""
    after = tokens[words.index("BY") + 1 :]
    ends = ("ASC", "DESC", "ASCENDING", "DESCENDING", "SKIP", "LIMIT")
    key = facts.query[after[0].start : next(token.start for token in after if token.is_word(*ends))].strip()
    return "" if "," in key else key
