"""Finds people's names in a message: after a label, after a relation, as an answer or before a NIK.

It handles the name of the citizen or of the person a letter serves, and which relation (`hubungan`) the citizen
mentioned. Other names are read like any text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from agentd.agent.text import FILLERS, fold
from agentd.apps.letters.evidence.claims.asserted import mood, owner
from agentd.apps.letters.evidence.claims.binding import whose
from agentd.apps.letters.evidence.claims.case import CLAUSE, Case, Turn
from agentd.apps.letters.evidence.claims.parts import Part, parts, people
from agentd.apps.letters.evidence.fields.asked import of_a_thing
from agentd.apps.letters.evidence.fields.field import Field
from agentd.apps.letters.evidence.fields.shapes import ANYBODY
from agentd.apps.letters.evidence.normalisers import names
from agentd.apps.letters.evidence.normalisers.digits import runs
from agentd.apps.letters.evidence.reading import persons
from agentd.apps.letters.evidence.reading.lexicon import SELF, Cue, person
from agentd.apps.letters.evidence.reading.persons import APPLICANTS, CITIZEN, EITHER_WAY, FAMILY, MY, ROLES
from agentd.apps.letters.evidence.reading.segments import SEPARATORS, Claim, Mood
from agentd.apps.letters.languages import phrases

_COURTESY = FILLERS | phrases().openers | phrases().greetings


class _Stands(NamedTuple):
    """How a part may be a name. `clear`: by a label, the question or a correction."""

    clear: bool
    asked: bool = False
    of: str | None = None


def name(field: Field, case: Case) -> Iterator[Claim]:
    """Claims that each message makes about a name, in order."""
    return case.claims(_claims_in, field, frozenset[str]())


def _claims_in(field: Field, case: Case, turn: Turn, before: frozenset[str]) -> tuple[Sequence[Claim], frozenset[str]]:
    """One message's claims. `before`: every name that counted so far, with its words joined."""
    wanted, held, claims = names.key(str(field.value)), set(before), list[Claim]()
    asked, said = _asked(field, case, turn.question), parts(case, turn)
    heads = said[:1] if turn.heard.listed and not any(map(_introduced, said)) else ()
    for part, after in zip(said, [*said[1:], None], strict=False):
        stands = _stands(field, part, after, asked=asked)
        if stands is None and (part in heads or _righted(field, turn, part, held)):
            stands = _Stands(clear=part not in heads)
        if stands is None:
            continue
        found = names.leading(part.raws)
        if not stands.clear or stands.asked:
            found = [each for each in found if names.plausible(each)]
        if not found or not _theirs(field, case, turn, part, stands):
            continue
        held |= {"".join(each) for each in found}
        supports = any(names.same(one, wanted) for each in found for one in (each, names.untitled(each)))
        meant = mood(field, part.place(case, turn))
        meant = part.mood if meant is Mood.SAID else meant
        replaces = stands.clear and not names.within(found[-1], wanted)
        claims.append(Claim(turn.order, meant, supports, replaces, part.corrected))
    return claims, frozenset(held)


def _stands(field: Field, part: Part, after: Part | None, *, asked: bool) -> _Stands | None:
    own = field.person != ANYBODY
    if part.label == field.label:
        return None if own and _of_relative(part) else _Stands(clear=True)
    if own and part.label in (None, "keperluan") and before_nik(part, after):
        return _Stands(clear=False)
    if part.label is not None:
        return None
    if asked and part.opens:
        return _Stands(clear=True, asked=True)
    relation = part.line.relatives.get(part.behind)
    if _introduced(part) if own else relation is not None:
        return _Stands(clear=False, of=relation)
    return None


def _of_relative(part: Part) -> bool:
    """Whether a relation stands before the part's label: `di rumah mertua namanya …`."""
    marks = part.line.marks
    at = next((at for at in range(part.start - 1, -1, -1) if at in marks and marks[at].cue is Cue.LABEL), -1)
    related = any(mark.cue is Cue.RELATION and mark.end == at for mark in marks.values())
    return related and part.line.introduces(at, marks[at].end)


def _introduced(part: Part) -> bool:
    """Whether a part follows `saya` or `I am` with nothing but courtesy before it: `saya Budi`, `I am Budi`.

    Without a capital it may as well be a verb: `saya ditolak bank`.
    """
    words, mark = part.line.words, part.line.marks.get(part.behind - 1)
    if part.label is not None or mark is None or mark.cue is not Cue.SELF or words[mark.start] in persons.MY:
        return False
    before = words[part.line.sentence.clause(mark.start).start : mark.start]
    return names.capitalised(part.raws) and all(word in _COURTESY or not word[0].isalnum() for word in before)


