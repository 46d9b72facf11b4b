"""`[residents]`: how a visitor proves who they are. It asks no server."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import Field

from agentd.config.schema import ClientFile, ServerEntry
from agentd.config.sections import AppSection, Given
from agentd.credentials import filled


class ResidentsSettings(AppSection):
    """`[residents]`: how a visitor proves who they are."""

    server: str = "residents"
    """The server that the daemon asks who somebody is, whatever others offer."""
    idle_s: float = Field(default=600.0, gt=0)
    """Seconds without use after which a session's proof of identity ends."""

    def given(self, entry: ServerEntry, file: ClientFile, folder: Path, environ: Mapping[str, str]) -> Given:
        """The address of the count of wrong PINs that nodes share: three at all of them together lock."""
        if entry.name != self.server or not file.store.url:
            return Given()
        return Given(credentials={"residents_locks_url": filled(file.store.url, environ).encode()})
