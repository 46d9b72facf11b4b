"""Finds the word from which a sentence only asks. Requests (`bisa dibuatkan surat …?`) are not questions."""

from __future__ import annotations

from collections.abc import Sequence

from agentd.agent.text import FILLERS
from agentd.apps.letters.evidence.reading.lexicon import Cue, Mark
from agentd.apps.letters.evidence.reading.segments import SEPARATORS, Mood
from agentd.apps.letters.evidence.reading.sentences import Sentence
from agentd.apps.letters.languages import phrases

_PACK = phrases()
"""Tag words that ask whether the statement before them is true."""


def question_from(words: Sequence[str], marks: Sequence[Mark], asks: bool) -> int | None:
    """The index of the first word that is only asked about, or None. `asks`: the sentence ends with `?`."""
    inside = {at for mark in marks for at in range(mark.start, mark.end)}
    starts = [0, *(at + 1 for at, word in enumerate(words) if word in SEPARATORS and at not in inside)]
    makes, begins = bool(_PACK.make.intersection(words)), frozenset(starts)
    hard = next((mark for mark in marks if mark.cue is Cue.QUESTION and _counts(mark, words, begins, asks)), None)
    if hard is not None:
        start = max(at for at in starts if at <= hard.start)
        rest = words[hard.start :]
        doubtful = bool(_PACK.doubts.intersection(rest))
        return 0 if doubtful else start
    if not asks or (makes and _PACK.polite.intersection(words)):
        return None
    last = starts[-1]
    tag = [word for word in words[last:] if word[0].isalnum()]
    if not last or all(word in _PACK.confirming or word in FILLERS for word in tag):
        return 0
    return last if all(word in _PACK.tags for word in tag) else 0


def _counts(mark: Mark, words: Sequence[str], starts: frozenset[int], asks: bool) -> bool:
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
