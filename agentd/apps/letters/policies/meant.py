"""Uses embeddings to decide whether an answer that a model read, but no words prove, may be shown. They prove nothing.

From `two separate beds`, which names no choice, a model reads `twin`; from `I have a dog`, a yes for pets. The citizen
is shown the value to check: a choice unless another is clearly nearer to what was said, a yes or no unless other fields
are clearly nearer to everything that was said and asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from agentd.agent.text import name_words
from agentd.apps.letters.evidence.fields.field import Field, properties
from agentd.messages import Said, ToolCall
from agentd.ports import Meaning

AHEAD = 0.015
"""The lead in cosine (multilingual-e5-small) with which another choice beats the model's."""
NEAR = 0.02
"""The lead with which another field beats that of a yes or no in one message."""
LAST = 12
"""Number of latest messages that are compared, of the citizen and of the agent each."""


async def weighed(missing: Sequence[Field], call: ToolCall, meaning: Meaning) -> list[Field]:
    """The fields, with `doubtful` decided for those that were `read`: False for a choice if another is clearly nearer
    to what was said; True for a yes or no only if no field is clearly nearer to some message."""
    read = [field for field in missing if field.read]
    nearest = await _nearest(call, meaning) if any(field.kind == "boolean" for field in read) else frozenset()
    said = _texts(call.said, "citizen")
    doubtful = {
        field: field.key in nearest if field.kind == "boolean" else not await _another(field, said, meaning)
        for field in read
    }
    return [replace(field, doubtful=doubtful[field]) if field in doubtful else field for field in missing]


async def _nearest(call: ToolCall, meaning: Meaning) -> frozenset[str]:
    """The keys of the fields that no other is clearly nearer than to some message of the citizen or the agent."""
    fields = {path: _described(path, rule) for path, rule in properties(call.tool.input_schema).items()}
    texts = (*_texts(call.said, "citizen"), *_texts(call.said, "agent"))
    near = [dict(zip(fields, await meaning.nearness(text, list(fields.values())), strict=True)) for text in texts]
    return frozenset(key for scores in near for key, score in scores.items() if max(scores.values()) - score < NEAR)


async def _another(field: Field, texts: Sequence[str], meaning: Meaning) -> bool:
    listed = field.enum.values
    choices = [f"{field.title}: {value.replace('_', ' ')}" for value in listed]
    near = [await meaning.nearness(text, choices) for text in texts]
    best = {value: max(scores) for value, *scores in zip(listed, *near, strict=True)}
    ahead: float = max(best.values(), default=0.0) - best.get(str(field.value), 0.0)
    return ahead >= AHEAD


def _texts(said: Iterable[Said], by: str) -> Sequence[str]:
    return [entry.text for entry in said if entry.by == by][-LAST:]


def _described(path: str, rule: Mapping[str, Any]) -> str:
    """A field's title and its description in the schema."""
    return f"{rule.get('title') or ' '.join(name_words(path))}: {rule.get('description', '')}"
