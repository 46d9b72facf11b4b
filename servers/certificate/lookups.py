"""Results of the tools that issue nothing: requirements, previews, statuses, verification, letters of a day, PDFs."""

from __future__ import annotations

import base64
import datetime
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from mcp_types import BlobResourceContents, CallToolResult, EmbeddedResource, ImageContent, TextContent

from servers.certificate import answers
from servers.certificate.answers import error_result, result
from servers.certificate.issuing.issued import masked_name
from servers.certificate.issuing.issuing import LetterService
from servers.certificate.languages import OfficeWords
from servers.certificate.letters.basis import Basis
from servers.certificate.register.records import Letter
from servers.certificate.verifying.verification import Verifier

MAX_FILE = 20 * 1024 * 1024
PREVIEW_DPI = 110


def letters(service: LetterService, words: OfficeWords) -> CallToolResult:
    """List the letters that the office issues."""
    listed = [
        answers.ListedLetter(letter_type=one.key, title=one.title, tool=one.tool, description=one.summary)
        for one in service.catalogue.types.values()
    ]
    return result(words.offered.format(titles=_titles(service, words)), answers.LetterList(letters=listed))


def needed(service: LetterService, letter_type: str, words: OfficeWords) -> CallToolResult:
    """Return what a letter requires, or who issues it instead."""
    if (sentence := service.catalogue.elsewhere(letter_type, words.language)) is not None:
        return result(sentence, answers.Requirements(issued_here=False, title=letter_type[:60], notes=[sentence]))
    letter = service.catalogue.named(letter_type)
    if letter is None:
        return _unknown_letter(service, words)
    hours, fee = service.office.hours_and_fee(words)
    translated = partial(letter.word_in, language=words.language)
    found = answers.Requirements(
        issued_here=True,
        title=letter.title,
        letter_type=letter.key,
        tool=letter.tool,
        documents=list(map(translated, letter.requirements)),
        fields=[
            answers.NeededField(field=name, label=translated(field.label), required=field.required)
            for name, field in letter.fields.items()
        ],
        fee=fee,
        hours=hours,
        notes=list(map(translated, letter.notes)),
    )
    return result(found.sentence(letter.title_in(words.language), words), found)


def of_other_offices(service: LetterService) -> list[str]:
    """Return the names by which people ask for letters of other offices."""
    return sorted({name for letter in service.catalogue.types.values() for name in letter.elsewhere})


def hours(service: LetterService, words: OfficeWords) -> CallToolResult:
    """Return the office's hours and its letters' fee."""
    office = service.office.kelurahan
    opens, fee = service.office.hours_and_fee(words)
    sentences = [words.open.format(office=office, hours=opens) if opens else f"{office}."]
    sentences += [words.fee.format(fee=fee)] if fee else []
    found = answers.OfficeHours(office=office, hours=opens, fee=fee)
    sentence = " ".join(sentences)
    return result(sentence[:1].upper() + sentence[1:], found)  # a name may begin in lower case: "the Registrar of …"


def checked(service: LetterService, tool: str, arguments: dict[str, Any], basis: Basis) -> CallToolResult:
    """Check whether the letter can be issued with these fields; errors are the same as from the letter's own tool."""
    letter = service.catalogue.types.get(tool.removeprefix("generate_"))
    if letter is None:
        return _unknown_letter(service, service.office.speech)
    _, warnings = service.check(letter, arguments, basis.registered)
    return result(letter.title, answers.Checked(letter_type=letter.key, warnings=warnings))


def preview(
    service: LetterService, letter_type: str, data: dict[str, Any], with_pdf: bool, basis: Basis
) -> CallToolResult:
    """Return a draft as pictures and optionally as PDF."""
    from servers.certificate.drawing.picture import pictures

    letter = service.catalogue.named(letter_type)
    if letter is None:
        return _unknown_letter(service, service.office.speech)

    pdf = service.preview(letter, data, basis)
    images = pictures(pdf, PREVIEW_DPI)
    sentence = service.office.speech.say("preview", title=letter.title)
    content: list[Any] = [TextContent(text=sentence)]
    content += [ImageContent(data=base64.b64encode(png).decode(), mime_type="image/png") for png in images]
    if with_pdf:
        blob = base64.b64encode(pdf).decode()
        uri = f"letter-preview:///{letter.key}.pdf"
        resource = BlobResourceContents(uri=uri, blob=blob, mime_type="application/pdf")
        content.append(EmbeddedResource(resource=resource))
    drawn = answers.Preview(letter_type=letter.key, title=letter.title, pages=len(images))
    return CallToolResult(content=content, structured_content=drawn.model_dump())


