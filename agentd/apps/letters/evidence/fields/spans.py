"""Finds where a text holds a value of a field's kind, with one normaliser per kind. Doesn't judge the meaning."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date
from decimal import Decimal
from itertools import pairwise
from typing import NamedTuple

from agentd.agent.languages import words as all_words
from agentd.agent.text import FILLERS, fold, folded_tokens
from agentd.apps.letters.evidence.fields.field import Field
from agentd.apps.letters.evidence.fields.shapes import Shape
from agentd.apps.letters.evidence.normalisers import address, choices, days, digits, hours, numbers
from agentd.apps.letters.evidence.normalisers.clock import UNTIL
from agentd.apps.letters.evidence.normalisers.patterns import whole
from agentd.apps.letters.languages import phrases

TEXTS = frozenset({"text", "name", "place", "address", "relation", "birth"})
NUMBERS = frozenset({"number", "money", "year"})
CURRENCIES = phrases().currencies
_IDENTIFIES = 7
"""From this many digits on, a number with a leading zero is an identifier (phone, account), not an amount."""
_CODE_LETTERS = 4
"""The most letters before the hyphen of a code (`M-20417`)."""
_KNOWN_WORDS = all_words().detection | CURRENCIES
_CLITICS, _SILENT = phrases().clitics, phrases().silent_in_address
_MARK_WORDS = {word: mark for mark, known in phrases().marks.items() for word in known}
_AROUND_MARKS = frozenset("()[]<>")
_INSIDE_EMAIL = frozenset("._-+")
_NEIGHBOURHOOD = 10
"""The most words of an RT and an RW."""
_LONG = 64
"""The most words of a clause that may contain only a value."""
_BESIDE = (FILLERS | phrases().beside_label) - phrases().not_mine


class Span(NamedTuple):
    """(index of the first word, index after the last word, whether it is the value in question)."""

    start: int
    end: int
    supports: bool


def spans(field: Field, words: Sequence[str], today: date) -> list[Span]:
    """Every span in folded words that holds a value of the field's kind; for texts, only the value in question.

    If the kind's normaliser doesn't find the value (`tidak ada bagasi` as a number), it is searched for as written.
    """
    read = _KINDS.get(field.kind)
    found = list(read(field, words, today)) if read is not None else []
    marked = field.kind == "choice" and str(field.value) in choices.alike_but_for_marks(field.enum)
    if field.kind in TEXTS or not (
        marked or field.kind == "email" or (field.common and read is not None) or any(span.supports for span in found)
    ):
        born = field.kind == "place" and field.common
        wanted = tuple(word for word in field.spoken if not born or word not in _SILENT)
        if born and any(map(str.isdecimal, wanted)):
            return []
        written = [Span(at, end, True) for at, end in _written(_as_heard(wanted, words), words)]
        if field.kind in NUMBERS:
            parts = _parts(words) if written else frozenset()
            written = [
                span
                for span in written
                if span.start not in parts
                and not _in_code(words, span.start)
                and not numbers.counts_other(words, span.end, field.unit)
            ]
        elif field.kind == "code" and written:
            dated = _in_days(words, today)
            written = [span for span in written if dated.isdisjoint(range(span.start, span.end))]
        elif field.kind == "text" and not written and any(map(str.isdecimal, "".join(field.spoken))):
            for read in (_of_codes, *((_of_numbers,) if str(field.value).isdecimal() else ())):
                found += [span for span in read(field, words, today) if span.supports]  # `P-H-R 6-0-5`, `kedua` for 2
        found += written
    return sorted(found)


def is_common_number(field: Field) -> bool:
    """Whether it is an age or income, which any number fits; it counts only under its label or as a whole answer."""
    return field.kind in NUMBERS and field.common


def values_of(shape: Shape, words: Sequence[str], today: date) -> Iterator[Span]:
    """Every value of a field's kind in folded words; none for texts, because any words would match."""
    if (read := _KINDS.get(shape.kind)) is not None:
        yield from read(Field("", shape.kind, None, "", shape.enum, path="", value=""), words, today)


def fits(shape: Shape, field: Field, words: Sequence[str], span: Span, today: date) -> bool:
    """Whether the words of a value also fit another field; a future date can't be a date of birth."""
    if shape.gone_by and field.kind == "date" and span.supports and not field.past:
        return (days.day(str(field.value), today) or today) <= today
    if shape.kind in NUMBERS and field.kind in NUMBERS:
        money = _money(words, span)
        return shape.kind == "money" if money else shape.kind != "money" or field.kind == "money"
    if shape.kind == "choice":
        return field.kind == "choice" and tuple(words[span.start : span.end]) in choices.options(shape.enum)
    if shape.kind in TEXTS and field.kind in TEXTS:
        return True
    if shape.pattern and field.kind == shape.kind:
        return whole(shape.pattern, "".join(words[span.start : span.end]))
    return shape.kind == field.kind


