"""Finds the persons in a sentence, their words and their roles: `my friend's mother`, `almarhum ayah saya`."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, takewhile

from agentd.apps.letters.evidence.normalisers.choices import JOBS
from agentd.apps.letters.evidence.reading.lexicon import ITS, LIVES, RELATIONS, SALUTATIONS, SELF, Cue, Mark, person
from agentd.apps.letters.languages import phrases

_PACK = phrases()
CITIZEN = "saya"
_ORIGIN = frozenset(_PACK.senses["origin"])
_BEFORE_SOMEBODY = _PACK.articles | _ORIGIN
SUBJECTS = _PACK.subjects
"""Words for the citizen that count only before a verb (`I`)."""
MY = SELF & _PACK.before_relative
"""Words for the citizen that stand before what they own."""
_POSSESSIVE = SELF | _PACK.possessives
_BEHIND_RELATION = _POSSESSIVE | _PACK.clitics | {"-"}
SERVED = frozenset(map(person, ([word] for word in _PACK.applicants))) - {None}
"""Relations that a form may use for its customer."""
FAMILY = _PACK.family
"""Relations who may ask for one another."""
EITHER_WAY = frozenset({"saudara", "sepupu", "teman", "tetangga", "pacar"})
"""Symmetric relations."""
_ON_BEHALF = [phrase.split() for phrase in _PACK.on_behalf]
_BEHALF_ENDS = {phrase[-1] for phrase in _ON_BEHALF}
_NOT_OF = _PACK.doers | JOBS
"""Words before a person about whom nothing is said: `diantar kakak saya`, `guru anak saya`."""


def strong(mark: Mark, words: Sequence[str], *, opens: bool, form: bool) -> bool:
    """Whether a relation word names a person, rather than addressing the office or being part of a value.

    `opens`: nothing has been said since the last label or the start of the clause; `form`: after a colon, or in a
    question of the agent.
    """
    after = words[mark.end] if mark.end < len(words) else ""
    before = words[mark.start - 1] if mark.start else ""
    if after in _POSSESSIVE or before in _PACK.before_relative or mark.value in ("mertua", "orang tua"):
        return True
    word = words[mark.start]
    if word in SALUTATIONS and _on_behalf(words, mark.start):
        return False
    if word in SALUTATIONS or " ".join(words[mark.start : mark.end]) in SALUTATIONS:
        return opens and not form and before not in ("", ",", "\n") and before not in SELF
    return opens or before in _BEFORE_SOMEBODY


def names_a_letter(words: Sequence[str]) -> bool:
    """Whether a phrase only says which letter is wanted (`surat keterangan tidak mampu`), not for whom or for what."""
    return bool(_PACK.letters.intersection(words)) and not _PACK.for_whom.intersection(words)


def owner_end(mark: Mark, words: Sequence[str]) -> int:
    """The index after a relation and its possessives: `ibu kandung saya`, `istri-nya`, `mother's`."""
    at = mark.end
    while at < len(words) and words[at] in _BEHIND_RELATION:
        at += 1
    return at


def speaks_of_another(mark: Mark, marks: Mapping[int, Mark], words: Sequence[str]) -> bool:
    """Whether the words after a relation aren't about that relative: `guru anak saya`, `diantar kakak saya`."""
    before = words[max(0, mark.start - 1) : mark.start]
    whose = marks.get(mark.start - 1)
    person = whose is not None and whose.cue is Cue.RELATION and whose.value not in ROLES
    return (person and SALUTATIONS.isdisjoint(before)) or not _NOT_OF.isdisjoint(before)


def _on_behalf(words: Sequence[str], end: int) -> bool:
    """Whether a phrase such as `atas nama` ends at an index."""
    return any(words[max(0, end - len(phrase)) : end] == phrase for phrase in _ON_BEHALF)


def subject(marks: Sequence[Mark], words: Sequence[str]) -> str | None:
    """The person for whom a sentence asks a letter (`surat domisili untuk ibu saya` → ibu), or None.

    Relatives may ask for one another. A request for a neighbour, a friend or an employer is no evidence about them.
    """
    if any(word in SELF and _on_behalf(words, at) for at, word in enumerate(words)):
        return CITIZEN
    if not _PACK.letters.intersection(words):
        return None
    for mark in marks:
        if mark.cue is not Cue.RELATION or mark.start == 0 or words[mark.start - 1] not in _PACK.for_whom | MY:
            continue
        if words[mark.start - 1] in _BEHALF_ENDS and not _on_behalf(words, mark.start):
            continue
        if words[mark.start - 1] in MY and (mark.start < 2 or words[mark.start - 2] not in _PACK.for_whom):
            continue
        end = owner_end(mark, words)
        if end > mark.end or words[mark.start - 1] in MY:
            asked = mark.value in FAMILY and not (end < len(words) and words[end] in _PACK.acts)
            return mark.value if asked else None
    return None


