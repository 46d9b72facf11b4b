"""What each statement claims about one field, and so whether an argument is proven: a small reader a kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from agentd.agent.evidence import address, choices, dates, digits, names, neighbourhood, numbers, results, texts
from agentd.agent.evidence.conversation import Conversation, Statement
from agentd.agent.evidence.fields import Field
from agentd.agent.evidence.lexicon import Lexicon, person
from agentd.agent.evidence.reading import ADDRESSES, Mood, Segment
from agentd.agent.evidence.settling import Claim, holds
from agentd.agent.evidence.words import FILLERS, fold, vocabulary
from agentd.messages import Said

Json = Any
Reader = Callable[[Field, "Case"], Iterator[Claim]]

_BIRTH = frozenset({"lahir", "tanggal_lahir", "tempat_lahir"})
_PLACE_NOISE = frozenset(
    {"di", "in", "pada", "tanggal", "tgl", "on", "at", "kota", "kab", "kabupaten", "the", "dan", "and", "saya"}
)
_PLACE_ENDS = frozenset(
    {"dan", "and", "yang", "tahun", "sekarang", "agama", "beragama", "umur", "usia", "tanggal", "pada", "on", "tgl"}
)
_WEAK_PURPOSE = vocabulary("mau ingin hendak pengen pingin perlu butuh want need akan")
_PURPOSES = vocabulary(
    """melamar lamar mendaftar daftar membuka buka mengurus urus mengajukan pengajuan pendaftaran persyaratan
    syarat administrasi beasiswa"""
)
_EVENTS = vocabulary(
    """menikah nikah kawin cerai pindah masuk kerja bekerja mulai datang daftar lulus wisuda meninggal dibuat
    terbit surat kuliah kontrak sewa beli dapat tiba married moved issued started since until"""
)
_CHOICES = frozenset({"agama", "status_perkawinan", "jenis_kelamin", "kewarganegaraan"})
_SAME = frozenset({"sama", "same", "idem"})
_SAME_WITH = vocabulary(
    """dengan juga seperti ktp domisili alamat sesuai as the my is rumah tinggal tempat usaha saja aja nya dan saya
    di yang itu persis kok ya"""
)


class Case:
    """One call's evidence: the conversation, the results, and the fields the form has."""

    def __init__(self, talk: Conversation, said: Sequence[Said], lexicon: Lexicon, labels: frozenset[str]) -> None:
        self.talk, self.said, self.lexicon, self.labels = talk, said, lexicon, labels
        self.nik: str | None = None
        """The NIK of this call, once proven."""
        self._about: dict[str | None, tuple[Statement, ...]] = {}

    @property
    def all(self) -> tuple[Statement, ...]:
        """Every statement, of whomever: a letter's purpose may be somebody else's."""
        return tuple(s for s in self.talk.statements if s.segment.mood is not Mood.OPEN)

    def of(self, person: str | None) -> tuple[Statement, ...]:
        """The statements that speak of a person."""
        if person not in self._about:
            self._about[person] = tuple(
                statement
                for statement in self.talk.statements
                if statement.segment.mood is not Mood.OPEN
                and self.talk.about(statement.segment, statement.message, person)
            )
        return self._about[person]


def proven(field: Field, case: Case) -> bool:
    """Whether a field's value was given: by the citizen (the last word counts), or by a result not since corrected."""
    if field.value is None or (isinstance(field.value, str) and not fold(field.value)):
        return False
    reader = _READERS.get(field.kind, _text)
    claims = list(reader(field, case))
    claims += [Claim(message, Mood.SAID, _equals(field, value)) for message, value in _typed_in(field, case)]
    claims.sort(key=lambda claim: claim.message)
    if field.many:
        return any(claim.supports and claim.mood is Mood.SAID for claim in claims)
    if holds(claims):
        return True
    if field.free:
        return not any(claim.mood is Mood.SAID and not claim.supports and claim.replaces for claim in claims)
    found = [
        order for order, value in results.values(case.said, field, case.nik, case.lexicon) if _equals(field, value)
    ]
    if not found:
        return bool(field.label == "jenis_kelamin" and case.nik and not claims and _sex(field) == digits.sex(case.nik))
    return not any(claim.message > found[-1] and claim.replaces and claim.mood is not Mood.OPEN for claim in claims)