def status(
    service: LetterService, verifier: Verifier, number: str, code: str, staff: bool, words: OfficeWords
) -> CallToolResult:
    """Return a letter's status; for staff also who did what."""
    if code.strip():
        known = verifier.code(code).number
        row = service.ledger.by_number(known) if known else None
    elif number.strip():
        row = service.ledger.by_number(number)
    else:
        return _refused(words, "invalid_arguments", "name_letter")
    if row is None:
        return _refused(words, "not_found", "not_registered")
    found = _status_of(service, row, staff)
    return result(words.say(f"status_{row.status}", title=found.title, number=found.number), found)


def _status_of(service: LetterService, row: Letter, staff: bool) -> answers.LetterStatus:
    letter = service.catalogue.types.get(row.letter_type)
    who = {"approved_by", "voided_by", "proposed_by", "approvals"} if staff else set()
    return answers.LetterStatus(
        **row.model_dump(include={"number", "letter_type", "status", "void_reason"} | who),
        title=letter.title if letter else row.letter_type,
        date=row.day.isoformat(),
        changed=service.changed(row) if staff else [],
    )


def verify(verifier: Verifier, code: str, file: str, paths: bool, words: OfficeWords) -> CallToolResult:
    if code.strip():
        verification = verifier.code(code)
    elif file.strip():
        pdf = _file(file.strip(), paths)
        if pdf is None:
            return _refused(words, "invalid_file", "file_unreadable")
        verification = verifier.file(pdf)
    else:
        return _refused(words, "invalid_arguments", "name_letter_or_file")
    return result(verification.reason, verification)


def issued_on(service: LetterService, date: str) -> CallToolResult:
    """Return the letters of a date, today's if it is empty."""
    words = service.office.speech
    try:
        day = datetime.date.fromisoformat(date.strip()) if date.strip() else service.now().date()
    except ValueError:
        return _refused(words, "invalid_arguments", "day_unreadable")
    found = [
        answers.IssuedLetter(
            **_status_of(service, row, staff=True).model_dump(),
            name_masked=masked_name(letter, row.values)
            if (letter := service.catalogue.types.get(row.letter_type))
            else "",
            issued_at=row.issued_at,
        )
        for row in service.ledger.of_day(day)
    ]
    sentence = words.say("issued_on", number=len(found), day=day.isoformat())
    return result(sentence, answers.IssuedLetters(date=day.isoformat(), letters=found))


def file_of(service: LetterService, number: str) -> CallToolResult:
    """Return the signed PDF of a letter in force."""
    row = service.ledger.by_number(number)
    path = service.archive.path(row.file) if row is not None and row.status == "issued" and row.file else None
    if row is None or path is None or not path.is_file():
        return _refused(service.office.speech, "not_found", "no_file")
    file = answers.LetterFile(number=row.number, file_name=path.name, pdf=base64.b64encode(path.read_bytes()).decode())
    return result(path.name, file)


def void(service: LetterService, verifier: Verifier, number: str, reason: str, by: str | None) -> CallToolResult:
    """Void a letter and return its new status."""
    row = service.ledger.by_number(number)
    if row is None:
        return _refused(service.office.speech, "not_found", "no_such_number", number=number.strip())
    reason = " ".join("".join(char for char in reason if char.isprintable() or char.isspace()).split())
    if len(reason) < 3:
        return _refused(service.office.speech, "invalid_arguments", "why_void")
    service.void(row, reason, by)
    return status(service, verifier, row.number, "", staff=True, words=service.office.speech)


def _file(value: str, paths: bool) -> bytes | None:
    """Return the bytes of base64, a data: URI or, if `paths`, a path or file: URI; None if there are none.

    A file that isn't a PDF counts as missing, so that nobody can find out which paths exist.
    """
    if paths and len(value) < 4096 and not value.startswith("data:"):
        path = Path(unquote(value.removeprefix("file://")) if value.startswith("file://") else value)
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


def _refused(words: OfficeWords, kind: str, message: str, **values: str) -> CallToolResult:
    return error_result(kind, words.say(message, **values))


def _unknown_letter(service: LetterService, words: OfficeWords) -> CallToolResult:
    """Return an error that lists the letters on offer."""
    return error_result("unknown_letter", words.unknown.format(titles=_titles(service, words)))


def _titles(service: LetterService, words: OfficeWords) -> str:
    return ", ".join(letter.title_in(words.language) for letter in service.catalogue.types.values())
