"""The numbers and text parts by which a question bounds its answer, whatever the property. Links nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from servers.text2cypher.linking.amounts import BESIDE, SIGNS, WORD, is_decade, number_of
from servers.text2cypher.linking.asks import cue_in, is_cued
from servers.text2cypher.linking.hints import Hints, Linker
from servers.text2cypher.linking.language import QUOTED, languages
from servers.text2cypher.linking.profile import DATE

Bound = tuple[tuple[str, int | float], ...]
"""One or two (sign, number) conditions that one property has to meet."""
Placed = tuple[Bound, int]
"""The bound and the offset of its number in the question."""
_SIGNS = {**SIGNS, "modulo": "%"}
_WAYS = {"contains_text": "CONTAINS", "starts_text": "STARTS WITH", "ends_text": "ENDS WITH"}
ZERO = {"negative": "<", "positive": ">"}
"""Cues of a number below or above zero."""
_NEAR = 40  # max. characters before a text that determine its comparison


def bounds_in(hints: Hints, linker: Linker) -> list[Placed]:
    """The bounds in a question, without its limit and conditions on a count; two ends of a range form one bound."""
    text = re.sub(r"['\"“‘][^'\"”’]*['\"”’]", lambda held: "¤" * len(held[0]), hints.masked.lower())
    found: list[Placed] = []
    for low, high, span in ranges_in(text, linker):
        found.append((((">=", low), ("<=", high)), span[0]))
        text = text[: span[0]] + "¤" * (span[1] - span[0]) + text[span[1] :]
    spent = [number for number in (hints.limit, hints.having[1] if hints.having else None) if number is not None]
    single: list[tuple[tuple[str, float], int]] = []
    for match in re.finditer(WORD, text):
        if is_decade(match[0]):
            first = int(match[0][:-1])
            found.append((((">=", first), ("<", first + 10)), match.start()))
        elif (number := _number(match[0], linker)) is not None:
            if number in spent:
                spent.remove(int(number))
            elif match[0][-1].isdecimal() or not number:
                single.append(((_sign(linker, text, *match.span()), number), match.start()))
    single += [((sign, 0), text.index(said)) for cue, sign in ZERO.items() if (said := cue_in(text, {cue}))]
    return [*found, *(((held,), at) for held, at in single)]


def texts_in(hints: Hints, linker: Linker) -> Iterator[tuple[str, str]]:
    """(operator, text) for each quoted text, by the words before it; `=` if they say nothing."""
    schema = linker.schema
    names = {name.lower() for name in (*schema.labels, *schema.relationships, *schema.properties)}
    for match in re.finditer(QUOTED, hints.question):
        before = hints.question[max(match.start() - _NEAR, 0) : match.start()]
        ways = {
            found.start(): operator
            for name, operator in _WAYS.items()
            for found in linker.wording.compiled(rf"\b‹{name}›\b").finditer(before)
        }
        said = ways[max(ways)] if ways else ("CONTAINS" if is_cued(before, {"contains"}) else "=")
        sign = _sign(linker, hints.question.lower(), *match.span()) if DATE.fullmatch(match[1]) else "="
        if sign in (">", ">=", "<", "<="):
            said = sign
        linked = any(held.start < match.end() and match.start() < held.end for held in hints.mentions)
        if match[1].strip().lower() not in names and (said != "=" or not linked):
            yield said, match[1].strip()


@dataclass(frozen=True)
class Ordinal:
    """An ordinal (`second`) directly beside a superlative; `start` and `end` are its own offsets."""

    number: int
    start: int
    end: int


def ordinals_in(text: str, linker: Linker) -> Iterator[Ordinal]:
    """Ordinals of a ranking: `the second most expensive`. Other uses of `third` don't count."""
    for found in linker.wording.compiled(_ordinals()).finditer(text.lower()):
        name = "one" if found["one"] else "other"
        yield Ordinal(languages().ordinals[found[name]], *found.span(name))


@cache
def _ordinals() -> str:
    phrases = [phrase for phrase, cues in languages().cues.items() if cues & {"minimum", "maximum"}]
    picked = "|".join(map(re.escape, sorted(phrases, key=len, reverse=True)))
    words = "|".join(map(re.escape, languages().ordinals))
    return rf"\b(?:(?P<one>{words})[\s-]+(?:{picked})|(?:{picked})\s+(?P<other>{words}))\b"


def _number(word: str, linker: Linker) -> float | None:
    found = number_of(word, linker.lexicon)
    return int(found) if found is not None and found == int(found) else found


def ranges_in(text: str, linker: Linker) -> Iterator[tuple[float, float, tuple[int, int]]]:
    """(low, high, span) of each range such as `between 1990 and 2000`."""
    pattern = linker.wording.compiled(rf"(?<!\w)‹range_from›\W+({WORD})\W+‹range_to›\W+({WORD})")
    for found in pattern.finditer(text):
        low, high = _number(found[1], linker), _number(found[2], linker)
        if low is not None and high is not None:
            yield low, high, found.span()


def compared(text: str, start: int, end: int, linker: Linker) -> tuple[int, str]:
    """(start, cue) of the longest phrase that compares a number, directly before (`more than`) or after it (`or more`).

    Without one (the number's own start, "").
    """
    article = "|".join([linker.wording.text("article"), *languages().of_years])
    earlier, later = text[max(start - BESIDE, 0) : start], text[end : end + BESIDE]
    for phrase, cue in _comparing():
        before = phrase in earlier and re.search(
            rf"(?<!\w){re.escape(phrase)}[\s$€£]+(?:(?:{article}) )*['\"]*$", earlier
        )
        if before:
            return start - len(earlier) + before.start(), cue
        # `50 or fewer than 3` begins another bound
        alone = rf"\W*{re.escape(phrase)}(?!\w)(?!\W+‹compared_to›\b)"
        if phrase in later and linker.wording.compiled(alone).match(later):
            return start, cue
    return start, ""


@cache
def _comparing() -> list[tuple[str, str]]:
    """(phrase, cue) of the phrases that compare a number, longest first."""
    held = [(phrase, cue) for phrase, cues in languages().cues.items() for cue in cues if cue in _SIGNS]
    return sorted(held, key=lambda one: -len(one[0]))


def _sign(linker: Linker, text: str, start: int, end: int) -> str:
    """The sign that a number is compared by; `=` if nothing beside it says one."""
    return _SIGNS.get(compared(text, start, end, linker)[1], "=")
