"""Who asks the daemon, and who said what in a session, as evidence."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from agentd.messages.base import Json, Message

Scope = Literal["kiosk", "chat", "staff", "admin", "model"]


class Caller(Message):
    """Who asks: an id, what it may do, and which profile of client.toml its agent has."""

    id: str
    scopes: frozenset[Scope] = frozenset()
    profile: str | None = None
    session_key: str | None = Field(default=None, exclude=True, repr=False)
    """The visitor's secret that came with this call; it is never stored, logged or sent on."""

    @property
    def is_visitor(self) -> bool:
        """True for one of many people behind a kiosk's or a chat page's token: a session's key distinguishes them."""
        return not self.may("staff") and not self.scopes.isdisjoint(("kiosk", "chat"))

    def with_key(self, session_key: str | None) -> Caller:
        """The same caller with the secret that this call brought."""
        return self if session_key is None else self.model_copy(update={"session_key": session_key})

    def may(self, *scopes: Scope) -> bool:
        """True for an admin and for anyone who has one of the scopes."""
        return "admin" in self.scopes or not self.scopes.isdisjoint(scopes)


class Said(Message):
    """One thing that was said or found in a session, as evidence: by the citizen, by the agent, or by a tool.

    What the agent said after a refused call has that tool's name and its refusal as `value`.

    `order` grows through the session; `tool` names the tool whose result this is (then `value` holds its output, and
    `text` its input as JSON, so that an echo of the input is not taken for a finding).
    """

    by: Literal["citizen", "agent", "tool"]
    order: int
    text: str = ""
    tool: str | None = None
    value: Json = None
    day: str = ""
    """On which day a citizen said it (ISO date); empty where nobody noted it."""
