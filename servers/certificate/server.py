"""The MCP server `certificate`: exposes the letter service's tools. Decides nothing about letters itself.

The `generate_…` tools are built from the catalogue at every listing, so a new letter folder is a new tool; a watcher
notifies connected clients (tools/list_changed). Wrong fields come back as one tool error that lists all of them.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import weakref
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, TypeVar

import anyio.to_thread
from mcp.server.connection import Connection
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.subscriptions import InMemorySubscriptionBus
from mcp.shared.subscriptions import ToolsListChanged
from mcp_types import CallToolResult, InputRequiredResult, ResourceLink, TextContent, Tool, ToolAnnotations
from pydantic import BeforeValidator, Field

from hardening.tasks import beside
from servers.certificate import answers, lookups
from servers.certificate.callmeta import (
    CALLER,
    IDEMPOTENCY_KEY,
    SESSION_ID,
    basis_of,
    consent_of,
    is_staff,
    may_name_paths,
    meta_of,
    spoken,
    text_of,
)
from servers.certificate.issuing.issuing import LetterService
from servers.certificate.issuing.standing import NotNow
from servers.certificate.languages import asked_by
from servers.certificate.letters.lettertype import LetterType
from servers.certificate.register.database import LedgerError
from servers.certificate.register.journal import JournalError
from servers.certificate.signing.officekey import OfficeKeyError
from servers.certificate.tools import generate_tool
from servers.certificate.verifying.verification import Verification, Verifier
from servers.common.server import Server

log = logging.getLogger(__name__)

WATCH_SECONDS = 1.0
RETRY_SECONDS = 30.0
SEAL_SECONDS = 600.0
"""How often to check whether the register's head must be signed for a new day."""

Work = TypeVar("Work", bound=Callable[..., Any])
READ_ONLY = {"read_only_hint": True, "open_world_hint": False}
FOR_THE_DESK = {"agentd/for": "desk"}
"""In a tool's `_meta`: for pages and programs; models don't see the tool."""
STAFF = {**FOR_THE_DESK, "agentd/scope": "staff"}
WRITES = {"read_only_hint": False, "destructive_hint": True, "idempotent_hint": True, "open_world_hint": False}
OptionalText = Annotated[str, BeforeValidator(lambda value: "" if value is None else value)]
OptionalCode = Annotated[OptionalText, Field(json_schema_extra={"x-agentd-kind": "code"})]


