"""Asking back: choices that are whole questions, and the question that an answer to them means. Pure; asks nobody."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any, Literal, TypedDict

from agentd.agent import languages
from agentd.apps.analytics.periods import period_of
from agentd.apps.analytics.spans import month_label
from agentd.apps.analytics.vocabulary import vocabulary
from agentd.apps.analytics.wording import label_for

MOST_WORDS = 8
"""An answer of more words is a question of its own."""


class Clarification(TypedDict):
    """`question`: what was asked; `lacks`: what of; `choices`: questions that would do, in the asker's words."""

    question: str
    lacks: Literal["period", "subject"]
    choices: list[str]


def without_period(question: str, today: date) -> Clarification:
    """A question that needs a period and names none."""
    last_month = today.replace(day=1) - timedelta(days=1)
    asked = question.strip().rstrip("?. ")
    labels = (month_label(today), month_label(last_month), str(today.year))
    choices = [f"{asked} {label_for(question, label)}?" for label in labels]
    return {"question": question, "lacks": "period", "choices": choices}


def without_subject(question: str, known: Sequence[str]) -> Clarification:
    """A question that does not say what it wants; `known` are questions that can be answered."""
    return {"question": question, "lacks": "subject", "choices": list(known)}


def resolved(said: str, pending: Mapping[str, Any] | None, today: date) -> str:
    """The question that `said` stands for, as an answer to what was asked back last: a choice, its number in any words
    ("2", "yang kedua", "the second one"), or the period that was missing. Anything else is a question of its own."""
    if not pending:
        return said
    choices = [str(choice) for choice in pending["choices"]]
    plain = said.strip().rstrip(".?! ").casefold()
    if place := _place(plain):
        return choices[place - 1] if place <= len(choices) else said
    for choice in choices:
        if plain == choice.rstrip("? ").casefold():
            return choice
    if pending["lacks"] == "period" and len(said.split()) <= MOST_WORDS and period_of(said, today) is not None:
        asked = str(pending["question"]).strip().rstrip("?. ")
        return said if set(asked.casefold().split()) <= set(plain.split()) else f"{asked} {said.strip().rstrip('?. ')}?"
    return said


def _place(plain: str) -> int:
    """The number that is all a short answer says; 0 where it says more, or none."""
    tokens = re.findall(r"\w+", plain)
    known = {
        **languages.words().digits,
        **languages.words().numbers,
        **languages.words().ordinals,
        **vocabulary().ordinals,
    }
    said = [token for token in tokens if token not in vocabulary().picks] or tokens
    if len(said) != 1:
        return 0
    return int(said[0]) if re.fullmatch(r"\d", said[0]) else known.get(said[0], 0)
