"""What denials, doubts, corrections and examples change in a sentence: how what follows is meant. It binds no value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentd.apps.letters.evidence.lexicon import Cue, Mark
from agentd.apps.letters.evidence.segments import SEPARATORS, Mood
from agentd.apps.letters.languages import phrases

if TYPE_CHECKING:
    from agentd.apps.letters.evidence.clauses import SentenceReader

_POINTING = phrases().pointing
_COURTESIES = phrases().courtesies
_DENIALS = phrases().denials
_INSTEAD = (["it"], ["its"])
"""What begins the right value after `the address is wrong:`."""
_PARAGRAPH = phrases().paragraph


def on_negation(reader: SentenceReader, mark: Mark) -> int:
    following = reader.marks.get(mark.end)
    if following is not None and following.cue is Cue.LABEL and not reader.current.empty:
        for segment in (*reader.in_clause(), reader.current):
            segment.mood = Mood.DENIED
    reader.close(reader.current.label, corrected=reader.current.corrected and reader.current.empty)
    reader.denied, reader.content_since_denial = True, False
    reader.current.mood = Mood.OPEN if reader.open else Mood.DENIED
    return mark.end


def on_other_time(reader: SentenceReader, mark: Mark) -> int:
    """`tahun lalu`, `next year`: of all that its clause says, before it and after it."""
    for segment in (*reader.in_clause(), reader.current):
        if segment.mood is Mood.SAID:
            segment.mood = Mood.DENIED
    return on_negation(reader, mark)


def on_unsure(reader: SentenceReader, mark: Mark) -> int:
    reader.current.mood = Mood.OPEN
    for segment in reader.in_clause():
        segment.mood = Mood.OPEN
    reader.close(reader.current.label)
    reader.denied = reader.doubted = True
    reader.content_since_denial = False
    reader.current.mood = Mood.OPEN
    return mark.end


def on_turn(reader: SentenceReader, mark: Mark) -> int:
    was_denied = reader.denied
    label = reader.current.label
    if not was_denied and reader.current.empty and label is None and _just_denied(reader):
        was_denied, label = True, reader.done[-1].label
    reader.denied = reader.doubted
    reader.close(label if was_denied or reader.current.empty else None, corrected=was_denied)
    return mark.end


def _just_denied(reader: SentenceReader) -> bool:
    """`keperluannya bukan melamar kerja, tapi …`: the clause before the comma ended on a denial."""
    return bool(reader.done) and reader.done[-1].mood is Mood.DENIED and reader.done[-1].clause + 1 == reader.clause


def on_correction(reader: SentenceReader, mark: Mark) -> int:
    label = reader.current.label or (reader.current.follows if reader.current.empty else None)
    reader.denied = reader.doubted = False
    reader.close(label, corrected=True)
    reader.current.restated = reader.words[mark.start] not in _COURTESIES
    return mark.end


def on_wrong(reader: SentenceReader, mark: Mark) -> int:
    words = [word for word in reader.current.words if word[0].isalnum()]
    after = reader.words[mark.end] if mark.end < len(reader.words) else ","
    if not words and reader.words[mark.start] in _DENIALS and after not in SEPARATORS:
        return on_negation(reader, mark)
    if reader.words[mark.end : mark.end + 1] == [":"] and reader.words[mark.end + 1 : mark.end + 2] not in _INSTEAD:
        reader.denied, reader.content_since_denial = True, False
        reader.close(reader.current.label)
        return mark.end + 1
    if reader.current.label is not None and all(word in _POINTING or word == reader.current.label for word in words):
        reader.current.words, reader.current.mood = [], Mood.TAKEN_BACK
    elif words:
        reader.current.mood = Mood.DENIED
    return on_correction(reader, mark)


def on_example(reader: SentenceReader, mark: Mark) -> int:
    reader.open = True
    if reader.words[mark.start] in _PARAGRAPH:
        reader.paragraph_open = True
        aside = mark.start > 0 and reader.words[mark.start - 1] == "("
        for segment in reader.in_clause(back=1 if aside else 0):
            if segment.clause != reader.clause or segment.label is None:
                segment.mood = Mood.OPEN
        if not reader.current.empty:
            reader.current.mood = Mood.OPEN
    reader.close(reader.current.label)
    return mark.end


def on_lookup(reader: SentenceReader, mark: Mark) -> int:
    reader.looked_up = True
    reader.close(None)
    return mark.end
