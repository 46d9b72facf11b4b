"""Earlier tool results as evidence: a value counts only under its own name, in a record of the same person."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from agentd.agent.text import fold
from agentd.apps.letters.evidence.fields.field import Field
from agentd.apps.letters.evidence.reading.lexicon import Lexicon, person
from agentd.apps.letters.languages import phrases
from agentd.messages import Said

Json = Any
_NOT_A_PERSON = phrases().not_a_person
"""Keys of a result that are about the office or forms."""


def values(said: Sequence[Said], field: Field, nik: str | None, lexicon: Lexicon) -> Iterator[tuple[int, Json]]:
    """(order, value) pairs that results give for a field, newest last.

    A record with a NIK counts only for the NIK of this call (`nik`; None if the citizen proved none). Values that a
    tool only echoes from its input (`Said.text`, as JSON) and running text prove nothing.
    """
    labelled = cache(lambda key: lexicon.label(key.replace("_", " ").casefold()) or key)
    labels = {field.label, field.path.rpartition(".")[2]}
    labels |= {"alamat"} if field.label == "alamat_domisili" else set()
    for entry in sorted(said, key=lambda entry: entry.order):
        if entry.by != "tool" or not isinstance(entry.value, (Mapping, list)):
            continue
        echoed = {str(leaf).casefold() for leaf in leaves(parsed(entry.text))} if entry.text else set[str]()
        for key, about, value in _records(entry.value, None, nik, cache(_relation)):
            if labelled(key) in labels and about == field.person and str(value).casefold() not in echoed:
                yield entry.order, value


def _relation(key: str) -> str | None:
    return person(fold(key.replace("_", " ")))


def _records(
    value: Json, about: str | None, nik: str | None, relation: Callable[[str], str | None]
) -> Iterator[tuple[str, str | None, Json]]:
    if isinstance(value, Mapping):
        own = value.get("nik") or value.get("NIK")
        if own is not None and nik is not None and "".join(fold(str(own))) != nik:
            return
        for key, inner in value.items():
            if key.casefold() in _NOT_A_PERSON:
                continue
            spoken = relation(str(key)) or about
            if isinstance(inner, (Mapping, list)):
                yield from _records(inner, spoken, nik, relation)
            elif inner is not None:
                yield str(key), spoken, inner
    elif isinstance(value, list):
        for inner in value:
            if isinstance(inner, (Mapping, list)):
                yield from _records(inner, about, nik, relation)


def leaves(value: Json) -> Iterator[Json]:
    """The leaf values of a JSON value, without keys."""
    if isinstance(value, (Mapping, list)):
        for inner in value.values() if isinstance(value, Mapping) else value:
            yield from leaves(inner)
    else:
        yield value


def parsed(text: str) -> Json:
    """The text parsed as JSON; None if it isn't JSON."""
    try:
        return json.loads(text)
    except ValueError:
        return None
