"""Compares a field's values and finds them in words. Doesn't judge whose words they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

from agentd.agent.text import fold, folded_tokens
from agentd.apps.letters.evidence.fields.field import Field
from agentd.apps.letters.evidence.fields.spans import spans
from agentd.apps.letters.evidence.normalisers import address, choices, days, digits, names, numbers, texts
from agentd.apps.letters.evidence.reading.lexicon import person

Json = Any


def equals(field: Field, other: Json) -> bool:
    """Whether another JSON value is equal for the field's kind."""
    value = field.value
    if isinstance(value, bool) or isinstance(other, bool) or not isinstance(other, str | int | float):
        return type(value) is type(other) and bool(value == other)
    left, right = str(value), str(other)
    read = _READ.get(field.kind)
    if field.kind == "choice":
        meant = choices.canonical(left, field.enum)
        return meant is not None and meant == choices.canonical(right, field.enum)
    if field.kind == "name":
        return names.same(names.key(left), names.key(right))
    if fold(left) == fold(right):
        return True
    return read is not None and read(left) is not None and read(left) == read(right)


_READ: dict[str, Callable[[str], Any]] = {
    **dict.fromkeys(("nik", "kk"), digits.sixteen),
    **dict.fromkeys(("rt", "rw"), address.small_number),
    **{"date": days.parse, "phone": digits.phone, "address": address.parse, "number": numbers.value},
    "rtrw": lambda value: address.neighbourhood(folded_tokens(value)),
}


def within(field: Field, words: Sequence[str], today: date) -> bool:
    """Whether words contain the field's value: by its kind, as written, or in words with the same meaning."""
    value = str(field.value)
    if any(span.supports for span in spans(field, words, today)):
        return True
    if field.kind == "boolean":
        return bool(words)  # the quotation doesn't contain what a yes refers to
    if field.kind == "relation":
        return person(fold(value)) == person(list(words))
    if field.kind == "address":
        return address.supports(address.read(list(words)), address.parse(value))
    if field.kind in ("rt", "rw"):
        return address.small_number(value) in numbers.amounts(words)
    return texts.saying(value)(words)
