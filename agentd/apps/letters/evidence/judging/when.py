"""Days and hours that may be meant though no reader reads them so: `the week after`, `hari apa?` `the 26th`, `at 3`.

They prove nothing: the citizen is shown them to check.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from agentd.apps.letters.evidence.claims.answers import repeated
from agentd.apps.letters.evidence.claims.case import Case, Place, Turn
from agentd.apps.letters.evidence.fields.field import Field
from agentd.apps.letters.evidence.fields.spans import Span, alone
from agentd.apps.letters.evidence.normalisers import clock, days, hours, numbers, weekdays
from agentd.apps.letters.evidence.reading.segments import Mood
from agentd.apps.letters.evidence.reading.sentences import Sentence
from agentd.apps.letters.languages import phrases

_ARTICLES = phrases().articles
_MONTH, _YEAR = 31, 366
_DIGITS = 2  # of an hour or of a day of the month, at most


def in_other_words(field: Field, case: Case) -> bool:
    """Whether a day may be in words that no reader knows. It has the weekday or the number of the day that was named
    last (`the Friday after`, `tgl 22 aja`), or a unit of time was said (`the week after`) and no message holds a
    date within a year, as a birth isn't. What the agent named is accepted or not by its answer."""
    day = days.day(str(field.value), case.today) if field.kind == "date" and not field.common else None
    if day is None:
        return False
    named = ((turn, by) for turn in reversed(case.turns) if (by := _named(day, turn)) is not None)
    last, by = next(named, (None, False))
    if last is not None and by and abs((day - last.day).days) <= _MONTH:
        return True
    timed = any(numbers.unit(each.words) for turn in case.turns for each in turn.heard.sentences)
    return timed and not any(_dated(turn) or repeated(field, case, turn) for turn in case.turns)


def _dated(turn: Turn) -> bool:
    """Whether a message holds a date within a year."""
    read = (day for each in turn.heard.sentences for *_, day in days.days(each.words, turn.day))
    return any(abs((day - turn.day).days) < _YEAR for day in read)


def _named(day: date, turn: Turn) -> bool | None:
    """Whether a message names a day by its weekday or number and not in full; None if it names none, but to deny it."""
    sentences = (zip(each.words, each.moods, strict=True) for each in turn.heard.sentences)
    said = [[word for word, mood in each if mood is not Mood.DENIED] for each in sentences]
    hits = [words[start:end] for words in said for start, end, _ in days.days(words, turn.day)]
    if any(len(hit) > 2 or not clock.MONTHS.keys().isdisjoint(hit) for hit in hits):
        return False
    if named := frozenset().union(*map(weekdays.weekdays, said)):
        return named == {day.weekday()}
    numbers_said = [word for hit in hits for word in hit if word.isdecimal()]
    return numbers_said[-1] == str(day.day) if numbers_said else None


def bare(field: Field, case: Case, turn: Turn) -> Iterator[Place]:
    """Mere numbers that may be an hour or a day without month (`What time?` `12`, `hari apa?` `the 26th`, `3/8`), and
    hours that may be in either half of the day (`at 3`)."""
    day = days.day(str(field.value), turn.day) if field.kind == "date" else None
    minutes = hours.hour(str(field.value)) if field.kind == "time" else None
    asked_on = turn.day if turn.asks_for(field.key) else None
    for sentence, named, before in turn.sentences():
        for at, word in enumerate(sentence.words):
            if word.isdecimal() and len(word) <= _DIGITS and (size := _mere(sentence, at, day, minutes, asked_on)):
                yield case.place(turn, sentence, named, before, Span(at, at + size, True))
        for start, end, said in hours.hours(sentence.words) if minutes is not None else ():
            morning = any(clock.at_clock(sentence.words, at, "morning") for at in range(start, end))
            if said + hours.HALF_A_DAY == minutes and not morning:
                yield case.place(turn, sentence, named, before, Span(start, end, True))


def _mere(sentence: Sentence, at: int, day: date | None, minutes: int | None, asked_on: date | None) -> int:
    """The number of words, starting at a number, that may be the day or the hour; 0 if none."""
    words, number, clause = sentence.words, int(sentence.words[at]), sentence.clause(at)
    if day is not None and words[at + 1 : at + 3] == ["/", str(day.month)]:
        return 3 if number == day.day else 0
    whole = alone(words, Span(at, at + 1, True), clause)
    if day is None:
        ends = alone(words, Span(clause.start, at + 1, True), clause)  # `so make it 10`
        hour = minutes is not None and number * 60 in (minutes, minutes - hours.HALF_A_DAY)
        return int(hour and ends and (asked_on is not None or not whole))
    near = whole or words[max(at - 1, 0)] in _ARTICLES
    return int(near and asked_on is not None and number == day.day and abs((day - asked_on).days) <= _MONTH)
