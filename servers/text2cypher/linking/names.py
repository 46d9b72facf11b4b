"""The words of names in a graph: splitting snake and camel case, plurals, roots. Knows no graph."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from functools import cache, lru_cache

from servers.text2cypher.linking.language import languages

_ROOT = 3  # min. letters of a root
_ABBREVIATION = 3  # upper-case names up to this length have no plural


def root(word: str) -> str:
    """A word without its usual endings, to compare e.g. `directors` with DIRECTED."""
    bare = languages().irregular.get(word.lower(), word.lower())
    ending = next((held for held in languages().suffixes if bare.endswith(held) and len(bare) - len(held) >= _ROOT), "")
    bare = bare.removesuffix(ending)
    if len(bare) > _ROOT and bare[-1] == bare[-2]:  # as in `shipped`
        bare = bare[:-1]
    short = bare.rstrip("eiy")
    return short if len(short) >= _ROOT else bare


def roots(*names: str) -> set[str]:
    """The roots of all words of these names."""
    return {root(part) for name in names for part in parts(name)}


def roots_in(text: str) -> set[str]:
    """The roots of all words of a text."""
    return {root(word) for word in re.findall(r"\w+", text)}


def stem(word: str) -> str:
    """A word without prefixes, suffixes and a first letter that a prefix may drop: `dukungan`, `mendukung`."""
    return re.sub(rf"^[{languages().falls_away}](?=[aeiou]\w{{{_ROOT}}})", "", _built().sub("", word))


@cache
def _built() -> re.Pattern[str]:
    """A pattern for the affixes that may be cut off if enough of the word is left."""
    begins, ends = ("|".join(map(re.escape, held)) or "(?!)" for held in (languages().beginnings, languages().endings))
    return re.compile(rf"^(?:(?:{begins})(?=\w{{{_ROOT + 1}}}))+|(?<=\w{{{_ROOT + 1}}})(?:{ends})$")


def parts(name: str) -> list[str]:
    """The words of a name in snake or camel case."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name.replace("_", " "))
    return spaced.lower().split()


def spaced(name: str) -> str:
    """The words of a name, separated by spaces."""
    return " ".join(parts(name))


def phrases_of(name: str) -> list[str]:
    """The words of a name and their plural: `HarbourTown` gives `harbour town` and `harbour towns`."""
    words = spaced(name)
    plural = [] if len(words) <= _ABBREVIATION and not name[1:].islower() else [_plural(words)]
    return list(dict.fromkeys([words, *plural, *(form for form, word in languages().nouns.items() if word == words)]))


def is_form(phrase: str, name: str) -> bool:
    """True if a phrase is a name's words or a plural of them by any rule, so that nobody had to write it."""
    words = spaced(name)
    rules = languages().plurals
    return phrase in phrases_of(name) or any(re.sub(end, plural, words, count=1) == phrase for end, plural in rules)


def said_in(phrase: str, text: str) -> Iterator[re.Match[str]]:
    """The matches of a phrase in a lower-case text, also with endings on its words: `the receiving bank's country`."""
    if all(word in text for word in phrase.split()):  # rarely true, and a pattern takes a hundred times as long
        yield from _pattern(phrase).finditer(text)


def spans_of(text: str, phrases: Mapping[str, str]) -> list[tuple[int, int, str]]:
    """(start, end, name) of each phrase in order; of overlapping ones only the longest."""
    found: list[tuple[int, int, str]] = []
    lower = text.lower()
    for phrase in sorted(phrases, key=len, reverse=True):
        for match in said_in(phrase, lower):
            if not any(match.start() < end and start < match.end() for start, end, _ in found):
                found.append((match.start(), match.end(), phrases[phrase]))
    return sorted(found)


@lru_cache(10_000)
def _pattern(phrase: str) -> re.Pattern[str]:
    ending = f"(?:-?(?:{'|'.join(languages().clitics) or '(?!)'}))?"
    words = rf"{ending}\s+".join(map(re.escape, phrase.split()))
    return re.compile(rf"(?<!\w){words}{ending}(?!\w)")


def is_plural(phrase: str, phrases: Collection[str]) -> bool:
    """True if the phrase is the plural of another of these phrases."""
    return any(_plural(other) == phrase for other in phrases if other != phrase)


def _plural(words: str) -> str:
    fitting = ((end, plural) for end, plural in languages().plurals if re.search(end, words))
    return next((re.sub(end, plural, words, count=1) for end, plural in fitting), words)


def function_words(relationships: Collection[str]) -> frozenset[str]:
    """The languages' function words without those that alone name a relationship: `mention` for MENTIONS.

    Prepositions, auxiliaries and words for any relationship never do (`PART_OF`, HAS, CONNECTS).
    """
    held = languages()
    small = {*held.yes_no, *held.patterns["preposition"].split("|")}
    small |= {word for word in held.function if root(word) in roots(*held.graph)}
    plain = roots(*held.function)
    named = {root(part) for kind in map(parts, relationships) if roots(*kind) <= plain for part in kind}
    return frozenset(word for word in held.function if word in small or root(word) not in named)
