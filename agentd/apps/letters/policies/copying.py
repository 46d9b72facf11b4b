"""Fills an official call from the session: values the host fills in, and values a model may choose from.

A model that is held to a schema can write nothing else. The host fills in what the evidence proves. For a tool's own
fields and other people's, the model may choose among values that were said and that nothing contradicts; the call is
then judged like any other. A value that is nowhere in the session is not in the schema, so the host asks for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial
from itertools import chain

from agentd.agent.text import fold, normal
from agentd.apps.letters.claims.deeds import asked_by
from agentd.apps.letters.evidence.claims.binding import whose
from agentd.apps.letters.evidence.claims.case import Case
from agentd.apps.letters.evidence.claims.codes import extent
from agentd.apps.letters.evidence.claims.edits import edited
from agentd.apps.letters.evidence.claims.mentions import own
from agentd.apps.letters.evidence.claims.parts import Part, of_turns, parts, people
from agentd.apps.letters.evidence.claims.results import values as found_in_results
from agentd.apps.letters.evidence.fields.field import Field, fields
from agentd.apps.letters.evidence.fields.shapes import ANYBODY
from agentd.apps.letters.evidence.fields.spans import NUMBERS, TEXTS, Span, spans
from agentd.apps.letters.evidence.judging.doubts import marked
from agentd.apps.letters.evidence.judging.proof import grounds
from agentd.apps.letters.evidence.normalisers import choices, days, hours, names, numbers
from agentd.apps.letters.evidence.reading.persons import FAMILY
from agentd.apps.letters.evidence.reading.segments import ADDRESSES, Mood
from agentd.apps.letters.languages import phrases
from agentd.apps.letters.pieces import longest_first, verbatim
from agentd.messages import Json, ToolInfo

MOST_TRIED = 64
"""Values that are tried per field, latest first; fewer if more than SHORT characters were said."""
SHORT = 2_000
MOST_LISTED = 24
"""Maximum number of values per field that a model may choose from."""
_SMALL = re.compile(r"(?<!\d)\d{1,3}(?!\d)")
_SIXTEEN = re.compile(r"(?<!\d)\d(?:[ .-]?\d){15}(?!\d)")
_REQUESTS = phrases().make | phrases().polite
_WRITTEN = {
    **{"nik": _SIXTEEN, "kk": _SIXTEEN, "rt": _SMALL, "rw": _SMALL},
    **{"rtrw": re.compile(r"(?<!\d)\d{1,3} ?/ ?\d{1,3}(?!\d)"), "email": re.compile(r"(?<![^\s@])[^\s@]+@[^\s@,;]+\w")},
    "code": re.compile(r"(?<![\w./-])(?:[\w./-]*\d)[\w./-]*(?<!\.)"),
}
_ALSO = {"place": frozenset({"lahir"}), "address": ADDRESSES}
"""Names shared by the values of several fields; the proof decides which field is meant."""
_TOKENS = {"integer": int, "number": float}


@dataclass(frozen=True, slots=True)
class Copied:
    """A tool's form, filled from a session."""

    tool: ToolInfo
    """The schema with the fields left to the model, each limited to what was said for it."""
    known: Mapping[str, Json] = field(default_factory=dict)
    """The fields with exactly one proven value."""


def copied(tool: ToolInfo, case: Case) -> Copied:
    """The form with every value that can be copied from the session."""
    schema = tool.input_schema
    needed = schema.get("required", ())
    left: dict[str, Json] = {}
    known: dict[str, Json] = {}
    required: list[str] = []
    requests = _REQUESTS.union(word for phrase in asked_by(tool) for word in fold(phrase))
    for name, rule in schema.get("properties", {}).items():
        leaves = fields({**schema, "properties": {name: rule}, "required": [name]}, {}, case.form)
        if len(leaves) != 1 or leaves[0].path != name or leaves[0].many or rule.get("type") in ("array", "object"):
            left[name] = rule  # records and lists are judged in the call as written
            required += [name] if name in needed else []
            continue
        listed = "enum" in rule or leaves[0].kind in ("nik", "kk", "rt", "rw")
        if not (name in needed or listed or _given_by_name(leaves[0], case) or _spoken_of(leaves[0], case)):
            continue
        sure, loose = _values(leaves[0], rule, case, requests)
        if len(sure) == 1:
            known[name] = sure[0]
        elif sure or loose:
            left[name] = {**_bare(rule), "enum": [*sure, *loose][:MOST_LISTED]}
            required += [name] if sure else []
    shown = {**schema, "properties": left, "required": required}
    return Copied(tool.model_copy(update={"input_schema": shown}), known)


