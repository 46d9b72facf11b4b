"""The MCP server `certificate`: the letter service's tools on the wire. Decides nothing about letters itself.

The `generate_…` tools are made from the catalogue at every listing, so a new letter folder is a new tool; a watcher
tells connected clients (tools/list_changed). Wrong fields come back as one tool error that lists all of them.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import datetime
import functools
import logging
import weakref
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import anyio.to_thread
from mcp.server.connection import Connection
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.subscriptions import InMemorySubscriptionBus
from mcp.shared.subscriptions import ToolsListChanged
from mcp_types import (
    BlobResourceContents,
    CallToolResult,
    EmbeddedResource,
    ImageContent,
    InputRequiredResult,
    ResourceLink,
    TextContent,
    Tool,
    ToolAnnotations,
)
from pydantic import BaseModel, BeforeValidator, Field

from servers.certificate.database import LedgerError
from servers.certificate.issuing import Issued, IssueError, LetterService, masked_name
from servers.certificate.journal import JournalError
from servers.certificate.lettertype import InvalidFields, LetterType
from servers.certificate.officekey import OfficeKeyError
from servers.certificate.records import Approval, Consent, Letter
from servers.certificate.standing import NotNow
from servers.certificate.verification import Verification, Verifier

log = logging.getLogger(__name__)

INSTRUCTIONS = """\
SOP surat: tanyakan hanya data yang belum disebut warga: dulu identitas, lalu alamat dan RT/RW, lalu keperluan. \
Jangan menebak dan jangan memakai contoh. Begitu lengkap, panggil generate_…; warga mengiyakan datanya sebelum surat \
terbit. Bila ditolak, tanyakan hanya isian yang disebut. Sebutkan nomor surat. Pertanyaan syarat: \
get_letter_requirements. Pendatang sementara (SKDS): ke kecamatan."""

ASKS_FOR_REQUIREMENTS = [
    *("syaratnya", "persyaratan", "syarat apa", "apa syarat", "syarat surat", "syarat bikin", "syarat buat"),
    *("syarat membuat", "syarat mengurus", "dokumen apa", "berkas apa", "bawa apa", "harus dibawa", "perlu dibawa"),
    *("requirements", "what do i need", "which documents", "what documents", "documents do i need", "need to bring"),
    *("have to bring", "must i bring", "should i bring"),
    *(
        "dokumennya",
        "berkasnya",
        "biayanya",
        "berapa biaya",
        "berapa lama",
        "prosedur",
        "procedure",
        "how much",
        "how long",
    ),
]
"""The words by which people ask for requirements: the answer is to be looked up, not remembered."""
FOR_THE_DESK = {"agentd/for": "desk"}
"""In a tool's `_meta`: for pages and programs; a model is not told of it."""
IDEMPOTENCY_KEY, SESSION_ID = "agentd/idempotency_key", "agentd/session_id"
CALLER, CALLER_SCOPES, APPROVED_BY = "agentd/caller", "agentd/caller_scopes", "agentd/approved_by"
PROPOSED, APPROVALS = "agentd/proposed", "agentd/approvals"
MAX_FILE = 20 * 1024 * 1024
WATCH_SECONDS = 1.0
RETRY_SECONDS = 30.0
SEAL_SECONDS = 600.0
"""How often is looked whether the register's head is to be signed for a new day."""
PREVIEW_DPI = 110

READ_ONLY = {"read_only_hint": True, "open_world_hint": False}
OptionalText = Annotated[str, BeforeValidator(lambda value: "" if value is None else value)]


