"""Where a message gives somebody's name: under the word for it, behind whom it is of, as an answer, before a NIK.

It tells what is said of a common name. A tool's own names are read as any other text is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentd.apps.letters.evidence import names, persons
from agentd.apps.letters.evidence.asserted import mood, owner
from agentd.apps.letters.evidence.binding import whose
from agentd.apps.letters.evidence.case import Case, Place, Turn
from agentd.apps.letters.evidence.fields import Field
from agentd.apps.letters.evidence.lexicon import Cue
from agentd.apps.letters.evidence.lines import Line, Spot, else_, lines
from agentd.apps.letters.evidence.persons import CITIZEN, KIN
from agentd.apps.letters.evidence.segments import SEPARATORS, Claim, Mood
from agentd.apps.letters.evidence.shapes import ANYBODY
from agentd.apps.letters.evidence.spans import Span


def name(field: Field, case: Case) -> Iterator[Claim]:
    """What each message says of a name, in order."""
    return case.told(_told, field, frozenset[str]())


def _told(field: Field, case: Case, turn: Turn, before: frozenset[str]) -> tuple[Sequence[Claim], frozenset[str]]:
    """A message's claims. `before`: every name that counted so far, its words joined: two spellings of one are the same
    (`names.same`)."""
    wanted, held, claims = names.key(str(field.value)), set(before), list[Claim]()
    read, asked = lines(case, turn.text), bool(turn.question) and _asked(field, case, turn.question)
    heads = turn.heard.listed and not any(line.found(spot) for line in read for spot in line.introduced())
    waits = False
    for line, after, (sentence, named, last) in zip(read, [*read, None][1:], turn.sentences(), strict=False):
        own = [one for one in named if one.plain and field.key in one.keys and not else_(line, one)]
        first = not own and (heads or (after is not None and after.begins_with_nik()))
        said = [frozenset[str]() if else_(line, one) else one.keys for one in reversed(named)]
        said += [one.keys for one in reversed(last)]
        spots = [
            *_unlabelled(field, line, first=first, asked=asked),
            *line.righted(field, (*said, *turn.before), held),
            *line.labelled(own),
            *([Spot(0, clear=True)] if waits else ()),
        ]
        waits = bool(own) and line.behind(own[-1].end) == len(line.words)
        heads = heads and not any(map(line.found, spots))
        for at, spot in sorted({spot.at: spot for spot in spots}.items()):
            mark = line.marks.get(at)
            spot = spot._replace(at=mark.end) if mark is not None and mark.cue is Cue.NEGATION else spot
            if not (found := line.found(spot)):
                continue
            span = Span(spot.at, max(line.stop(spot.at), spot.at + 1), True)
            place = case.place(turn, sentence, named, last, span)
            if _theirs(field, line, place, spot):
                held |= {"".join(each) for each in found}
                supports = any(names.same(one, wanted) for each in found for one in (each, names.untitled(each)))
                meant = mood(field, place)
                meant = line.moods[spot.at] if meant is Mood.SAID else meant
                replaces = spot.clear and not names.within(found[-1], wanted)
                claims.append(Claim(turn.order, meant, supports, replaces, sentence.corrected[spot.at]))
    return claims, frozenset(held)


def _theirs(field: Field, line: Line, place: Place, spot: Spot) -> bool:
    """Whether a name is that of the field's person: `untuk tetangga saya, Joko` gives no applicant's."""
    if field.person == ANYBODY:
        return spot.of in KIN or owner(place) in KIN
    beside = line.people.get(spot.at - (spot.at > 0 and line.words[spot.at - 1] == ","))
    strange = beside not in (None, *persons.APPLICANTS, place.case.subject[0])
    if strange and not spot.asked and field.person in (None, CITIZEN):
        return False
    return whose(field, place, asked=spot.asked)


def _unlabelled(field: Field, line: Line, *, first: bool, asked: bool) -> Iterator[Spot]:
    """Without a word for it. `first`: first in a list of somebody's data; `asked`: the question was for it alone."""
    if field.person in (None, CITIZEN):
        yield from line.introduced()
        yield from line.before_nik()
        yield from (Spot(0) for _ in range(first))
    else:
        for mark in line.sentence.marks:
            if mark.cue is Cue.RELATION and not persons.another(mark, line.marks, line.words):
                at = persons.owner_end(mark, line.words)
                yield Spot(at + (line.words[at : at + 1] == [","]), of=mark.value)
    if asked:
        clauses = line.sentence.clauses
        starts = (at for at in range(len(clauses)) if at == 0 or clauses[at] != clauses[at - 1])
        yield from (Spot(at + (line.words[at] in SEPARATORS), clear=True, asked=True) for at in starts)


def _asked(field: Field, case: Case, question: str) -> bool:
    """Whether the agent asked for this name alone."""
    asked = case.asks(question)
    people = {field.person} if field.person not in (None, CITIZEN) else {None, CITIZEN, case.subject[0]}
    if len(asked) != 1 or asked[0][0] != field.label or asked[0][1] not in people:
        return False
    _, named = case.read(question)
    return not any(else_(line, one) for line, own in zip(lines(case, question), named, strict=True) for one in own)