def alone(words: Sequence[str], span: Span, among: range | None = None) -> bool:
    """Whether the words, or those `among` them, are the value and nothing else."""
    among = range(len(words)) if among is None else among
    if len(among) > _LONG:
        return False
    rest = (*words[among.start : span.start], *words[span.end : among.stop])
    return not any(word[0].isalnum() and word not in FILLERS for word in rest)


def _money(words: Sequence[str], span: Span) -> bool:
    near = (*words[max(0, span.start - 2) : span.start], *words[span.end : span.end + 1])
    return bool(CURRENCIES.intersection(near))


def _of_days(field: Field, words: Sequence[str], today: date) -> Iterator[Span]:
    wanted = days.day(str(field.value), today)
    return (Span(start, end, day == wanted) for start, end, day in days.days(words, today, past=field.past))


def _of_hours(field: Field, words: Sequence[str], _today: date) -> Iterator[Span]:
    wanted = hours.hour(str(field.value))
    return (Span(start, end, hour == wanted) for start, end, hour in hours.hours(words))


def _of_numbers(field: Field, words: Sequence[str], today: date) -> Iterator[Span]:
    """Amounts that aren't part of a date, a time, a code (`M-20417`) or a long number."""
    wanted: Decimal | None = numbers.value(str(field.value))
    dated = _in_days(words, today)
    dated |= {at for start, end, _ in hours.hours(words) for at in range(start, end) if field.kind != "money"}
    read = numbers.years(words) if field.kind == "year" else numbers.found(words)
    ranged = {
        hit
        for one, two in pairwise(read)
        if two[0] - one[1] == 1 and words[one[1]] in UNTIL and one[2] < two[2]
        for hit in (one, two)
    }  # `40-50 people` is no number
    for start, end, amount in numbers.lengths(words, field.unit) if field.unit else ():
        if amount == wanted:
            yield Span(start, end, True)
    for start, end, value in read:
        if numbers.counts_other(words, end, field.unit):
            continue
        if _in_code(words, start) or (words[start][0] == "0" and len(words[start]) >= _IDENTIFIES):
            continue
        if dated.isdisjoint(range(start, end)) and (field.kind != "year" or 1900 <= value <= 2100):
            same = value == wanted or (-value == wanted and words[start - 1 : start] == ("-",))
            yield Span(start, end, same and (start, end, value) not in ranged)


def _parts(words: Sequence[str]) -> frozenset[int]:
    """The indices of words that are certainly only a part of a number (`1` in `1.200.000` and `1.5`, `5` in `minus 5`);
    a comma may also stand between two numbers."""
    read = (hit for hit in numbers.found(words) if hit[2] % 1 == 0 or "," not in words[hit[0] : hit[1]])
    return frozenset(at for start, end, value in read for at in range(start, end) if end - start > 1 or value < 0)


def _in_days(words: Sequence[str], today: date) -> set[int]:
    return {at for start, end, _ in days.days(words, today) for at in range(start, end)}


def _in_code(words: Sequence[str], at: int) -> bool:
    """Whether digits follow letters and a hyphen, as in a code; `anak ke-5` is a number."""
    before = words[at - 2] if at > 1 and words[at - 1] == "-" else ""
    return before.isalpha() and len(before) <= _CODE_LETTERS and before not in _KNOWN_WORDS


def _of_runs(same: Callable[[str], str | None], least: int) -> Callable[[Field, Sequence[str], date], Iterator[Span]]:
    def read(field: Field, words: Sequence[str], _today: date) -> Iterator[Span]:
        wanted = same(str(field.value))
        for start, end, run in digits.runs(words, least):
            if (number := same(run)) is not None:
                abroad = words[start - 1 : start] == ["+"]  # `+44 7700 900123` is 07700 900123 at home
                at_home = abroad and wanted is not None and run.endswith(wanted) and len(run) - len(wanted) <= 3
                yield Span(start, end, number == wanted or at_home)

    return read


def _of_choices(field: Field, words: Sequence[str], _today: date) -> Iterator[Span]:
    wanted = choices.canonical(str(field.value), field.enum)
    for at, phrase in choices.book(field.enum).find(words):
        value = choices.options(field.enum)[phrase]
        yield Span(at, at + len(phrase), value is not None and value == wanted)


