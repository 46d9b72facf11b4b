"""Splits text into sentences (at lines, marks and full stops that aren't abbreviations) and clauses.

Also tells from which word on a sentence only asks: requests (`bisa dibuatkan surat …?`) are not questions.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from agentd.agent.languages import words as all_words
from agentd.agent.text import FILLERS, folded, normal, tokens
from agentd.apps.letters.evidence.normalisers.clock import MONTHS
from agentd.apps.letters.evidence.reading.lexicon import Cue, Lexicon, Mark
from agentd.apps.letters.evidence.reading.pasted import own_words
from agentd.apps.letters.evidence.reading.segments import SEPARATORS, STREETS, Mood
from agentd.apps.letters.languages import phrases

_PACK = phrases()
_EMPHASIS = re.compile(r"(?<![\w*_~])([*_~])(?=\S)([^*_~\n]++)(?<=\S)\1(?![\w*_~])")
_NUMBERED = re.compile(r"^[ \t]*(\d{1,2})[.)][ \t]+(?=\S)", re.MULTILINE)
_ANDS = all_words().number_joiners
_ENDING = frozenset({".", "!", "?", "\n"})


@dataclass(slots=True, eq=False)
class Sentence:
    """One sentence: its folded words, the words as written, its cues, and the per-word results filled in later."""

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
    """(index, person, the indices of that person's words), in order; None for the citizen again."""
    own: frozenset[int] = frozenset()
    """Indices of words for the citizen."""
    alone: frozenset[int] = frozenset()
    """The same, without those after a relation (`ibu saya`)."""
    labels: list[Mark] = field(default_factory=list)
    """The cues that name a field."""
    wrong: bool = False
    """The sentence retracts something."""
    inquiring: bool = False
    """The sentence asks for unknown information (how much, when) and takes the rest as given."""
    proposes: bool = False
    """It proposes a change (`Kalau ke Medan?`, `How about Thursday?`); in the first message that is only supposed."""
    asking: int | None = None
    """The index from which on it asks, even if politely."""
    _covered: dict[tuple[frozenset[Cue], str | None], frozenset[int]] = field(default_factory=dict)

    def covered(self, cues: frozenset[Cue], value: str | None = None) -> frozenset[int]:
        """Indices of the words in cues of these kinds (and with this value, if given); cached."""
        key = cues, value
        if key not in self._covered:
            marks = (mark for mark in self.marks if mark.cue in cues and value in (None, mark.value))
            self._covered[key] = frozenset(at for mark in marks for at in range(mark.start, mark.end))
        return self._covered[key]

    def clause(self, at: int) -> range:
        """The indices of the clause that contains a word."""
        number = self.clauses[at]
        return range(bisect_left(self.clauses, number), bisect_right(self.clauses, number))

    def opens(self, at: int) -> bool:
        """Whether only marks precede a word in its clause."""
        return not any(word[0].isalnum() for word in self.words[self.clause(at).start : at])

    def ends(self, at: int) -> bool:
        """Whether the previous word's clause ends before the word `at`."""
        return at >= len(self.clauses) or self.clauses[at] != self.clauses[at - 1]


def own_sentences(text: str, lexicon: Lexicon) -> list[Sentence]:
    """The sentences that the writer wrote themselves, without pasted text, chat emphasis and line numbers."""
    raws = split(_unadorned(own_words(text)), lexicon)
    words = [folded(raw) or "\n" for raw in raws]
    found: list[Sentence] = []
    for start, end, mark, blank in _sentences(words, raws):
        own, written = words[start:end], raws[start:end]
        found.append(Sentence(own, written, lexicon.marks(own, written), mark == "?", blank))
    return found


def _unadorned(text: str) -> str:
    """The text without chat emphasis, and without line numbers if they count up from 1."""
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
    """(start, end, closing mark, whether a blank line follows) of each sentence; a line break ends a sentence."""
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
    return not (
        before in _PACK.abbreviations or (len(before) == 1 and before.isalpha()) or (at == 1 and before.isdecimal())
    )


def clauses(words: Sequence[str], raws: Sequence[str], marks: Sequence[Mark]) -> list[int]:
    """The clause number of each word."""
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
    """Whether a clause ends at a word; a comma inside a number or a date (`January 5th, 1990`) doesn't end one."""
    if words[at] != "," or at + 1 == len(words):
        return words[at] in SEPARATORS
    year = len(words[at + 1]) == 4 and not MONTHS.keys().isdisjoint(words[max(0, at - 3) : at])
    decimal = raws[at] == "," and at and words[at - 1].isdecimal()
    return not (words[at + 1].isdecimal() and (year or decimal))


def first_asked(words: Sequence[str], marks: Sequence[Mark], asks: bool) -> int | None:
    """The index from which a sentence only asks, None if it asks nothing. `asks`: it ends with `?`.

    From a question word's part on (`Nama saya Budi, apa syaratnya?`); from a tag at the end (`…, ya?`); else all of it.
    """
    inside = {at for mark in marks for at in range(mark.start, mark.end)}
    starts = [0, *(at + 1 for at, word in enumerate(words) if word in SEPARATORS and at not in inside)]
    begins = frozenset(starts)
    hard = next((mark for mark in marks if mark.cue is Cue.QUESTION and _counts(mark, words, begins, asks)), None)
    if hard is not None:
        return 0 if _PACK.doubts.intersection(words[hard.start :]) else max(at for at in starts if at <= hard.start)
    if not asks or (_PACK.make.intersection(words) and _PACK.polite.intersection(words)):
        return None
    tag = [word for word in words[starts[-1] :] if word[0].isalnum()]
    if all(word in _PACK.confirming or word in FILLERS for word in tag):
        return 0
    return starts[-1] if all(word in _PACK.tags for word in tag) else 0


def _counts(mark: Mark, words: Sequence[str], starts: frozenset[int], asks: bool) -> bool:
    """Whether a question word asks here: it begins a part of the sentence, or the sentence ends with `?`."""
    if asks and words[mark.start] not in _PACK.asks_only_first:
        return True
    joined = mark.start - 1 in starts and words[mark.start - 1] in _PACK.openings
    return mark.start in starts or joined


def moods(sentence: Sentence) -> list[Mood]:
    """The mood of each word for an applicant's data: polite requests, look-ups and other times don't count as said."""
    found = list(sentence.moods)
    for at, time in enumerate(sentence.times):
        if time in ("past", "future") and found[at] is Mood.SAID:
            found[at] = Mood.DENIED
    asking = len(found) if sentence.asking is None else sentence.asking
    found[asking:] = [Mood.OPEN] * (len(found) - asking)
    for mark in sentence.marks:
        soon = mark.cue is Cue.NEGATION and sentence.times[mark.start] == "soon"
        if soon or mark.cue is Cue.LOOKUP:
            end = sentence.clause(mark.start).stop
            found[mark.end : end] = [Mood.OPEN] * (end - mark.end)
    return found
