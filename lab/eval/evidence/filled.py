"""Counts the values that the host fills in by itself, unmarked, after honest conversations. Judges no call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from agentd.agent.text import fold
from agentd.apps.letters.evidence.fields.field import fields
from agentd.apps.letters.evidence.fields.values import equals
from agentd.apps.letters.policies.copying import copied
from agentd.apps.letters.policies.grounding import case_of, ungrounded
from lab.eval.evidence.trials import Trial, call


def filled(trials: Iterable[Trial]) -> tuple[int, int]:
    """(values that are the honest call's, all that the host filled in)."""
    right = [is_right for trial in trials if trial.honest for *_, is_right in values(trial)]
    return sum(right), len(right)


def values(trial: Trial) -> Iterator[tuple[str, Any, bool]]:
    """(field, value, whether it is right) of each value filled in. What the call lacks, or a part of it, is wrong."""
    case = case_of(trial.tool, trial.said)
    known = copied(trial.tool, case).known
    marked = {field.path for field in ungrounded(call(trial, known))}
    for field in fields(trial.tool.input_schema, known, case.form):
        if field.path in known and field.path not in marked:
            meant = trial.arguments.get(field.path)
            right = meant is not None and (equals(field, meant) or _letters(field.value) == _letters(meant))
            yield field.path, field.value, right


def _letters(value: Any) -> str:
    """The letters and digits of a value: a card's number is the same in groups of four."""
    return "".join(fold(str(value)))
