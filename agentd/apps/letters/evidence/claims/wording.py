"""Claims about free text (purpose, occupation, business): each content word must be under its label or an answer."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from operator import attrgetter

from agentd.agent.approval import assents
from agentd.agent.text import FILLERS
from agentd.apps.letters.evidence.claims.asserted import owner
from agentd.apps.letters.evidence.claims.binding import whose
from agentd.apps.letters.evidence.claims.case import Case, Turn
from agentd.apps.letters.evidence.claims.naming import before_nik
from agentd.apps.letters.evidence.claims.parts import Part, parts
from agentd.apps.letters.evidence.fields.field import Field
from agentd.apps.letters.evidence.fields.spans import TEXTS
from agentd.apps.letters.evidence.normalisers import choices, names, texts
from agentd.apps.letters.evidence.reading import persons
from agentd.apps.letters.evidence.reading.lexicon import RELATING, SELF, Cue
from agentd.apps.letters.evidence.reading.persons import FAMILY
from agentd.apps.letters.evidence.reading.readings import once
from agentd.apps.letters.evidence.reading.segments import Claim
from agentd.apps.letters.languages import phrases

_PACK = phrases()
PURPOSES = frozenset({"keperluan", "instansi"})
"""Labels for a letter's purpose; they are no person's data."""
_IDENTITY = frozenset({"nik", "kk", "nama", "alamat", "alamat_domisili", "telepon", "rt", "rw", "rtrw"})
_TAIL = 64
"""The most words of a purpose."""
_PAPER = frozenset(texts.essence(sorted(_PACK.no_purpose)))
"""Words for the letter itself, which are no purpose: `saya perlu surat pengantar`."""
_BEFORE_COMPANY = (None, "nama", "keperluan")
"""Labels that a company name may stand under: `CV Cahaya Abadi`, `atas nama CV …`, `untuk PT …`."""
_PEOPLE = FILLERS | RELATING | SELF | _PACK.household | _PACK.possessives | _PACK.articles
"""Words for people, who are no purpose: `for my children`."""
_PLACES = frozenset(word for sense in ("city", "place", "origin", "destination") for word in _PACK.senses[sense])


def text(field: Field, case: Case) -> Iterator[Claim]:
    """Claims that each message makes about a free text, in order."""
    return case.claims(_claims_in, field, ()) if not _is_none(field) else iter(())


def _claims_in(field: Field, case: Case, turn: Turn, _: tuple[()]) -> tuple[Sequence[Claim], tuple[()]]:
    claims: list[Claim] = []
    said, asked = parts(case, turn), bool(case.asks(turn.question))
    answers = asked and _asked(field, case, turn)
    says = case.cached((texts, str(field.value)), lambda: texts.saying(str(field.value)))
    for part, after in zip(said, [*said[1:], None], strict=False):
        stands = _under(field, turn, part) or (answers and part.label is None and not assents(" ".join(part.words)))
        if not (stands or _unnamed(field, turn, part, asked=asked)):
            continue
        place = part.place(case, turn)
        if field.label in PURPOSES:
            who = owner(place)
            somebody = names.plausible(names.key(part.words)) and before_nik(part, after)
            theirs = who not in _PACK.outsiders and not somebody and not (who in FAMILY and _own(case, turn))
            words, replaces = _purpose(part, who), part.corrected
        else:
            theirs = whose(field, place, asked=answers)
            words, replaces = part.words, True
        if theirs and stands:
            claims.append(Claim(turn.order, part.mood, says(words), replaces, part.corrected))
        elif theirs and says(_trade(field, words)):
            claims.append(Claim(turn.order, part.mood, True, False, part.corrected))
    return claims, ()


def _restates(part: Part) -> bool:
    """Whether a part is a correction that isn't introduced by a mere courtesy (`eh, maaf`)."""
    before = bisect_right(part.line.rights, part.start, key=attrgetter("end"))
    return part.corrected and before > 0 and part.line.words[part.line.rights[before - 1].start] not in _PACK.courtesies


@once
def _own(case: Case, turn: Turn) -> bool:
    """Whether the citizen states a purpose of their own; then a relative's purpose in the message doesn't count."""
    return any(_states_own(part, owner(part.place(case, turn))) for part in parts(case, turn))