def _of_codes(field: Field, words: Sequence[str], today: date) -> Iterator[Span]:
    """Codes that aren't part of a date, in any grouping: `HX-77420-B`, `5210 4417 8890 1234`."""
    wanted = _joined(str(field.value))
    dated = _in_days(words, today)
    spelled = [str(numbers.DIGIT_WORDS.get(word, word)) for word in words]  # `nine one three two`
    at = 0
    while at < len(words):
        if at in dated or not (words[at][0].isalnum() and wanted.startswith(spelled[at])):
            at += 1
            continue
        end, said = at, ""
        while end < len(words) and len(said) < len(wanted) and (words[end][0].isalnum() or words[end] in "-/. "):
            said += spelled[end] if words[end][0].isalnum() else ""
            end += 1
        whole = end == len(words) or not spelled[end].isdecimal()
        before = at == 0 or not spelled[at - 1].isdecimal() or not spelled[at].isdecimal()
        if said == wanted and whole and before:
            yield Span(at, end, True)
        at += 1
    for start, end, run in digits.runs(words, 4):
        if run not in wanted and dated.isdisjoint(range(start, end)):
            yield Span(start, end, False)


def _of_emails(field: Field, words: Sequence[str], _today: date) -> Iterator[Span]:
    """An e-mail address whose marks may be words (`jane dot doe at example dot com`, `nama(at)contoh.com`)."""
    wanted, said = folded_tokens(str(field.value)), [_MARK_WORDS.get(word, word) for word in words]
    heard, found = [at for at, word in enumerate(words) if word not in _AROUND_MARKS], set[int]()
    for first in range(len(heard) - len(wanted) + 1 if wanted else 0):
        each = heard[first : first + len(wanted)]
        same = all(want in (words[at], said[at]) for want, at in zip(wanted, each, strict=True))
        if same and not (first and said[heard[first - 1]] in _INSIDE_EMAIL):
            yield Span(each[0], each[-1] + 1, True)
            found.update(each)
    for at in (at for at, word in enumerate(words) if wanted and word == "@" and at and at not in found):
        start = at - 1
        while start > 1 and words[start - 1] in _INSIDE_EMAIL:
            start -= 2
        yield Span(start, at + 1, False)


def _joined(value: str) -> str:
    return "".join(fold(value))


def _as_heard(wanted: Sequence[str], words: Sequence[str]) -> Sequence[str]:
    """A word split as in a sentence: `rumahnya` may appear as `rumah` and `nya`."""
    (word,) = wanted if len(wanted) == 1 else ("",)
    end = next((end for end in _CLITICS if word.endswith(end)), "")
    return (word[: -len(end)], end) if end and word not in words else wanted


def _written(wanted: Sequence[str], words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The spans where a value's words are written, ignoring marks."""
    if not wanted or all(word in FILLERS for word in wanted):
        return
    kept = [at for at, word in enumerate(words) if word[0].isalnum()]
    said = [words[at] for at in kept]
    size = len(wanted)
    for at in range(len(said) - size + 1):
        if said[at] == wanted[0] and tuple(said[at : at + size]) == wanted:
            yield kept[at], kept[at + size - 1] + 1


def _of_neighbourhoods(field: Field, words: Sequence[str], _today: date) -> Iterator[Span]:
    """RT and RW in one (`RT 07 RW 03`, `7/3`)."""
    wanted = address.neighbourhood(folded_tokens(str(field.value)))
    for at, word in enumerate(words):
        near = words[at : at + _NEIGHBOURHOOD]
        said = address.neighbourhood(near) if word == "rt" or (word.isdecimal() and near[1:2] == ["/"]) else None
        if said is not None and (word == "rt" or "rt" not in words[max(0, at - 3) : at]):
            size = next(size for size in range(2, len(near) + 1) if address.neighbourhood(near[:size]) == said)
            yield Span(at, at + size, said == wanted)


_KINDS: dict[str, Callable[[Field, Sequence[str], date], Iterator[Span]]] = {
    **{"date": _of_days, "time": _of_hours, "choice": _of_choices, "code": _of_codes},
    **dict.fromkeys(NUMBERS, _of_numbers),
    **{"phone": _of_runs(digits.phone, 7), "rtrw": _of_neighbourhoods, "email": _of_emails},
    **dict.fromkeys(("nik", "kk"), _of_runs(digits.sixteen, 16)),
}


def clear(words: Sequence[str]) -> bool:
    """Whether the words between a label and its value name nobody else (`NIK ahli waris …` does)."""
    return all(word in _BESIDE or not word[0].isalpha() for word in words)
