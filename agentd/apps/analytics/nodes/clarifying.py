"""Questions back: their choices are complete questions, and an answer is resolved to one. Pure; asks nobody."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from functools import cache
from itertools import dropwhile
from typing import Any, Literal, TypedDict

from agentd.agent import languages
from agentd.apps.analytics.question.periods import period_of, timeless
from agentd.apps.analytics.question.spans import month_label
from agentd.apps.analytics.schema import Schema
from agentd.apps.analytics.vocabulary import finder, listed, numerals, phrase_finder, topics_of, vocabulary
from agentd.apps.analytics.wording import label_for

MOST_WORDS = 8
"""The most words of an answer; a longer one is a new question."""


class Clarification(TypedDict):
    """`question`: the original; `lacks`: what is missing; `choices`: complete questions in the asker's words."""

    question: str
    lacks: Literal["period", "subject", "measure"]
    choices: list[str]


def without_period(question: str, today: date) -> Clarification:
    """For a question that needs a period and names none."""
    last_month = today.replace(day=1) - timedelta(days=1)
    asked = question.strip().rstrip("?. ")
    labels = (month_label(today), month_label(last_month), str(today.year))
    choices = [f"{asked} {label_for(question, label)}?" for label in labels]
    return {"question": question, "lacks": "period", "choices": choices}


def readings_of(question: str, past: Sequence[str]) -> list[str]:
    """The possible meanings of a question with an ambiguous figure ("the biggest customer"); empty if it, or the
    conversation before, says by which measure."""
    for phrase, readings in vocabulary().readings.items():
        if (found := phrase_finder(phrase).search(question)) and not finder("by_which").search(question):
            said = topics_of(" ".join([*past[-1:], question.replace(found[0], " ")]))
            if any((topics_of(reading) - topics_of(phrase)) & said for reading in readings):
                return []
            spelled = (question.replace(found[0], reading) for reading in readings)
            return [reading[0].upper() + reading[1:] for reading in spelled]
    return []


def without_measure(question: str, meant: Sequence[str], schema: Schema) -> Clarification | None:
    """The readings for which these tables have data, as choices; None if fewer than two fit."""
    about = topics_of(schema.about)
    choices = [reading for reading in meant if topics_of(reading) - topics_of(question) <= about]
    return {"question": question, "lacks": "measure", "choices": choices} if len(choices) > 1 else None


def resolved(said: str, pending: Mapping[str, Any] | None, today: date) -> str:
    """The question that `said` means as an answer to the last question back: a choice, its number in digits or words
    ("2", "yang kedua", "the second one"), the missing period, or the topic of exactly one choice; the first choice if
    it is left to the host ("terserah"). Anything else is a new question."""
    if not pending:
        return said
    choices = [str(choice) for choice in pending["choices"]]
    plain = said.strip().rstrip(".?! ").casefold()
    if place := _place(plain):
        return choices[place - 1] if place <= len(choices) else said
    if pending["lacks"] != "subject" and left_to_host(plain):
        return choices[0]
    for choice in choices:
        if plain == choice.rstrip("? ").casefold():
            return choice
    about = topics_of(said) - topics_of(str(pending["question"]))
    meant = [choice for choice in choices if about & topics_of(choice)]
    if pending["lacks"] == "measure" and len(said.split()) <= MOST_WORDS and len(meant) == 1:
        return meant[0]
    if pending["lacks"] == "period" and len(said.split()) <= MOST_WORDS and period_of(said, today) is not None:
        asked = str(pending["question"]).strip().rstrip("?. ")
        return said if set(asked.casefold().split()) <= set(plain.split()) else f"{asked} {said.strip().rstrip('?. ')}?"
    return said


def left_to_host(said: str) -> bool:
    """Whether an answer says only that any choice is right: "terserah aja deh"."""
    rest = finder("any_choice").sub(" ", said.casefold())
    polite = listed("picks") | {*languages.words().fillers}
    return rest != said.casefold() and polite >= {*re.findall(r"\w+", rest)}


def continued(question: str, past: Sequence[str]) -> str:
    """The question; if it says only a time ("dan bulan lalu?"), the last one that says more, of this time instead.

    A comparison stays as it is: it isn't clear which of its times is meant.
    """
    earlier = next((each for each in reversed(past) if not _only_a_time(each)), "")
    if not earlier or not _only_a_time(question) or finder("compares").search(earlier):
        return question
    before, said = (re.split(r"[\s?.,]+", text.strip(" ?.,")) for text in (timeless(earlier), question))
    asked = list(dropwhile(lambda word: word.casefold() in languages.words().joiners, reversed(before)))[::-1]
    return f"{' '.join([*asked, *dropwhile(lambda word: word.casefold() in _empty() - _bounding(), said)])}?"


def _only_a_time(question: str) -> bool:
    rest = timeless(question)
    figures = finder("how_many", "counted", "averages", "totals", "amounts", "shares", "ranks", "tops", "most", "least")
    words = re.findall(r"[^\W\d_]+", rest.casefold())
    return rest != question and not figures.search(rest) and _empty() >= {*words} - _bounding() - {*vocabulary().units}


@cache
def _empty() -> frozenset[str]:
    """Words that say nothing by themselves."""
    said, small = languages.words(), {word for pack in languages.languages().values() for word in pack.detection}
    return frozenset({*said.fillers, *said.joiners, *small, *listed("neutral")})


@cache
def _bounding() -> frozenset[str]:
    """Words before a time that belong to it: `sejak Februari`."""
    return listed("since", "since_from", "before", "up_to", "to")


def _place(plain: str) -> int:
    """The number if a short answer consists only of one; otherwise 0."""
    tokens = re.findall(r"\w+", plain)
    known = {**numerals(), **languages.words().ordinals, **vocabulary().ordinals}
    said = [token for token in tokens if token not in listed("picks")] or tokens
    if len(said) != 1:
        return 0
    return int(said[0]) if re.fullmatch(r"\d", said[0]) else known.get(said[0], 0)
