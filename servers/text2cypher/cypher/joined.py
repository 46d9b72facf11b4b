"""Whether the patterns of a query hang together. Reads no question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from servers.text2cypher.cypher.facts import QueryFacts
from servers.text2cypher.cypher.structure import CLAUSES
from servers.text2cypher.cypher.tokens import Token


def is_unjoined(facts: QueryFacts) -> bool:
    """True if patterns share no node, no condition compares theirs, and one has no condition or isn't shown.

    If figures were made before, only of patterns that are shown.
    """
    structure, before = facts.structure, facts.tokens[: -len(facts.returned)]
    if facts.words & {"UNWIND", "UNION"}:
        return False
    made = {name.value for word, name in pairwise(before) if word.is_word("AS")}
    names = [node.key for node in structure.nodes]
    part = {name: name for name in (*names, *made)}
    joined = ({names[held.left], names[held.right]} for held in structure.relationships)
    for held in (*joined, *_together(before, {*part})):
        own = {part[name] for name in held}
        part = {name: min(own) if it in own else it for name, it in part.items()}
    tested = {variable for variable, _, _ in facts.property_tests}
    stated = {part[name] for name in names if name in tested}
    after = {token.value for token in facts.returned}
    shown = {part[name] for name in names if name in after}
    every = shown if made else {part[name] for name in names}
    return len(every) > 1 and not every <= stated & (shown or every)


def _together(tokens: Sequence[Token], known: set[str]) -> Iterator[set[str]]:
    """The names in each condition and in each item of a WITH."""
    inside, held = False, set[str]()
    for token in tokens:
        if token.is_word("AND", "OR", "XOR", *CLAUSES) or token.text == ",":
            yield held
            held = set()
            inside = token.is_word("WHERE", "WITH") if token.is_word(*CLAUSES) else inside
        elif inside and token.value in known:
            held.add(token.value)
    yield held
