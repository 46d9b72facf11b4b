"""Tools for the officers' desk: void a letter, list a day's letters, read a letter's file. Models don't see them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from mcp.server.mcpserver import Context
from mcp_types import CallToolResult
from pydantic import BeforeValidator

from servers.certificate import answers, lookups
from servers.certificate.callmeta import CALLER, meta_of, text_of
from servers.certificate.issuing.issuing import LetterService
from servers.certificate.verifying.verification import Verifier

if TYPE_CHECKING:
    from servers.certificate.server import LetterServer

FOR_THE_DESK = {"agentd/for": "desk"}
"""In a tool's `_meta`: for pages and programs; models don't see the tool."""
STAFF = {**FOR_THE_DESK, "agentd/scope": "staff"}
OptionalText = Annotated[str, BeforeValidator(lambda value: "" if value is None else value)]


def add_desk_tools(server: LetterServer, service: LetterService, verifier: Verifier) -> None:
    """Register the desk's tools, for staff only."""

    @server.office_tool(
        {**STAFF, "agentd/audit_subject": "number"},
        by_hand=True,
        read_only_hint=False,
        destructive_hint=True,
        idempotent_hint=True,
        open_world_hint=False,
    )
    def void_letter(
        context: Context[None, Any], number: str, reason: str
    ) -> Annotated[CallToolResult, answers.LetterStatus]:
        return lookups.void(service, verifier, number, reason, by=text_of(meta_of(context), CALLER))

    @server.office_tool(STAFF)
    def list_issued_letters(date: OptionalText = "") -> Annotated[CallToolResult, answers.IssuedLetters]:
        return lookups.issued_on(service, date)

    @server.office_tool(STAFF)
    def get_letter_file(number: str) -> Annotated[CallToolResult, answers.LetterFile]:
        return lookups.file_of(service, number)
