"""How far an answer can be trusted: question words that the query ignores, and suspicious results.

confidence = the calibrated value of the doubts (calibration.toml), times the similarity of every misspelt name that was
linked. An answer with a doubt or below CERTAIN is `uncertain`. Rules only; asks no model and changes no query.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from servers.text2cypher.core.agent_state import AgentState, AgentStatus, Doubt
from servers.text2cypher.core.ambiguous import ambiguous
from servers.text2cypher.core.calibration import confidence
from servers.text2cypher.core.crossed import crossed
from servers.text2cypher.core.directions import directions, unsaid
from servers.text2cypher.core.half_asked import counted_otherwise, half_asked, players
from servers.text2cypher.core.headings import headings
from servers.text2cypher.core.ranks import is_cut, left_out, mistaken, superlatives, tied, unordered, unranked
from servers.text2cypher.core.shown import shown
from servers.text2cypher.core.steps import parted, repeated, steps, unspoken
from servers.text2cypher.core.twice import (
    Run,
    counted_different,
    differs,
    either_for_both,
    is_each_once,
    merged,
    otherwise,
)
from servers.text2cypher.core.unasked import unasked
from servers.text2cypher.cypher.facts import QueryFacts
from servers.text2cypher.cypher.joined import is_unjoined
from servers.text2cypher.linking.asks import is_cued
from servers.text2cypher.linking.coverage import coverage
from servers.text2cypher.linking.hints import Hints, Linker
from servers.text2cypher.linking.language import languages
from servers.text2cypher.linking.values import folded

CERTAIN = 0.75


def assess(
    state: AgentState,
    hints: Hints,
    linker: Linker,
    run: Run,
    others: Sequence[Doubt] = (),
) -> None:
    """Sets the state's confidence, doubts, taken words and status.

    `run` returns the rows of another reading of the query, or None if it fails; `others`: doubts found before.
    """
    facts = QueryFacts.of(state.final_query or "")
    taken = coverage(hints, facts, linker)
    different = counted_different(hints, linker)
    unused = [held.words for held in taken if held.meaning is None]
    if different and different in map(str.lower, unused) and is_each_once(facts, state.rows, run):
        unused = [words for words in unused if words.lower() != different]
    notes = [doubt for doubt in others if doubt.kind == "columns"]
    doubts = [doubt for doubt in others if doubt.kind != "columns"]
    doubts += [Doubt("unused", words) for words in unused]
    doubts += [*_of_query(hints, facts, linker), *_results(state, hints, facts, linker)]
    is_ranked = is_cued(hints.question, {"top"})  # otherwise a limit that drops nothing needs no order
    doubts += [
        *superlatives(hints, facts, linker),
        *(unordered(hints, facts, linker) if is_ranked or is_cut(facts, state.rows, run) else ()),
        *repeated(hints, facts),
        *parted(hints, facts),
        *counted_otherwise(hints, facts, linker),
        *ambiguous(hints, facts, linker, {held.meaning for held in taken if held.meaning}, state.rows, run),
    ]
    doubts += [doubt for doubt in unspoken(hints, facts, linker) if doubt not in doubts]
    differing = (held for held in otherwise(hints, facts, linker) if differs(run(held.query), state.rows))
    doubts += dict.fromkeys(Doubt(held.kind, held.about) for held in differing)
    if (either := either_for_both(hints, facts, linker, state.rows, run)) is not None:
        doubts.append(Doubt("unused", either))
    if (without := left_out(hints, facts, linker, run)) is not None:
        doubts.append(Doubt("left_out", without))
    if (label := merged(facts, linker, state.rows, run)) is not None:
        doubts.append(Doubt("merged", label))
    if (key := unranked(facts, state.rows, run)) is not None:
        words = languages().voice_of(hints.question).answers
        doubts.append(Doubt("unranked", *headings([key], facts, words)))
    if (other := tied(hints, facts, state.rows, run)) is not None:
        (doubts if other[1] else notes).append(Doubt("tied", other[0]))
    state.taken = [(held.words, held.meaning, held.spelling) for held in taken]
    state.notes = notes
    state.doubts = doubts = doubts or [*unsaid(hints, facts, linker)]
    state.confidence = round(
        confidence([doubt.kind for doubt in doubts]) * math.prod(held.spelling for held in taken), 3
    )
    state.status = AgentStatus.SUCCESS if not doubts and state.confidence >= CERTAIN else AgentStatus.UNCERTAIN


def doubts_of_query(hints: Hints, query: str, linker: Linker) -> int:
    """The number of doubts before anything is run."""
    facts = QueryFacts.of(query)
    unused = sum(held.meaning is None for held in coverage(hints, facts, linker))
    return unused + sum(1 for _ in _of_query(hints, facts, linker))


def _of_query(hints: Hints, facts: QueryFacts, linker: Linker) -> Iterator[Doubt]:
    for doubts in (unasked, half_asked, shown, directions, steps, crossed, mistaken):
        yield from doubts(hints, facts, linker)
    labels = {label for token in facts.returned for label in facts.structure.labels_of(token.value)}
    if labels and hints.focus is not None and hints.focus not in labels:
        yield Doubt("unused", hints.focus)


def _results(state: AgentState, hints: Hints, facts: QueryFacts, linker: Linker) -> Iterator[Doubt]:
    cells = [cell for row in state.rows for cell in row]
    if all(cell is None or cell == [] or (cell == 0 and not isinstance(cell, bool)) for cell in cells):
        yield Doubt("empty")
    elif repeats(cells, hints):
        yield Doubt("repeats", str(cells[0]))
    elif "LIMIT" in facts.words and not facts.aggregates and _shows_twice(state.rows, hints, facts, linker):
        yield Doubt("duplicates")
    if state.truncated:
        yield Doubt("cut", f"{len(state.rows)}")
    if is_unjoined(facts):
        yield Doubt("unjoined")
    if not facts.has_conditions and not facts.aggregates and not _asks_for_all(hints.question):
        yield Doubt("everything")


def _shows_twice(rows: Sequence[Sequence[Any]], hints: Hints, facts: QueryFacts, linker: Linker) -> bool:
    """True if a row is there twice, or one thing beside several others so that the limit counts the others.

    An order may put them there (`the 5 longest stays`), but not for a number of the things: `the 5 largest lodges`.
    """
    owners = [column.partition(".")[0] for column in facts.columns]
    _, playing = players(hints, facts, linker)
    asked = [owner in playing or hints.first in facts.structure.labels_of(owner) for owner in owners]
    pairs = len({*owners}) > 1 and "SKIP" not in facts.words and ("ORDER" not in facts.words or any(asked))
    at = asked.index(True) if any(asked) else 0
    return len({repr(row[at] if pairs else row) for row in rows}) < len(rows)


def repeats(cells: Sequence[Any], hints: Hints) -> bool:
    """True if the answer only repeats the names in the question."""
    named = {folded(held.value) for held in hints.mentions} | {folded(hints.question)}
    return bool(cells) and all(isinstance(cell, str) and folded(cell) in named for cell in cells)


def _asks_for_all(question: str) -> bool:
    lower = f" {folded(question)} "
    return any(f" {phrase} " in lower for phrase in languages().lists)
