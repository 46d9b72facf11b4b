"""Claims about address, RT and RW fields, including which of several addresses a statement is about."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from agentd.agent.text import FILLERS
from agentd.apps.letters.evidence.claims.binding import whose
from agentd.apps.letters.evidence.claims.case import Case, Turn
from agentd.apps.letters.evidence.claims.parts import Part, parts, spelled
from agentd.apps.letters.evidence.fields.field import Field
from agentd.apps.letters.evidence.fields.spans import clear
from agentd.apps.letters.evidence.normalisers import address as reading
from agentd.apps.letters.evidence.normalisers.days import dates
from agentd.apps.letters.evidence.normalisers.digits import runs
from agentd.apps.letters.evidence.reading.segments import ADDRESSES, HOMES, NEIGHBOURHOOD, STREETS, Claim, Mood
from agentd.apps.letters.languages import phrases

_PACK = phrases()
BESIDE_HOUSE_NUMBER = _PACK.clitics | _PACK.homes
"""May stand beside the word for a house number."""
_HOMES = frozenset({"alamat", "alamat_domisili", "alamat_ktp"})
LONGEST = 400
"""The most words that one message may say about one address; a longer text is not read as one."""


class _Known(NamedTuple):
    """What the earlier messages say about an address."""

    accepted: frozenset[str]
    """The labels that the address may stand under."""
    words: tuple[str, ...] = ()
    whole: reading.Address = reading.NOTHING
    spoken_of: str | None = None
    """The label of the last labelled part."""


def address(field: Field, case: Case) -> Iterator[Claim]:
    """Claims for an address: one message's parts form one address; a later street replaces it, detail adds to it."""
    return case.claims(_claims_in, field, _Known(_accepted(field, case)))


def _claims_in(field: Field, case: Case, turn: Turn, known: _Known) -> tuple[Sequence[Claim], _Known]:
    """What one message says about an address, and what is known after it."""
    wanted, asked = reading.parse(str(field.value)), _asked(case, turn, known.accepted)
    claims, said, corrected = list[Claim](), list[Part](), False

    def forget(mood: Mood, *, supports: bool) -> None:
        nonlocal said, known
        said, known = [], known._replace(words=())
        claims.append(Claim(turn.order, mood, supports))

    every = [part for part in parts(case, turn) if not _PACK.honorifics.issuperset(part.words)]
    for part, after in zip(every, [*every[1:], None], strict=False):
        words = _words(said) or known.words
        if words and known.spoken_of in known.accepted and _renumbers(part, after, words):
            forget(Mood.TAKEN_BACK, supports=False)
            continue
        known = known._replace(spoken_of=part.label or known.spoken_of)
        own = _addressed(part, field, known.accepted, asked=asked)
        if not own or not whose(field, part.place(case, turn), asked=asked):
            continue
        if part.mood is Mood.SAID:
            said = [part] if part.corrected and part.address.street else [*said, part]
            corrected = corrected or part.corrected
        elif reading.supports(part.address, wanted):
            forget(part.mood, supports=True)
        if len(_words(said)) > LONGEST:
            forget(Mood.TAKEN_BACK, supports=False)
            break
    if not said:
        return claims, known
    words, whole = _words(said), reading.joined(part.address for part in said)
    street = whole.street
    if known.words and not street:
        words, whole = (*known.words, *words), reading.joined((known.whole, whole))
    claims.append(Claim(turn.order, Mood.SAID, reading.supports(whole, wanted), street, corrected))
    return claims, known._replace(words=words, whole=whole)


def _words(said: Sequence[Part]) -> tuple[str, ...]:
    return tuple(word for part in said for word in (*part.spelled, ","))


def _asked(case: Case, turn: Turn, accepted: Collection[str]) -> bool:
    """Whether the question asks for this address and nothing else, ignoring RT and RW."""
    wanted = case.labels_asked(turn.question) - NEIGHBOURHOOD
    return bool(wanted) and wanted <= set(accepted)


def _renumbers(part: Part, after: Part | None, said: Sequence[str]) -> bool:
    """Whether a part says only another house number for the address that was `said` (`eh, no 15 maksudnya`, `nomor 17,
    bukan 7`): the citizen is asked for the whole."""
    kept = [word for word in part.words if word[0].isalnum() and word not in BESIDE_HOUSE_NUMBER]
    named = len(kept) == 2 and kept[0] in reading.NUMBERED and kept[1].isdecimal()
    beside = after is not None and after.number == part.number
    denied = after is not None and beside and after.mood is Mood.DENIED and {*after.words} <= {*said}
    return named and part.mood is Mood.SAID and (part.corrected or denied)


