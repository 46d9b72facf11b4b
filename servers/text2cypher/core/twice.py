"""Other readings of a query: each thing counted once or every time it is matched, a bound with or without its end, both
or one of two. Says whether their rows differ; chooses none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from servers.text2cypher.cypher.brackets import parted
from servers.text2cypher.cypher.facts import QueryFacts
from servers.text2cypher.cypher.functions import apply
from servers.text2cypher.cypher.parts import calls, sort_keys
from servers.text2cypher.cypher.tokens import Kind, named
from servers.text2cypher.graph.schema import LISTS
from servers.text2cypher.linking.amounts import SIGNS, said_numbers
from servers.text2cypher.linking.asks import cue_in, is_cued
from servers.text2cypher.linking.bounds import compared, ranges_in
from servers.text2cypher.linking.hints import Hints, Linker
from servers.text2cypher.linking.names import root, roots
from servers.text2cypher.linking.naming import is_key
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
    yield from _items_counted(facts, linker)
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
    owners = {column.partition(".")[0] for column in facts.columns}  # of which each row shows one: `most tagged tags`
    for call in facts.calls:
        if call.function in counting and call.is_plain and (call.name or path) and call.variable not in owners:
            what = call.name or next(iter(sorted(facts.structure.labels_of(call.variable))), call.variable)
            yield Other("counted", what, apply(facts.query, [(call.start, call.start, "DISTINCT ")]))


def is_each_once(facts: QueryFacts, rows: Rows, run: Run) -> bool:
    """True if counting distinct makes no difference, so that `the number of different actors` is answered."""
    counts = (call for call in facts.calls if call.function == "COUNT" and call.is_plain and not call.distinct)
    edits = [(call.start, call.start, "DISTINCT ") for call in counts]
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
    for call in facts.calls:
        if call.distinct is not None and call.function in ("SUM", "AVG"):
            other = apply(facts.query, [(call.distinct.start, call.start, "")])
            yield Other("counted", call.name or call.variable, other)
        elif call.distinct and call.function == "COUNT" and call.is_plain and _counts_others(call.name, hints, linker):
            other = apply(facts.query, [(call.start, call.end, named(call.variable))])
            yield Other("counted", call.name, other)


def _items_counted(facts: QueryFacts, linker: Linker) -> Iterator[Other]:
    """The items of counted lists: `the most roles`, of which each actor of a movie has a list."""
    lists = linker.schema.of_types(*LISTS.values())
    counts = [
        call
        for call in facts.calls
        if call.function == "COUNT" and call.is_plain and not call.distinct and call.name in lists
    ]
    if counts:
        edits = [(call.begin, call.end, f"sum(size({facts.query[call.start : call.end]})") for call in counts]
        yield Other("counted", counts[0].name, apply(facts.query, edits))


def _counts_others(name: str, hints: Hints, linker: Linker) -> bool:
    """True if the words after `how many` don't name this property: `how many movies`, not `how many years`."""
    if not name:
        return False
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
        used = {call.name for call in facts.calls if call.function in ("AVG", "MIN")}
        if name.value in used | {held for _, held in sort_keys(tokens)}:
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


def merged(facts: QueryFacts, linker: Linker, rows: Rows, run: Run) -> str | None:
    """The label of things that a figure takes together, because they share the name or key by which they are shown."""
    if not any(call.function != "SIZE" for call in calls(facts.returned)):
        return None
    for at, item in enumerate(parted(facts.column_tokens)):
        variable, name = (item[0].value, item[2].value) if [t.text for t in item[1:2]] == ["."] else ("", "")
        telling = name and (linker.naming.names(name) or is_key(name)) and (variable, "") not in facts.shown_apart
        for label in facts.structure.labels_of(variable) if telling else ():
            held = f"MATCH (n:{named(label)}) WITH n.{named(name)} AS shared, count(n) AS number"
            shared = {row[0] for row in run(f"{held} WHERE number > 1 RETURN shared") or []}
            if any(row[at] in shared for row in rows):
                return label
    return None


def listed_once(facts: QueryFacts, rows: Rows, run: Run) -> str | None:
    """What a list shows distinct, if showing every match gives other rows."""
    other = run(facts.query.replace(" RETURN DISTINCT ", " RETURN ")) if " RETURN DISTINCT " in facts.query else None
    column = facts.columns[0]
    labels = sorted(facts.structure.labels_of(column.partition(".")[0]))
    differs = other is not None and sorted(map(repr, other)) != sorted(map(repr, rows))
    return next(iter(labels), column) if differs else None
