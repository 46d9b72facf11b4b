"""Gemini's context caching: Google stores the stable start of a prompt, and requests name it instead of sending it.

Google caches nothing below its minimum (1,024 tokens for the flash models, 4,096 for pro) and nothing for free keys; a
prompt start that it refuses is logged once and sent in full from then on.
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
"""Prompt starts to remember, including refused ones: one for each kind of caller and model."""
EARLY_S = 30.0
"""A cache is not used in the last seconds before it expires."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """A cache's name until it expires; `name` is None if Google refused this start."""

    name: str | None
    ends: float


class PrefixCache:
    """The caches of one provider, each kept for `ttl_s` seconds."""

    def __init__(self, ttl_s: float, now: Callable[[], float] = time.monotonic) -> None:
        self._ttl_s, self._now = ttl_s, now
        self._entries: dict[str, _Entry] = {}

    async def name(self, client: Any, start: Sequence[ChatMessage], model: str) -> str | None:
        """Return the name of the cache with this start, creating it if needed; None if the start must be sent."""
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
        """Drop a cache that Google no longer has, so that the next turn creates a new one."""
        log.info("gemini has dropped a kept start of the prompt: it is sent, and kept again")
        self._entries = {key: entry for key, entry in self._entries.items() if entry.name != name}
