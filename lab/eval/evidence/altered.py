"""Honest calls with one thing changed, as trials that must not pass: an argument with the value of another, two that
changed places, or an argument with other words of the conversation. No verdicts."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from typing import Any

from agentd.agent.text import fold
from lab.eval.evidence.trials import Trial

WORDS = 12
"""Other words tried for each text."""
_LONGEST = 3
_MARKS = ".,!?\"'():"


def trials(honest: Iterable[Trial]) -> Iterator[Trial]:
    """Every change of every honest call; only what was changed must be refused."""
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
    """Every run of a few words of one message of the citizen."""
    for said in trial.said:
        words = [word.strip(_MARKS) for word in said.text.split()] if said.by == "citizen" else []
        for size in range(1, _LONGEST + 1):
            yield from (" ".join(words[at : at + size]) for at in range(len(words) - size + 1))


def _others(name: str, value: str, phrases: Sequence[str]) -> Sequence[str]:
    """Some phrases that share no word with a value, by their hashes: the same in every run."""
    own = set(fold(value))
    strange = (phrase for phrase in dict.fromkeys(phrases) if fold(phrase) and own.isdisjoint(fold(phrase)))
    return sorted(strange, key=lambda phrase: hashlib.sha256(f"{name} {phrase}".encode()).digest())[:WORDS]
