"""What is said in free text (purpose, occupation, business) and of yes or no."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentd.agent.text import FILLERS
from agentd.apps.letters.evidence import choices, names, texts
from agentd.apps.letters.evidence.case import Case
from agentd.apps.letters.evidence.conversation import Statement
from agentd.apps.letters.evidence.fields import Field
from agentd.apps.letters.evidence.persons import CITIZEN, KIN
from agentd.apps.letters.evidence.segments import Claim, Segment
from agentd.apps.letters.languages import phrases

_WEAK_PURPOSE = phrases().weak_purpose
_PAPER = frozenset(texts.essence("surat pengantar keterangan keperluan perlu permohonan letter document".split()))
"""What is asked for, and no purpose of it: `saya perlu surat pengantar`."""
_PURPOSES = phrases().purposes
_LETTERS = phrases().letters
_OUTSIDERS = phrases().outsiders
_BUSINESS = phrases().business
_COMPANIES = phrases().companies
_BEFORE_COMPANY = (None, "nama", "keperluan")
"""`CV Cahaya Abadi`, `atas nama CV …`, `untuk PT …`."""
_PLACES = frozenset(word for sense in ("city", "place", "origin", "destination") for word in phrases().senses[sense])


def text(field: Field, case: Case) -> Iterator[Claim]:
    """Free text: every content word must have been said under the field's label, or in answer to its question."""
    value = str(field.value)
    if _is_none(field, field.spoken):
        return
    says, office = texts.saying(value), field.label == "instansi"
    purpose = office or field.label == "keperluan"
    restated = {(s.message, s.segment.sentence) for s in case.talk.meant if _restates(s.segment)} if purpose else set()
    for statement in case.talk.meant if purpose else case.of(field.person):
        segment = statement.segment
        words = _purpose(segment, office=office) if purpose else segment.words
        if purpose and statement.next_nik and names.plausible(names.key(segment.words)):
            continue
        instead = _restates(segment) and segment.follows == field.label
        labelled = segment.label == field.label or instead
        if purpose and labelled and (segment.person in _OUTSIDERS or _contrasted(statement, case)):
            continue
        if labelled or statement.answers == field.label:
            instead = segment.corrected or (statement.message, segment.sentence) in restated
            yield statement.claim(supports=says(words), replaces=not (purpose or segment.empty) or instead)
        elif _unnamed(field, statement, words) and says(_trade(field, words)):
            yield statement.claim(supports=True, replaces=False)


def _unnamed(field: Field, statement: Statement, words: Sequence[str]) -> bool:
    """Whether a clause that doesn't name the field may be about it."""
    segment = statement.segment
    if field.label == "nama_usaha":
        return segment.label in _BEFORE_COMPANY and not _COMPANIES.isdisjoint(words[:1])
    if segment.label is not None:
        return field.label == "instansi" and segment.label == "keperluan"
    if field.label in ("keperluan", "instansi"):
        return not _WEAK_PURPOSE.isdisjoint(words) or (statement.listed and not _PURPOSES.isdisjoint(words[:1]))
    if field.label == "jenis_usaha":
        return statement.answers is None
    return field.label == "pekerjaan" and _bare_job(segment, field.spoken)


def _is_none(field: Field, words: Sequence[str]) -> bool:
    """Whether a value is nothing that the field can be: no occupation, no purpose."""
    if field.label == "pekerjaan":
        return bool(choices.meanings(words)) and not choices.is_occupation(words)
    return field.label == "keperluan" and _PAPER.issuperset(texts.essence(words))


def _purpose(segment: Segment, *, office: bool) -> Sequence[str]:
    """What a segment may say of a purpose: all that its clause goes on to say, and for whom."""
    words = segment.tail
    if segment.label is None and not office:
        words = words[next((at for at, word in enumerate(words) if word in _WEAK_PURPOSE), 0) :]
    named = segment.person not in (None, CITIZEN)
    return [*words, *str(segment.person).lstrip("?").split()] if named else words


def _contrasted(statement: Statement, case: Case) -> bool:
    """`My brother needed it for a visa, I need it for a bank`: somebody's purpose beside the citizen's own."""
    if statement.segment.person not in KIN:
        return False
    own = (s.segment for s in case.talk.statements if s.message == statement.message and s.segment.person == CITIZEN)
    return any(segment.label == "keperluan" or _wishes(segment) for segment in own)


def _wishes(segment: Segment) -> bool:
    """`saya mau berobat`, and no letter."""
    return segment.own and not _WEAK_PURPOSE.isdisjoint(segment.words[:1]) and _LETTERS.isdisjoint(segment.words)


def _restates(segment: Segment) -> bool:
    """`maksud saya surat pengantar …`, `Sorry, I meant …`: what follows in the sentence replaces what was said."""
    return segment.label is None and segment.corrected


def _trade(field: Field, words: Sequence[str]) -> Sequence[str]:
    """`sehari-hari jualan nasi uduk`, `warung makan`: of a business what it is, from the word for it on.

    `mau buka toko roti` is none yet, and `di toko roti` is where somebody is.
    """
    if field.label != "jenis_usaha":
        return words
    at = next((at for at, word in enumerate(words) if word in _BUSINESS), len(words))
    its_own = choices.WISHES.isdisjoint(words[:at]) and _PLACES.isdisjoint(words[max(0, at - 1) : at])
    return words[at:] if its_own else ()


def _bare_job(segment: Segment, wanted: Sequence[str]) -> bool:
    """`karyawan swasta` in a list, `saya seorang guru`: an occupation and nothing else."""
    kept = [word for word in segment.words if word[0].isalnum()]
    rest = kept if choices.meanings(kept) else [word for word in kept if word not in FILLERS]
    if not choices.is_occupation(rest) or (choices.WISHES.intersection(kept) and not choices.meanings(rest)):
        return False
    return tuple(rest) == wanted or bool(choices.meanings(rest) & choices.meanings(wanted))