def _typed_in(field: Field, case: Case) -> Iterator[tuple[int, Json]]:
    for form in case.talk.forms:
        value: Json = form.values
        for part in field.path.split("."):
            if isinstance(value, dict):
                value = value.get(part)
            elif isinstance(value, list) and part.isdecimal() and int(part) < len(value):
                value = value[int(part)]
            else:
                value = None
        if value is not None:
            yield form.message, value


def _equals(field: Field, other: Json) -> bool:
    """Whether two JSON values of one field are the same by value."""
    value = field.value
    if isinstance(value, bool) or isinstance(other, bool) or not isinstance(other, str | int | float):
        return type(value) is type(other) and bool(value == other)
    left, right = str(value), str(other)
    same: dict[str, Callable[[], bool]] = {
        "nik": lambda: digits.sixteen(left) is not None and digits.sixteen(left) == digits.sixteen(right),
        "kk": lambda: digits.sixteen(left) is not None and digits.sixteen(left) == digits.sixteen(right),
        "date": lambda: dates.parse(left) is not None and dates.parse(left) == dates.parse(right),
        "rt": lambda: neighbourhood.value(left) is not None and neighbourhood.value(left) == neighbourhood.value(right),
        "rw": lambda: neighbourhood.value(left) is not None and neighbourhood.value(left) == neighbourhood.value(right),
        "phone": lambda: digits.phone(left) is not None and digits.phone(left) == digits.phone(right),
        "choice": lambda: (
            choices.canonical(left, field.enum) is not None
            and choices.canonical(left, field.enum) == choices.canonical(right, field.enum)
        ),
        "name": lambda: names.same(names.key(left), names.key(right)),
        "address": lambda: address.parse(left) == address.parse(right),
        "number": lambda: _decimal(left) is not None and _decimal(left) == _decimal(right),
    }
    return same.get(field.kind, lambda: fold(left) == fold(right))()


# ── numbers that name somebody ───────────────────────────────────────────────────────────────────────────────────────


def _identity(field: Field, case: Case) -> Iterator[Claim]:
    """NIK and KK. Sixteen digits without a label are a NIK, unless the agent asked for the KK."""
    wanted = digits.sixteen(str(field.value))
    for statement in case.of(field.person):
        segment = statement.segment
        if segment.label == field.label:
            bound = True
        elif segment.label in (None, "nama") and segment.follows not in ("x:nomor", "telepon"):
            asked = statement.asked & {"nik", "kk"}
            bound = field.kind == "nik" if not asked or len(asked) == 2 else field.kind in asked
        else:
            bound = False
        if bound:
            found = [run for run in segment.runs if len(run) == 16]
            yield from _values(statement, found, wanted, labelled=segment.label == field.label)


def _phone(field: Field, case: Case) -> Iterator[Claim]:
    wanted = digits.phone(str(field.value))
    for statement in case.of(field.person):
        segment = statement.segment
        labelled = segment.label == field.label
        if not labelled and segment.label is not None:
            continue
        found = [run for run in segment.runs if len(run) < 16]
        if not labelled and field.label not in statement.asked:
            found = [run for run in found if run.startswith(("08", "628"))]
        yield from _values(statement, [digits.phone(run) for run in found], wanted, labelled=labelled)


def _number(field: Field, case: Case) -> Iterator[Claim]:
    wanted = _decimal(str(field.value))
    for statement in case.of(field.person):
        if _bound(statement, field):
            found = numbers.amounts(statement.segment.words)
            yield from _values(statement, found, wanted, labelled=statement.segment.label == field.label)


def _decimal(text: str) -> Decimal | None:
    try:
        return Decimal(text)
    except InvalidOperation:
        found = numbers.amounts(text.casefold().replace("rp", " ").split())
        return found[0] if len(found) == 1 else None


# ── RT and RW ────────────────────────────────────────────────────────────────────────────────────────────────────────


def _rt_or_rw(field: Field, case: Case) -> Iterator[Claim]:
    """A neighbourhood number, in an address or by itself; that of the KTP's or a business address is another."""
    wanted = neighbourhood.value(str(field.value))
    place = next(
        (label for label in ("ktp", "usaha") if label in field.path.casefold() or label in field.title.casefold()), None
    )
    if place is not None and any(_says_same(statement, f"alamat_{place}") for statement in case.of(field.person)):
        place = None
    for statement in case.of(field.person):
        segment = statement.segment
        yield from _values(
            statement,
            _neighbourhood(statement, field.kind, place, case),
            wanted,
            labelled=segment.label in ("rt", "rw", "rtrw"),
        )


