"""Finds faults that a reader would see in an answer: missing figures, false claims, garbled text. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from agentd.apps.analytics import wording
from agentd.apps.analytics.question.comparisons import uncovered
from agentd.apps.analytics.vocabulary import listed
from lab.eval.analytics.judging import reads_as
from lab.eval.analytics.questions import Question

LISTED = 20
"""If a gold result has more rows, the narrative need not contain all of them."""


def faults_of(question: Question, narrative: str, gold: list[list[list[Any]]]) -> list[str]:
    """One phrase per fault; empty for a correct answer."""
    words = re.sub(r"(?:Contoh|Sample \(contoh\)): [^.]+\.", "", _without_doubts(narrative))
    return [
        *_garbled(words),
        *_claims(question, _without_texts(_without_true(words, _by_time(question, gold)), gold)),
        *_left_out(words, gold),
    ]


def _without_doubts(narrative: str) -> str:
    """The narrative without the leading doubts, which neither state nor omit figures."""
    heads = tuple(pack.say["unsure"].partition("{why}")[0] for pack in wording.wordings().values())
    return narrative.partition("\n\n")[2] if narrative.startswith(heads) else narrative


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


def _without_texts(words: str, gold: list[list[list[Any]]]) -> str:
    """The text without values from the database: an album may be called "The Best Of …"."""
    texts = (value for rows in gold for row in rows for value in row if isinstance(value, str) and " " in value)
    for text in sorted(texts, key=len, reverse=True):
        words = words.replace(text, "…")
    return words


def _claims(question: Question, words: str) -> Iterator[str]:
    """Comparisons that no rows support. A ranking may make them, because its rows are in that order; so may an answer
    that repeats a word of the question, because gold has that figure."""
    orders = listed("most", "least")
    for word in uncovered(words, {}, question.text):
        if word not in orders or not (question.ordered or word in question.text.casefold()):
            yield f"it claims `{word}`"


def _by_time(question: Question, gold: list[list[list[Any]]]) -> list[float]:
    """The gold's single figures, ordered by their queries' last dates; empty when a query has no date."""
    dates = [re.findall(r"\d{4}-\d\d-\d\d", query.sql()) for query in question.queries]
    if not dates or not all(dates) or any(len(rows) != 1 or isinstance(rows[0][0], str | None) for rows in gold):
        return []
    return [float(rows[0][0]) for _, rows in sorted(zip(map(max, dates), gold, strict=True), key=lambda each: each[0])]


def _without_true(words: str, by_time: list[float]) -> str:
    """The text without the host's own comparison phrases that its figures support, earlier one first."""

    def told(found: re.Match[str]) -> str:
        figures = {name: float(text.replace(".", "").replace(",", ".")) for name, text in found.groupdict().items()}
        old, new, change = figures["old"], figures["new"], figures.get("change")
        places = [
            next((place for place, value in enumerate(by_time) if reads_as(found[name], value)), -1)
            for name in ("old", "new")
        ]
        true = (new > old) == rises and new != old and places == sorted(places)
        true &= change is None or abs(100 * abs(new - old) / old - change) < 0.051
        return f"{found['old']} {found['new']}" if true else found[0]

    for pack in wording.wordings().values():
        for key in ("compare_up", "compare_down", "compare_up_plain", "compare_down_plain"):
            rises = "up" in key
            pattern = re.sub(r"\\{(\w+)\\}", r"[^\\d\\n]{0,5}(?P<\1>\\d(?:[\\d.,]*\\d)?)%?", re.escape(pack.say[key]))
            words = re.sub(pattern, told, words)
    return words


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