def _bare(rule: Mapping[str, Json]) -> dict[str, Json]:
    """The rule without keywords that an enum makes redundant and that make a grammar slow."""
    return {key: value for key, value in rule.items() if key not in ("pattern", "minLength", "maxLength")}


def _values(
    field: Field, rule: Mapping[str, Json], case: Case, requests: frozenset[str]
) -> tuple[list[Json], list[Json]]:
    """(proven values said under the field's name or of its kind, other said values that may be meant for it).

    `requests`: the words that ask for the tool; they are a value only under the field's name.
    """
    texts = _texts(case)
    tries = iter(range(MOST_TRIED * SHORT // max(SHORT, sum(map(len, texts)))))

    def provable(values: Iterable[Json], *, named: bool = False) -> Iterator[Json]:
        """The proven ones, for at most MOST_TRIED tries; without `named`, words that only request the tool are skipped.

        `doubtful` collects values that were said and may be meant, where the model may choose (`chosen`). It leaves
        out choices that only follow from other words: the model would guess them.
        """
        for value, _ in zip(values, tries, strict=False):
            names_it = not named and isinstance(value, str) and requests.issuperset(fold(value))
            if names_it:
                continue
            one = replace(field, value=value)
            if grounds(one, case) is not None:
                yield value
            elif chosen and _within(rule, value) and (maybe := marked(one, (), case)).doubtful and not maybe.read:
                doubtful.append(value)

    doubtful: list[Json] = []
    strange = own(field)
    chosen = strange or field.person_declared
    changed = [value for turn in reversed(case.turns) for value in edited(field, case, turn)]
    sure = _distinct(provable(chain(changed, _of_its_kind(field, rule, case, texts))))
    if sure or field.kind not in TEXTS or rule.get("enum"):
        return sure, [] if sure else _distinct(doubtful)
    cut = field.kind == "address" and {"rt", "rw"} <= {shape.kind for shape in case.form.shapes.values()}
    whole = partial(longest_first, field.kind, texts=texts, cut=cut)
    if sure := _fullest([next(provable(whole(raws), named=True), None) for raws in one] for one in _named(field, case)):
        return sure, []
    pieces = (longest_first(field.kind, raws, texts, parted=strange) for raws in _unnamed(case, strange=strange))
    loose = _distinct(provable(chain.from_iterable(pieces)))
    loose = [value for value in loose if not any(_part_of(value, whole) for whole in loose)]
    if loose and not strange and (field.kind == "name" or len(loose) == 1):
        return loose[:1], []
    return [], [*loose, *_distinct(doubtful)]


def _within(rule: Mapping[str, Json], value: Json) -> bool:
    """Whether a value is no number outside the rule's bounds. A proven one that is gets the tool's own refusal."""
    return not isinstance(value, int | float) or rule.get("minimum", value) <= value <= rule.get("maximum", value)


def _fullest(messages: Iterable[Iterable[str | None]]) -> list[Json]:
    """The values of the newest message, or of an earlier one that says more (`Jl Mawar No 5`, later `Jl Mawar`)."""
    kept: list[Json] = []
    for values in messages:
        words = set(fold(kept[0])) if kept else set[str]()
        kept = _distinct(value for value in values if value is not None and words <= set(fold(value))) or kept
    return kept


def _part_of(value: str, whole: str) -> bool:
    """Whether a value is only part of a known choice or occupation: `swasta` of `karyawan swasta`."""
    part, words = fold(value), fold(whole)
    return (
        part != words
        and bool(choices.meanings(words))
        and any(words[at : at + len(part)] == part for at in range(len(words)))
    )


def _of_its_kind(field: Field, rule: Mapping[str, Json], case: Case, texts: Sequence[str]) -> Iterator[Json]:
    """Candidates of the field's kind: choices, numbers and dates; values typed into a form or found by a tool."""
    yield from rule.get("enum", ())
    for _, form in reversed(case.forms):
        if form.get(field.path) not in (None, ""):
            yield form[field.path]
    yield from (value for _, value in found_in_results(case.said, field, case.nik, case.lexicon))
    if field.kind == "boolean":
        yield from (True, False)
    elif field.kind == "relation":
        yield from sorted(people(case))
    if field.kind in _WRITTEN:
        yield from _distinct(found for text in texts for found in _WRITTEN[field.kind].findall(text))
    if field.kind not in TEXTS and not rule.get("enum"):
        yield from _typed(field, rule, case, texts)


def _spoken_of(field: Field, case: Case) -> bool:
    """Whether somebody named the field or asked for it; False for whom the letter is for (`_given_by_name`)."""
    return field.person != ANYBODY and any(
        field.label in (part.label, part.follows) or turn.asks_for(field.key) for turn, part in of_turns(case)
    )


def _given_by_name(field: Field, case: Case) -> bool:
    """Whether the citizen gave the field by its name, or said whom the letter is for (`untuk anak saya Putri`)."""
    said = [(turn, part) for turn, part in of_turns(case) if part.mood is Mood.SAID]
    if field.person == ANYBODY or field.kind == "relation":
        return any(_names_relative(part) for _, part in said)
    return any(part.label == field.label and whose(field, part.place(case, turn), asked=False) for turn, part in said)


def _names_relative(part: Part) -> bool:
    """Whether the part names a relative and says nothing else of them: `anak saya Putri Rahayu`."""
    named = all(word.isalpha() for word in part.words) and names.plausible(names.key(part.words))
    return named and part.label is None and part.line.people.get(part.start) in FAMILY


def _typed(field: Field, rule: Mapping[str, Json], case: Case, texts: Sequence[str]) -> Iterator[Json]:
    """Every date, time, number or code in the citizen's messages, newest first, in the format of the rule."""
    searched = replace(field, value="")
    for turn in reversed(case.turns):
        for sentence in turn.heard.sentences:
            for span in spans(searched, sentence.words, turn.day):
                words = extent(sentence, *span[:2]) if field.kind == "code" else range(*span[:2])
                written = verbatim([sentence.raws[at] for at in words], texts)
                yield _in_form(field, sentence.words, span, written, rule, turn.day)


def _in_form(
    field: Field, words: Sequence[str], span: Span, written: str, rule: Mapping[str, Json], today: date
) -> Json:
    kind, text = field.kind, " ".join(words[span.start : span.end])
    if kind == "date":
        day = days.relative(text, today, past=field.past)
        if day is None and rule.get("format") == "date":
            day = days.day(text, today)
        return written if day is None else day.isoformat()
    if kind == "time":
        minutes = hours.at(words, span.start)  # its part of the day may stand elsewhere: `jam 7 sampai 10 malam`
        return written if minutes is None else f"{minutes // 60:02}:{minutes % 60:02}"
    if kind in NUMBERS and rule.get("type") in _TOKENS:
        number = numbers.value(text)
        return written if number is None else _TOKENS[rule["type"]](number)
    return written


def _named(field: Field, case: Case) -> Iterator[list[Sequence[str]]]:
    """The words said under the field's name or in answer to its question; one list per message, newest first."""
    labels = _ALSO.get(field.kind, frozenset()) | {field.label}
    is_place = "place" in field.senses
    for turn in reversed(case.turns):
        asked = turn.wanted == {field.key}
        stated = (part for part in parts(case, turn) if part.mood is Mood.SAID)
        meant = [part for part in stated if part.under in labels or (asked and part.label is None)]
        if asked and own(field) and field.kind == "text":
            unnamed = (each for each, names, _ in turn.sentences() if all(field.key not in one.keys for one in names))
            yield [each.raws for each in unnamed]
        yield [part.raws[: _date_in(part, turn.day) if is_place else None] for part in meant]


def _date_in(part: Part, today: date) -> int | None:
    """Where a date begins behind other words (`Wonogiri tanggal 20`, `Bandung sebelas Januari`); None if none does."""
    starts = {start for start, *_ in days.days(part.words, today)}
    return next((at for at in range(1, len(part.words)) if at in starts or days.marked(part.words, at)), None)


def _unnamed(case: Case, *, strange: bool) -> Iterator[Sequence[str]]:
    """Words said under no field's name or, if `strange`, under that of a field this form lacks, and a thing whose word
    is a field's name (`KTP saya hilang`); newest first."""
    for _, part in of_turns(case):
        if part.mood is Mood.SAID and (part.label is None or (strange and part.label not in case.labels)):
            yield part.raws
        elif part.mood is Mood.SAID and strange and not part.follows:
            yield part.line.raws[part.start - len(part.before) : part.start]


def _texts(case: Case) -> list[str]:
    """The citizen's messages, the newest first."""
    return [normal(one.text) for one in sorted(case.said, key=lambda one: -one.order) if one.by == "citizen"]


def _distinct(values: Iterable[Json]) -> list[Json]:
    """Each value once; spellings that fold to the same words are equal."""
    kept: dict[object, Json] = {}
    for value in values:
        kept.setdefault(fold(value) if isinstance(value, str) else repr(value), value)
    return list(kept.values())