def _accepted(field: Field, case: Case) -> frozenset[str]:
    label = field.label
    accepted = {label}
    if label in ("alamat", "alamat_domisili"):
        accepted = {"alamat", "alamat_domisili"}
    spoken = [(turn, part) for turn in case.turns for part in parts(case, turn)]
    if any(_says_same(field, case, turn, part) for turn, part in spoken):
        accepted |= _HOMES
    if label == "alamat" and not any(part.label in accepted for _, part in spoken):
        accepted |= {"alamat_ktp"}
    return frozenset(accepted)


def _says_same(field: Field, case: Case, turn: Turn, part: Part) -> bool:
    """Whether a part is `alamat domisili sama dengan KTP`, or just `sama` when this address was asked for."""
    homes = _HOMES if field.label in _HOMES else (field.label,)
    about = part.label in homes or _asked(case, turn, {field.label})
    if part.mood is not Mood.SAID or not about or _PACK.same_as.isdisjoint(part.words):
        return False
    return all(word in _PACK.same_as or word in _PACK.beside_same for word in part.words if word[0].isalnum())


def _addressed(part: Part, field: Field, accepted: frozenset[str], *, asked: bool) -> bool:
    if not _PACK.same_as.isdisjoint(part.words[:1]):  # `alamatnya sama kayak rumah`
        return False
    if part.label in accepted:
        return _no_other_owner(part)
    if part.label in NEIGHBOURHOOD and part.follows in (None, *accepted):
        return field.label not in ("alamat_usaha", "alamat_ktp")
    if part.label is not None:
        return False
    if asked and part.follows is None:
        return True
    return part.follows in accepted and not dates(part.words) and not runs(part.words, 8)


def _no_other_owner(part: Part) -> bool:
    """Whether no person in lower case stands between the label and the street (as in `alamat ahli waris Jl. …`)."""
    words = part.words
    street = next((at for at, word in enumerate(words) if word in STREETS), 0)
    return all(
        word in HOMES or word in _PACK.household or raw[0].isupper() or clear([word])
        for word, raw in zip(words[:street], part.raws, strict=False)
    )


def rt_or_rw(field: Field, case: Case) -> Iterator[Claim]:
    """Claims for an RT or RW, in an address or alone. The KTP's and a business's are kept apart."""
    return case.claims(_neighbourhood, field, ())


def _neighbourhood(field: Field, case: Case, turn: Turn, _: tuple[()]) -> tuple[Sequence[Claim], tuple[()]]:
    wanted = reading.small_number(str(field.value))
    of = next((label for label in ("ktp", "usaha") if label in f"{field.path} {field.title}".casefold()), None)
    asked = case.labels_asked(turn.question)
    if asked and all(label.startswith("field:") for label in asked):
        return (), ()  # `lapangan RW 3` is the event's location
    kinds = frozenset({"rt", "rw"}) if "rtrw" in asked else asked & {"rt", "rw"}
    said = ((part, _number(part, field.kind, of, kinds, case)) for part in parts(case, turn))
    theirs = ((part, number) for part, number in said if number is not None)
    return [
        Claim(turn.order, part.mood, wanted == number, True, part.corrected)
        for part, number in theirs
        if whose(field, part.place(case, turn), asked=bool(kinds))
    ], ()


def _number(part: Part, kind: str, of: str | None, asked: frozenset[str], case: Case) -> int | None:
    """The RT or RW that a part gives for the citizen's home, or for the KTP or the business (`of`)."""
    label = part.under
    home = label if label in ADDRESSES else part.follows if part.follows in ADDRESSES else None
    if of is not None:
        if home not in (None, f"alamat_{of}"):
            return None
    elif home in ("alamat_usaha", "x:alamat") or (home == "alamat_ktp" and "alamat_domisili" in case.labels):
        return None
    if label not in (None, *ADDRESSES, *NEIGHBOURHOOD):
        return None
    said = reading.read(spelled(label or ("rtrw" if len(asked) > 1 else "".join(asked)), part.words))
    bare = label is None and NEIGHBOURHOOD.isdisjoint(part.words)
    if bare and not (FILLERS.issuperset(said.words) and (len(asked) < 2 or said.rw is not None)):
        return None  # `5 Januari`, or one number for two
    return said.rt if kind == "rt" else said.rw