class LetterServer(Server[None]):
    """An MCP server whose `generate_…` tools follow the catalogue."""

    def __init__(self, service: LetterService) -> None:
        self._service = service
        self._bus = InMemorySubscriptionBus()
        self._connections: weakref.WeakSet[Connection] = weakref.WeakSet()
        super().__init__(
            "certificate",
            version="1.0.0",
            instructions=service.office.speech.instructions,
            log_level="WARNING",
            subscriptions=self._bus,
            middleware=[self._remember_connection],
            lifespan=self._alive,
        )

    async def list_tools(self) -> list[Tool]:
        """List one `generate_…` for each letter type, then the other tools."""
        if self._service.catalogue.refresh():
            await self._tell_tools_changed()
        language, letters = self._service.office.language, self._service.catalogue.types.values()
        others = await super().list_tools()
        for tool in others:
            if tool.name == "get_letter_requirements":
                elsewhere = lookups.of_other_offices(self._service)
                asked = [*asked_by(tool.name, "fees"), *elsewhere]
                tool.meta = {"agentd/asked_by": asked, "agentd/about": {"letter_type": elsewhere}}
        return [generate_tool(letter, language) for letter in letters] + others

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[None, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool. Raises ToolError for unknown tools."""
        self._service.catalogue.refresh()
        letter = self._service.catalogue.types.get(name.removeprefix("generate_"))
        if letter is None or letter.tool != name:
            return await super().call_tool(name, arguments, context)
        meta = meta_of(context) if context else {}
        return await self.answer(functools.partial(self._generate, letter, arguments, meta), meta)

    def office_tool(self, meta: dict[str, Any], *, by_hand: bool = False, **hints: bool) -> Callable[[Work], Work]:
        """Register a function under its name, with its words in the office's language; without hints it only reads.

        It runs as by `answer`, in the language of its `context` if it takes one; in the office's if it is called
        `by_hand`, by officers and pages outside a conversation, in which nobody chose a language.
        """
        words = self._service.office.speech

        def registered(function: Work) -> Work:
            @functools.wraps(function)
            async def answered(**arguments: Any) -> CallToolResult:
                context = None if by_hand else arguments.get("context")
                return await self.answer(functools.partial(function, **arguments), meta_of(context) if context else {})

            name = function.__name__
            annotations = ToolAnnotations(title=words.titles.get(name), **(hints or READ_ONLY))
            self.tool(description=words.tools[name], annotations=annotations, meta=meta)(answered)
            return function

        return registered

    async def answer(self, work: Callable[[], CallToolResult], meta: Mapping[str, Any]) -> CallToolResult:
        """Run blocking work on a thread; exceptions become tool errors in the language of `meta`, else the office's."""
        try:
            return await anyio.to_thread.run_sync(work)
        except Exception as error:
            return answers.error_of(error, spoken(meta, self._service.office.speech))

    def _generate(self, letter: LetterType, arguments: dict[str, Any], meta: Mapping[str, Any]) -> CallToolResult:
        key, session = text_of(meta, IDEMPOTENCY_KEY), text_of(meta, SESSION_ID)
        issued = self._service.issue(letter, arguments, key, session, consent_of(meta), basis_of(meta))
        words = spoken(meta, self._service.office.speech)
        template = words.already_issued if issued.already_issued else words.issued
        sentence = template.format(title=issued.title, number=issued.number, file=issued.file_name)
        link = ResourceLink(
            uri=Path(issued.path).as_uri(),
            name=issued.file_name,
            title=f"{issued.title} {issued.number}",
            mime_type="application/pdf",
            size=issued.size,
        )
        text = TextContent(text=" ".join((sentence, *issued.warnings)))
        return CallToolResult(content=[text, link], structured_content=issued.model_dump())

    @contextlib.asynccontextmanager
    async def _alive(self, _: MCPServer[None]) -> AsyncIterator[None]:
        """Run the background tasks while the server runs: finish letters left by a crash, watch the letter folders."""
        async with beside(warm_up=self._warm_up(), watch=self._watch(), retry=self._retry()):
            yield

    async def _warm_up(self) -> None:
        await _attempt(self._service.warm_up, "letters can't be issued yet")
        while True:
            await anyio.to_thread.run_sync(self._service.seal_daily)
            await asyncio.sleep(SEAL_SECONDS)

    async def _retry(self) -> None:
        """Finish letters that wait for a token, a timestamp authority or a disk, once it is available again."""
        while True:
            await asyncio.sleep(RETRY_SECONDS)
            await _attempt(self._service.finish_waiting, "letters still wait")

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(WATCH_SECONDS)
            if self._service.catalogue.refresh():
                await self._tell_tools_changed()

    async def _tell_tools_changed(self) -> None:
        """Notify clients of the 2026 protocol through the bus, older clients on their connection."""
        await self._bus.publish(ToolsListChanged())
        for connection in list(self._connections):
            await connection.send_tool_list_changed()

    async def _remember_connection(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        if ctx.method == "notifications/initialized":
            # Each message gets a new session; only the connection inside lives as long as the client.
            self._connections.add(ctx.session._connection)
        return await call_next(ctx)


async def _attempt(work: Callable[[], None], failed: str) -> None:
    """Run blocking work on a thread; an error is only logged, since the next call or attempt tries again."""
    try:
        await anyio.to_thread.run_sync(work)
    except (NotNow, LedgerError, JournalError, OfficeKeyError, OSError) as error:
        log.error("%s: %s", failed, error)
    except Exception:
        log.exception("%s", failed)


def create_server(service: LetterService) -> LetterServer:
    server = LetterServer(service)
    verifier = Verifier(service)
    words = service.office.speech

    @server.office_tool({"agentd/lists": True})
    def list_letters(context: Context[None, Any]) -> Annotated[CallToolResult, answers.LetterList]:
        return lookups.letters(service, spoken(meta_of(context), words))

    @server.office_tool({"agentd/asked_by": asked_by("get_office_hours", "fees")})
    def get_office_hours(context: Context[None, Any]) -> Annotated[CallToolResult, answers.OfficeHours]:
        return lookups.hours(service, spoken(meta_of(context), words))

    @server.office_tool({})  # its `_meta` follows the catalogue: `list_tools`
    def get_letter_requirements(
        letter_type: str, context: Context[None, Any]
    ) -> Annotated[CallToolResult, answers.Requirements]:
        return lookups.needed(service, letter_type, spoken(meta_of(context), words))

    @server.office_tool(FOR_THE_DESK, by_hand=True)
    def preview_letter(
        letter_type: str, data: dict[str, Any], context: Context[None, Any], pdf: bool = False
    ) -> Annotated[CallToolResult, answers.Preview]:
        return lookups.preview(service, letter_type, data, pdf, basis_of(meta_of(context)))

    @server.office_tool(FOR_THE_DESK)
    def check_letter(
        tool: str, arguments: dict[str, Any], context: Context[None, Any]
    ) -> Annotated[CallToolResult, answers.Checked]:
        return lookups.checked(service, tool, arguments, basis_of(meta_of(context)))

    @server.office_tool({"agentd/asked_by": asked_by("get_letter_status")})
    def get_letter_status(
        context: Context[None, Any], number: OptionalCode = "", code: OptionalCode = ""
    ) -> Annotated[CallToolResult, answers.LetterStatus]:
        meta = meta_of(context)
        return lookups.status(service, verifier, number, code, is_staff(meta), spoken(meta, words))

    @server.office_tool(FOR_THE_DESK, by_hand=True)
    def verify_letter(
        context: Context[None, Any], code: OptionalText = "", file: OptionalText = ""
    ) -> Annotated[CallToolResult, Verification]:
        return lookups.verify(verifier, code, file, may_name_paths(meta_of(context)), words)

    _add_desk_tools(server, service, verifier)
    return server


def _add_desk_tools(server: LetterServer, service: LetterService, verifier: Verifier) -> None:
    """Register what officers call at their desk, for staff only."""

    @server.office_tool({**STAFF, "agentd/audit_subject": "number"}, by_hand=True, **WRITES)
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
