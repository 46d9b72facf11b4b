"""Session.verify, .forget and .vouch: prove a session's person by a PIN or by an officer who saw the card.

The PIN goes only to the register: nothing here keeps, logs or records it.
"""

from __future__ import annotations

from typing import Any

from pydantic import Field

from agentd.agent.approval import LEVELS, Level
from agentd.apps.residents.identity import Identities, Identity
from agentd.apps.residents.pace import Pace
from agentd.apps.residents.register import NIK, Register, Resident, Verdict
from agentd.apps.residents.replies import in_each_language
from agentd.audit import AuditTrail
from agentd.errors import Conflict, NotFound, RateLimited
from agentd.messages import Caller, Message
from agentd.runs.store import RunStore
from agentd.runs.visibility import owned_session


class VerificationResult(Message):
    """Whether the visitor's identity is proven; a wrong PIN and an unknown NIK are answered alike."""

    verified: bool
    level: str | None = Field(description="pin, card+pin or officer; null when not verified.")
    display_name: str | None = Field(repr=False)
    attempts_left: int = Field(
        description="Wrong PINs that are left before the NIK is locked; 0 where no PIN was asked for."
    )
    expires_at: str | None = Field(description="When it ends unless the session is used (ISO 8601).")


class Verifications:
    """Makes and ends proofs of identity."""

    def __init__(self, register: Register, identities: Identities, store: RunStore, audit: AuditTrail) -> None:
        self._register = register
        self._identities = identities
        self._store = store
        self._audit = audit
        self._pace = Pace()

    async def verify(
        self, session_id: str, *, nik: str | None, card: str | None, pin: str, caller: Caller
    ) -> VerificationResult:
        """Verify by a PIN. Raises NotFound, Conflict (another resident's session), RateLimited, ToolExecution."""
        owned_session(await self._store.sessions.get(session_id), caller)
        known = await self._identities.of(session_id)
        if known is not None and nik is not None and nik != known.nik:
            raise _of_another()
        verdict = await self._tried(caller, nik=nik, card=card, pin=pin)
        level: Level = "pin" if card is None else "card+pin"
        if verdict.resident is None:
            await self._record("session.locked" if verdict.locked else "session.refused", caller, session_id, verdict)
            if verdict.locked:
                raise _locked(verdict.retry_after_s)
            return _refused(verdict.attempts_left)
        identity = await self._proven(session_id, verdict.resident, level)
        await self._record("session.verified", caller, session_id, verdict, level=identity.level)
        return _verified(await self._identities.keep(identity), verdict.attempts_left)

    async def vouch(self, session_id: str, nik: str, caller: Caller) -> VerificationResult:
        """Verify by an officer who saw the card. Raises NotFound, Conflict, ToolExecution."""
        if await self._store.sessions.get(session_id) is None:
            raise NotFound("there is no such session")
        verdict = await self._register.resident(nik) if NIK.fullmatch(nik) else Verdict()
        if verdict.resident is None:
            await self._record("session.refused", caller, session_id, verdict)
            return _refused()
        identity = await self._proven(session_id, verdict.resident, "officer")
        await self._record("session.vouched", caller, session_id, verdict, level=identity.level)
        return _verified(await self._identities.keep(identity))

    async def forget(self, session_id: str, caller: Caller) -> list[str]:
        """End the session's proof. Returns the ids of the runs that wait on it. Raises NotFound."""
        owned_session(await self._store.sessions.get(session_id), caller)
        if await self._identities.of(session_id) is not None:
            await self._audit.arecord("session.forgotten", actor=caller.id, subject=session_id)
            await self._identities.forget(session_id)
        waiting = await self._store.runs_where(session_id=session_id, status="needs_approval")
        bases = [(run.run_id, run.approval and run.approval.basis) for run in waiting]
        return [run_id for run_id, basis in bases if basis and "register" in basis["sources"].values()]

    async def _tried(self, caller: Caller, **given: Any) -> Verdict:
        """Ask the register once; a visitor's screen waits longer after each wrong try."""
        if not caller.is_visitor:
            return await self._register.verify(**given)
        async with self._pace.turn(caller.id) as tries:
            verdict = await self._register.verify(**given)
            if not verdict.locked:  # a locked NIK is not a try
                tries.wrong = tries.wrong + 1 if verdict.resident is None else 0
            return verdict

    async def _proven(self, session_id: str, resident: Resident, level: Level) -> Identity:
        """The proof, at a higher level if the same person already proved one. Raises Conflict for another person."""
        known, nik = await self._identities.of(session_id), str(resident["nik"])
        if known is not None and known.nik != nik:
            raise _of_another()
        if known is not None and LEVELS.index(known.level) > LEVELS.index(level):
            level = known.level
        return Identity(session_id, nik, level, str(resident["nama"]))

    async def _record(self, action: str, caller: Caller, session_id: str, verdict: Verdict, **facts: str) -> None:
        await self._audit.arecord(action, actor=caller.id, subject=session_id, notes=list(verdict.notes), **facts)


def _verified(identity: Identity, attempts_left: int = 0) -> VerificationResult:
    return VerificationResult(verified=True, attempts_left=attempts_left, **identity.shown())


def _refused(attempts_left: int = 0) -> VerificationResult:
    return VerificationResult(
        verified=False, level=None, display_name=None, attempts_left=attempts_left, expires_at=None
    )


def _of_another() -> Conflict:
    return Conflict(
        "the session is verified for another resident; call Session.forget first",
        user_message=in_each_language("of_another"),
    )


def _locked(retry_after_s: int) -> RateLimited:
    minutes = max(1, -(-retry_after_s // 60))
    return RateLimited(
        "the NIK or card is locked after three wrong PINs",
        retry_after_s=retry_after_s,
        user_message=in_each_language("locked", minutes=minutes),
    )