def _asked(field: Field, case: Case, turn: Turn) -> bool:
    """Whether an unlabelled part answers for this field: it alone, or it alone among free texts, was asked for."""
    wanted = case.labels_asked(turn.question)
    if len(wanted) > 1:
        typed = {shape.label for shape in case.form.shapes.values() if shape.kind not in TEXTS}
        bare = sum(part.label is None for part in parts(case, turn))
        wanted = wanted - typed if bare == 1 else frozenset()
    return wanted == {field.label}


def _under(field: Field, turn: Turn, part: Part) -> bool:
    """Whether a part stands under the field's label or corrects its value (`Sorry, I meant …`)."""
    unsaid = part.label is None and part.follows is None and turn.before[:1] == (frozenset({field.key}),)
    restated = unsaid and _restates(part) and not persons.names_a_letter(part.words)
    return restated or part.under == field.label


def _states_own(part: Part, who: str | None) -> bool:
    """Whether a part states the citizen's own purpose: `I need it for a bank`."""
    own = not part.line.sentence.own.isdisjoint(part.line.sentence.clause(part.start))
    wish = not _PACK.weak_purpose.isdisjoint(part.words[:1]) and _PACK.letters.isdisjoint(part.words)
    return who is None and own and (part.label == "keperluan" or wish)


def _unnamed(field: Field, turn: Turn, part: Part, *, asked: bool) -> bool:
    """Whether a clause without the field's label may be about it."""
    words = part.words
    if field.label == "nama_usaha":
        return part.label in _BEFORE_COMPANY and not _PACK.companies.isdisjoint(words[:1])
    if part.label is not None:
        return field.label == "instansi" and part.label == "keperluan"
    if field.label in PURPOSES:
        return not _PACK.weak_purpose.isdisjoint(words) or (
            turn.heard.listed and not _PACK.purposes.isdisjoint(words[:1])
        )
    if field.label == "jenis_usaha":
        return not asked
    return field.label == "pekerjaan" and _bare_job(words, field.spoken)


def _is_none(field: Field) -> bool:
    """Whether a value can't be the field's: not an occupation, or only words for the letter itself or for people."""
    if field.label == "pekerjaan":
        return bool(choices.meanings(field.spoken)) and not choices.is_occupation(field.spoken)
    nothing = _PEOPLE.issuperset(field.spoken) or _PAPER.issuperset(texts.essence(field.spoken))
    return field.label == "keperluan" and nothing


def _purpose(part: Part, who: str | None) -> Sequence[str]:
    """The words of a purpose: the rest of the clause, including words that are labels elsewhere."""
    line, clause = part.line, part.line.sentence.clause(part.start)
    stop = min(clause.stop, part.start + _TAIL)
    named = (at for at in range(part.end, stop) if (mark := line.marks.get(at)) and mark.cue is Cue.LABEL)
    words = line.words[part.start : next((at for at in named if line.marks[at].value in _IDENTITY), stop)]
    if part.label is None:
        words = words[next((at for at, word in enumerate(words) if word in _PACK.weak_purpose), 0) :]
    return [*words, *who.split()] if who in FAMILY else words


def _trade(field: Field, words: Sequence[str]) -> Sequence[str]:
    """For a business, the words from its own noun on: `sehari-hari jualan nasi uduk`, `warung makan`.

    Empty for plans (`mau buka toko roti`) and locations (`di toko roti`).
    """
    if field.label != "jenis_usaha":
        return words
    at = next((at for at, word in enumerate(words) if word in _PACK.business), len(words))
    its_own = choices.WISHES.isdisjoint(words[:at]) and _PLACES.isdisjoint(words[max(0, at - 1) : at])
    return words[at:] if its_own else ()


def _bare_job(words: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether the words are an occupation and nothing else: `karyawan swasta` in a list, `saya seorang guru`."""
    kept = [word for word in words if word[0].isalnum()]
    rest = kept if choices.meanings(kept) else [word for word in kept if word not in FILLERS]
    if not choices.is_occupation(rest) or (choices.WISHES.intersection(kept) and not choices.meanings(rest)):
        return False
    return tuple(rest) == tuple(wanted) or bool(choices.meanings(rest) & choices.meanings(wanted))