def _neighbourhood(statement: Statement, kind: str, place: str | None, case: Case) -> list[int | None]:
    segment = statement.segment
    label = segment.label or (segment.follows if segment.corrected else None)
    address_of = label if label in ADDRESSES else segment.follows if segment.follows in ADDRESSES else None
    if place is not None:
        if address_of not in (None, f"alamat_{place}"):
            return []
    elif address_of in ("alamat_usaha", "x:alamat") or (
        address_of == "alamat_ktp" and "alamat_domisili" in case.labels
    ):
        return []
    if label in ADDRESSES or label in ("rt", "rw", "rtrw") or label is None:
        said = segment.address
        value = said.rt if kind == "rt" else said.rw
        if value is not None:
            return [value]
    if statement.answers in ("rt", "rw"):
        return list(neighbourhood.leading(segment.words)) if statement.answers == kind else []
    if label in (kind, "rtrw") and not {"rt", "rw"} & set(segment.words):
        found = neighbourhood.leading(segment.words)
        return _pick(found, kind, both=label == "rtrw")
    if (
        label is None
        and statement.asked & {"rt", "rw", "rtrw"}
        and "rt" not in segment.words
        and "rw" not in segment.words
    ):
        found = neighbourhood.leading(segment.words)
        both = "rtrw" in statement.asked or {"rt", "rw"} <= statement.asked
        return _pick(found, kind, both=both) if both or kind in statement.asked else []
    if label in (kind,) and {"rt", "rw"} & set(segment.words):
        numbers_after = neighbourhood.leading(segment.words)
        return [numbers_after[0]] if len(numbers_after) == 1 and kind in segment.words else []
    return []


def _pick(found: list[int], kind: str, *, both: bool) -> list[int | None]:
    if both:
        return [found[0 if kind == "rt" else 1]] if len(found) == 2 else []
    return [found[0]] if len(found) == 1 else list(found)


# ── birth ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def _date(field: Field, case: Case) -> Iterator[Claim]:
    """A date under its label; a birth date also in a list of data, alone or after a place."""
    wanted = dates.parse(str(field.value))
    birth = field.label == "tanggal_lahir"
    for statement in case.of(field.person):
        segment = statement.segment
        labelled = segment.label in _BIRTH if birth else segment.label == field.label
        if not labelled and segment.label is not None:
            continue
        found = segment.dates
        if not found:
            if labelled and segment.mood is Mood.TAKEN_BACK:
                yield _claim(statement, supports=False)
            continue
        rest = [word for word in segment.words[: found[0][0]] + segment.words[found[0][1] :] if word[0].isalnum()]
        place = [word for word in rest if word not in _PLACE_NOISE]
        bare = len(place) <= 3 and not _EVENTS.intersection(rest) and all(word.isalpha() for word in rest)
        follows = birth and segment.follows in _BIRTH
        expected = statement.asked & (_BIRTH if birth else {field.label})
        in_list = birth and statement.listed and segment.follows not in ("x:tanggal",)
        corrected = segment.corrected and segment.follows in (_BIRTH if birth else {field.label})
        if labelled or (bare and (follows or expected or in_list)) or corrected:
            yield from _values(statement, [hit[2] for hit in found], wanted, labelled=labelled)


def _place(field: Field, case: Case) -> Iterator[Claim]:
    wanted = tuple(word for word in fold(str(field.value)) if word not in ("kota", "kabupaten", "kab"))
    for statement in case.of(field.person):
        segment = statement.segment
        labelled = segment.label in ("lahir", "tempat_lahir")
        if not labelled and segment.label is not None:
            continue
        if labelled and segment.mood is Mood.TAKEN_BACK:
            yield _claim(statement, supports=False)
            continue
        found = segment.dates
        if not labelled:
            follows = segment.follows in ("lahir", "tempat_lahir") and segment.corrected
            dated = bool(found) or bool(dates.dates(statement.next_words))
            answers = statement.answers == field.label or (
                statement.answers is None and bool(statement.asked & _BIRTH) and dated
            )
            beside = statement.listed and not statement.first and dated and (bool(found) or not segment.follows)
            if not (follows or answers or beside):
                continue
        place = _place_in(segment, found)
        if place:
            yield _claim(statement, supports=place == wanted, replaces=labelled or segment.corrected)