APPLICANTS = _PACK.applicants
_POINTING = _PACK.quiet
"""Words that own nothing before `'s`: `it's urgent`."""
_PARENTS = frozenset(("orang tua", *_PACK.covers["orang tua"]))
_OF_ONE_HOUSE = frozenset({"saudara", "kakek", "nenek"})
"""Relations after which a parent is the citizen's own."""
DECEASED = "almarhum"
MOST = 64
"""The most persons per sentence."""
Owned = tuple[int, str | None, range]
"""(index, person, the indices of that person's words); the person is None for the citizen again."""
ROLES = frozenset({DECEASED})
SOMEBODY = "?"
"""A person who isn't named by a relation; the word for the person may follow."""
OF_ANOTHER = " of another"
"""Suffix for a person related to somebody else: `my friend's mother`, `ibu teman saya`. No field is about them."""


def of_another(whose: str | None) -> bool:
    """Whether a person is related to somebody other than the citizen."""
    return whose is not None and whose.endswith(OF_ANOTHER)


def people(
    words: Sequence[str], marks: Sequence[Mark], clauses: Sequence[int], spoken_of: str | None, section: str | None
) -> tuple[frozenset[int], list[Owned]]:
    """(indices of words for the citizen, the owner of each range of words). A relation owns its clause and all that
    follows, until the citizen mentions himself again."""
    size = len(words)
    found: list[Owned] = [] if section is None else [(-1, section, range(size))]
    meant = {at for mark in marks if mark.cue is Cue.CORRECTION for at in range(mark.start, mark.end)}
    own = frozenset(at for at, word in enumerate(words) if word in SELF and at not in meant)
    if spoken_of and not own and any(mark.cue is Cue.PRONOUN for mark in marks):
        found.append((-1, spoken_of, range(size)))
    himself = set(_the_citizens(words, marks, clauses))
    relations = [mark for mark in marks if mark.cue is Cue.RELATION and not _bracketed(mark, words)]
    relations = [mark for mark in relations if mark not in himself]
    beside = {
        clauses[mark.start] for mark in marks if mark.cue is Cue.BESIDE and words[mark.start] in LIVES
    }  # `tinggal dengan istri dan dua anak`
    first = {mark.end: mark.start for mark in marks if mark.cue is Cue.LABEL}  # `penghasilan saya …` is the citizen's
    named = {
        mark.start: mark
        for mark in relations
        if clauses[mark.start] not in beside and names(mark, words, labelled=mark.start in first)
    }
    possessive = {mark.end for mark in relations}  # `teman saya beragama …` is the friend's
    inside = {at for mark in relations for at in range(mark.start, mark.end + 1)}
    again = {at for at in own if at not in inside and _opens(words, clauses, first.get(at, at))}
    strangers = others(marks, words, spoken_of)
    last: str | None = None
    for at in sorted({*named, *again, *strangers})[:MOST]:
        if at in strangers:
            found.append((at, strangers[at], range(at, size)))
        elif at in named:
            whose = CITIZEN if named[at].value in APPLICANTS else named[at].value
            source = at and words[at - 1] in _ORIGIN and at - 1 not in {*possessive, *first}
            if source or _theirs(named[at], last, words):
                whose += OF_ANOTHER
            elif at not in first:
                last = named[at].value
            first_of = clauses.index(clauses[at])
            that = not _PACK.pointing.isdisjoint(words[max(0, at - 1) : at]) and (
                words[at - 2].isdecimal() or not any(map(str.isalpha, words[first_of : at - 1]))
            )
            pointed = that and owner_end(named[at], words) == size
            alone = at in first and not names(named[at], words)  # `NIK bapak 3175…`: of the one field
            end = bisect_right(clauses, clauses[at]) if alone else size
            found.append((at, whose, range(0 if pointed else first_of, end)))
        else:
            last = None
            found.append((at, None, range(at, size)))
    return own, found


def _bracketed(mark: Mark, words: Sequence[str]) -> bool:
    """Whether a relation in brackets describes the person named before it: `Rini Susilowati (anak kandung)`."""
    end = owner_end(mark, words)
    return mark.start > 0 and (words[mark.start - 1], *words[end : end + 1]) == ("(", ")")