class LetterServer(MCPServer[None]):
    """MCPServer whose `generate_…` tools follow the catalogue."""

    def __init__(self, service: LetterService) -> None:
        self._service = service
        self._bus = InMemorySubscriptionBus()
        self._connections: weakref.WeakSet[Connection] = weakref.WeakSet()
        super().__init__(
            "certificate",
            version="1.0.0",
            instructions=INSTRUCTIONS,
            log_level="WARNING",
            subscriptions=self._bus,
            middleware=[self._remember_connection],
            lifespan=self._alive,
        )

    async def list_tools(self) -> list[Tool]:
        """One `generate_…` for each letter type, then the others."""
        if self._service.catalogue.refresh():
            await self._tell_tools_changed()
        return [
            _generate_tool(letter) for letter in self._service.catalogue.types.values()
        ] + await super().list_tools()

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[None, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Raises ToolError for tools that don't exist."""
        self._service.catalogue.refresh()
        letter = self._service.catalogue.types.get(name.removeprefix("generate_"))
        if letter is None or letter.tool != name:
            return await super().call_tool(name, arguments, context)
        meta = _meta(context) if context else {}
        return await _answer(functools.partial(self._generate, letter, arguments, meta))

    def _generate(self, letter: LetterType, arguments: dict[str, Any], meta: Mapping[str, Any]) -> CallToolResult:
        key, session = _text(meta, IDEMPOTENCY_KEY), _text(meta, SESSION_ID)
        issued = self._service.issue(letter, arguments, key, session, _consent(meta))
        again = " sudah terbit sebelumnya" if issued.already_issued else " sudah terbit"
        sentence = f"{issued.title} nomor {issued.number}{again} sebagai PDF ({issued.file_name})."
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
        """While the server runs: what a crash left is finished, and the letter folders are watched."""
        tasks = [
            asyncio.create_task(self._warm_up(), name="certificate: warm up"),
            asyncio.create_task(self._watch(), name="certificate: watch letter folders"),
            asyncio.create_task(self._retry(), name="certificate: finish letters that wait"),
        ]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _warm_up(self) -> None:
        try:
            await anyio.to_thread.run_sync(self._service.warm_up)
        except (NotNow, LedgerError, JournalError, OfficeKeyError, OSError) as error:
            log.error("letters can't be issued yet: %s", error)
        except Exception:
            log.exception("warming up failed; each call will try for itself")
        while True:
            await anyio.to_thread.run_sync(self._service.seal_daily)
            await asyncio.sleep(SEAL_SECONDS)

    async def _retry(self) -> None:
        """Letters that a token, an authority or a disk kept waiting are finished once that is back."""
        while True:
            await asyncio.sleep(RETRY_SECONDS)
            try:
                await anyio.to_thread.run_sync(self._service.finish_waiting)
            except (NotNow, LedgerError, JournalError, OfficeKeyError, OSError) as error:
                log.error("letters still wait: %s", error)
            except Exception:
                log.exception("finishing letters failed; they are tried again")

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(WATCH_SECONDS)
            if self._service.catalogue.refresh():
                await self._tell_tools_changed()

    async def _tell_tools_changed(self) -> None:
        """To subscribers of the 2026 protocol by the bus, to older clients on their connection."""
        await self._bus.publish(ToolsListChanged())
        for connection in list(self._connections):
            await connection.send_tool_list_changed()

    async def _remember_connection(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        if ctx.method == "notifications/initialized":
            # The session is made anew for every message; only what it wraps lives as long as the client.
            self._connections.add(ctx.session._connection)
        return await call_next(ctx)


def create_server(service: LetterService) -> LetterServer:
    """The server with all its tools."""
    server = LetterServer(service)
    verifier = Verifier(service)

    @server.tool(
        description="Daftar jenis surat yang dapat dibuat.",
        annotations=ToolAnnotations(title="Jenis surat", **READ_ONLY),
    )
    def list_letters() -> Annotated[CallToolResult, LetterList]:
        listed = LetterList(
            letters=[
                ListedLetter(letter_type=letter.key, title=letter.title, tool=letter.tool, description=letter.summary)
                for letter in service.catalogue.types.values()
            ]
        )
        titles = ", ".join(letter.title for letter in listed.letters)
        return _result(f"Surat yang dapat dibuat: {titles}.", listed)

    elsewhere = sorted({name for letter in service.catalogue.types.values() for name in letter.elsewhere})

    @server.tool(
        description="Syarat, biaya dan data yang diperlukan untuk satu jenis surat.",
        annotations=ToolAnnotations(title="Syarat surat", **READ_ONLY),
        meta={"agentd/asked_by": [*ASKS_FOR_REQUIREMENTS, *elsewhere], "agentd/about": {"letter_type": elsewhere}},
    )
    def get_letter_requirements(letter_type: str) -> Annotated[CallToolResult, Requirements]:
        if (answer := service.catalogue.elsewhere(letter_type)) is not None:
            return _result(answer, Requirements(issued_here=False, title=letter_type[:60], notes=[answer]))
        letter = service.catalogue.named(letter_type)
        if letter is None:
            return _unknown_letter(service)
        requirements = _requirements(service, letter)
        return _result(requirements.sentence, requirements)

    @server.tool(
        description="Pratinjau surat (bukan surat, tanpa nomor).",
        annotations=ToolAnnotations(title="Pratinjau surat", **READ_ONLY),
        meta=FOR_THE_DESK,
    )
    async def preview_letter(
        letter_type: str,
        data: Annotated[dict[str, Any], Field(description="isian seperti pada generate_…")],
        pdf: Annotated[bool, Field(description="sertakan PDF")] = False,
    ) -> Annotated[CallToolResult, Preview]:
        letter = service.catalogue.named(letter_type)
        return (
            _unknown_letter(service) if letter is None else await _answer(lambda: _preview(service, letter, data, pdf))
        )

    @server.tool(
        description="Status surat menurut nomor atau kode verifikasi.",
        annotations=ToolAnnotations(title="Status surat", **READ_ONLY),
    )
    async def get_letter_status(
        context: Context[None, Any], number: OptionalText = "", code: OptionalText = ""
    ) -> Annotated[CallToolResult, LetterStatus]:
        staff = _is_staff(_meta(context))
        return await _answer(lambda: _status(service, verifier, number, code, staff))

    @server.tool(
        description="Periksa keaslian surat menurut kode atau berkas PDF.",
        annotations=ToolAnnotations(title="Periksa keaslian", **READ_ONLY),
        meta=FOR_THE_DESK,
    )
    async def verify_letter(
        context: Context[None, Any],
        code: OptionalText = "",
        file: Annotated[OptionalText, Field(description="path atau base64 PDF")] = "",
    ) -> Annotated[CallToolResult, Verification]:
        paths = _may_name_paths(_meta(context))
        return await _answer(lambda: _verify(verifier, code, file, paths))

    @server.tool(
        description="Batalkan surat yang sudah terbit (petugas).",
        annotations=ToolAnnotations(
            title="Batalkan surat",
            read_only_hint=False,
            destructive_hint=True,
            idempotent_hint=True,
            open_world_hint=False,
        ),
        meta={**FOR_THE_DESK, "agentd/scope": "staff", "agentd/audit_subject": "number"},
    )
    async def void_letter(
        context: Context[None, Any], number: str, reason: str
    ) -> Annotated[CallToolResult, LetterStatus]:
        by = _text(_meta(context), CALLER)
        return await _answer(lambda: _void(service, verifier, number, reason, by))

    @server.tool(
        description="Surat yang terbit pada satu hari (petugas).",
        annotations=ToolAnnotations(title="Surat terbit", **READ_ONLY),
        meta={**FOR_THE_DESK, "agentd/scope": "staff"},
    )
    async def list_issued_letters(
        date: Annotated[OptionalText, Field(description="YYYY-MM-DD; kosong: hari ini")] = "",
    ) -> Annotated[CallToolResult, IssuedLetters]:
        return await _answer(lambda: _issued_on(service, date))

    return server


class ListedLetter(BaseModel):
    """One type of letter and the tool that issues it."""

    letter_type: str
    title: str
    tool: str
    description: str


class LetterList(BaseModel):
    """What `list_letters` answers."""

    letters: list[ListedLetter]


class NeededField(BaseModel):
    """One thing a letter asks for."""

    field: str
    label: str
    required: bool


class Requirements(BaseModel):
    """What `get_letter_requirements` answers. `issued_here` false: another office issues it, `notes` say which."""

    issued_here: bool
    title: str
    letter_type: str | None = None
    tool: str | None = None
    documents: list[str] = []
    fields: list[NeededField] = []
    fee: str | None = None
    hours: str | None = None
    notes: list[str] = []

    @property
    def sentence(self) -> str:
        parts = [f"Syarat {self.title}: {'; '.join(self.documents)}."]
        parts += [f"Data: {', '.join(field.label for field in self.fields if field.required)}."]
        parts += [f"Biaya: {self.fee}."] if self.fee else []
        return " ".join((*parts, *self.notes))


class Preview(BaseModel):
    """What `preview_letter` answers beside the picture."""

    letter_type: str
    title: str
    pages: int


class LetterStatus(BaseModel):
    """What `get_letter_status` and `void_letter` answer; no name, for numbers can be guessed.

    `proposed_by`, `approved_by`, `approvals` and `voided_by` hold the ids of the callers who did so, `changed` the
    fields that were changed at the approval. Staff see them; for others they are null or empty.
    """

    number: str
    letter_type: str
    title: str
    date: str
    status: str
    void_reason: str | None = None
    approved_by: str | None = None
    voided_by: str | None = None
    proposed_by: str | None = None
    approvals: list[Approval] = []
    changed: list[str] = []


class IssuedLetter(LetterStatus):
    """A letter as the desk lists it: the applicant's name masked, the time of issue in ISO 8601."""

    name_masked: str
    issued_at: str | None


class IssuedLetters(BaseModel):
    """What `list_issued_letters` answers, oldest first."""

    date: str
    letters: list[IssuedLetter]


def _generate_tool(letter: LetterType) -> Tool:
    return Tool(
        name=letter.tool,
        title=letter.title,
        description=letter.summary,
        input_schema=letter.input_schema(),
        output_schema=Issued.model_json_schema(),
        annotations=ToolAnnotations(
            title=letter.title,
            read_only_hint=False,
            destructive_hint=False,
            idempotent_hint=True,
            open_world_hint=False,
        ),
        _meta={"agentd/official": True, "agentd/asked_by": [letter.title, *letter.aliases]},
    )


async def _answer(work: Callable[[], CallToolResult]) -> CallToolResult:
    """Run blocking work on a thread; what a person can mend comes back as a tool error in their words."""
    try:
        return await anyio.to_thread.run_sync(work)
    except InvalidFields as error:
        lines = "\n".join(f"- {problem.message}" for problem in error.problems)
        fields = [problem.model_dump() for problem in error.problems]
        return _error("invalid_fields", f"Data belum lengkap atau belum benar:\n{lines}", fields=fields)
    except IssueError as error:
        return _error(error.kind, str(error))
    except (NotNow, LedgerError, JournalError, OfficeKeyError) as error:
        log.error("%s", error)
        return _error("unavailable", "Layanan surat sedang terganggu. Silakan coba lagi sebentar lagi.")
    except Exception:
        # Our mistake: its text may quote the arguments, so it goes nowhere but, without its values, to the log.
        log.exception("a letter tool failed unexpectedly")
        return _error("internal", "Layanan surat mengalami kesalahan. Silakan hubungi petugas.")


def _requirements(service: LetterService, letter: LetterType) -> Requirements:
    return Requirements(
        issued_here=True,
        title=letter.title,
        letter_type=letter.key,
        tool=letter.tool,
        documents=list(letter.requirements),
        fields=[
            NeededField(field=name, label=field.label, required=field.required) for name, field in letter.fields.items()
        ],
        fee=service.office.fee or None,
        hours=service.office.hours or None,
        notes=list(letter.notes),
    )


def _preview(service: LetterService, letter: LetterType, data: dict[str, Any], with_pdf: bool) -> CallToolResult:
    from servers.certificate.picture import pictures

    pdf = service.preview(letter, data)
    images = pictures(pdf, PREVIEW_DPI)
    content: list[Any] = [TextContent(text=f"Pratinjau {letter.title}. Ini belum surat dan belum bernomor.")]
    content += [ImageContent(data=base64.b64encode(png).decode(), mime_type="image/png") for png in images]
    if with_pdf:
        blob = base64.b64encode(pdf).decode()
        uri = f"letter-preview:///{letter.key}.pdf"
        resource = BlobResourceContents(uri=uri, blob=blob, mime_type="application/pdf")
        content.append(EmbeddedResource(resource=resource))
    preview = Preview(letter_type=letter.key, title=letter.title, pages=len(images))
    return CallToolResult(content=content, structured_content=preview.model_dump())


def _status(service: LetterService, verifier: Verifier, number: str, code: str, staff: bool) -> CallToolResult:
    if code.strip():
        known = verifier.code(code).number
        row = service.ledger.by_number(known) if known else None
    elif number.strip():
        row = service.ledger.by_number(number.strip())
    else:
        return _error("invalid_arguments", "Sebutkan nomor surat atau kode verifikasinya.")
    if row is None:
        return _error("not_found", "Surat ini tidak terdaftar.")
    words = {"reserved": "sedang diproses", "issued": "sudah terbit", "void": "sudah dibatalkan"}
    status = _status_of(service, row, staff)
    return _result(f"{status.title} nomor {status.number} {words[row.status]}.", status)


def _status_of(service: LetterService, row: Letter, staff: bool) -> LetterStatus:
    letter = service.catalogue.types.get(row.letter_type)
    return LetterStatus(
        number=row.number,
        letter_type=row.letter_type,
        title=letter.title if letter else row.letter_type,
        date=row.day.isoformat(),
        status=row.status,
        void_reason=row.void_reason,
        approved_by=row.approved_by if staff else None,
        voided_by=row.voided_by if staff else None,
        proposed_by=row.proposed_by if staff else None,
        approvals=list(row.approvals) if staff else [],
        changed=service.changed(row) if staff else [],
    )


def _verify(verifier: Verifier, code: str, file: str, paths: bool) -> CallToolResult:
    if code.strip():
        verification = verifier.code(code)
    elif file.strip():
        pdf = _file(file.strip(), paths)
        if pdf is None:
            return _error("invalid_file", "Berkas tidak dapat dibaca. Kirim PDF surat, paling besar 20 MB.")
        verification = verifier.file(pdf)
    else:
        return _error("invalid_arguments", "Sebutkan kode verifikasi atau berkas PDF surat.")
    return _result(verification.reason, verification)


def _issued_on(service: LetterService, date: str) -> CallToolResult:
    try:
        day = datetime.date.fromisoformat(date.strip()) if date.strip() else service.now().date()
    except ValueError:
        return _error("invalid_arguments", "Tulis tanggal sebagai YYYY-MM-DD.")
    found = [
        IssuedLetter(
            **_status_of(service, row, staff=True).model_dump(),
            name_masked=masked_name(letter, row.values)
            if (letter := service.catalogue.types.get(row.letter_type))
            else "",
            issued_at=row.issued_at,
        )
        for row in service.ledger.of_day(day)
    ]
    return _result(f"{len(found)} surat pada {day.isoformat()}.", IssuedLetters(date=day.isoformat(), letters=found))


def _void(service: LetterService, verifier: Verifier, number: str, reason: str, by: str | None) -> CallToolResult:
    row = service.ledger.by_number(number.strip())
    if row is None:
        return _error("not_found", "Surat ini tidak terdaftar.")
    if len(reason.strip()) < 3:
        return _error("invalid_arguments", "Tulis alasan pembatalan.")
    service.void(row, " ".join(reason.split()), by)
    return _status(service, verifier, row.number, "", staff=True)


def _file(value: str, paths: bool) -> bytes | None:
    """The bytes behind base64 or a data: URI and, if `paths`, a path or a file: URI; None when there are none.

    A file that is no PDF is like one that isn't there: asking must not tell which paths exist.
    """
    if paths and len(value) < 4096 and not value.startswith("data:"):
        path = Path(value.removeprefix("file://"))
        try:
            if path.is_file():
                data = path.read_bytes() if path.stat().st_size <= MAX_FILE else b""
                return data if data.startswith(b"%PDF") else None
        except (OSError, ValueError):
            return None
    try:
        return (
            base64.b64decode(value.rpartition(",")[2], validate=True) if len(value) <= MAX_FILE * 4 // 3 + 64 else None
        )
    except ValueError:
        return None


def _unknown_letter(service: LetterService) -> CallToolResult:
    titles = ", ".join(letter.title for letter in service.catalogue.types.values())
    return _error("unknown_letter", f"Jenis surat ini tidak ada. Yang tersedia: {titles}.")


def _result(sentence: str, data: BaseModel) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=sentence)], structured_content=data.model_dump())