def _place_in(segment: Segment, found: Sequence[dates.Found]) -> tuple[str, ...]:
    spans = [(start, end) for start, end, _ in found]
    kept: list[str] = []
    for at, word in enumerate(segment.words):
        if any(start <= at < end for start, end in spans):
            if kept:
                break
            continue
        if word in _PLACE_ENDS and kept:
            break
        if word.isdecimal():
            break
        if (
            word[0].isalpha()
            and word not in _PLACE_NOISE
            and word not in ("tempat", "ya", "tahun", "bulan", "day", "of")
        ):
            kept.append(word)
    return tuple(kept)


# ── names, choices ───────────────────────────────────────────────────────────────────────────────────────────────────


def _name(field: Field, case: Case) -> Iterator[Claim]:
    """A name under its label, after `saya`, as the answer to the question for it, or first in a list with a NIK."""
    wanted = names.key(str(field.value))
    held: list[names.Name] = []
    for statement in case.of(field.person):
        segment = statement.segment
        labelled = segment.label == field.label
        free = segment.label is None
        if labelled and segment.mood is Mood.TAKEN_BACK:
            yield _claim(statement, supports=False)
            continue
        before = names.leading(statement.previous_words) if segment.corrected else []
        instead = any(names.same(old, name) for old in before for name in held)
        corrected = free and segment.corrected and (segment.follows == field.label or instead)
        purpose = segment.label == "keperluan" and statement.next_nik and field.label == "nama"
        if not (labelled or free or purpose):
            continue
        answers = statement.answers == field.label
        named = field.person is not None and field.label == "nama"
        by_itself = field.label == "nama" and (
            segment.intro or (statement.listed and statement.first) or purpose or named
        )
        if not (labelled or answers or corrected or by_itself):
            continue
        found = names.leading(segment.raws)
        if not labelled:
            found = [name for name in found if names.plausible(name)]
        if not found:
            continue
        held += found
        supports = any(names.same(name, wanted) for name in found)
        clear = labelled or corrected or answers
        yield _claim(statement, supports=supports, replaces=clear and not names.within(found[-1], wanted))


def _choice(field: Field, case: Case) -> Iterator[Claim]:
    """A choice under its label or as the whole of what a clause says (`saya muslim`)."""
    wanted = choices.canonical(str(field.value), field.enum)
    if wanted is None:
        return
    for statement in case.of(field.person):
        segment = statement.segment
        labelled = segment.label == field.label or (segment.corrected and segment.follows == field.label)
        only = statement.asked == {field.label}
        if not labelled and segment.label is not None and segment.label not in _CHOICES:
            continue
        if labelled and segment.mood is Mood.TAKEN_BACK:
            yield _claim(statement, supports=False)
            continue
        found = choices.chosen(segment.words, field.enum, bare=not (labelled or (only and len(segment.words) <= 2)))
        yield from _values(statement, [value for value in found if value is not None], wanted, labelled=labelled)


def _sex(field: Field) -> str | None:
    meant = choices.meanings(fold(str(field.value)))
    if meant & choices.meanings(("perempuan",)):
        return "p"
    return "l" if meant & choices.meanings(("pria",)) else None


# ── running text ─────────────────────────────────────────────────────────────────────────────────────────────────────


def _address(field: Field, case: Case) -> Iterator[Claim]:
    """An address: its segments of one message are one address; a later street replaces it, later detail adds to it."""
    wanted = address.parse(str(field.value))
    accepted = _accepted(field, case)
    said: list[str] = []
    for message, group in _by_message(case.of(field.person)):
        parts: list[str] = []
        last: Statement | None = None
        mood = Mood.SAID
        corrected = False
        for statement in group:
            segment = statement.segment
            if not _addressed(statement, field, accepted):
                continue
            if segment.mood is not Mood.SAID:
                if segment.mood is Mood.TAKEN_BACK or address.supports(segment.address, wanted):
                    mood, parts, said = segment.mood, [], []
                    yield Claim(message, segment.mood, True)
                continue
            if segment.corrected and parts and segment.address.street:
                parts = []
            corrected = corrected or segment.corrected
            parts += [*segment.words, ","]
            last = statement
        if last is None or not parts:
            continue
        mood = Mood.SAID
        read = address.read(parts)
        said = parts if read.street or not said else [*said, *parts]
        yield Claim(
            message, mood, address.supports(address.read(said), wanted), replaces=read.street, corrected=corrected
        )


