"""The daemon's callers, and the statements of a session as evidence."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from agentd.messages.base import Json, Message

Scope = Literal["kiosk", "chat", "staff", "admin", "model"]


class Caller(Message):
    """A caller: an id, its scopes, and the client.toml profile of its agent."""

    id: str
    scopes: frozenset[Scope] = frozenset()
    profile: str | None = None
    session_key: str | None = Field(default=None, exclude=True, repr=False)
    """The visitor's secret that came with this call; never stored, logged or passed on."""

    @property
    def is_visitor(self) -> bool:
        """Whether the caller shares a kiosk's or chat page's token with many people; session keys tell them apart."""
        return not self.may("staff") and not self.scopes.isdisjoint(("kiosk", "chat"))

    def with_key(self, session_key: str | None) -> Caller:
        """The caller with this call's session key, if it has one."""
        return self if session_key is None else self.model_copy(update={"session_key": session_key})

    def may(self, *scopes: Scope) -> bool:
        """Whether the caller is admin or has one of the scopes."""
        return "admin" in self.scopes or not self.scopes.isdisjoint(scopes)


class Said(Message):
    """One statement or finding of a session as evidence, by the citizen, the agent or a tool.

    An agent's answer after a refused call has that tool's name, and the refusal as `value`.

    `order` increases through the session. For a tool's result `tool` is its name, `value` its output, and `text` its
    input as JSON, so that an echo of the input is not taken for a finding.
    """

    by: Literal["citizen", "agent", "tool"]
    order: int
    text: str = ""
    tool: str | None = None
    value: Json = None
    day: str = ""
    """The day on which a citizen said it (ISO date); empty if unknown."""
