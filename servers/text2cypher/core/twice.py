"""Other readings of a query: each thing counted once or every time it is matched, a bound with or without its end, both
or one of two. Says whether their rows differ; chooses none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from servers.text2cypher.cypher.facts import QueryFacts
from servers.text2cypher.cypher.functions import apply
from servers.text2cypher.cypher.tokens import Kind, Token
from servers.text2cypher.linking.amounts import SIGNS, said_numbers
from servers.text2cypher.linking.asks import cue_in, is_cued
from servers.text2cypher.linking.bounds import compared, ranges_in
from servers.text2cypher.linking.hints import Hints, Linker
from servers.text2cypher.linking.names import root, roots
from servers.text2cypher.linking.values import folded

_AFTER = 3  # max. words after `how many` that name what is counted
Rows = Sequence[Sequence[Any]]
Run = Callable[[str], Rows | None]
"""Runs a query: its rows, or None if it fails."""


class Other(NamedTuple):
    """Another reading, and the doubt (core.agent_state.Doubt) that holds if its query finds other rows."""

    kind: str
    about: str
    query: str


def otherwise(hints: Hints, facts: QueryFacts, linker: Linker) -> Iterator[Other]:
    """The other readings."""
    yield from _counted_once(facts)
    yield from _counted_less(hints, facts, linker)
    yield from _bounded_otherwise(hints, facts, linker)
    yield from _zeros_left_out(hints, facts, linker)


def _counted_once(facts: QueryFacts) -> Iterator[Other]:
    """What is counted every time it is matched, also by the size of a list, although the query doesn't say distinct.

    Only a path can match a node twice; many nodes can share a property value.
    """
    if "DISTINCT" in facts.words:
        return
    path = bool(facts.structure.relationships)
    counting = ("COUNT", "COLLECT") if "SIZE" in facts.words else ("COUNT",)
    for place, token in enumerate(facts.tokens):
        if token.is_word(*counting) and (counted := _counted(facts.tokens[place + 1 : place + 6], path=path)):
            if any(column.partition(".")[0] == counted[0].value for column in facts.columns):
                continue  # each row shows one of them: `the most tagged tags`
            what = next(iter(sorted(facts.structure.labels_of(counted[-1].value))), counted[-1].value)
            yield Other("counted", what, f"{facts.query[: counted[0].start]}DISTINCT {facts.query[counted[0].start :]}")


def is_each_once(facts: QueryFacts, rows: Rows, run: Run) -> bool:
    """True if counting distinct makes no difference, so that `the number of different actors` is answered."""
    counts = (facts.tokens[n + 1 : n + 6] for n, token in enumerate(facts.tokens) if token.is_word("COUNT"))
    edits = [(held[0].start, held[0].start, "DISTINCT ") for count in counts if (held := _counted(count, path=True))]
    return bool(edits) and not differs(run(apply(facts.query, edits)), rows)


def counted_different(hints: Hints, linker: Linker) -> str:
    """The word `different` of `the number of different actors`; "" for others (`acted in a different movie`)."""
    cue = cue_in(hints.question, {"distinct"})
    said = cue and linker.wording.compiled(r"\b‹count_said›(?:\W+\w+){0,1}?\W+(?P<cue>\w+)")
    return cue if said and any(found["cue"].lower() == cue for found in said.finditer(hints.masked)) else ""


def _counted_less(hints: Hints, facts: QueryFacts, linker: Linker) -> Iterator[Other]:
    """What an unwanted DISTINCT may drop from a figure.

    Equal amounts must each be added, and things are counted themselves, not their values.
    """
    if is_cued(hints.question, {"distinct"}):
        return
    for place, token in enumerate(facts.tokens):
        held = facts.tokens[place + 1 : place + 7]
        texts = [one.text.upper() for one in held]
        if texts[:2] != ["(", "DISTINCT"]:
            continue
        start, end = held[1].start, held[2].start
        whole = texts[3:6:2] == [".", ")"] and token.is_word("COUNT")
        if whole and _counts_others(held[4].value, hints, linker):
            yield Other("counted", held[4].value, f"{facts.query[:end]}{held[2].text}{facts.query[held[5].start :]}")
        elif token.is_word("SUM", "AVG"):
            about = next((one.value for one in reversed(held) if one.is_name), token.text.lower())
            yield Other("counted", about, f"{facts.query[:start]}{facts.query[end:]}")


def _counts_others(name: str, hints: Hints, linker: Linker) -> bool:
    """True if the words after `how many` don't name this property: `how many movies`, not `how many years`."""
    found = linker.wording.compiled(rf"\b‹count›\b(?P<what>(?:\W+\w+){{0,{_AFTER}}})").search(hints.masked.lower())
    if found is None:
        return False
    phrases = [phrase for phrase, held in (*linker.lexicon.properties.items(), *linker.lexicon.also) if held == name]
    words = folded(found["what"])
    likened = [word for word, held, _ in hints.likened if held == name]
    said = any(f" {phrase} " in f" {words} " for phrase in (*phrases, *likened))
    return not (said or roots(name) & {root(word) for word in words.split()})