def _accepted(field: Field, case: Case) -> frozenset[str]:
    label = field.label
    if label == "alamat_domisili":
        accepted = {label, "alamat"}
    elif label == "alamat":
        accepted = {label, "alamat_domisili"}
    elif label == "alamat_ktp" and not case.labels & {"alamat", "alamat_domisili"}:
        accepted = {label, "alamat"}
    else:
        accepted = {label}
    other = {"alamat", "alamat_domisili", "alamat_ktp", *({"alamat_usaha"} & {label})}
    if label in other and any(_says_same(statement, label) for statement in case.of(field.person)):
        accepted |= other
    if label == "alamat" and not any(s.segment.label in accepted for s in case.of(field.person)):
        accepted |= {"alamat_ktp"}
    return frozenset(accepted)


def _says_same(statement: Statement, label: str) -> bool:
    """`alamat domisili sama dengan KTP`, or `sama` when just this was asked."""
    words = {word for word in statement.segment.words if word[0].isalnum()}
    homes = {"alamat", "alamat_domisili", "alamat_ktp"}
    about = statement.segment.label in ({label} if label not in homes else homes) or label in statement.asked
    return statement.segment.mood is Mood.SAID and about and bool(words & _SAME) and words <= _SAME | _SAME_WITH


def _addressed(statement: Statement, field: Field, accepted: frozenset[str]) -> bool:
    segment = statement.segment
    if segment.label in accepted:
        return True
    if segment.label in ("rt", "rw", "rtrw") and segment.follows in (None, *accepted) and segment.mood is Mood.SAID:
        return field.label != "alamat_usaha" and field.label != "alamat_ktp"
    if segment.label is not None:
        return False
    if statement.answers is not None:
        return statement.answers in accepted
    typed = bool(segment.dates) or any(len(run) >= 9 for run in segment.runs)
    return segment.follows in accepted and not typed and not choices.is_choice(segment.words) and not segment.intro


def _text(field: Field, case: Case) -> Iterator[Claim]:
    """Free text: every content word must have been said under the field's label, or in answer to its question."""
    value = str(field.value)
    if field.label == "pekerjaan" and choices.meanings(fold(value)) and not choices.is_occupation(fold(value)):
        return
    office = field.label == "instansi"
    for statement in case.all if field.label in ("keperluan", "instansi") else case.of(field.person):
        segment = statement.segment
        purpose = office or field.label == "keperluan"
        words = segment.tail if purpose else segment.words
        if purpose and segment.label is None and not office:
            wish = next((at for at, word in enumerate(words) if word in _WEAK_PURPOSE), 0)
            words = words[wish:]
        if purpose and statement.next_nik and names.plausible(names.key(segment.words)):
            continue
        labelled = segment.label == field.label
        if labelled and segment.mood is Mood.TAKEN_BACK:
            yield _claim(statement, supports=False)
            continue
        corrected = segment.label is None and segment.corrected and segment.follows == field.label
        if labelled or corrected or statement.answers == field.label:
            weak = purpose or segment.empty
            yield _claim(statement, supports=texts.supports(words, value), replaces=not weak or segment.corrected)
        elif office and segment.label in (None, "keperluan"):
            yield _claim(statement, supports=texts.supports(words, value), replaces=False)
        elif segment.label is not None:
            continue
        elif purpose and (_WEAK_PURPOSE & set(words) or (statement.listed and words and words[0] in _PURPOSES)):
            yield _claim(statement, supports=texts.supports(words, value), replaces=False)
        elif field.label == "pekerjaan" and _bare_job(segment, value):
            yield _claim(statement, supports=True, replaces=False)
        elif statement.asked and field.label in statement.asked and len(statement.asked) == 1:
            yield _claim(statement, supports=texts.supports(words, value), replaces=False)


