"""The app that knows who a visitor is, by the office's register of residents. It draws no letter and asks no model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from agentd.agent.toolset import Fit
from agentd.application import App, Wiring
from agentd.apps.residents import session_methods
from agentd.apps.residents.identity import Identities
from agentd.apps.residents.policy import Filled, Visitors
from agentd.apps.residents.register import Register
from agentd.apps.residents.verifying import Verifications
from agentd.ports import ToolHost


class Residents(App):
    """Session.verify and what rests on it."""

    methods = (session_methods.verify, session_methods.forget, session_methods.vouch)

    def __init__(self, wiring: Wiring) -> None:
        super().__init__(wiring)
        self._register = Register(wiring.internal_tools(lambda: wiring.settings().residents.server))
        self._identities = Identities(wiring.store, wiring.clock, wiring.settings().residents.idle_s)
        self._visitors = Visitors(self._identities, self._register)
        self._verifications = Verifications(self._register, self._identities, wiring.store, wiring.audit)

    def add_policy(self, inner: ToolHost) -> ToolHost:
        """Official calls say on what they rest; a verified session's are filled in."""
        return Filled(inner, self._visitors)

    async def fitting(self, session_id: str) -> Fit | None:
        """A verified session's model is told only of what is left to fill in."""
        return await self._visitors.fitting(session_id)

    def parts(self) -> Iterable[object]:
        """What Session.verify stands on."""
        return (self._verifications,)

    async def session_shown(self, session_id: str) -> dict[str, Any]:
        """`identity`: never the NIK."""
        identity = await self._identities.of(session_id)
        return {"identity": None if identity is None else identity.shown()}

    async def forget(self, session_id: str) -> None:
        """The proof ends with the visit."""
        await self._identities.forget(session_id)
