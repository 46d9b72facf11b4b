"""Finds answers that name a number, code, date, sum or person that no citizen said and no tool found.

Words of the office's own instructions are allowed. Counts, short numbers and times of day are not checked, but for
opening hours, a place in a queue or a counter's number; a sum may be computed from amounts that were named; a person is
a capitalised word after a title, or two after `name`. It only judges text, in linear time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from agentd.agent.languages import words
from agentd.agent.text import normal, tokens
from agentd.apps.letters.claims.deeds import deed_words
from agentd.apps.letters.claims.named import Named
from agentd.apps.letters.evidence.normalisers.days import dates
from agentd.apps.letters.evidence.normalisers.numbers import amounts
from agentd.apps.letters.evidence.reading.lexicon import LABELS, RELATIONS
from agentd.apps.letters.languages import phrases
from agentd.messages import Said

_LONG = re.compile(r"(?<![\w.,])\d(?:[ -]?\d)*+")
_CODE = re.compile(r"(?<!\w)[A-Za-z\d]++(?:[/-][A-Za-z\d.]++)*+")
_LEAST_DIGITS = {_LONG: 9, _CODE: 4}
"""Least digits of a number that identifies somebody or something, and is no count, hour or year."""
_MONEY = re.compile(
    rf"(?:\b(?:rp|idr|usd)\.?|[$€£])\s?\d[\d.,]*(?:\s(?:{'|'.join(sorted(words().scales, key=len, reverse=True))}))?",
    re.I,
)
_TITLES = phrases().honorifics
_BEFORE_NAMES = _TITLES | {phrase for phrase in LABELS["nama"] if " " not in phrase}
_COPULAS = phrases().copulas
_CLASSES = {name: frozenset(words) for name, words in deed_words().classes.items()}
_NO_NAME = (
    phrases().no_name
    | words().detection
    | _TITLES
    | _CLASSES["own"]
    | _CLASSES["please"]
    | {word for known in (*LABELS.values(), *RELATIONS.values()) for phrase in known for word in phrase.split()}
)
"""Words of forms and relations that are no names (`Nama Ibu Kandung`, `Pak Lurah`)."""
_BESIDE = "|".join(sorted(map(re.escape, _COPULAS | _CLASSES["own"]), key=len, reverse=True))
_PLACE = re.compile(
    rf"\b(?:{'|'.join(map(re.escape, _CLASSES['numbered']))})(?:\W+(?:{_BESIDE})\b)*+\W*?((?:[A-Z]+-)?\d+)\b", re.I
)
_OPENING = re.compile(rf"\b(?:{'|'.join(map(re.escape, _CLASSES['opening']))})\b((?:[^.!?\n]|\.(?=\d)){{1,80}})", re.I)
_MOST = 64
"""Maximum number of codes that are checked per answer; more are not expected in an answer to a citizen."""


def unfounded(answer: str, said: Sequence[Said], instructions: str) -> str | None:
    """The first number, code, date, sum or person in an answer that nobody named; None if all were named."""
    answer = normal(answer)
    office = Said(by="tool", order=-1, text="", value=instructions)  # the office's text counts as found
    named = Named([office, *said])
    checks = (
        _codes(answer, named),
        _days(answer, named),
        _sums(answer, named),
        _people(answer, named),
        _places(answer, said, instructions),
    )
    return next((text for check in checks for text in check), None)


def _codes(answer: str, named: Named) -> Iterator[str]:
    found = [
        text
        for pattern, least in _LEAST_DIGITS.items()
        for text in pattern.findall(answer)
        if sum(map(str.isdecimal, text)) >= least and (pattern is _LONG or any(map(str.isalpha, text)))
    ]
    yield from (text for text in found[:_MOST] if not named.code(text))


def _days(answer: str, named: Named) -> Iterator[str]:
    lowered = _lowered(answer)
    yield from (" ".join(lowered[start:end]) for start, end, day in dates(lowered) if not named.day(day))


def _places(answer: str, said: Sequence[Said], instructions: str) -> Iterator[str]:
    """Opening hours and numbers in a queue and of counters that nobody named, nor the host (by `agent`)."""
    hours = [found for found in _OPENING.finditer(answer) if re.search(r"\d", found[1])]
    claimed = hours or _PLACE.search(answer)
    texts = " ".join((instructions, *(f"{one.text} {one.value}" for one in said))) if claimed else ""
    known = {number.lstrip("0") for pattern in (r"\d+", r"[A-Z]+-\d+") for number in re.findall(pattern, texts)}
    yield from (found[0] for found in _PLACE.finditer(answer) if found[1].upper().lstrip("0") not in known)
    known |= {str(int(hour) - 12) for hour in known if hour.isdecimal() and 12 < int(hour) < 24} | {""}
    yield from (found[0] for found in hours if {each.lstrip("0") for each in re.findall(r"\d+", found[1])} - known)


def _people(answer: str, named: Named) -> Iterator[str]:
    """Names that nobody named, after a title (`Bapak`, `Mrs`); after the word for a name only full ones."""
    run: list[str] = []
    behind, least = False, 1
    for raw in (*tokens(answer), "\n"):
        word = raw.casefold()
        if behind and raw[:1].isupper() and word not in _NO_NAME:
            run.append(raw)
            continue
        if len(run) >= least and not named.person(" ".join(run)):
            yield " ".join(run)
        run = []
        least = 1 if word in _TITLES else 2 if word in _BEFORE_NAMES else least
        behind = word in _BEFORE_NAMES or (behind and (raw == ":" or word in _COPULAS | _CLASSES["officer"]))


def _sums(answer: str, named: Named) -> Iterator[str]:
    for match in _MONEY.finditer(answer):
        if len(named.amounts) > 1:
            return
        if any(amount not in named.amounts for amount in amounts(_lowered(match.group()))):
            yield match.group()


def _lowered(text: str) -> list[str]:
    return [word.strip().casefold() for word in tokens(text) if word.strip()]
