"""Finds a model's quotation for an argument in the citizen's own words or in a result.

This is the first check of a quoted argument; what the quotation says about which field is judged elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from agentd.agent.text import folded_tokens
from agentd.apps.letters.evidence.claims.results import leaves
from agentd.apps.letters.evidence.reading.pasted import own_words, typed
from agentd.messages import Said

LONGEST = 2000
"""The most characters of a quotation; a longer one is too unspecific."""


def places(quote: str, said: Sequence[Said]) -> frozenset[int]:
    """The orders of the messages and results that contain the quotation verbatim, ignoring spaces and case.

    It must be in one message, and not in text that a citizen pasted or quoted, nor in the agent's words.
    """
    wanted = _run(quote)
    if not wanted.strip() or len(quote) > LONGEST:
        return frozenset()
    return frozenset(entry.order for entry in said if any(wanted in _run(text) for text in _texts(entry)))


def _run(text: str) -> str:
    return f" {' '.join(folded_tokens(text))} "


def _texts(entry: Said) -> Iterator[str]:
    if entry.by == "citizen":
        form = typed(entry.text)
        yield from [own_words(entry.text)] if form is None else _written(form)
    elif entry.by == "tool":
        yield from _written(entry.value)


def _written(value: Any) -> Iterator[str]:
    return (leaf if isinstance(leaf, str) else json.dumps(leaf) for leaf in leaves(value) if leaf is not None)