def _error(kind: str, message: str, **more: Any) -> CallToolResult:
    content = {"error": kind, "message": message} | more
    return CallToolResult(content=[TextContent(text=message)], structured_content=content, is_error=True)


def _meta(context: Context[None, Any]) -> Mapping[str, Any]:
    """What the client sent beside the arguments."""
    return context.request_context.meta or {}


def _is_staff(meta: Mapping[str, Any]) -> bool:
    """Whether the daemon says that an officer asks."""
    scopes = meta.get(CALLER_SCOPES)
    return isinstance(scopes, list) and not {"staff", "admin"}.isdisjoint(map(str, scopes))


def _may_name_paths(meta: Mapping[str, Any]) -> bool:
    """Whether to read a path of this machine: for an admin of the daemon, and without a daemon for who runs us."""
    scopes = meta.get(CALLER_SCOPES)
    return SESSION_ID not in meta if scopes is None else isinstance(scopes, list) and "admin" in scopes


def _consent(meta: Mapping[str, Any]) -> Consent:
    """Who asked, who approved what; read tolerantly, for a missing or odd word must not stop a letter."""
    proposed, approvals = meta.get(PROPOSED), meta.get(APPROVALS)
    return Consent(
        proposed_by=_text(meta, CALLER),
        proposed=proposed if isinstance(proposed, dict) else None,
        approved_by=_text(meta, APPROVED_BY),
        approvals=tuple(
            Approval(by=by, at=_text(one, "at"))
            for one in (approvals if isinstance(approvals, list) else [])
            if isinstance(one, dict) and (by := _text(one, "by"))
        ),
    )


def _text(meta: Mapping[str, Any], key: str) -> str | None:
    value = meta.get(key)
    return value if isinstance(value, str) and value else None