def _bounded_otherwise(hints: Hints, facts: QueryFacts, linker: Linker) -> Iterator[Other]:
    """A strict bound such as `> 1995` for a range from 1995 on or `since` a day, and one with its end for `after`."""
    text = hints.question.lower()
    strict = {f"{end:.10g}": False for low, high, _ in ranges_in(text, linker) for end in (low, high)}
    for day in re.finditer(r"\d{4}-\d{2}-\d{2}", text):
        if (cue := compared(text, *day.span(), linker)[1]) in SIGNS:
            strict[day[0]] = len(SIGNS[cue]) == 1
    for literal, alone in strict.items():
        edits = {
            (sign.start, sign.end, sign.text[0] + "=" * (not alone))
            for place, token in enumerate(facts.tokens)
            if token.kind in (Kind.NUMBER, Kind.STRING) and literal in (token.value, token.value[:10])
            for sign in facts.tokens[max(place - 3, 0) : place + 3]  # three before: `> date('…')`
            if sign.text in SIGNS.values() and (len(sign.text) == 1) != alone
        }
        if edits:
            yield Other("unasked", f"{facts.query[slice(*min(edits)[:2])]} {literal}", apply(facts.query, [*edits]))


def _zeros_left_out(hints: Hints, facts: QueryFacts, linker: Linker) -> Iterator[Other]:
    """The property whose zeros the query excludes from an average, minimum or order."""
    if 0 in said_numbers(hints.question, linker.lexicon):
        return
    tokens = facts.tokens
    for place in range(3, len(tokens) - 1):
        variable, point, name = tokens[place - 3 : place]
        if (tokens[place].text, tokens[place + 1].text, point.text) != (">", "0", "."):
            continue
        used = [n for n in range(2, len(tokens)) if tokens[n].value == name.value and tokens[n - 1].text == "."]
        opened = {token.text.upper() for n in used if n + 1 != place for token in tokens[max(n - 5, 0) : n - 1]}
        if opened & {"AVG", "MIN", "BY"}:
            other = f"{facts.query[: tokens[place].end]}={facts.query[tokens[place].end :]}"
            yield Other("unasked", f"{variable.value}.{name.value} > 0", other)


def either_for_both(hints: Hints, facts: QueryFacts, linker: Linker, rows: Rows, run: Run) -> str | None:
    """The text `A and B` if the query accepts either and something has both; else None."""
    if not facts.words & {"IN", "OR"} or facts.words & {"LIMIT", "COLLECT", "SUM", "AVG", "MIN", "MAX"}:
        return None
    text = hints.question.lower()
    found = {text.index(held.lower()): held for held in facts.strings if held and held.lower() in text}
    for (start, one), (place, other) in pairwise(sorted(found.items())):
        between = text[start + len(one) : place].strip(" ,'\"")
        if not linker.wording.compiled(r"(?!‹or›)‹joins›").fullmatch(between):
            continue
        alone = [run(_only(facts, kept, gone)) for kept, gone in ((one, other), (other, one))]
        if all(alone) and sum(map(_size, alone)) > _size(rows):
            return hints.question[start : place + len(other)]
    return None


def _only(facts: QueryFacts, kept: str, gone: str) -> str:
    """The query with one text replaced by another."""
    texts = [token for token in facts.tokens if token.kind is Kind.STRING]
    other = next(token.text for token in texts if token.value == kept)
    return apply(facts.query, [(token.start, token.end, other) for token in texts if token.value == gone])


def _size(rows: Rows | None) -> float:
    """The single number in the rows, else the number of rows."""
    held = rows or []
    one = held[0][0] if len(held) == 1 and len(held[0]) == 1 else None
    return one if isinstance(one, int | float) else len(held)


def differs(found: Rows | None, rows: Rows) -> bool:
    """True if a query ran and found other rows."""
    return found is not None and [list(row) for row in found] != [list(row) for row in rows]


def listed_once(facts: QueryFacts, rows: Rows, run: Run) -> str | None:
    """What a list shows distinct, if showing every match gives other rows."""
    other = run(facts.query.replace(" RETURN DISTINCT ", " RETURN ")) if " RETURN DISTINCT " in facts.query else None
    column = facts.columns[0]
    labels = sorted(facts.structure.labels_of(column.partition(".")[0]))
    differs = other is not None and sorted(map(repr, other)) != sorted(map(repr, rows))
    return next(iter(labels), column) if differs else None


def _counted(tokens: Sequence[Token], *, path: bool) -> Sequence[Token]:
    """The tokens inside the parentheses of a count of a path's node or a property; else none."""
    texts = [token.text for token in tokens]
    if path and texts[:1] == ["("] and texts[2:3] == [")"] and tokens[1].is_name:
        return tokens[1:2]
    return tokens[1:4] if (texts[:1], texts[2:3], texts[4:5]) == (["("], ["."], [")"]) else ()
