"""Brackets in a list of tokens: what stands outside them, where one closes, what commas part. Checks nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from servers.text2cypher.cypher.tokens import Token

OPENERS = {"(": ")", "[": "]", "{": "}"}


def outside(tokens: Sequence[Token]) -> Iterator[tuple[int, Token]]:
    """(index, token) of each token that is in no bracket; an opening bracket counts, a closing one doesn't."""
    depth = 0
    for place, token in enumerate(tokens):
        depth -= token.text in OPENERS.values()
        if depth == 0 and token.text not in OPENERS.values():
            yield place, token
        depth += token.text in OPENERS


def closing(tokens: Sequence[Token], opener: int) -> int:
    """The index of the bracket that closes the one at `opener`; parse() has checked that there is one."""
    depth = 0
    for place in range(opener, len(tokens)):
        depth += (tokens[place].text in OPENERS) - (tokens[place].text in OPENERS.values())
        if depth == 0:
            return place
    raise AssertionError("parse() has checked the brackets")


def find(tokens: Sequence[Token], wanted: Callable[[Token], bool], begin: int = 0, end: int | None = None) -> int:
    """The index of the first token in [begin, end) that is outside brackets and wanted; `end` if there is none."""
    stop = len(tokens) if end is None else end
    return next((begin + place for place, token in outside(tokens[begin:stop]) if wanted(token)), stop)


def parted(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """The tokens between commas outside brackets; empty parts are left out."""
    begin = 0
    for place in [*(n for n, token in outside(tokens) if token.text == ","), len(tokens)]:
        if tokens[begin:place]:
            yield tokens[begin:place]
        begin = place + 1
