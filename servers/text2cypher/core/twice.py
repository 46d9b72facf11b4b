"""Two readings of one query: each thing counted once, or each time it is met. Says if they differ, chooses none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from servers.text2cypher.cypher.facts import QueryFacts
from servers.text2cypher.cypher.tokens import Token
from servers.text2cypher.linking.asks import is_cued
from servers.text2cypher.linking.hints import Hints, Linker
from servers.text2cypher.linking.names import root, roots
from servers.text2cypher.linking.values import folded

_AFTER = 3  # words after `how many` that say what is counted
Rows = Sequence[Sequence[Any]]
Run = Callable[[str], Rows | None]
"""The rows of a query; None for one that doesn't run."""


def counted_once(facts: QueryFacts, rows: Rows, run: Run) -> str | None:
    """What is counted, where counting each once gives other rows; None where the query says it or both agree.

    Only a path can meet a node twice; many nodes can have the same property.
    """
    if "DISTINCT" in facts.words:
        return None
    path = bool(facts.structure.relationships)
    for place, token in enumerate(facts.tokens):
        if token.is_word("COUNT") and (counted := _counted(facts.tokens[place + 1 : place + 6], path=path)):
            if any(column.partition(".")[0] == counted[0].value for column in facts.columns):
                continue  # each row shows one of them: `the most tagged tags`
            other = f"{facts.query[: counted[0].start]}DISTINCT {facts.query[counted[0].start :]}"
            found = run(other)
            if found is not None and [list(row) for row in found] != [list(row) for row in rows]:
                return next(iter(sorted(facts.structure.labels_of(counted[-1].value))), counted[-1].value)
    return None


def counted_less(hints: Hints, facts: QueryFacts, linker: Linker, rows: Rows, run: Run) -> str | None:
    """What DISTINCT leaves out of a figure that the question doesn't want so; None where it changes nothing.

    Equal amounts are added up each, and things that are counted are no values of theirs.
    """
    if is_cued(hints.question, {"distinct"}):
        return None
    for place, token in enumerate(facts.tokens):
        held = facts.tokens[place + 1 : place + 7]
        if [one.text.upper() for one in held[:2]] != ["(", "DISTINCT"] or [one.text for one in held[3:6:2]] != [
            ".",
            ")",
        ]:
            continue
        start, end = held[1].start, held[2].start
        if token.is_word("COUNT") and _counts_others(held[4].value, hints, linker):
            other = f"{facts.query[:end]}{held[2].text}{facts.query[held[5].start :]}"
        elif token.is_word("SUM", "AVG"):
            other = f"{facts.query[:start]}{facts.query[end:]}"
        else:
            continue
        found = run(other)
        if found is not None and [list(row) for row in found] != [list(row) for row in rows]:
            return held[4].value
    return None


def _counts_others(name: str, hints: Hints, linker: Linker) -> bool:
    """True where the words after `how many` are none for this property: `how many movies`, not `how many years`."""
    found = linker.wording.compiled(rf"\b‹count›\b(?P<what>(?:\W+\w+){{0,{_AFTER}}})").search(hints.masked.lower())
    if found is None:
        return False
    phrases = [phrase for phrase, held in (*linker.lexicon.properties.items(), *linker.lexicon.also) if held == name]
    words = folded(found["what"])
    likened = [word for word, held, _ in hints.likened if held == name]
    said = any(f" {phrase} " in f" {words} " for phrase in (*phrases, *likened))
    return not (said or roots(name) & {root(word) for word in words.split()})


def listed_once(facts: QueryFacts, rows: Rows, run: Run) -> str | None:
    """What is listed each once, where listing it each time it is met gives other rows."""
    other = run(facts.query.replace(" RETURN DISTINCT ", " RETURN ")) if " RETURN DISTINCT " in facts.query else None
    column = facts.columns[0]
    labels = sorted(facts.structure.labels_of(column.partition(".")[0]))
    differs = other is not None and sorted(map(repr, other)) != sorted(map(repr, rows))
    return next(iter(labels), column) if differs else None


def _counted(tokens: Sequence[Token], *, path: bool) -> Sequence[Token]:
    """The tokens between the parentheses of a count: of a path's node, or of a property; else none."""
    texts = [token.text for token in tokens]
    if path and texts[:1] == ["("] and texts[2:3] == [")"] and tokens[1].is_name:
        return tokens[1:2]
    return tokens[1:4] if (texts[:1], texts[2:3], texts[4:5]) == (["("], ["."], [")"]) else ()
