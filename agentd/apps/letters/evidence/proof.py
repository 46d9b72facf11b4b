"""Whether an argument is proven: by the last word of the citizen on it, an officer's form, or a tool's result."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from agentd.agent.text import fold
from agentd.apps.letters.evidence import (
    address,
    choices,
    dates,
    digits,
    mentions,
    names,
    neighbourhood,
    numbers,
    results,
)
from agentd.apps.letters.evidence.case import Case
from agentd.apps.letters.evidence.claims import addresses, birth, people, wording
from agentd.apps.letters.evidence.claims import choices as chosen
from agentd.apps.letters.evidence.claims import neighbourhood as nearby
from agentd.apps.letters.evidence.claims import numbers as numbered
from agentd.apps.letters.evidence.fields import Field
from agentd.apps.letters.evidence.segments import Mood
from agentd.apps.letters.evidence.settling import Claim, holds

Json = Any
Reader = Callable[[Field, Case], Iterator[Claim]]
LONGEST = 2000
"""Characters of a value; nobody is asked to prove a longer one."""


def proven(field: Field, case: Case) -> bool:
    """Whether a field's value was given: by the citizen (the last word counts), or by a result not since corrected."""
    if (
        field.value is None
        or len(str(field.value)) > LONGEST
        or (isinstance(field.value, str) and not fold(field.value))
    ):
        return False
    reader = mentions.mentions if mentions.own(field) else _READERS.get(field.kind, wording.text)
    claims = list(reader(field, case))
    claims += [Claim(message, Mood.SAID, _equals(field, value)) for message, value in _typed_in(field, case)]
    claims.sort(key=lambda claim: claim.message)
    if field.many:
        return any(claim.supports and claim.mood is Mood.SAID for claim in claims)
    if holds(claims):
        return True
    if field.free:
        return not any(claim.mood is Mood.SAID and not claim.supports and claim.replaces for claim in claims)
    found = [
        order
        for order, value in results.values(case.said, field, case.nik, case.lexicon)
        if _equals(field, value) and not mentions.turned_down(field, case, order)
    ]
    if not found:
        return bool(
            field.label == "jenis_kelamin"
            and case.nik
            and not claims
            and (field.enum.spellings is None or choices.canonical(str(field.value), field.enum) is not None)
            and chosen.sex(field) == digits.sex(case.nik)
        )
    return not any(claim.message > found[-1] and claim.replaces and claim.mood is not Mood.OPEN for claim in claims)


def last_word(field: Field, case: Case) -> Claim | None:
    """The last thing that the citizen said of a field in their own words, right or not; None where there is none."""
    reader = _READERS.get(field.kind, wording.text)
    said = [claim for claim in reader(field, case) if claim.mood is Mood.SAID and (claim.supports or claim.replaces)]
    return max(said, key=lambda claim: claim.message, default=None)


def _typed_in(field: Field, case: Case) -> Iterator[tuple[int, Json]]:
    for form in case.talk.forms:
        value: Json = form.values
        for part in field.path.split("."):
            if isinstance(value, dict):
                value = value.get(part)
            elif isinstance(value, list) and part.isdecimal() and int(part) < len(value):
                value = value[int(part)]
            else:
                value = None
        if value is not None:
            yield form.message, value


def _equals(field: Field, other: Json) -> bool:
    """Whether two JSON values of one field are the same by value."""
    value = field.value
    if isinstance(value, bool) or isinstance(other, bool) or not isinstance(other, str | int | float):
        return type(value) is type(other) and bool(value == other)
    left, right = str(value), str(other)
    same: dict[str, Callable[[], bool]] = {
        "nik": lambda: digits.sixteen(left) is not None and digits.sixteen(left) == digits.sixteen(right),
        "kk": lambda: digits.sixteen(left) is not None and digits.sixteen(left) == digits.sixteen(right),
        "date": lambda: dates.parse(left) is not None and dates.parse(left) == dates.parse(right),
        "rt": lambda: neighbourhood.value(left) is not None and neighbourhood.value(left) == neighbourhood.value(right),
        "rw": lambda: neighbourhood.value(left) is not None and neighbourhood.value(left) == neighbourhood.value(right),
        "phone": lambda: digits.phone(left) is not None and digits.phone(left) == digits.phone(right),
        "choice": lambda: (
            choices.canonical(left, field.enum) is not None
            and choices.canonical(left, field.enum) == choices.canonical(right, field.enum)
        ),
        "name": lambda: names.same(names.key(left), names.key(right)),
        "address": lambda: address.parse(left) == address.parse(right),
        "number": lambda: numbers.value(left) is not None and numbers.value(left) == numbers.value(right),
    }
    return same.get(field.kind, lambda: fold(left) == fold(right))()


_READERS: dict[str, Reader] = {
    **{"nik": numbered.identity, "kk": numbered.identity, "phone": numbered.phone, "number": numbered.number},
    **{"money": numbered.number, "year": numbered.number},
    **{"rt": nearby.rt_or_rw, "rw": nearby.rt_or_rw, "rtrw": nearby.rt_and_rw, "address": addresses.address},
    **{"date": birth.birth_or_date, "place": birth.place, "birth": birth.place_and_date, "name": people.name},
    **{"choice": chosen.choice, "relation": people.relation, "text": wording.text, "boolean": wording.boolean},
}
