"""Edits: a reply that changes only a part of a value that the agent has just listed (`no 12A`, `tahunnya 1986`).

The agent's list (`- Alamat: Jl Kayu Besar No 12`) only shows what is changed; the change is in the
citizen's words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date
from difflib import SequenceMatcher
from itertools import takewhile

from agentd.agent.text import FILLERS, fold
from agentd.apps.letters.evidence.claims.addresses import BESIDE_HOUSE_NUMBER
from agentd.apps.letters.evidence.claims.case import Case, Turn
from agentd.apps.letters.evidence.claims.parts import Part, parts
from agentd.apps.letters.evidence.fields.asked import LISTED
from agentd.apps.letters.evidence.fields.field import Field
from agentd.apps.letters.evidence.fields.spans import TEXTS
from agentd.apps.letters.evidence.fields.values import equals
from agentd.apps.letters.evidence.normalisers import days
from agentd.apps.letters.evidence.normalisers.address import NUMBERED
from agentd.apps.letters.evidence.normalisers.clock import MONTHS
from agentd.apps.letters.evidence.reading.readings import once
from agentd.apps.letters.evidence.reading.segments import Claim, Mood
from agentd.apps.letters.languages import phrases

_PACK = phrases()
_IDLE = BESIDE_HOUSE_NUMBER | FILLERS
_DATED = _IDLE | {*_PACK.date_noise}
_EDITABLE = TEXTS | {"date", "nik", "kk", "phone"}
_WORD = re.compile(r"\w+")
_ALIKE = 0.8
"""How alike a misspelt word and its correction are at least (`Marlina`, `Marliana`)."""
_SHORT = 4
"""The fewest letters of such a word."""
_DIGITS = 6
"""The fewest digits of a number that replaces the listed one of its length."""
_DAYS = 31
_COMPONENTS = 2
"""The most components of a date that a part changes; three are a date of their own."""
_NUMBER = "#"
"""As what every word before a house number is compared."""
_PARTS = 12
"""The most parts of a message that edits."""
_LONGEST = 8
"""The most words of an edit."""


def listed(turn: Turn) -> Mapping[str, str]:
    """{field title: value} as the agent listed them before this message; empty without such a list or if it's a yes."""
    found = dict(LISTED.findall(turn.question))
    return found if len(found) > 1 and not turn.heard.affirms else {}


@once
def replies(case: Case) -> Mapping[int, Turn]:
    """The replies to a list that are no mere yes, by order."""
    return {turn.order: turn for turn in case.turns if listed(turn)}


def edits(field: Field, case: Case) -> Iterator[Claim]:
    """Claims from replies to a list: the edited value stands, and the listed one no longer does."""
    for turn in replies(case).values():
        if found := edited(field, case, turn):
            yield Claim(turn.order, Mood.SAID, any(equals(field, value) for value in found), corrected=True)
        elif {*field.spoken} <= {*fold(listed(turn).get(field.title, ""))} and _disputed(field, case, turn):
            yield Claim(turn.order, Mood.TAKEN_BACK, supports=False)


def _disputed(field: Field, case: Case, turn: Turn) -> bool:
    """Whether a part stands under the field's label and says something else than its value."""
    labels = {field.label, *(["alamat"] if field.kind == "address" else ())}
    said = (part for part in parts(case, turn) if part.label in labels and part.mood is Mood.SAID)
    own = (part for part in said if not (field.kind == "place" and days.dates(part.words)))
    return any(not {*field.spoken} <= {*part.words} for part in own)


def edited(field: Field, case: Case, turn: Turn) -> Sequence[str]:
    """What a reply makes of the field's listed value."""
    return changes(case, turn).get(field.title, ()) if field.kind in _EDITABLE else ()


