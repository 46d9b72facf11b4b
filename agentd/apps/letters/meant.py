"""Whether another choice is nearer in meaning to what the citizen said than the one that a model read. It proves none.

`Two separate beds` names no choice, and a model reads `twin`: the citizen is shown it as what to check. Where the
bundled embeddings clearly come to another choice they are asked instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from agentd.apps.letters.evidence.fields import Field
from agentd.messages import Said
from agentd.ports import Meaning

AHEAD = 0.01
"""Cosine of multilingual-e5-small by which another choice is nearer to a message than the model's."""
LAST = 12
"""Messages that are compared."""


async def outmeant(missing: Sequence[Field], said: Iterable[Said], meaning: Meaning) -> list[Field]:
    """The fields; a choice that was `read` is no more `doubtful` where another one is nearer to what was said."""
    texts = [entry.text for entry in said if entry.by == "citizen"][-LAST:]
    return [replace(field, doubtful=False) if await _another(field, texts, meaning) else field for field in missing]


async def _another(field: Field, texts: Sequence[str], meaning: Meaning) -> bool:
    if not field.read:
        return False
    listed = field.enum.values
    choices = [f"{field.title}: {value.replace('_', ' ')}" for value in listed]
    near = [await meaning.nearness(text, choices) for text in texts]
    best = {value: max(scores) for value, *scores in zip(listed, *near, strict=True)}
    ahead: float = max(best.values(), default=0.0) - best.get(str(field.value), 0.0)
    return ahead >= AHEAD
