"""Where sentences end (at a line, a full stop that abbreviates nothing, a mark), and clauses. It reads no meaning."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from agentd.agent.languages import words as all_words
from agentd.agent.text import folded, normal, tokens
from agentd.apps.letters.evidence.days import month
from agentd.apps.letters.evidence.lexicon import Cue, Lexicon, Mark
from agentd.apps.letters.evidence.pasted import own_words
from agentd.apps.letters.evidence.segments import SEPARATORS, STREETS, Mood
from agentd.apps.letters.languages import phrases

_ABBREVIATIONS = phrases().abbreviations
_EMPHASIS = re.compile(r"(?<![\w*_~])([*_~])(?=\S)([^*_~\n]++)(?<=\S)\1(?![\w*_~])")
_NUMBERED = re.compile(r"^[ \t]*(\d{1,2})[.)][ \t]+(?=\S)", re.MULTILINE)
_ANDS = all_words().number_joiners
_ENDING = frozenset({".", "!", "?", "\n"})


@dataclass(slots=True)
class Sentence:
    """One sentence: its folded words, the same as written, its cues, and below what is heard in it, word by word."""

    words: list[str]
    raws: list[str]
    marks: list[Mark]
    asks: bool
    blank: bool
    """A blank line follows."""
    clauses: list[int] = field(default_factory=list)
    moods: list[Mood] = field(default_factory=list)
    corrected: list[bool] = field(default_factory=list)
    times: list[str] = field(default_factory=list)
    """`past`, `future` or `soon` for each word whose clause says so."""
    people: list[tuple[int, str | None, range]] = field(default_factory=list)
    """(place, whom it names, the words that are that person's), in order; None: the citizen again."""
    own: frozenset[int] = frozenset()
    """Where the citizen names himself."""
    alone: frozenset[int] = frozenset()
    """The same, but of nobody else (`ibu saya`)."""
    labels: list[Mark] = field(default_factory=list)
    """Where it names a common field."""
    wrong: bool = False
    """It takes something back."""
    inquiring: bool = False
    """It asks for something unknown (how much, when), and takes the rest of what it says as given."""
    proposes: bool = False
    """`Kalau ke Medan?`, `How about Thursday?`: it changes what was asked for; first of all it only supposes."""
    asking: int | None = None
    """The word from which on it asks, however politely."""
    _covered: dict[tuple[frozenset[Cue], str | None], frozenset[int]] = field(default_factory=dict)

    def covered(self, cues: frozenset[Cue], value: str | None = None) -> frozenset[int]:
        """The words of its marks with one of the cues (and this value, if one is given); found once."""
        key = cues, value
        if key not in self._covered:
            marks = (mark for mark in self.marks if mark.cue in cues and value in (None, mark.value))
            self._covered[key] = frozenset(at for mark in marks for at in range(mark.start, mark.end))
        return self._covered[key]

    def clause(self, at: int) -> range:
        """The clause around a word."""
        number = self.clauses[at]
        return range(bisect_left(self.clauses, number), bisect_right(self.clauses, number))

    def opens(self, at: int) -> bool:
        """Whether nothing but marks stands before a word in its clause."""
        return not any(word[0].isalnum() for word in self.words[self.clause(at).start : at])

    def ends(self, at: int) -> bool:
        """Whether the previous word's clause ends before the word `at`."""
        return at >= len(self.clauses) or self.clauses[at] != self.clauses[at - 1]


def own_sentences(text: str, lexicon: Lexicon) -> list[Sentence]:
    """What of a message is its writer's own, in sentences: no chat's marks of emphasis, no numbers of lines."""
    raws = split(_unadorned(own_words(text)), lexicon)
    words = [folded(raw) or "\n" for raw in raws]
    found: list[Sentence] = []
    for start, end, mark, blank in _sentences(words, raws):
        own, written = words[start:end], raws[start:end]
        found.append(Sentence(own, written, lexicon.marks(own, written), mark == "?", blank))
    return found


def _unadorned(text: str) -> str:
    """Without a chat's marks of emphasis, and without the numbers of lines numbered from 1 on, as answers may be."""
    text = _EMPHASIS.sub(r"\2", text)
    numbers = [int(number) for number in _NUMBERED.findall(text)]
    return _NUMBERED.sub("", text) if len(numbers) > 1 and numbers == list(range(1, len(numbers) + 1)) else text


def split(text: str, lexicon: Lexicon) -> list[str]:
    """Tokens, with `-nya` and `-ku` taken off labels and relations (`alamatnya` → alamat, nya)."""
    split: list[str] = []
    for raw in tokens(normal(text)):
        size = lexicon.suffix(raw.casefold()) if len(raw) > 4 else 0
        if size:
            split += (raw[:-size], raw[-size:])
        else:
            split.append(raw)
    return split


def _sentences(words: Sequence[str], raws: Sequence[str]) -> list[tuple[int, int, str, bool]]:
    """(start, end, closing mark, before a blank line) of each sentence; a line is a sentence."""
    found: list[tuple[int, int, str, bool]] = []
    start = 0
    for at, word in enumerate(words):
        if word not in _ENDING:
            continue
        if word == "." and ((raws[at] == "." and at + 1 < len(words)) or not _closes(raws, at)):
            continue
        if at > start:
            found.append((start, at, word, raws[at].count("\n") > 1))
        start = at + 1
    if start < len(words):
        found.append((start, len(words), "", False))
    return found


def _closes(raws: Sequence[str], at: int) -> bool:
    before = raws[at - 1].casefold() if at else ""
    if "\n" in raws[at]:
        return True
    return not (before in _ABBREVIATIONS or (len(before) == 1 and before.isalpha()) or (at == 1 and before.isdecimal()))


def clauses(words: Sequence[str], raws: Sequence[str], marks: Sequence[Mark]) -> list[int]:
    """The number of the clause of each word."""
    turns = {mark.start for mark in marks if mark.cue is Cue.TURN}
    turns |= {
        mark.start for mark in marks if mark.cue is Cue.LABEL and mark.start and words[mark.start - 1] in _ANDS | {"/"}
    }
    numbers, clause = [], 0
    for at, word in enumerate(words):
        street = word == "-" and words[at + 1 : at + 2] and words[at + 1] in STREETS
        if at in turns or street or _separates(words, raws, at):
            clause += 1
        numbers.append(clause)
    return numbers


def _separates(words: Sequence[str], raws: Sequence[str], at: int) -> bool:
    """Whether a clause ends there: no comma inside a number or a date (`January 5th, 1990`) ends one."""
    if words[at] != "," or at + 1 == len(words):
        return words[at] in SEPARATORS
    year = len(words[at + 1]) == 4 and any(map(month, words[max(0, at - 3) : at]))
    decimal = raws[at] == "," and at and words[at - 1].isdecimal()
    return not (words[at + 1].isdecimal() and (year or decimal))
