"""The structured content of the letter tools' results, and their error format. Looks up nothing."""

from __future__ import annotations

import logging
from typing import Any

from mcp_types import CallToolResult, TextContent
from pydantic import BaseModel

from servers.certificate.issuing.issued import IssueError
from servers.certificate.issuing.standing import NotNow
from servers.certificate.languages import OfficeWords
from servers.certificate.letters.fields import InvalidFields
from servers.certificate.messages import Message
from servers.certificate.register.database import LedgerError
from servers.certificate.register.journal import JournalError
from servers.certificate.register.records import Approval
from servers.certificate.signing.officekey import OfficeKeyError
from servers.certificate.verifying.unknown_files import Busy

log = logging.getLogger(__name__)


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

    def sentence(self, title: str, words: OfficeWords) -> str:
        """Return all of it in words, with the letter's title in their language."""
        labels = ", ".join(field.label for field in self.fields if field.required)
        parts = [words.needed.format(title=title, documents="; ".join(self.documents))]
        parts += [words.data.format(fields=labels)]
        parts += [words.fee.format(fee=self.fee)] if self.fee else []
        return " ".join((*parts, *self.notes))


class OfficeHours(BaseModel):
    """What `get_office_hours` answers; `hours` and `fee` (of every letter) null where the office doesn't say."""

    office: str
    hours: str | None
    fee: str | None


class Preview(BaseModel):
    """What `preview_letter` answers beside the picture."""

    letter_type: str
    title: str
    pages: int


class Checked(BaseModel):
    """What `check_letter` answers where nothing is wrong; what only looks odd stands in `warnings`."""

    letter_type: str
    warnings: list[str]


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


class LetterFile(BaseModel):
    """What `get_letter_file` answers: the issued PDF in base64."""

    number: str
    file_name: str
    pdf: str


def error_of(error: Exception, words: OfficeWords) -> CallToolResult:
    """Return what a person can correct as a tool error in the office's words; other errors are only logged."""
    if isinstance(error, InvalidFields):
        problems = error.in_words(words)
        lines = "\n".join(f"- {problem.message}" for problem in problems)
        fields = [problem.model_dump() for problem in problems]
        return error_result("invalid_fields", f"{words.wrong_fields}\n{lines}", fields=fields)
    if isinstance(error, IssueError):
        kind, message = error.kind, error.message
    elif isinstance(error, Busy):
        kind, message = "unavailable", Message("too_many_files")
    elif isinstance(error, (NotNow, LedgerError, JournalError, OfficeKeyError)):
        log.error("%s", error)
        kind, message = "unavailable", Message("service_down")
    else:
        # A bug. Its text may quote the arguments, so it goes only to the log, without values.
        log.error("a letter tool failed unexpectedly", exc_info=error)
        kind, message = "internal", Message("service_failed")
    return error_result(kind, message.in_words(words))


def result(sentence: str, data: BaseModel) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=sentence)], structured_content=data.model_dump())


def error_result(kind: str, message: str, **more: Any) -> CallToolResult:
    """Return a tool error: {error, message, …}."""
    content = {"error": kind, "message": message} | more
    return CallToolResult(content=[TextContent(text=message)], structured_content=content, is_error=True)
