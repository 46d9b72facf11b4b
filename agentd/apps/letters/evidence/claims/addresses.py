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
HOUSE = _PACK.clitics | _PACK.homes
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
    return case.told(_told, field, _Known(_accepted(field, case)))


def _told(field: Field, case: Case, turn: Turn, known: _Known) -> tuple[Sequence[Claim], _Known]:
    message = _Message(field, turn, known)
    message.read(case)
    return message.claims, message.known


class _Message:
    """Reads what one message says about an address."""

    def __init__(self, field: Field, turn: Turn, known: _Known) -> None:
        self.field, self.turn, self.known = field, turn, known
        self.wanted = reading.parse(str(field.value))
        self.words: list[str] = []
        self.pieces: list[reading.Address] = []
        self.corrected = False
        self.claims: list[Claim] = []

    def read(self, case: Case) -> None:
        """Collects the claims and updates what is known for the next message."""
        asked = _asked(case, self.turn, self.known.accepted)
        every = [part for part in parts(case, self.turn) if not _PACK.honorifics.issuperset(part.words)]
        for part, after in zip(every, [*every[1:], None], strict=False):
            said, accepted = self.words or self.known.words, self.known.accepted
            if said and self.known.spoken_of in accepted and _renumbers(part, after, said):
                self._restart()
                continue
            self.known = self.known._replace(spoken_of=part.label or self.known.spoken_of)
            if _addressed(part, self.field, accepted, asked=asked) and whose(
                self.field, part.place(case, self.turn), asked=asked
            ):
                self._add(part)
            if len(self.words) > LONGEST:
                self._restart()
                break
        if self.words:
            whole = reading.joined(self.pieces)
            if not whole.street and self.known.words:
                self.words = [*self.known.words, *self.words]
                street, whole = False, reading.joined((self.known.whole, whole))
            else:
                street = whole.street
            self.known = self.known._replace(words=tuple(self.words), whole=whole)
            self._claim(Mood.SAID, supports=reading.supports(whole, self.wanted), replaces=street)

    def _claim(self, mood: Mood, *, supports: bool, replaces: bool = True) -> None:
        corrected = self.corrected and mood is Mood.SAID
        self.claims.append(Claim(self.turn.order, mood, supports, replaces, corrected))

    def _forget(self) -> None:
        self.words, self.pieces, self.known = [], [], self.known._replace(words=())

    def _restart(self) -> None:
        self._forget()
        self._claim(Mood.TAKEN_BACK, supports=False)

    def _add(self, part: Part) -> None:
        if part.mood is not Mood.SAID:
            if reading.supports(part.address, self.wanted):
                self._forget()
                self._claim(part.mood, supports=True)
            return
        if part.corrected and self.words and part.address.street:
            self.words, self.pieces = [], []
        self.corrected = self.corrected or part.corrected
        self.words += [*part.spelled, ","]
        self.pieces.append(part.address)


def _asked(case: Case, turn: Turn, accepted: Collection[str]) -> bool:
    """Whether the question asks for this address and nothing else, ignoring RT and RW."""
    wanted = case.labels_asked(turn.question) - NEIGHBOURHOOD
    return bool(wanted) and wanted <= set(accepted)


def _renumbers(part: Part, after: Part | None, said: Sequence[str]) -> bool:
    """Whether a part says only another house number for the address that was `said` (`eh, no 15 maksudnya`, `nomor 17,
    bukan 7`): the citizen is asked for the whole."""
    kept = [word for word in part.words if word[0].isalnum() and word not in HOUSE]
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
    return case.told(_neighbourhood, field, ())


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
