"""What a question wants done, and the languages' patterns compiled for one graph. Links no label and no value."""

from __future__ import annotations

import re
from collections.abc import Collection
from enum import Enum
from functools import cache

from servers.text2cypher.graph.schema import FLOAT, INTEGER, GraphSchema
from servers.text2cypher.linking.language import languages
from servers.text2cypher.linking.lexicon import Lexicon
from servers.text2cypher.linking.values import folded

TOGETHER = frozenset({"several", "same", "both"})
"""Cues of conditions that one thing must meet at the same time."""
_SHORT = 3  # words up to this length must match whole


class Ask(Enum):
    """What a question wants done with what it finds; the value is the name of the languages' pattern for it."""

    COUNT = "count"
    SUM = "sum"
    AVERAGE = "average"
    MINIMUM = "minimum"
    MAXIMUM = "maximum"
    COLLECT = "collect"
    GROUP = "group"
    ORDER = "order"
    DESCENDING = "descending"
    MOST = "most"
    FEWEST = "fewest"
    YES_NO = "yes_no"
    NOT = "not"
    INDIRECT = "indirect"
    ONLY_INDIRECT = "only_indirect"


class Wording:
    """The patterns of all languages with one graph's words filled in; pure."""

    def __init__(self, schema: GraphSchema, lexicon: Lexicon) -> None:
        numeric = {n for types in schema.nodes.values() for n, kind in types.items() if kind in (INTEGER, FLOAT)}
        self._own = {
            "{label}": _either(list(lexicon.labels)),
            "{number}": _either([phrase for phrase, name in lexicon.properties.items() if name in numeric]),
            "{property}": _either(list(lexicon.properties)),
            "{relation}": _either(list(lexicon.relationships)),
        }
        self._compiled: dict[str, re.Pattern[str]] = {}

    def text(self, name: str) -> str:
        """One pattern, or the graph's own words, as a group; a pattern that never matches if no language has it."""
        found = self._own.get(f"{{{name}}}") or languages().patterns.get(name, "(?!)")
        for place, words in self._own.items():
            found = found.replace(place, words)
        return f"(?:{found})"

    def compiled(self, template: str) -> re.Pattern[str]:
        """`template` with every ‹name› replaced by that pattern, compiled and cached."""
        if template not in self._compiled:
            filled = re.sub(r"‹(\w+)›", lambda held: self.text(held[1]), template)
            self._compiled[template] = re.compile(filled, re.IGNORECASE)
        return self._compiled[template]

    def asks(self, masked: str) -> frozenset[Ask]:
        """Everything that the question wants done."""
        lower = masked.lower()
        found = {ask for ask in Ask if ask is not Ask.YES_NO and self.compiled(f"‹{ask.value}›").search(lower)}
        return frozenset(found | ({Ask.YES_NO} if _yes_no().match(lower) else set()))


def is_cued(question: str, wanted: Collection[str]) -> bool:
    """True if the question has a phrase for one of these cues."""
    return bool(cue_in(question, wanted))


def cue_in(question: str, wanted: Collection[str]) -> str:
    """The longest phrase for one of these cues, or "". Parts of longer phrases don't count (`least` in `at least`)."""
    said = f" {folded(question)} "
    held = _cues()
    for phrase in sorted((phrase for phrase in held if f" {phrase} " in said), key=len, reverse=True):
        if f" {phrase} " in said and held[phrase] & set(wanted):
            return phrase
        said = said.replace(f" {phrase} ", " ¤ ")
    return ""


@cache
def _cues() -> dict[str, frozenset[str]]:
    """{phrase as in a folded question: its cues}."""
    return {folded(phrase): cues for phrase, cues in languages().cues.items()}


@cache
def _yes_no() -> re.Pattern[str]:
    return re.compile(rf"\W*(?:{'|'.join(re.escape(word) for word in languages().yes_no)})\b")


def _either(phrases: list[str]) -> str:
    longest_first = sorted(phrases, key=len, reverse=True)
    texts = (re.escape(phrase) + (r"\b" if len(phrase) <= _SHORT else "") for phrase in longest_first)
    return f"(?:{'|'.join(texts)})" if phrases else "(?!)"
