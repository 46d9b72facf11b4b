"""Whether an argument is proven by the citizen's last word on it, an officer's form or a tool's result."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any

from agentd.agent.text import folded_tokens, normal
from agentd.apps.letters.evidence.claims import addresses, mentions, naming, quotes, results, wording
from agentd.apps.letters.evidence.claims.answers import answers, passed_over, picked
from agentd.apps.letters.evidence.claims.asserted import asserted, taken_back, taking_back
from agentd.apps.letters.evidence.claims.case import Case, Turn
from agentd.apps.letters.evidence.claims.edits import changes, edits, replies
from agentd.apps.letters.evidence.claims.unclear import clear
from agentd.apps.letters.evidence.fields.field import LONGEST, Field, at_path
from agentd.apps.letters.evidence.fields.spans import NUMBERS
from agentd.apps.letters.evidence.fields.values import equals, within
from agentd.apps.letters.evidence.judging.possible import possible, says_something
from agentd.apps.letters.evidence.normalisers import choices, digits
from agentd.apps.letters.evidence.reading.segments import Claim, Mood

Json = Any
Reader = Callable[[Field, Case], Iterator[Claim]]
_WORD = re.compile(r"[^\W\d_]+")
_SCRIPTS = frozenset({"LATIN", "CYRILLIC", "GREEK"})
"""Scripts with letters that look alike."""


def grounds(field: Field, case: Case) -> frozenset[int] | None:
    """The orders of the messages and results that give a field's value; empty if a rule does, None if nothing does.

    The citizen's last word counts, and no result that was corrected later. A value with a quotation must also be in it,
    and rest on a message or result that contains it.
    """
    if not _readable(field) or not possible(field, case) or _of_another_field(field, case):
        return None
    found = _rests_on(field, case)
    if found is None or (quote := case.quote(field)) is None:
        return found
    quoted = quotes.places(quote, case.said) if within(field, folded_tokens(quote), case.today) else frozenset()
    return found if quoted and (not found or not found.isdisjoint(quoted)) else None


def _readable(field: Field) -> bool:
    value = field.value
    text = "" if value is None else str(value)
    return 0 < len(text) <= LONGEST and (not isinstance(value, str) or (bool(field.spoken) and not _disguised(text)))


def _disguised(text: str) -> bool:
    """Whether a word mixes scripts with look-alike letters: a Cyrillic `а` in a Latin name."""
    return not text.isascii() and any(
        len(_SCRIPTS.intersection(unicodedata.name(letter, "").partition(" ")[0] for letter in word)) > 1
        for word in _WORD.findall(normal(text))
    )


def _of_another_field(field: Field, case: Case) -> bool:
    """Whether a number comes with the name of another field (`3 bathrooms` for the beds)."""
    named = case.form.names.find(folded_tokens(str(field.value))) if field.kind in NUMBERS else ()
    return any(field.key not in one.keys for one in named)


def _rests_on(field: Field, case: Case) -> frozenset[int] | None:
    """The grounds of a possible value, without regard to a quotation."""
    said = chain(_reader(field)(field, case), mentions.called(field, case)) if says_something(field, case) else ()
    claims = [claim for claim in _judged(said, field, case) if not _of_an_edit(field, case, claim.message)]
    spoken = {claim.message for claim in claims if claim.mood is Mood.SAID and (claim.supports or claim.replaces)}
    silent = (turn for turn in taking_back(case) if turn.order not in spoken and not changes(case, turn))
    claims += [Claim(turn.order, Mood.TAKEN_BACK, False) for turn in silent if taken_back(field, case, turn)]
    claims += picked(field, case) if mentions.own(field) else ()
    claims += edits(field, case)
    answered = [claim for claim in answers(field, case) if _clear(field, case, claim.message)]
    instead = {claim.message for claim in answered}
    claims = [claim for claim in claims if claim.message not in instead] + answered
    claims += [Claim(message, Mood.SAID, equals(field, value)) for message, value in _typed_in(field, case)]
    claims.sort(key=lambda claim: claim.message)
    given = frozenset(claim.message for claim in claims if claim.supports and claim.mood is Mood.SAID)
    if field.many:
        return given or None
    if holds(claims):
        return given - {-1}
    if field.free:
        replaced = any(claim.mood is Mood.SAID and not claim.supports and claim.replaces for claim in claims)
        return None if replaced else frozenset()
    found = [
        order
        for order, value in results.values(case.said, field, case.nik, case.lexicon)
        if equals(field, value) and not mentions.turned_down(field, case, order) and not passed_over(field, case, order)
    ]
    if not found:
        return frozenset() if not claims and given_by_nik(field, case) else None
    later = any(claim.message > found[-1] and claim.replaces and claim.mood is not Mood.OPEN for claim in claims)
    return None if later else frozenset(found)


def _clear(field: Field, case: Case, message: int) -> bool:
    turn = case.by_order.get(message)
    return turn is None or clear(field, case, turn) != []


def _of_an_edit(field: Field, case: Case, message: int) -> bool:
    """Whether a reply to a list edits another field's value and doesn't name this field."""
    if (turn := replies(case).get(message)) is None or not (edited := changes(case, turn)):
        return False
    return field.title not in edited and not any(field.key in one.keys for each in turn.named for one in each)


def _judged(claims: Iterable[Claim], field: Field, case: Case) -> Iterator[Claim]:
    """The claims, with the mood OPEN if their message doesn't assert the value."""
    known: dict[Turn, bool] = case.kept(asserted, field)
    for claim in claims:
        turn = case.by_order.get(claim.message)
        if turn is not None and claim.supports and claim.mood is Mood.SAID:
            if turn not in known:
                known[turn] = asserted(field, case, turn)
            claim = claim if known[turn] else claim._replace(mood=Mood.OPEN)
        yield claim


