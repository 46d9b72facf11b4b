"""What the daemon may ask of runs and sessions, as Protocols. The durable engine keeps them; rpc/ and http/ call them.

Every call names its caller: an id that belongs to somebody else is `NotFound`, as if it were not there.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Protocol

from agentd.messages import AgentOptions, AgentOutcome, Artifact, Caller, Event


class Runs(Protocol):
    """Durable runs. The results of run, start, get, cancel and approve have AgentOutcome's wire form."""

    async def run(self, prompt: str, options: AgentOptions, caller: Caller) -> AgentOutcome:
        """Run to its end (completed, needs_approval or cancelled). A failed run raises its AgentdError.

        The same run_id again joins or answers the same run; with another prompt it raises Conflict.
        """
        ...

    async def start(self, prompt: str, options: AgentOptions, caller: Caller) -> AgentOutcome:
        """Take the run on and answer at once (status queued or running)."""
        ...

    async def get(self, run_id: str, caller: Caller) -> dict[str, Any]:
        """The run as it stands; a failed one has `status: "failed"` and `error` {code, message, data}."""
        ...

    async def answer(self, run_id: str, caller: Caller) -> dict[str, Any]:
        """All that the run's executor answered, {} before its end. Raises NotFound."""
        ...

    async def cancel(self, run_id: str, caller: Caller) -> AgentOutcome:
        """Stop it. A run that has ended raises Conflict."""
        ...

    async def approve(
        self, run_id: str, approval_id: str, approved: bool, arguments: dict[str, Any] | None, caller: Caller
    ) -> AgentOutcome:
        """Decide the pending call and run on to the end."""
        ...

    async def list(
        self, caller: Caller, session_id: str | None, status: str | None, limit: int, parked: bool = False
    ) -> dict[str, Any]:
        """{"runs": [summaries, newest first]}; `parked`: only those given up because the daemon ended at them."""
        ...

    def events(self, run_id: str, caller: Caller, after: int = 0) -> AsyncIterator[Event]:
        """Stored events after `after`, then those to come, ending after run.finished. Raises NotFound at first use."""
        ...

    async def artifact(self, run_id: str, name: str, caller: Caller) -> tuple[Artifact, Path]:
        """One file of a run and where it lies, for a caller who may see the run. Raises NotFound."""
        ...


class Sessions(Protocol):
    """Conversations: what a citizen said and was answered."""

    async def create(self, caller: Caller, title: str | None = None) -> dict[str, Any]:
        """{"session_id", "created_at", "title"}."""
        ...

    async def list(self, caller: Caller, limit: int = 50, before: str | None = None) -> dict[str, Any]:
        """{"sessions": […, newest first], "next": cursor or null}."""
        ...

    async def get(self, session_id: str, caller: Caller) -> dict[str, Any]:
        """The session with its turns."""
        ...

    async def fork(self, session_id: str, caller: Caller) -> dict[str, Any]:
        """A new session that shares the past and no future."""
        ...

    async def delete(self, session_id: str, caller: Caller) -> dict[str, Any]:
        """Cancel what is pending and remove every word; issued letters stay."""
        ...

    async def export(self, session_id: str, caller: Caller) -> dict[str, Any]:
        """All that is stored of the session."""
        ...
