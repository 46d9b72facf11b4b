"""Honest calls with one change, as trials that must not pass: one argument gets another's value, two are swapped,
or one gets other words of the conversation. It judges nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from typing import Any

from agentd.agent.text import fold
from lab.eval.evidence.trials import Trial

WORDS = 12
"""Number of other phrases tried for each text."""
_LONGEST = 3
_MARKS = ".,!?\"'():"


def trials(honest: Iterable[Trial]) -> Iterator[Trial]:
    """Every change of every honest call; exactly the changed arguments must be refused."""
    for trial in honest:
        if trial.honest:
            yield from _altered(trial)


def _altered(trial: Trial) -> Iterator[Trial]:
    values = trial.arguments
    for one, other in permutations(values, 2):
        alike = type(values[one]) is type(values[other])
        if alike and values[one] != values[other]:
            yield _with(trial, "another's value", {one: values[other]})
            if one < other:
                yield _with(trial, "changed places", {one: values[other], other: values[one]})
    phrases = list(_phrases(trial))
    for name, value in values.items():
        if isinstance(value, str):
            yield from (_with(trial, "other words", {name: phrase}) for phrase in _others(name, value, phrases))


def _with(trial: Trial, row: str, changed: Mapping[str, Any]) -> Trial:
    key = f"{trial.id}:{row}:{'|'.join(f'{name}={value}' for name, value in changed.items())}"
    arguments = {**trial.arguments, **changed}
    return replace(trial, id=key, row=row, honest=False, arguments=arguments, wrong=frozenset(changed))


def _phrases(trial: Trial) -> Iterator[str]:
    """Every sequence of one to three words in the citizen's messages."""
    for said in trial.said:
        words = [word.strip(_MARKS) for word in said.text.split()] if said.by == "citizen" else []
        for size in range(1, _LONGEST + 1):
            yield from (" ".join(words[at : at + size]) for at in range(len(words) - size + 1))


def _others(name: str, value: str, phrases: Sequence[str]) -> Sequence[str]:
    """Some phrases that share no word with the value, selected by hash so that every run uses the same."""
    own = set(fold(value))
    strange = (phrase for phrase in dict.fromkeys(phrases) if fold(phrase) and own.isdisjoint(fold(phrase)))
    return sorted(strange, key=lambda phrase: hashlib.sha256(f"{name} {phrase}".encode()).digest())[:WORDS]
