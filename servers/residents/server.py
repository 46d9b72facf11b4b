"""The tools of `residents`: verify_resident, get_resident, list_family. Decides nothing about a PIN.

All are for the host (`_meta` agentd/identity): models are offered none of them. No answer, error or log line repeats a
NIK or PIN that was given, except as a field of the requested resident.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Annotated, Any, Literal

from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, TextContent, ToolAnnotations
from pydantic import BaseModel, Field

from servers.common.server import READ_ONLY, Server
from servers.residents.issued_log import IssuedLetter, IssuedLog
from servers.residents.resident import RegisterError, Resident
from servers.residents.verification import Verification, Verified

log = logging.getLogger(__name__)

INSTRUCTIONS = "The office's register of residents, for the host's own use: a resident proves who they are by PIN."
FOR_THE_HOST = {"agentd/identity": True, "agentd/for": "host", "agentd/scope": "staff"}
FOR_THE_DESK = {**FOR_THE_HOST, "agentd/for": "desk"}
NOTES, ATTEMPTS_LEFT, RETRY_AFTER = "agentd/notes", "agentd/attempts_left", "agentd/retry_after_s"
"""In a result's `_meta`: notes for the desk, and the state after a wrong PIN."""
USER_MESSAGE = "agentd/user_message"
"""In a failed result's `_meta`: the message for the citizen."""

TRIES = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)
WRITES = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
Nik = Annotated[str, Field(description="16 digits.")]


class VerifyAnswer(BaseModel):
    """`reason` is null when verified."""

    verified: bool
    resident: Resident | None
    reason: Literal["not_verified", "locked"] | None


class ResidentAnswer(BaseModel):
    """Null for somebody who is not a living resident of this office."""

    resident: Resident | None


class FamilyAnswer(BaseModel):
    """Living members of one family card, the resident among them, the head first; empty for who is no resident."""

    members: list[Resident]


class LogAnswer(BaseModel):
    """False for a letter that stands there already."""

    new: bool


def create_server(verification: Verification, issued: Callable[[], IssuedLog] | None = None) -> Server[None]:
    """Create the server on a register that may be down: each call reports that. `issued` adds the tool log_letter."""
    server = Server[None]("residents", version="1.0.0", instructions=INSTRUCTIONS, log_level="WARNING")

    @server.tool(title="Verify a resident", annotations=TRIES, meta=FOR_THE_HOST)
    def verify_resident(
        pin: Annotated[str, Field(description="Six digits.")],
        nik: Nik | None = None,
        card: Annotated[str | None, Field(description="The tag of an identity card, as the reader types it.")] = None,
    ) -> Annotated[CallToolResult, VerifyAnswer]:
        """Whether a NIK, or a card, and a PIN belong to one living resident. The third wrong PIN locks 15 minutes."""
        if (nik is None) == (card is None):
            raise ToolError("verify_resident takes exactly one of nik and card")
        return _outcome(verification, lambda: _verified(verification.verify(nik=nik, card=card, pin=pin)))

    @server.tool(title="Get a resident", annotations=READ_ONLY, meta=FOR_THE_DESK)
    def get_resident(nik: Nik) -> Annotated[CallToolResult, ResidentAnswer]:
        """What the register holds of a living resident; for an officer who saw the person's card."""

        def get() -> CallToolResult:
            found, notes = verification.resident(nik)
            return _result(ResidentAnswer(resident=found and found.resident), {NOTES: list(notes)})

        return _outcome(verification, get)

    @server.tool(title="List a family", annotations=READ_ONLY, meta=FOR_THE_HOST)
    def list_family(nik: Nik) -> Annotated[CallToolResult, FamilyAnswer]:
        """The living members of the family card of a resident."""

        def members() -> CallToolResult:
            found, notes = verification.resident(nik)
            family = verification.register.family(found) if found is not None else []
            return _result(FamilyAnswer(members=[one.resident for one in family]), {NOTES: list(notes)})

        return _outcome(verification, members)

    if issued is not None:
        _add_log(server, verification, issued)
    return server


def _add_log(server: Server[None], verification: Verification, issued: Callable[[], IssuedLog]) -> None:
    @server.tool(title="Log an issued letter", annotations=WRITES, meta=FOR_THE_HOST)
    def log_letter(letter: IssuedLetter) -> Annotated[CallToolResult, LogAnswer]:
        """Write an issued letter into the register's own lists, once however often it is sent."""
        return _outcome(verification, lambda: _result(LogAnswer(new=issued().write(letter)), {}))


def _verified(verified: Verified) -> CallToolResult:
    answer = VerifyAnswer(verified=verified.resident is not None, resident=verified.resident, reason=verified.reason)
    meta = {NOTES: list(verified.notes), ATTEMPTS_LEFT: verified.attempts_left, RETRY_AFTER: verified.retry_after_s}
    return _result(answer, meta)


def _outcome(verification: Verification, work: Callable[[], CallToolResult]) -> CallToolResult:
    """Return the result, marked if it is a sample's; RegisterError becomes an error for the office and the citizen."""
    try:
        result = work()
    except RegisterError as error:
        log.error("%s", error)
        return CallToolResult(
            content=[TextContent(text=str(error))], is_error=True, _meta={USER_MESSAGE: RegisterError.citizen}
        )
    if verification.register.notice is not None and result.meta is not None:
        result.meta["agentd/sample"] = verification.register.notice
    return result


def _result(answer: BaseModel, meta: dict[str, Any]) -> CallToolResult:
    text = TextContent(text=answer.model_dump_json())
    return CallToolResult(content=[text], structured_content=answer.model_dump(), _meta=meta)
