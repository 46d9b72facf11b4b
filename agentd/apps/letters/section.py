"""`[letters]`: the server that issues letters, and the assurance level it requires. It calls no server."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from agentd.agent.approval import ASSURANCE, Level
from agentd.config.schema import ClientFile, ServerEntry
from agentd.config.sections import AppSection, Given, Report
from agentd.credentials import filled
from agentd.messages import ToolInfo


class LettersSettings(AppSection):
    """`[letters]`: who speaks for the office."""

    server: str = "certificate"
    """The server that the daemon's own pages (/verify, /preview, the counter's cards) ask, whatever others offer."""
    assurance: Level | None = None
    """The least level at which every letter is issued, in place of its folder's (shipped: officer, whose yes it is)."""

    def check(self, file: ClientFile, problem: Report, warning: Report) -> None:
        """Check that nodes which share their runs also share the register of letters."""
        if file.store.url and not file.store.letters_url and self.server in {entry.name for entry in file.servers}:
            problem(
                ("store", "url"),
                "a shared queue with a local register of letters: two nodes would give one number twice; "
                "set letters_url",
            )

    def given(self, entry: ServerEntry, file: ClientFile, folder: Path, environ: Mapping[str, str]) -> Given:
        """What the letters' server is given: the office's folder and the address of the register's database."""
        if entry.name != self.server:
            return Given()
        url = file.store.letters_url
        return Given(
            {"PROFILE_DIR": str(folder)}, {"letters_database_url": filled(url, environ).encode()} if url else {}
        )

    def tool(self, tool: ToolInfo) -> ToolInfo:
        """An official tool, raised to the least level that this office requires."""
        if self.assurance is None or ASSURANCE not in tool.meta:
            return tool
        return tool.model_copy(update={"meta": {**tool.meta, ASSURANCE: self.assurance}})