def _the_citizens(words: Sequence[str], marks: Sequence[Mark], clauses: Sequence[int]) -> Iterator[Mark]:
    """Relations that describe the citizen: `saya kakaknya`, `pelapor adiknya`, `I'm her grandson`."""
    pronouns = {mark.start for mark in marks if mark.cue is Cue.PRONOUN}
    relations = [mark for mark in marks if mark.cue is Cue.RELATION and not _bracketed(mark, words)]
    applicants = {mark.end - 1 for mark in relations if mark.value in APPLICANTS}
    for mark in relations if pronouns else ():
        at = mark.start - 1
        while at > 0 and (at in pronouns or words[at] in _PACK.copulas or words[at] == "'"):
            at -= 1
        himself = at in applicants or (at >= 0 and words[at] in SELF and _opens(words, clauses, at))
        if himself and not pronouns.isdisjoint((mark.start - 1, mark.end)):
            yield mark


def _theirs(mark: Mark, last: str | None, words: Sequence[str]) -> bool:
    """Whether a parent belongs to the person mentioned before (`istri saya Siti, nama ayah Joko`) and not to one whom
    the tool itself names."""
    before = words[max(0, mark.start - 1)]
    own = not SELF.isdisjoint((before, *words[mark.end : mark.end + 2]))
    parent = person(words[mark.start : mark.end]) in _PARENTS
    return parent and not own and last in RELATIONS and last not in _PARENTS | _OF_ONE_HOUSE


def _opens(words: Sequence[str], clauses: Sequence[int], at: int) -> bool:
    """Whether a clause begins at a word or one word before it."""
    return any(
        place == 0 or clauses[place] != clauses[place - 1] or words[place - 1] in _PACK.joins
        for place in (at, at - 1)
        if place >= 0
    )


def others(marks: Sequence[Mark], words: Sequence[str], spoken_of: str | None) -> dict[int, str]:
    """{index: person} where an owner other than a relation owns what follows: `her NIK`, `the officer's name`."""
    labels = {mark.start for mark in marks if mark.cue is Cue.LABEL}
    known = {mark.end for mark in marks if mark.cue is Cue.RELATION}
    found: dict[int, str] = {}
    before: set[str] = set()
    for mark in marks:
        if mark.cue is Cue.RELATION:
            before.add(mark.value)
        elif mark.cue is Cue.PRONOUN and words[mark.start] not in ITS and labels & {mark.end, mark.end + 1}:
            (relative,) = before if len(before) == 1 else ("",)  # `a letter for my mother, her name is …`
            found[mark.start] = relative or spoken_of or SOMEBODY
    for at in range(1, len(words) - 2):
        chained = words[max(0, at - 3) : at - 1] == ["'", "s"]
        owner = words[at : at + 2] == ["'", "s"] and not chained and words[at - 1] not in _POINTING
        if owner and at not in known and labels & {at + 2, at + 3}:
            found[at] = f"{SOMEBODY}{words[at - 1]}"
    return found


def names(mark: Mark, words: Sequence[str], *, labelled: bool = False) -> bool:
    """Whether a relation owns what is said, rather than being addressed or being the recipient. `labelled`: a field's
    name stands directly before it."""
    at = mark.start - 1
    while at >= 0 and words[at] in _PACK.articles:
        at -= 1
    if at >= 0 and words[at] in _PACK.toward:
        return False
    return strong(mark, words, opens=labelled or words[mark.start] not in SALUTATIONS, form=False)


def aliases(
    words: Sequence[str], raws: Sequence[str], marks: Sequence[Mark], clauses: Sequence[int]
) -> list[tuple[str, str]]:
    """(relation, role): `almarhum ayah saya`, `ayah saya, Sukardi, sudah meninggal`. `saya ibunya`: (citizen, ibu)."""
    found = [(CITIZEN, mark.value) for mark in _the_citizens(words, marks, clauses)]
    relations = [mark for mark in marks if mark.cue is Cue.RELATION]
    for before, after in pairwise(relations):
        if after.start - before.end <= 1 and {before.value, after.value} & ROLES:
            role, other = (before.value, after.value) if before.value in ROLES else (after.value, before.value)
            found.append((other, role))
    past = any(mark.cue is Cue.OTHER_TIME for mark in marks)
    calling = {
        at for mark in marks if mark.value == "nama" or mark.cue is Cue.PRONOUN for at in range(mark.start, mark.end)
    }
    for mark in () if past else relations:
        at = owner_end(mark, words)
        while at < len(words) and (words[at] == "," or at in calling or raws[at][0].isupper()):
            at += 1
        near = (*words[mark.end : mark.end + 4], *words[at : at + 2])
        beside = takewhile(str.isalpha, reversed(words[max(0, mark.start - 3) : mark.start]))
        of_whom = _PACK.deaths | _PACK.fates if mark is relations[0] else _PACK.deaths  # `yang meninggal ibu saya`
        died = not _PACK.fates.isdisjoint(near) or (mark.value in FAMILY and not of_whom.isdisjoint(beside))
        if died and mark.value not in ROLES:
            found.append((mark.value, DECEASED))
    return found