def given_by_nik(field: Field, case: Case) -> bool:
    """Whether the value is the sex that the proven NIK encodes."""
    if field.label != "jenis_kelamin" or not case.nik:
        return False
    known = field.enum.spellings is None or choices.canonical(str(field.value), field.enum) is not None
    return known and choices.sex(field.spoken) == digits.sex(case.nik)


def holds(claims: Iterable[Claim]) -> bool:
    """Whether the value holds after all claims, in order.

    Two different values in one message without a correction between them contradict each other, so neither holds.
    """
    stands = False
    said_in: int | None = None
    other_in: int | None = None
    for claim in claims:
        if claim.mood is Mood.TAKEN_BACK:
            stands, other_in = False, None
        elif claim.mood is Mood.DENIED:
            stands = stands and not claim.supports
        elif claim.mood is Mood.SAID and claim.supports:
            stands = claim.corrected or other_in != claim.message
            said_in = claim.message
        elif claim.mood is Mood.SAID and claim.replaces:
            stands = False
            other_in = None if claim.corrected else claim.message
            if claim.corrected or said_in != claim.message:
                said_in = None
    return stands


def last_word(field: Field, case: Case) -> Claim | None:
    """The citizen's last claim about a field in their own words, whether it supports the value or not; None if none."""
    said = [
        claim for claim in _reader(field)(field, case) if claim.mood is Mood.SAID and (claim.supports or claim.replaces)
    ]
    return max(said, key=lambda claim: claim.message, default=None)


def _typed_in(field: Field, case: Case) -> Iterator[tuple[int, Json]]:
    read = ((order, at_path(form, field.path.split("."))) for order, form in case.forms)
    return ((order, value) for order, value in read if value is not None)


_READERS: dict[str, Reader] = {
    **dict.fromkeys((*NUMBERS, "nik", "kk", "phone", "email", "date", "choice", "place"), mentions.mentions),
    **{"rt": addresses.rt_or_rw, "rw": addresses.rt_or_rw, "address": addresses.address},
    **{"name": naming.name, "relation": naming.relation, "text": wording.text, "boolean": mentions.flags},
}


def _reader(field: Field) -> Reader:
    """The reader for a field's claims: one for a tool's own fields and those of other people; by kind for the citizen's
    common fields."""
    return mentions.mentions if mentions.own(field) else _READERS.get(field.kind, wording.text)