@once
def changes(case: Case, turn: Turn) -> Mapping[str, Sequence[str]]:
    """{field title: what a reply makes of its listed value}, by the parts that can edit only one listed value."""
    found: dict[str, list[str]] = {}
    said = parts(case, turn) if (shown := listed(turn)) else ()
    for part in said if len(said) <= _PARTS else ():
        others = any(owner for _, owner, _ in part.line.sentence.people)
        if part.mood is not Mood.SAID or part.label is not None or others:
            continue
        each = {title: values for title, old in shown.items() if (values := list(_edited(old, part)))}
        for title, values in each.items() if len(each) == 1 else ():
            found.setdefault(title, []).extend(values)
    return found


def _edited(old: str, part: Part) -> Iterator[str]:
    number = "".join(filter(str.isalnum, part.raws))
    if old.isdecimal() and len(old) >= _DIGITS:
        return iter([number] if number.isdecimal() and len(number) == len(old) and number != old else ())
    before = days.parse(old)
    return _redated(before, part.words) if before is not None else _reworded(old, _WORD.findall(_joined(part.raws)))


def _redated(before: date, words: Sequence[str]) -> Iterator[str]:
    """Another date, or this one with another year, month or day, if that is all that the words say."""
    if (found := days.dates(words)) and found[0][:2] == (0, len(words)):
        yield found[0][2].isoformat()
        return
    bare = ((word, *map(word.removesuffix, _PACK.clitics)) for word in words if word[0].isalnum())
    said = [word for word, *roots in bare if _DATED.isdisjoint((word, *roots))]
    changed = dict(filter(None, map(_component, said)))
    if 0 < len(changed) == len(said) <= _COMPONENTS:
        with suppress(ValueError):  # there is no such day
            yield before.replace(**changed).isoformat()


def _component(word: str) -> tuple[str, int] | None:
    """("year", "month" or "day", its number), if a word is one."""
    if (month := MONTHS.get(word)) is not None:
        return "month", month
    number = int(word) if word.isdecimal() and len(word) <= len("2000") else None
    return None if number is None else ("year" if number > _DAYS else "day", number)


def _reworded(old: str, words: Sequence[str]) -> Iterator[str]:
    """The text with words added or replaced beside those that it shares with the reply, or with one word respelled."""
    words = [word for word in words if word.casefold() not in _IDLE]
    words = words[: next((at for at in range(len(words), 0, -1) if words[at - 1].casefold() not in _PACK.quiet), 0)]
    spots = list(_WORD.finditer(old))
    known = [_key(spot.group()) for spot in spots]
    said = list(map(_key, words))
    if not 0 < len(said) <= _LONGEST or any(said == known[at : at + len(said)] for at in range(len(known))):
        return
    if len(said) == 1 and len(words[0]) >= _SHORT and words[0].isalpha():
        for spot, word in zip(spots, known, strict=True):
            if len(word) >= _SHORT and SequenceMatcher(None, word, said[0]).ratio() >= _ALIKE:
                yield old[: spot.start()] + words[0] + old[spot.end() :]
    for at in range(len(known)):
        shared = sum(1 for _ in takewhile(bool, map(str.__eq__, known[at:], said)))
        rest = words[shared:]
        if not rest or len(rest) > shared or (shared == 1 and said[0] != _NUMBER):
            continue
        behind, end = spots[at + shared : at + len(words)], spots[at + shared - 1].end()
        if [_numbered(spot.group()) for spot in behind] == list(map(_numbered, rest)):
            end, start = behind[-1].end(), end
        else:
            start = end
        yield f"{old[:start]} {' '.join(rest)}{old[end:]}"


def _key(word: str) -> str:
    folded = word.casefold()
    return _NUMBER if folded in NUMBERED else folded


def _numbered(word: str) -> bool:
    return word[0].isdecimal()


def _joined(raws: Sequence[str]) -> str:
    """The words as written, with a house number's letter beside it (`12 A`)."""
    return re.sub(r"(?<=\d) (?=[A-Za-z]\b)", "", " ".join(raws))
