"""Whether a value's words could as well be another value or thing, so that they prove nothing: `jam 3`, `5A`, `2016`.

The citizen is asked about such a value, or sees it marked. Decides nothing about fields or persons.
"""

from __future__ import annotations

from agentd.agent.text import FILLERS, fold, folded_tokens
from agentd.apps.letters.evidence.claims import codes
from agentd.apps.letters.evidence.claims.case import CLAUSE, Case, Place, Turn
from agentd.apps.letters.evidence.fields.field import Field
from agentd.apps.letters.evidence.fields.spans import NUMBERS, TEXTS
from agentd.apps.letters.evidence.normalisers import days, digits, hours, numbers
from agentd.apps.letters.evidence.normalisers.clock import MONTHS
from agentd.apps.letters.evidence.reading.heard import NOES
from agentd.apps.letters.evidence.reading.readings import once
from agentd.apps.letters.evidence.reading.segments import STREETS
from agentd.apps.letters.languages import phrases

_HALF_A_DAY = 12 * 60
_NOTHING = NOES | FILLERS
_POINTING = phrases().articles | phrases().which
_NUMBERS = frozenset(phrases().senses["identifier"])
_LETTERS = phrases().letters
"""Words before what is wanted and not stated: `bisa bikin surat belum nikah?`."""
_TOWARDS = phrases().toward | frozenset(phrases().senses["origin"])
"""Words within a name or place that begin another one: `Send it to Philip`, `departing from Phoenix`."""
_WHEN = frozenset({"date", "time"})
_QUIET = FILLERS | phrases().quiet
_EVERY = {name + end for names in phrases().weekdays for name in names for end in phrases().plurals.get("", ())}
"""Words for a day of every week: `Wednesdays after school`."""
_MARKS = frozenset({"/", "-"})
_YEAR, _YEARS = 4, range(1900, 2100)
_SHORT = 8
"""The most words of a clause that says a number and nothing else."""


def clear(field: Field, case: Case, turn: Turn) -> list[Place] | None:
    """The places where a message states the value and nothing else could be meant; None if it states it nowhere."""
    places = case.stated(field, turn)
    earlier = _counted_before(field, case, turn)
    return [one for one in places if id(one) not in earlier and not _unclear(field, one)] if places else None


def _unclear(field: Field, place: Place) -> bool:
    if field.kind == "time":
        return _either_half(field, place)
    if field.kind == "date":
        return _of_which_day(place)
    if field.kind in ("name", "place") and not _TOWARDS.isdisjoint(field.spoken[1:]):
        return True
    if field.kind == "name":
        return _small(place)
    if field.kind == "code":
        whole = codes.extent(place.sentence, *place.span[:2]) == range(*place.span[:2])
        return not whole or _numbers_something_else(field, place) or _of_a_street(place)
    if field.kind in NUMBERS:
        return _of_a_seat(place) or _of_a_street(place) or _points(place)
    if field.kind == "choice":
        start, end, _ = place.span
        mere = FILLERS.issuperset(place.sentence.words[start:end]) and place.sentence.raws[start:end] != [field.value]
        return mere or (start > 0 and place.sentence.words[start - 1] in _LETTERS)
    return field.kind in TEXTS and (
        _NOTHING.issuperset(field.spoken) or _nowhere(field, place) or _says_when(field, place)
    )


def _either_half(field: Field, place: Place) -> bool:
    """Whether an hour may be before or after noon (`jam 3`, unlike `03.00`), unless the agent had named one."""
    words, (start, end, _) = place.sentence.words, place.span
    first = next((word for word in words[start:end] if word.isdecimal()), "")
    minutes = hours.hour(str(field.value))
    if minutes is None or not 60 <= minutes < _HALF_A_DAY or first.startswith("0") or hours.parts(words[start:end]):
        return False
    named = _hours_asked(place.case, place.turn)
    return minutes not in named or minutes + _HALF_A_DAY in named


@once
def _hours_asked(_case: Case, turn: Turn) -> frozenset[int]:
    return frozenset(minutes for _, _, minutes in hours.hours(folded_tokens(turn.question)))


def _of_which_day(place: Place) -> bool:
    """Whether a weekday is that of every week, or a day without its month stands in a message that names a day of
    another one: `bulan depan tanggal 21, eh tanggal 22`."""
    said = place.sentence.words[place.span.start : place.span.end]
    if len(said) == 1 and said[0] in _EVERY:
        return True
    whole = not MONTHS.keys().isdisjoint(said) or not _MARKS.isdisjoint(said)
    return not whole and any(map(str.isdecimal, said)) and _months(place.case, place.turn) > 1


@once
def _months(_case: Case, turn: Turn) -> int:
    read = (day for each in turn.heard.sentences for _, _, day in days.days(each.words, turn.day))
    return len({(day.year, day.month) for day in read})


def _small(place: Place) -> bool:
    """Whether a name begins with a small letter although the citizen writes names with capitals: `flatmate Thandiwe`,
    `saya mah Ida cuma disuruh`."""
    return place.sentence.raws[place.span.start][0].islower() and _writes_capitals(place.case, place.turn)


@once
def _writes_capitals(_case: Case, turn: Turn) -> bool:
    return any(raw.istitle() for each in turn.heard.sentences for raw in each.raws[1:])


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


def _of_a_seat(place: Place) -> bool:
    """Whether a capital follows a number at once, as in `5A`."""
    behind = place.sentence.raws[place.span.end : place.span.end + 1]
    return any(len(raw) == 1 and raw.isalpha() and raw.isupper() for raw in behind)


def _of_a_street(place: Place) -> bool:
    """Whether a number is a house's: `Jalan Tukad Badung 22`."""
    sentence, start = place.sentence, place.span.start
    before = range(max(sentence.clause(start).start, start - CLAUSE), start)
    street = max((at for at in before if sentence.words[at] in STREETS), default=start)
    return street < start and all(raw[0].isupper() or not raw[0].isalnum() for raw in sentence.raws[street + 1 : start])


def _nowhere(field: Field, place: Place) -> bool:
    """Whether an address has no street and no name, and no number but how long: `kontrak di sini baru 3 bulan`."""
    start, end, _ = place.span
    raws, said = place.sentence.raws[start:end], place.sentence.words[start : end + 1]
    if field.kind != "address" or not STREETS.isdisjoint(said) or any(raw[0].isupper() for raw in raws):
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


def _points(place: Place) -> bool:
    """Whether a number word only points at something: `the one by the window`, `yang satu`."""
    start, end, _ = place.span
    one = end - start == 1 and not place.sentence.words[start].isdecimal()
    return one and start > 0 and place.sentence.words[start - 1] in _POINTING