def _bare_job(segment: Segment, value: str) -> bool:
    """`karyawan swasta` in a list, `saya seorang guru`: an occupation and nothing else."""
    kept = [word for word in segment.words if word[0].isalnum()]
    rest = kept if choices.meanings(kept) else [word for word in kept if word not in FILLERS]
    wanted = fold(value)
    if not choices.is_occupation(rest) or (choices.WISHES.intersection(kept) and not choices.meanings(rest)):
        return False
    same = tuple(rest) == wanted or bool(choices.meanings(rest) & choices.meanings(wanted))
    return same or (texts.supports(rest, value) and texts.supports(wanted, " ".join(rest)))


def _boolean(field: Field, case: Case) -> Iterator[Claim]:
    """Yes or no: the label asserted or denied, or a plain answer to the one question for it."""
    for statement in case.of(field.person):
        segment = statement.segment
        words = {word for word in segment.words if word[0].isalnum()}
        if segment.label == field.label:
            yield Claim(statement.message, Mood.SAID, (segment.mood is Mood.SAID) == field.value)
        elif statement.asked == {field.label} and segment.label is None and words:
            yes = (
                bool(words & {"ya", "iya", "yes", "benar", "betul", "sudah", "ada", "punya"})
                and segment.mood is Mood.SAID
            )
            yield Claim(statement.message, Mood.SAID, yes == field.value)


def _relation(field: Field, case: Case) -> Iterator[Claim]:
    """How somebody else stands to the applicant (`anak`): that relation must have been spoken of."""
    relation = person(fold(str(field.value)))
    if relation is not None and relation in case.talk.people:
        yield Claim(0, Mood.SAID, True, replaces=False)


def _both(field: Field, case: Case) -> Iterator[Claim]:
    """RT and RW in one field (`003/007`)."""
    wanted = neighbourhood.leading(fold(str(field.value)))
    for statement in case.of(field.person):
        rt, rw = (_neighbourhood(statement, kind, None, case) for kind in ("rt", "rw"))
        if rt and rw:
            yield _claim(statement, supports=[*rt, *rw] == wanted)


def _birth(field: Field, case: Case) -> Iterator[Claim]:
    """Place and date of birth in one field."""
    text = str(field.value)
    split = [word for word in text.replace(",", " , ").split() if word != ","]
    head = next((at for at in range(1, len(split)) if dates.parse(" ".join(split[at:]))), None)
    if head is None:
        return
    for statement in case.of(field.person):
        found = dates.dates([*statement.segment.words, ",", *statement.next_words])
        if statement.segment.label == "lahir" and found:
            place = _place_in(statement.segment, statement.segment.dates)
            same = place == fold(" ".join(split[:head])) and found[0][2] == dates.parse(" ".join(split[head:]))
            yield _claim(statement, supports=same)


# ── shared ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def _claim(statement: Statement, *, supports: bool, replaces: bool = True) -> Claim:
    return Claim(statement.message, statement.segment.mood, supports, replaces, statement.segment.corrected)


def _values(statement: Statement, found: Sequence[Json], wanted: Json, *, labelled: bool) -> Iterator[Claim]:
    if not found and labelled and statement.segment.mood is Mood.TAKEN_BACK:
        yield _claim(statement, supports=False)
    for value in found:
        if value is not None:
            yield _claim(statement, supports=wanted is not None and value == wanted)


def _bound(statement: Statement, field: Field) -> bool:
    segment = statement.segment
    if segment.label == field.label or (segment.corrected and segment.follows == field.label):
        return True
    return segment.label is None and statement.asked == {field.label}


def _by_message(statements: Sequence[Statement]) -> Iterator[tuple[int, list[Statement]]]:
    group: list[Statement] = []
    for statement in statements:
        if group and group[-1].message != statement.message:
            yield group[-1].message, group
            group = []
        group.append(statement)
    if group:
        yield group[-1].message, group


_READERS: dict[str, Reader] = {
    **{"nik": _identity, "kk": _identity, "phone": _phone, "number": _number, "rt": _rt_or_rw, "rw": _rt_or_rw},
    **{"rtrw": _both, "date": _date, "place": _place, "name": _name, "choice": _choice, "address": _address},
    **{"relation": _relation, "text": _text, "boolean": _boolean, "birth": _birth},
}
