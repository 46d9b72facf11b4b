"""Records when each token was last used: in memory, written to a file once a minute."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from agentd.ports import Clock
from hardening.files import replace

FILE_NAME = "access-used.json"
_WRITE_EVERY_S = 60.0


class LastUse:
    """{principal's id: ISO time of its last request}, in a separate file so that the tokens' file is never at risk."""

    def __init__(self, state: Path, clock: Clock) -> None:
        self._path = state / FILE_NAME
        self._clock = clock
        self._new: dict[str, datetime] = {}

    def note(self, principal_id: str) -> None:
        self._new[principal_id] = self._clock.now()

    def times(self) -> dict[str, str]:
        """The times as last written; empty if the file is missing or unreadable."""
        with suppress(OSError, ValueError):
            kept = json.loads(self._path.read_bytes())
            if isinstance(kept, dict):
                return {str(name): str(at) for name, at in kept.items()}
        return {}

    def write(self) -> None:
        if not self._new:
            return
        new, self._new = self._new, {}
        merged = self.times() | {name: at.isoformat(timespec="minutes") for name, at in new.items()}
        replace(self._path, json.dumps(merged, indent=1).encode())

    async def keep(self) -> None:
        """Write once a minute and at the end."""
        try:
            while True:
                await asyncio.sleep(_WRITE_EVERY_S)
                await asyncio.to_thread(self.write)
        finally:
            self.write()
