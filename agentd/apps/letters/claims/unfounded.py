"""Finds answers that name a number, code, date, sum or person that no citizen said and no tool found.

Words of the office's own instructions are allowed. Counts, short numbers and times of day are not checked; a sum may
be computed from amounts that were named; a person is two or more capitalised words after a title or `name`. It only
judges text, in linear time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from agentd.agent.languages import words
from agentd.agent.text import normal, tokens
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
_TITLES = phrases().honorifics | {phrase for phrase in LABELS["nama"] if " " not in phrase}
_COPULAS = phrases().copulas
_NO_NAME = phrases().no_name | {
    word for known in (*LABELS.values(), *RELATIONS.values()) for phrase in known for word in phrase.split()
}
"""Words of forms and relations that are no names (`Nama Ibu Kandung`, `Pak Lurah`)."""
_LEAST_NAME = 2
_MOST = 64
"""Maximum number of codes that are checked per answer; more are not expected in an answer to a citizen."""


def unfounded(answer: str, said: Sequence[Said], instructions: str) -> str | None:
    """The first number, code, date, sum or person in an answer that nobody named; None if all were named."""
    answer = normal(answer)
    office = Said(by="tool", order=-1, text="", value=instructions)  # the office's text counts as found
    named = Named([office, *said])
    checks = (_codes(answer, named), _days(answer, named), _sums(answer, named), _people(answer, named))
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
    said = [word.strip().casefold() for word in tokens(answer) if word.strip()]
    yield from (" ".join(said[start:end]) for start, end, day in dates(said) if not named.day(day))


def _people(answer: str, named: Named) -> Iterator[str]:
    """Full names that nobody named, after a title (`Bapak`, `Mrs`) or the word for a name; single words are skipped."""
    run: list[str] = []
    behind = False
    for raw in (*tokens(answer), "\n"):
        word = raw.casefold()
        if behind and raw[:1].isupper() and word not in _NO_NAME:
            run.append(raw)
            continue
        if len(run) >= _LEAST_NAME and not named.person(" ".join(run)):
            yield " ".join(run)
        run = []
        behind = word in _TITLES or (behind and (raw == ":" or word in _COPULAS))


def _sums(answer: str, named: Named) -> Iterator[str]:
    for match in _MONEY.finditer(answer):
        if len(named.amounts) > 1:
            return
        said = [word.strip().casefold() for word in tokens(match.group()) if word.strip()]
        if any(amount not in named.amounts for amount in amounts(said)):
            yield match.group()
