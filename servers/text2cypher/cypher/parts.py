"""The parts of a query's expressions: its columns, calls of figures, sort keys, and what is denied. Uses text only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from servers.text2cypher.cypher.brackets import OPENERS, closing, find, outside, parted
from servers.text2cypher.cypher.structure import CLAUSES
from servers.text2cypher.cypher.tokens import Token, tokenize

FIGURES = frozenset({"COUNT", "SUM", "AVG", "MIN", "MAX"})
"""Functions that compute one number from many rows."""
ENDS = ("ORDER", "SKIP", "LIMIT", "UNION")
_TEST_ENDS = (*CLAUSES, "AND", "OR", "XOR")


class Call(NamedTuple):
    """`count(DISTINCT m.title)`, or a subquery `COUNT { … }`.

    `function`: in upper case; `variable`, `name`: the first word of the argument and the property that it reads there
    ("" for none); `is_plain`: the argument is nothing else; `start`, `end`: its offsets; `distinct`: its DISTINCT;
    `begin`: the offset of the function.
    """

    function: str
    variable: str
    name: str
    is_plain: bool
    start: int
    end: int
    distinct: Token | None
    begin: int


def calls(tokens: Sequence[Token]) -> Iterator[Call]:
    """The calls of FIGURES, COLLECT and SIZE, in order."""
    for place, (token, opener) in enumerate(pairwise(tokens)):
        if token.is_word(*FIGURES, "COLLECT", "SIZE") and opener.text in ("(", "{"):
            inside = tokens[place + 2 : closing(tokens, place + 1)] or [opener]
            distinct = inside[0] if inside[0].is_word("DISTINCT") else None
            first, *rest = inside[1:] if distinct else inside
            name = rest[1].value if [held.text for held in rest[:1]] == ["."] else ""
            is_plain = first.is_name and len(rest) == (2 if name else 0)
            yield Call(
                token.text.upper(), first.value, name, is_plain, first.start, inside[-1].end, distinct, token.start
            )


def sort_keys(tokens: Sequence[Token]) -> list[tuple[str, str]]:
    """(variable, property) of the first key of each ORDER BY, if it is a property."""
    around = zip(tokens, tokens[1:], tokens[2:], tokens[3:], strict=False)
    return [(key.value, name.value) for by, key, point, name in around if by.is_word("BY") and point.text == "."]


def joined_by(tokens: Sequence[Token], *signs: str) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    """Two (variable, property) with one of these signs between them: `a.price * b.quantity`, `a.year = b.year`."""
    bare = [token for token in tokens if token.text not in ("(", ")") and not token.is_word("TOFLOAT")]
    for one, dot, name, sign, other, point, same in zip(*(bare[n:] for n in range(7)), strict=False):
        if sign.text in signs and dot.text == point.text == ".":
            yield (one.value, name.value), (other.value, same.value)


def column_names(query: str) -> list[str]:
    """The names as in Neo4j: an alias, or the expression as written; none without a RETURN at the end, or for `*`."""
    tokens = tokenize(query)
    begin = max((place + 1 for place, token in outside(tokens) if token.is_word("RETURN")), default=len(tokens))
    begin += any(token.is_word("DISTINCT") for token in tokens[begin : begin + 1])
    end = find(tokens, lambda token: token.text == ";" or token.is_word(*ENDS), begin)
    names = [_name(query, item) for item in parted(tokens[begin:end])]
    return [] if names == ["*"] else names


def owner_and_property(column: str) -> tuple[str, str]:
    """(variable, property) of `a.name`, the property without backquotes; the variable is "" if there is no dot."""
    variable, _, name = column.rpartition(".")
    return variable, name.strip("`").replace("``", "`")


def _name(query: str, item: Sequence[Token]) -> str:
    if len(item) > 2 and item[-2].is_word("AS"):
        return item[-1].value
    return query[item[0].start : item[-1].end]


def denials(tokens: Sequence[Token]) -> Iterator[tuple[Token, Sequence[Token]]]:
    """(token, the tokens it negates) for each NOT, NONE and `<>`, except the NOT of IS NOT NULL."""
    for place, token in enumerate(tokens):
        if token.text in ("<>", "!=") or (token.is_word("NOT", "NONE") and not tokens[place - 1].is_word("IS")):
            yield token, _to_the_end(tokens, place + 1)


def is_missing(held: Sequence[Token]) -> bool:
    """True for `n.x IS NULL` alone; a NOT before it isn't a negation."""
    return len(held) > 1 and held[-2].is_word("IS") and held[-1].is_word("NULL")


def _to_the_end(tokens: Sequence[Token], start: int) -> Sequence[Token]:
    depth = 0
    for place in range(start, len(tokens)):
        token = tokens[place]
        depth += (token.text in OPENERS) - (token.text in OPENERS.values())
        if depth < 0 or (not depth and token.is_word(*_TEST_ENDS) and not tokens[place - 1].is_word("STARTS", "ENDS")):
            return tokens[start:place]
    return tokens[start:]
