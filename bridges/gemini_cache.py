"""Gemini's context caching: the stable start of a prompt is kept at Google and named instead of sent. No turn is asked.

Google keeps nothing below its minimum (1,024 tokens for the flash models, 4,096 for pro) and nothing for free keys:
what it refuses is logged once and sent whole from then on.
"""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from agentd.messages import ChatMessage
from bridges.gemini_shapes import contents, system_text

log = logging.getLogger(__name__)
KEPT = 16
"""Starts of prompts that are remembered, those refused among them: one a kind of caller, and a model."""
EARLY_S = 30.0
"""A cache is not named so shortly before its end."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """A cache's name until it ends; without a name the start was refused."""

    name: str | None
    ends: float


class PrefixCache:
    """The caches of one provider; `ttl_s` is how long each is kept."""

    def __init__(self, ttl_s: float, now: Callable[[], float] = time.monotonic) -> None:
        self._ttl_s, self._now = ttl_s, now
        self._entries: dict[str, _Entry] = {}

    async def name(self, client: Any, start: Sequence[ChatMessage], model: str) -> str | None:
        """The cache that holds this start, made when there is none; None where the start is to be sent."""
        from google.genai import errors

        key = hashlib.sha256(json.dumps([model, *(one.model_dump() for one in start)]).encode()).hexdigest()
        known = self._entries.get(key)
        if known is not None and (known.name is None or known.ends > self._now()):
            return known.name
        config = {"system_instruction": system_text(start), "contents": contents(start) or None}
        try:
            made = await client.aio.caches.create(model=model, config={**config, "ttl": f"{self._ttl_s:.0f}s"})
        except errors.APIError as error:
            log.warning(
                "gemini keeps no start of the prompt, it is sent whole (HTTP %s: %s)", error.code, error.message
            )
            entry = _Entry(None, 0.0)
        else:
            kept = made.usage_metadata.total_token_count if made.usage_metadata else "?"
            log.info("gemini keeps %s tokens of the prompt for %.0f s", kept, self._ttl_s)
            entry = _Entry(made.name, self._now() + self._ttl_s - EARLY_S)
        self._entries.pop(key, None)
        self._entries[key] = entry
        while len(self._entries) > KEPT:
            self._entries.pop(next(iter(self._entries)))
        return entry.name

    def forget(self, name: str) -> None:
        """It is gone: the next turn makes another."""
        log.info("gemini has dropped a kept start of the prompt: it is sent, and kept again")
        self._entries = {key: entry for key, entry in self._entries.items() if entry.name != name}
