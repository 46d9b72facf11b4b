"""Finds a model's quotation for an argument in the citizen's own words or in a result.

This is the first check of a quoted argument; what the quotation says about which field is judged elsewhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

from agentd.agent.approval import AS_WRITTEN, as_written, shown
from agentd.agent.text import folded_tokens
from agentd.apps.letters.evidence.claims.results import leaves
from agentd.apps.letters.evidence.reading.pasted import own_words, typed
from agentd.errors import Language
from agentd.messages import Said

LONGEST = 2000
"""The most characters of a quotation; a longer one is too unspecific."""


OFFERED = "offered"
"""Key in a refused call's output: {field: value} of what the citizen said and the agent asks back."""


def unquoted(entry: Said) -> str:
    """What the agent said, without the citizen's own values that it asked back."""
    text = entry.text
    for value in offered(entry).values():
        text = _forms(value).sub("", text)
    return text


def offered(entry: Said) -> Mapping[str, Any]:
    """{field: value} of what a question of the agent asked back and displayed."""
    said = entry.value.get(OFFERED) if isinstance(entry.value, Mapping) else None
    return {path: value for path, value in (said or {}).items() if _forms(value).search(entry.text)}


def _forms(value: Any) -> re.Pattern[str]:
    """Finds a value in a question: as it is, or as people write it in any language."""
    known: tuple[Language, ...] = get_args(Language)
    if isinstance(value, bool):  # a mere `ya` is no value shown
        return re.compile(rf"(?<=: )(?:{'|'.join(shown(value, language) for language in known)})(?!\w)", re.IGNORECASE)
    written = {as_written(str(value), kind, language) for language in known for kind in AS_WRITTEN}
    forms = "|".join(map(re.escape, sorted({str(value), *written}, key=len, reverse=True)))
    return re.compile(rf"(?:(?<!\w)|(?<=[^\W\d_])(?=\d))(?:{forms})(?!\w)", re.IGNORECASE)


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
