"""The app that identifies visitors by the office's register of residents. It draws no letter and asks no model."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any

from agentd.agent.toolset import Fit
from agentd.application import App, Wiring
from agentd.apps.residents import correction_methods, request_methods, session_methods, visit_methods
from agentd.apps.residents.comparing import Comparing
from agentd.apps.residents.corrections import Corrections
from agentd.apps.residents.identity import Identities
from agentd.apps.residents.letter_log import LetterLog, Listed
from agentd.apps.residents.policy import Filled, Visitors
from agentd.apps.residents.register import Register
from agentd.apps.residents.requests import Requests
from agentd.apps.residents.section import ResidentsSettings
from agentd.apps.residents.verifying import Verifications
from agentd.apps.residents.visits import Visits
from agentd.messages import ToolInfo
from agentd.ports import CallPolicy
from agentd.runs.approvals import Review, Reviews
from agentd.runs.records import PendingApproval, RunRecord

if TYPE_CHECKING:
    from aiohttp import web


class Residents(App):
    """Session.verify and everything that depends on it."""

    methods = (
        *(session_methods.verify, session_methods.forget, session_methods.vouch),
        *(visit_methods.status, visit_methods.visit),
        *(request_methods.list_requests, request_methods.get, request_methods.cancel, request_methods.check),
        request_methods.compare,
        request_methods.hand_over,
        *(correction_methods.list_corrections, correction_methods.resolve),
    )

    def __init__(self, wiring: Wiring) -> None:
        super().__init__(wiring)
        self._register = Register(wiring.internal_tools(self._server), self._configured)
        self._identities = Identities(wiring.store, wiring.clock, wiring.settings().section(ResidentsSettings).idle_s)
        self._requests = Requests(wiring.store, wiring.clock, wiring.settings().zone)
        self.reviews = Reviews(self._review, self._requests.check_complete)
        self._corrections = Corrections(wiring.store, wiring.clock)
        self._visitors = Visitors(self._identities, self._register, self._corrections)
        self._letters = LetterLog(wiring.store, self._register, wiring.clock, wiring.audit, self._lists_letters)
        self._verifications = Verifications(self._register, self._identities, wiring.store, wiring.audit)

    async def _review(self, row: RunRecord, approval: PendingApproval) -> Review:
        """Open a request for a call that the citizen agreed to and an officer must approve too."""
        known = self.wiring.tools().catalogue().tool(approval.tool)
        return await self._requests.open(row, approval, known or ToolInfo(name=approval.tool, server=""))

    def policies(self) -> Iterable[CallPolicy]:
        """Set the basis of official calls, fill them in for verified sessions, and note issued letters."""
        listed = Listed(self._letters, self._identities, self.wiring.clock)
        return Filled(self._visitors, self._requests.seen), listed

    def serving(self) -> AbstractAsyncContextManager[None]:
        """Send issued letters to the register that lists them, while the daemon serves."""
        return self._letters.sending()

    def _lists_letters(self) -> bool:
        settings = self.wiring.settings()
        own = next((one for one in settings.servers if one.name == self._server()), None)
        return own is not None and own.env.get("WRITE_LOG", "").strip().lower() == "true"

    async def fitting(self, session_id: str) -> Fit | None:
        """The model of a verified session sees only the fields that are left to fill in."""
        return await self._visitors.fitting(session_id)

    def parts(self) -> Iterable[object]:
        """The objects that Session.verify, Residents.*, Request.* and Correction.* use."""
        visits = Visits(self.wiring.store, self._visitors)
        compared = Comparing(self.wiring.store, self._register, self.wiring.tools)
        return (
            self._verifications,
            self._register,
            visits,
            self._requests,
            compared,
            self._corrections,
            self.wiring.audit,
        )

    def _configured(self) -> bool:
        return any(server.name == self._server() for server in self.wiring.settings().servers)

    def _server(self) -> str:
        return self.wiring.settings().section(ResidentsSettings).server

    def pages(self) -> Iterable[web.AbstractRouteDef]:
        """/status/CODE, open to everybody with a code."""
        from agentd.apps.residents.status_page import StatusPage

        return StatusPage(self._requests).routes()

    async def leaving(self, session_id: str) -> None:
        """Save the status of the session's requests before its runs are removed."""
        await self._requests.settle(session_id)

    async def session_shown(self, session_id: str) -> dict[str, Any]:
        """`identity` without the NIK; None if nobody is verified."""
        identity = await self._identities.of(session_id)
        return {"identity": None if identity is None else identity.shown()}

    async def forget(self, session_id: str) -> None:
        """End the proof of identity with the visit."""
        await self._identities.forget(session_id)