def _righted(field: Field, turn: Turn, part: Part, held: set[str]) -> bool:
    """Whether a part replaces a name said before (`bukan Budi Santoso, tapi …`) or the name that was mentioned last."""
    rights = part.line.rights
    if part.label is not None or not part.corrected or (rights and rights[-1].start >= part.end):
        return False
    if part.follows is not None:
        return part.follows == field.label
    raws = part.line.raws
    starts = range(max(0, part.start - CLAUSE), part.start)
    instead = any("".join(each) in held for at in starts for each in names.leading(raws[at : part.start]))
    named = [one.keys for one in turn.named[part.number] if one.end <= part.start]
    return instead or field.key in next(iter((*reversed(named), *turn.before)), ())


def before_nik(part: Part, after: Part | None) -> bool:
    """Whether a part is directly before a NIK, without a cue between: `untuk Budi Santoso, NIK …`."""
    if after is not None and after.label == "nik" and any(map(str.isdecimal, after.words)):
        return True  # unlike `perekaman KTP tanggal 3`
    at = next((start for start, _, run in runs(part.words, 16) if len(run) == 16), None)
    if at is not None and names.leading(part.raws[:at])[:1] == [names.key(part.raws[:at])]:
        return True
    rest = [word for word in part.line.words[part.end : part.end + 4] if word not in SEPARATORS]
    return any(start == 0 and len(run) == 16 for start, _, run in runs(rest, 16))


def _theirs(field: Field, case: Case, turn: Turn, part: Part, stands: _Stands) -> bool:
    """Whether a name belongs to the field's person: `untuk tetangga saya, Joko` doesn't name the applicant."""
    place = part.place(case, turn)
    if field.person == ANYBODY:
        return stands.of in FAMILY or owner(place) in FAMILY
    beside = part.line.people.get(part.behind)
    strange = beside not in (None, *persons.APPLICANTS, case.subject[0])
    return (stands.asked or not strange) and whose(field, place, asked=stands.asked)


def _asked(field: Field, case: Case, question: str) -> bool:
    """Whether the agent asked for this name alone."""
    asked = case.asks(question) if question else ()
    alone = len(asked) == 1 and asked[0][0] == field.label and asked[0][1] in (None, CITIZEN, case.subject[0])
    return alone and not of_a_thing(*case.read(question), case.form)


def relation(field: Field, case: Case) -> Iterator[Claim]:
    """Claims about a relation, not tied to one message (order -1).

    What the citizen is to somebody (`hubungan pelapor`) differs from what that person is to the citizen (`suami saya`).
    The deceased and the applicant are nobody's relation.
    """
    relation = person(fold(str(field.value)))
    if relation is None or relation not in people(case) - ROLES - APPLICANTS:
        return
    alike = relation in EITHER_WAY and relation in (case.subject[0], *(one for one, _ in case.aliases))
    if field.person != CITIZEN or alike or any(_called(relation, field, case)):
        yield Claim(-1, Mood.SAID, True, replaces=False)


def _called(relation: str, field: Field, case: Case) -> Iterator[bool]:
    """For each mention of the relation, whether it is the citizen's own (`saya istrinya`, `hubungan: anak`).

    It isn't the citizen's relative (`istri saya`), nor somebody whose data follows (`nama istri Siti`, `Istri: Siti`).
    A relation outside the family (`ketua RT`) counts only after the word for the citizen or the field's name, or in
    the answer to the field's question.
    """
    for turn in case.turns:
        for sentence, *_ in turn.sentences():
            words, labels = sentence.words, dict[int, str]()
            for mark in sentence.marks:
                label = labels.get(mark.start)
                if mark.cue is Cue.LABEL:
                    label = mark.value
                elif mark.cue is Cue.RELATION and mark.value == relation:
                    before = words[max(0, mark.start - 1) : mark.start]
                    owners = takewhile(str.isalpha, words[mark.end : mark.end + 2])
                    own = MY.isdisjoint(before) and SELF.isdisjoint(owners)
                    heads = label not in (None, field.label) or words[mark.end : mark.end + 1] == [":"]
                    of_citizen = label is not None or turn.asks_for(field.key) or not SELF.isdisjoint(before)
                    as_said = relation in EITHER_WAY or tuple(words[mark.start : mark.end]) == fold(str(field.value))
                    yield own and not heads and (relation in FAMILY or (of_citizen and as_said))
                if label is not None and (mark.cue is Cue.LABEL or mark.value in ROLES | APPLICANTS):
                    labels[mark.end + (words[mark.end : mark.end + 1] == [":"])] = label  # `hubungan pelapor: …`
