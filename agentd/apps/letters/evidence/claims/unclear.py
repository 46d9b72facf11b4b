"""Whether a value's words could as well be another value or thing, so that they prove nothing: `jam 3`, `5A`, `2016`.

The citizen is asked about such a value, or sees it marked. Decides nothing about fields or persons.
"""

from __future__ import annotations

from collections.abc import Callable

from agentd.agent.text import FILLERS, fold, folded_tokens
from agentd.apps.letters.evidence.claims import codes, free_words
from agentd.apps.letters.evidence.claims.case import CLAUSE, Case, Place, Turn
from agentd.apps.letters.evidence.fields.field import Field
from agentd.apps.letters.evidence.fields.spans import NUMBERS, TEXTS
from agentd.apps.letters.evidence.normalisers import days, digits, hours, numbers
from agentd.apps.letters.evidence.normalisers.clock import MONTHS
from agentd.apps.letters.evidence.reading.heard import NOES
from agentd.apps.letters.evidence.reading.readings import once
from agentd.apps.letters.evidence.reading.segments import STREETS
from agentd.apps.letters.languages import phrases

_NOTHING = NOES | FILLERS
_POINTING = phrases().articles | phrases().which
_NUMBERS = frozenset(phrases().senses["identifier"])
_LETTERS = phrases().letters
_WHEN = frozenset({"date", "time"})
_QUIET = FILLERS | phrases().quiet
_EVERY = {name + end for names in phrases().weekdays for name in names for end in phrases().plurals.get("", ())}
"""Words for a day of every week: `Wednesdays after school`."""
_MARKS = frozenset({"/", "-"})
_YEAR, _YEARS = 4, range(1900, 2100)
_HALF_A_YEAR = 183
"""Days. A day without a year that is further ahead may be the one before."""
_SHORT = 8
"""The most words of a clause that says a number and nothing else."""


def clear(field: Field, case: Case, turn: Turn) -> list[Place] | None:
    """The places where a message states the value and nothing else could be meant; None if it states it nowhere."""
    places = case.stated(field, turn)
    earlier = _counted_before(field, case, turn)
    return [one for one in places if id(one) not in earlier and not _unclear(field, one)] if places else None


def _unclear(field: Field, place: Place) -> bool:
    return any(may_differ(field, place) for may_differ in _CHECKS.get(field.kind, ()))


def _either_half(field: Field, place: Place) -> bool:
    """Whether an hour may be before or after noon (`jam 3`, unlike `03.00`), unless the agent had named one."""
    words, (start, end, _) = place.sentence.words, place.span
    first = next((word for word in words[start:end] if word.isdecimal()), "")
    minutes = hours.hour(str(field.value))
    if (
        minutes is None
        or not 60 <= minutes < hours.HALF_A_DAY
        or first.startswith("0")
        or hours.parts(words[start:end])
    ):
        return False
    named = _hours_asked(place.case, place.turn)
    return minutes not in named or minutes + hours.HALF_A_DAY in named


@once
def _hours_asked(_case: Case, turn: Turn) -> frozenset[int]:
    return frozenset(minutes for _, _, minutes in hours.hours(folded_tokens(turn.question)))


def _of_which_day(field: Field, place: Place) -> bool:
    """Whether words could mean another day: every week's (`Wednesdays`), another month's (`bulan depan tanggal 21, eh
    tanggal 22`), or, without a year, the one before or after it; a birth (no child's) has a year, a start a date."""
    words, turn = place.sentence.words[place.span.start : place.span.end], place.turn
    if len(words) == 1 and (words[0] in _EVERY or "since" in field.senses):
        return not any(map(str.isdecimal, words))
    read = days.day(str(field.value), turn.day)
    dated = not MONTHS.keys().isdisjoint(words) or not _MARKS.isdisjoint(words)
    if not dated and any(map(str.isdecimal, words)) and _months(place.case, turn) > 1:
        return True
    said = "".join(words)
    far = read is not None and not field.past and (read - turn.day).days > _HALF_A_YEAR
    vague = (said.isalpha() and not dated) if field.person == "anak" else not days.dates(words)
    return (far and f"{read:%y}" not in said) or (field.label == "tanggal_lahir" and vague)


@once
def _months(case: Case, turn: Turn) -> int:
    """The number of months of the days in a message, and of those ahead in the messages before it."""
    until = case.turns[: 1 + next(at for at, each in enumerate(case.turns) if each is turn)]
    read = [
        (each, day) for each in until for one in each.heard.sentences for _, _, day in days.days(one.words, each.day)
    ]
    return len({(day.year, day.month) for each, day in read if each is turn or day > each.day})


def _small(field: Field, place: Place) -> bool:
    """Whether a name begins with a small letter although the citizen writes names with capitals: `flatmate Thandiwe`,
    `saya mah Ida cuma disuruh`."""
    if field.kind == "place" and field.common:
        return False
    return place.sentence.raws[place.span.start][0].islower() and _writes_capitals(place.case, place.turn)


@once
def _writes_capitals(_case: Case, turn: Turn) -> bool:
    return any(raw.istitle() for each in turn.heard.sentences for raw in each.raws[1:])


def _part_of_a_code(_field: Field, place: Place) -> bool:
    """Whether a code goes on: `4471` of `B 4471 TKX`."""
    start, end, _ = place.span
    return codes.extent(place.sentence, start, end) != range(start, end)


