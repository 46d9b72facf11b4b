"""What a reader would find wrong in an answer's words: left-out figures, claims, garble. Pure: it asks nobody."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from agentd.apps.analytics import wording
from lab.eval.analytics.judging import reads_as
from lab.eval.analytics.questions import Question

LISTED = 20
"""Of a longer gold result the narrative need not hold every row."""


def faults_of(question: Question, narrative: str, gold: list[list[list[Any]]]) -> list[str]:
    """A phrase for each fault; none for an answer that reads rightly."""
    words = re.sub(r"(?:Contoh|Sample \(contoh\)): [^.]+\.", "", narrative)
    return [*_garbled(words), *_claims(question, words), *_left_out(words, gold)]


def _garbled(words: str) -> Iterator[str]:
    if re.search(r"\{[A-Z_]", words):
        yield "a placeholder is left"
    if re.search(r"\d+ baris \(lihat tabel\) ?(?:\w|$)|dengan total [^.]*\d+ baris", words):
        yield "a number of rows stands for a figure"
    if "tidak tersedia" in words or "not available" in words:
        yield "a figure is missing"
    lines = [line.strip(" -.") for line in words.splitlines() if line.strip(" -.")]
    if any(lines.count(line) > 2 for line in lines) or wording.repeats(words.replace("- ", "")):
        yield "it repeats itself"


def _claims(question: Question, words: str) -> Iterator[str]:
    """Words of comparison that no rows stand behind; a ranking's rows are in the order that it names."""
    orders = frozenset(word for pack in wording.wordings().values() for word in pack.most | pack.least)
    for word in wording.uncovered(words, {}, question.text):
        if not (question.ordered and word in orders):
            yield f"it claims `{word}`"


def _left_out(words: str, gold: list[list[list[Any]]]) -> Iterator[str]:
    told = re.findall(r"\d(?:[\d.,]*\d)?", words)
    for rows in gold:
        if len(rows) > LISTED:
            continue
        for value in (value for row in rows for value in row):
            if isinstance(value, str) and value.casefold() not in words.casefold():
                yield f"it leaves out {value}"
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if number and not any(reads_as(each, float(value)) for each in told):
                yield f"it leaves out {value}"
