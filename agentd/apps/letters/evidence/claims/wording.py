"""What is said in free text (purpose, occupation, business) and of yes or no."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentd.agent.text import FILLERS
from agentd.apps.letters.evidence import choices, names, texts
from agentd.apps.letters.evidence.case import Case, claim
from agentd.apps.letters.evidence.conversation import Statement
from agentd.apps.letters.evidence.fields import Field
from agentd.apps.letters.evidence.persons import CITIZEN
from agentd.apps.letters.evidence.segments import Claim, Mood, Segment
from agentd.apps.letters.languages import phrases

_WEAK_PURPOSE = phrases().weak_purpose
_PAPER = frozenset(texts.essence("surat pengantar keterangan keperluan perlu permohonan letter document".split()))
"""What is asked for, and no purpose of it: `saya perlu surat pengantar`."""
_PURPOSES = phrases().purposes
_OUTSIDERS = phrases().outsiders


def text(field: Field, case: Case) -> Iterator[Claim]:
    """Free text: every content word must have been said under the field's label, or in answer to its question."""
    value = str(field.value)
    if _is_none(field, field.spoken):
        return
    says, office = texts.saying(value), field.label == "instansi"
    purpose = office or field.label == "keperluan"
    restated = {(s.message, s.segment.sentence) for s in case.all if _restates(s.segment)} if purpose else set()
    for statement in case.all if purpose else case.of(field.person):
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
            yield claim(statement, supports=says(words), replaces=not (purpose or segment.empty) or instead)
        elif office and segment.label == "keperluan":
            yield claim(statement, supports=says(words), replaces=False)
        elif segment.label is not None:
            continue
        elif purpose and (_WEAK_PURPOSE & set(words) or (statement.listed and words and words[0] in _PURPOSES)):
            yield claim(statement, supports=says(words), replaces=False)
        elif field.label == "pekerjaan" and _bare_job(segment, field.spoken):
            yield claim(statement, supports=True, replaces=False)


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
    others = (s.segment for s in case.all if s.message == statement.message and s.segment.label == "keperluan")
    return statement.segment.person not in (None, CITIZEN) and any(
        segment.person == CITIZEN and segment.mood is Mood.SAID for segment in others
    )


def _restates(segment: Segment) -> bool:
    """`maksud saya surat pengantar …`, `Sorry, I meant …`: what follows in the sentence replaces what was said."""
    return segment.label is None and segment.corrected


def _bare_job(segment: Segment, wanted: Sequence[str]) -> bool:
    """`karyawan swasta` in a list, `saya seorang guru`: an occupation and nothing else."""
    kept = [word for word in segment.words if word[0].isalnum()]
    rest = kept if choices.meanings(kept) else [word for word in kept if word not in FILLERS]
    if not choices.is_occupation(rest) or (choices.WISHES.intersection(kept) and not choices.meanings(rest)):
        return False
    return tuple(rest) == wanted or bool(choices.meanings(rest) & choices.meanings(wanted))
