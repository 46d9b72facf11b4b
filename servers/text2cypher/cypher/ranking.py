"""The order in which a query returns its rows and how many it keeps. Runs nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from servers.text2cypher.cypher.brackets import find, parted
from servers.text2cypher.cypher.facts import QueryFacts
from servers.text2cypher.cypher.parts import FIGURES
from servers.text2cypher.cypher.tokens import Token

_ENDS = ("ORDER", "SKIP", "LIMIT")


@dataclass(frozen=True)
class Ranking:
    """`query`: all rows in order; its columns at `places` hold the sort keys, which are added if they aren't shown.

    `keys`: the sort keys as written; `width`: the number of columns of the query itself; `limit`: None keeps all rows.
    """

    query: str
    keys: tuple[str, ...]
    places: tuple[int, ...]
    width: int
    limit: int | None

    @classmethod
    def of(cls, facts: QueryFacts) -> Ranking | None:
        """The order and limit of the last RETURN, or of a WITH just before it; None without either, or with SKIP."""
        body, tokens = _split(facts)
        if not tokens or not facts.columns or "UNION" in facts.words:
            return None
        limit = tokens[-1].text if tokens[-2].is_word("LIMIT") else ""
        if any(token.is_word("SKIP") for token in tokens) or not (limit.isdecimal() or not limit):
            return None
        ordering = tokens[: -2 if limit else None]
        keys = tuple(_keys(ordering[2:], facts.query))
        added = [key for key in keys if key not in facts.columns]
        shown = "".join(f", {key} AS ranked_by_{place}" for place, key in enumerate(added))
        columns = [*facts.columns, *added]
        order = f" {facts.query[ordering[0].start : ordering[-1].end]}" if ordering else ""
        places = tuple(columns.index(key) for key in keys)
        return cls(f"{body}{shown}{order}", keys, places, len(facts.columns), int(limit) if limit else None)

    def first(self, count: int) -> str:
        """The query of the first rows."""
        return f"{self.query} LIMIT {count}"


def _split(facts: QueryFacts) -> tuple[str, Sequence[Token]]:
    """(the query without its order and limit, the tokens of these)."""
    query, returned = facts.query, facts.returned
    if (place := find(returned, lambda token: token.is_word(*_ENDS))) < len(returned):
        return query[: returned[place].start].rstrip(), returned[place:]
    before = facts.tokens[: -len(returned) - 1]
    if not before[2:] or not before[-2].is_word("LIMIT") or any(t.is_word("DISTINCT", *FIGURES) for t in returned):
        return query, ()
    place = max(n for n, token in enumerate(before) if token.is_word("WITH") and not before[n - 1].is_word("STARTS"))
    place = next(n for n in range(place, len(before)) if before[n].is_word(*_ENDS))
    return f"{query[: before[place].start]}{query[before[-1].end :].lstrip()}".rstrip("; "), before[place:]


def _keys(tokens: Sequence[Token], query: str) -> Iterator[str]:
    """The expressions between the commas, without their directions."""
    for item in parted(tokens):
        end = item[-2 if item[-1].is_word("ASC", "DESC", "ASCENDING", "DESCENDING") else -1].end
        yield query[item[0].start : end]
