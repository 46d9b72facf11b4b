"""Tools for the officers' desk: void a letter, list a day's letters, read a letter's file. Models don't see them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from mcp.server.mcpserver import Context
from mcp_types import CallToolResult, ToolAnnotations
from pydantic import BeforeValidator

from servers.certificate import answers, lookups
from servers.certificate.callmeta import CALLER, meta_of, text_of
from servers.certificate.issuing.issuing import LetterService
from servers.certificate.verifying.verification import Verifier

if TYPE_CHECKING:
    from servers.certificate.server import LetterServer

FOR_THE_DESK = {"agentd/for": "desk"}
"""In a tool's `_meta`: for pages and programs; models don't see the tool."""
READ_ONLY = {"read_only_hint": True, "open_world_hint": False}
OptionalText = Annotated[str, BeforeValidator(lambda value: "" if value is None else value)]


def add_desk_tools(server: LetterServer, service: LetterService, verifier: Verifier) -> None:
    """Register the desk's tools, for staff only."""
    words = service.office.speech

    @server.tool(
        description=words.tools["void_letter"],
        annotations=ToolAnnotations(
            title=words.titles["void_letter"],
            read_only_hint=False,
            destructive_hint=True,
            idempotent_hint=True,
            open_world_hint=False,
        ),
        meta={**FOR_THE_DESK, "agentd/scope": "staff", "agentd/audit_subject": "number"},
    )
    async def void_letter(
        context: Context[None, Any], number: str, reason: str
    ) -> Annotated[CallToolResult, answers.LetterStatus]:
        by = text_of(meta_of(context), CALLER)
        return await server.answer(lambda: lookups.void(service, verifier, number, reason, by))

    @server.tool(
        description=words.tools["list_issued_letters"],
        annotations=ToolAnnotations(title=words.titles["list_issued_letters"], **READ_ONLY),
        meta={**FOR_THE_DESK, "agentd/scope": "staff"},
    )
    async def list_issued_letters(
        date: OptionalText = "",
    ) -> Annotated[CallToolResult, answers.IssuedLetters]:
        return await server.answer(lambda: lookups.issued_on(service, date))

    @server.tool(
        description=words.tools["get_letter_file"],
        annotations=ToolAnnotations(title=words.titles["get_letter_file"], **READ_ONLY),
        meta={**FOR_THE_DESK, "agentd/scope": "staff"},
    )
    async def get_letter_file(number: str) -> Annotated[CallToolResult, answers.LetterFile]:
        return await server.answer(lambda: lookups.file_of(service, number))
