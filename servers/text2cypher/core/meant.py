"""Doubts about the first of several readings: others give other answers, or all are guesses. Chooses none.

Being the likeliest reading is no evidence: only equally likely readings with the same result make a plain success. And
if nobody wrote words for the graph, a note says which columns are shown unless the question names them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice, permutations
from typing import Any

from servers.text2cypher.core.agent_state import AgentState, Doubt
from servers.text2cypher.core.confidence import assess
from servers.text2cypher.core.headings import headings
from servers.text2cypher.core.likeliest import behind
from servers.text2cypher.core.steps import identified
from servers.text2cypher.core.twice import Rows, Run, listed_once
from servers.text2cypher.cypher.facts import QueryFacts
from servers.text2cypher.cypher.parts import FIGURES, owner_and_property
from servers.text2cypher.linking.asks import is_cued
from servers.text2cypher.linking.hints import Hints, Linker
from servers.text2cypher.linking.language import languages
from servers.text2cypher.linking.names import root, roots, roots_in, spaced

MOST_RUN = 12
MOST_COLUMNS = 4
"""A wider result is compared with its columns in order."""
MOST_PROPERTIES = 2
"""Rank questions about things with more properties often want others than the name."""


def doubts_of_choice(
    hints: Hints,
    query: str,
    rows: Rows,
    readings: Sequence[str],
    linker: Linker,
    run: Run,
) -> list[Doubt]:
    """At most one doubt; none for a query that isn't one of the `readings`.

    A reading that is less likely, or that would be doubted itself, is no rival.
    """
    if query not in readings:
        return []
    less = behind(hints, linker)
    most = less(query)
    rivals = (text for text in readings if text != query and less(text) <= most)
    run = cache(run)  # a rival is compared, then judged by the same rows
    differing = differing_from(query, rows, rivals, run)
    often = _counted_often(query, hints)
    rival = next((text for text in differing if text == often or not _is_doubted(text, hints, linker, run)), None)
    if rival is not None:
        return [Doubt("meant", told_of(rival, query, _words(hints)))]
    if linker.lexicon.written:
        return []
    facts = QueryFacts.of(query)
    listed = listed_once(facts, rows, run)
    return [*_open_in(hints, facts, linker)] or ([Doubt("counted", listed)] if listed else [])


def _open_in(hints: Hints, facts: QueryFacts, linker: Linker) -> Iterator[Doubt]:
    """At most one doubt: about a word's meaning or about what to show.

    Unclear cases: whether `receiving banks` are a property's values or what RECEIVED joins, which of several steps a
    `never` applies to, whether lists are measured individually or together, and which of several things
    that a relationship joins is meant if no word names one.
    """
    unsaid = facts.structure.labels - {*hints.labels, *hints.related}
    ends = [
        {*held}
        for kind in facts.names & {*linker.schema.relationships}
        for held in zip(*linker.schema.ends(kind), strict=True)
    ]
    within = roots(*hints.within)
    shown = owner_and_property(facts.columns[0])[1] if facts.columns else ""
    if (
        facts.names & set(hints.within)
        or within & roots(shown)
        or "SIZE" in facts.words
        or any(len(held) > 1 and held & unsaid for held in ends)
        or (facts.negates and len(facts.structure.relationships) > 1)
        # `product categories`: which of the two is meant depends on the language
        or linker.wording.compiled(r"\b‹label›\s+‹label›\b").search(hints.question)
    ):
        yield Doubt("guessed")
    elif not _is_asked(hints, facts, linker):
        yield Doubt("columns", ", ".join(headings(facts.columns, facts, _words(hints))))


def _words(hints: Hints) -> Mapping[str, str]:
    return languages().voice_of(hints.question).answers


def _is_asked(hints: Hints, facts: QueryFacts, linker: Linker) -> bool:
    """True if the question determines the columns (docs/decisions/columns-that-are-asked-for.md).

    That is: names or everything of each, properties of named things, a single figure, or a rank by a figure of things
    with few properties.
    """
    figure = bool(facts.words & FIGURES)
    if "ORDER" in facts.words and figure:
        return len(facts.columns) > 1 and _has_little(facts.columns[0], hints, facts, linker)
    whole = linker.wording.compiled(r"\b‹asks_whole›\b").search(hints.masked) and "." not in facts.columns[0]
    names = _shows_names(hints, facts, linker) and "ORDER" not in facts.words
    known = {node.key for node in facts.structure.nodes} <= identified(hints, facts, linker)
    told = known and {owner_and_property(column)[1] for column in facts.columns} <= {*hints.properties, *hints.related}
    return bool(whole or names or told) or (figure and len(facts.columns) == 1)


def _shows_names(hints: Hints, facts: QueryFacts, linker: Linker) -> bool:
    """True if names are asked for and shown, with nothing else but what is also asked for."""
    shown = [owner_and_property(column)[1] for column in facts.columns]
    asked = linker.wording.compiled(r"^\W*‹asks_names›\b(?P<more>\s*,|\s+‹joins›\b)?").match(hints.question)
    if asked is None or not linker.naming.names(shown[0]):
        return False
    return bool(asked["more"]) == bool(shown[1:]) and {*shown[1:]} <= {*hints.properties}


def _has_little(column: str, hints: Hints, facts: QueryFacts, linker: Linker) -> bool:
    """True for the name of things with few properties, and for a property mentioned in the question."""
    variable, name = owner_and_property(column)
    if not linker.naming.names(name):
        words = roots_in(hints.question)
        return bool(variable) and roots(name) <= words
    labels = facts.structure.labels_of(variable)
    return all(len(linker.schema.nodes.get(label, {})) <= MOST_PROPERTIES for label in labels)


def differing_from(query: str, rows: Rows, rivals: Iterable[str], run: Run) -> Iterator[str]:
    """Those of the first MOST_RUN rivals whose rows differ from `query`'s.

    Duplicate rows, whole nodes, additional columns and which rows an unordered limit takes aren't differences.
    """
    rows = rows if (whole := _unlimited(query)) == query else run(whole) or rows
    yield from (text for text in islice(rivals, MOST_RUN) if _differ(run(_unlimited(text)), rows))


def _counted_often(query: str, hints: Hints) -> str | None:
    """A rank by how many different ones, with each counted every time: a question that says neither may mean both."""
    ranks = "ORDER" in QueryFacts.of(query).words and "count(DISTINCT " in query
    return query.replace("DISTINCT ", "") if ranks and not is_cued(hints.question, {"distinct"}) else None


def _is_doubted(query: str, hints: Hints, linker: Linker, run: Run) -> bool:
    columns = list(QueryFacts.of(query).columns)
    state = AgentState("", hints.question, final_query=query, columns=columns, rows=[*map(list, run(query) or [])])
    assess(state, hints, linker, run)
    return bool(state.doubts)


def told_of(found: str, query: str, words: Mapping[str, str]) -> str:
    """What another reading shows, and the names that only it uses."""
    other = QueryFacts.of(found)
    shown = headings(other.columns, other, words)
    own = sorted(other.names - QueryFacts.of(query).names)
    told = {root(spaced(name)): spaced(name) for name in own if not {name, spaced(name)} & {*shown}}
    by_way = words.get("by_way", " ({names})").format(names=", ".join(told.values())) if told else ""
    return ", ".join(shown) + by_way


def _unlimited(query: str) -> str:
    """The query without its limit, if it takes any rows and not the first of an order."""
    facts = QueryFacts.of(query)
    return query[: facts.returned[-2].start].rstrip() if facts.limit and "ORDER" not in facts.words else query


def _differ(other: Rows | None, rows: Rows) -> bool:
    if other is None or _is_whole(other) != _is_whole(rows):
        return False
    narrow, wide = sorted((rows, other), key=_width)
    wanted = _distinct(narrow)
    columns = range(_width(wide))
    choices = permutations(columns, _width(narrow)) if len(columns) <= MOST_COLUMNS else [columns]
    return all(_distinct([[row[at] for at in chosen] for row in wide]) != wanted for chosen in choices)


def _width(rows: Rows) -> int:
    return len(rows[0]) if rows else 0


def _is_whole(rows: Rows) -> bool:
    return any(isinstance(cell, dict) for row in rows for cell in row)


def _distinct(rows: Iterable[Sequence[Any]]) -> set[str]:
    return {repr(list(row)) for row in rows}
