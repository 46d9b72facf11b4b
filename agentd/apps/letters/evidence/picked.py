"""Which of several offers the citizen picked: `yang kedua`, `the last one`, a yes to the only one. It judges no value.

What an offer holds was found by a tool, or is a choice that the tool's schema declares: the agent's words only say in
which order they stood.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from agentd.agent.text import FILLERS, plain
from agentd.apps.letters.evidence import results
from agentd.apps.letters.evidence.affirmed import affirms
from agentd.apps.letters.evidence.case import Case, Turn
from agentd.apps.letters.evidence.fields import Field
from agentd.apps.letters.evidence.lexicon import Cue
from agentd.apps.letters.evidence.segments import Mood
from agentd.apps.letters.evidence.settling import Claim
from agentd.apps.letters.evidence.spans import spans
from agentd.apps.letters.evidence.values import equals
from agentd.apps.letters.languages import phrases
from agentd.messages import Said

_PLACES = {tuple(phrase.split()): place for phrase, place in phrases().places.items()}
_DENIALS = phrases().denials
_LONGEST = 6
"""Words of a message that picks, courtesy aside."""


def place(turn: Turn) -> int | None:
    """Which one a message picks, counted from 1, the last as 0; None where it picks none."""
    said = [word for each in turn.heard.sentences for word in each.words if word[0].isalnum()]
    moods = {mood for each in turn.heard.sentences for mood in each.moods}
    if moods - {Mood.SAID} or len([word for word in said if word not in FILLERS]) > _LONGEST:
        return None
    found = {
        number
        for phrase, number in _PLACES.items()
        for at in range(len(said))
        if tuple(said[at : at + len(phrase)]) == phrase
    }
    return found.pop() if len(found) == 1 else None


def choices(field: Field, case: Case) -> Iterator[Claim]:
    """The declared choice that a message picks of those which the agent's question offered."""
    for turn in case.turns if field.kind == "choice" and field.enum.values else ():
        picks = place(turn) if turn.question else None
        if not turn.question or (picks is None and not affirms(turn)):
            continue
        offered = _offered(field, case, turn, asking=picks is None)
        if picks is None and len(offered) == 1:
            picks = 1
        if picks is not None and len(offered) >= max(picks, 1):
            yield Claim(turn.order, Mood.SAID, equals(field, offered[picks - 1]))


def _offered(field: Field, case: Case, turn: Turn, *, asking: bool) -> Sequence[str]:
    """The field's choices that the agent's message names, in its order, or those that it asks about: none denied."""
    heard, _ = case.read(turn.question)
    found: list[tuple[int, int, str]] = []
    for number, sentence in enumerate(heard.sentences):
        denied = bool(_DENIALS.intersection(sentence.words)) or any(mark.cue is Cue.NEGATION for mark in sentence.marks)
        for value in field.enum.values if not denied and (sentence.asks or not asking) else ():
            held = (
                span.start for span in spans(replace(field, value=value), sentence.words, turn.day) if span.supports
            )
            found += [(number, at, value) for at in held]
    return list(dict.fromkeys(value for _, _, value in sorted(found)))


def passed_over(field: Field, case: Case, order: int) -> bool:
    """Whether the citizen picked another of the offers that a result lists than one that holds the value."""
    entry = next(entry for entry in case.said if entry.order == order)
    rows = _rows(entry.value)
    if len(rows) < 2:
        return False
    picks = ((turn, at) for turn in case.turns if turn.order > order and (at := place(turn)) is not None)
    if (pick := next(picks, None)) is None:
        return False
    rows, at = _as_named(rows, pick[0].question), pick[1]
    picked = rows[at - 1 : at or None] if at <= len(rows) else []
    return not any(_holds(field, case, entry, row) for row in picked)


def _rows(value: Any) -> list[Mapping[str, Any]]:
    """The records of a result that is a list, or holds a single one."""
    lists = [value] if isinstance(value, list) else [one for one in value.values() if isinstance(one, list)]
    return [row for row in lists[0] if isinstance(row, Mapping)] if len(lists) == 1 else []


def _as_named(rows: list[Mapping[str, Any]], question: str) -> list[Mapping[str, Any]]:
    """The records in the order in which the agent named them; as they were found where it named fewer than two."""
    named = f" {plain(question)} "
    texts = [{f" {plain(str(leaf))} " for leaf in results.leaves(row)} - {"  "} for row in rows]
    own = [each - set().union(*(other for other in texts if other is not each)) for each in texts]
    places = [min((named.find(text) for text in each if text in named), default=-1) for each in own]
    ordered = sorted((at, number) for number, at in enumerate(places) if at >= 0)
    return [rows[number] for _, number in ordered] if len(ordered) > 1 else rows


def _holds(field: Field, case: Case, entry: Said, row: Mapping[str, Any]) -> bool:
    alone = entry.model_copy(update={"value": row})
    return any(equals(field, value) for _, value in results.values([alone], field, case.nik, case.lexicon))