def _numbers_something_else(field: Field, place: Place) -> bool:
    """Whether a code without its field's name may be a year, a telephone number or a word said twice (`anak2`)."""
    if any(one.plain and field.key in one.keys for one in place.near):
        return False
    said = "".join(place.sentence.raws[place.span.start : place.span.end])
    if said[0] == "0" and digits.phone(said) is not None:
        words = {word for sense in field.senses for word in phrases().senses.get(sense, ())} | {*field.words}
        return (words - _NUMBERS).isdisjoint((*fold(place.turn.question), *place.sentence.words))
    year = len(said) == _YEAR and said.isdecimal() and int(said) in _YEARS
    return year or (said[-1] == "2" and said[:-1].isalpha() and said.islower())


def _of_a_seat(_field: Field, place: Place) -> bool:
    """Whether a capital follows a number at once, as in `5A`."""
    behind = place.sentence.raws[place.span.end : place.span.end + 1]
    return any(len(raw) == 1 and raw.isalpha() and raw.isupper() for raw in behind)


def _of_a_street(_field: Field, place: Place) -> bool:
    """Whether a number is a house's: `Jalan Tukad Badung 22`."""
    sentence, start = place.sentence, place.span.start
    before = range(max(sentence.clause(start).start, start - CLAUSE), start)
    street = max((at for at in before if sentence.words[at] in STREETS), default=start)
    return street < start and all(raw[0].isupper() or not raw[0].isalnum() for raw in sentence.raws[street + 1 : start])


def _mere_word(field: Field, place: Place) -> bool:
    """Whether a choice is written as a word that says nothing: the class A in `a lesson`."""
    start, end, _ = place.span
    return FILLERS.issuperset(place.sentence.words[start:end]) and place.sentence.raws[start:end] != [field.value]


def _of_a_letter(_field: Field, place: Place) -> bool:
    """Whether a choice only says which letter is wanted: `bisa bikin surat belum nikah?`."""
    return place.span.start > 0 and place.sentence.words[place.span.start - 1] in _LETTERS


def _of_nothing(field: Field, place: Place) -> bool:
    """Whether a number or code only has the field's kind: nobody asked for the field, and no word near names it."""
    if field.common or field.key in place.turn.wanted or place.sentence.corrected[place.span.start]:
        return False
    counted = bool(field.unit) and numbers.unit(place.sentence.words[place.span.end : place.span.end + 1]) == field.unit
    return not counted and not codes.only(field, place) and all(field.key not in one.keys for one in place.near)


def _numbered(field: Field, _place: Place) -> bool:
    """Whether a person's name contains a number: `207. Eleanor`."""
    return "title" not in field.senses and any(map(str.isdecimal, "".join(field.spoken)))


def _says_nothing(field: Field, _place: Place) -> bool:
    return _NOTHING.issuperset(field.spoken)


def _nowhere(_field: Field, place: Place) -> bool:
    """Whether an address has no street and no name, and no number but how long: `kontrak di sini baru 3 bulan`."""
    start, end, _ = place.span
    raws, said = place.sentence.raws[start:end], place.sentence.words[start : end + 1]
    if not STREETS.isdisjoint(said) or any(raw[0].isupper() for raw in raws):
        return False
    unit = numbers.unit(said)
    return not any(map(str.isdecimal, raws)) or (bool(unit) and bool(numbers.lengths(said, unit)))


def _says_when(field: Field, place: Place) -> bool:
    """Whether a text that isn't about a time is only a day or an hour: `today at 14h`, for the service."""
    words = place.sentence.words[place.span.start : place.span.end]
    found = (*days.days(words, place.turn.day), *hours.hours(words))
    when = {at for start, end, _ in found for at in range(start, end)}
    return (
        bool(when)
        and _WHEN.isdisjoint(field.senses)
        and all(at in when or word in _QUIET or len(word) == 1 for at, word in enumerate(words))
    )


def _counted_before(field: Field, case: Case, turn: Turn) -> frozenset[int]:
    """The ids of the places of numbers before a last bare one: `3 adults.. oh no, my husband's dropped out, so 2`."""
    found = case.places(field, turn) if field.kind in NUMBERS else []
    last = max((at for at, one in enumerate(found) if not one.span.supports and _bare(one)), default=0)
    return frozenset(map(id, found[:last]))


def _bare(place: Place) -> bool:
    words, clause = place.sentence.words, place.sentence.clause(place.span.start)
    beside = (words[at] for at in clause if not place.span.start <= at < place.span.end)
    return len(clause) <= _SHORT and all(word in _QUIET or not word[0].isalnum() for word in beside)


def _points(_field: Field, place: Place) -> bool:
    """Whether a number word only points at something: `the one by the window`, `yang satu`."""
    start, end, _ = place.span
    one = end - start == 1 and not place.sentence.words[start].isdecimal()
    return one and start > 0 and place.sentence.words[start - 1] in _POINTING


_COUNTS = (_of_a_seat, _of_a_street, _points)
_CHECKS: dict[str, tuple[Callable[[Field, Place], bool], ...]] = {
    **dict.fromkeys(TEXTS, (*free_words.TEXT, _says_nothing, _says_when)),
    **dict.fromkeys(NUMBERS, _COUNTS),
    "number": (*_COUNTS, _of_nothing),
    "time": (_either_half,),
    "date": (_of_which_day,),
    "name": (*free_words.NAME, _small, _numbered),
    "place": (*free_words.NAME, _small, _says_nothing),
    "address": (_says_nothing, _nowhere, _says_when),
    "code": (_part_of_a_code, _numbers_something_else, _of_a_street, _of_nothing),
    "choice": (_mere_word, _of_a_letter),
}
"""What is asked of a value's words, by the field's kind."""
