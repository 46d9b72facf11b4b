"""Draws a letter on A4: letterhead, number, table, text, signer, QR. Deterministic: equal letters give equal bytes.

Fonts are embedded (DejaVu Serif, see fonts/LICENSE.txt), everything is tagged, and the metadata contains nothing of the
applicant. A draft has a watermark and neither number nor code. It does not claim PDF/A.
"""

from __future__ import annotations

import functools
import io
import itertools
import threading
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from pydantic import BaseModel
from reportlab import rl_config
from reportlab.lib.enums import TA_CENTER, TA_JUSTIFY
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.lib.utils import TimeStamp
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph

from servers.certificate.drawing.tagging import Tags
from servers.certificate.languages import OfficeWords
from servers.certificate.letters.basis import DECLARED, Basis
from servers.certificate.letters.fitting import display
from servers.certificate.letters.lettertype import BASIS_SLOT, TABLE, LetterType
from servers.certificate.letters.wording import fill, slots
from servers.certificate.office import Office, Signer

FONTS = Path(__file__).with_name("fonts")
REGULAR, BOLD = "DejaVuSerif", "DejaVuSerif-Bold"
WIDTH, HEIGHT = A4
LEFT, RIGHT, TOP, BOTTOM = 25 * mm, 22 * mm, 16 * mm, 18 * mm
INNER, TALLEST = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
LABEL_WIDTH = 46 * mm
QR_MODULE, QR_SMALLEST, QR_LARGEST = 0.6 * mm, 27 * mm, 52 * mm
"""The side of a module, chosen so that a phone can read a whole statement from paper, and limits of the code's side."""
QR_MASK = 2  # scoring all eight took a third of a letter's time; random codes read no better
rl_config.useA85 = 0  # keep streams binary: encoding them as ASCII took a twentieth of a letter's time
_drawing = threading.Lock()  # reportlab uses a single parser for all paragraphs
Matrix = Sequence[bytearray]

LETTERHEAD = ParagraphStyle("letterhead", fontName=BOLD, fontSize=12, leading=15, alignment=TA_CENTER)
SMALL_CENTRED = ParagraphStyle("small", fontName=REGULAR, fontSize=8.5, leading=11, alignment=TA_CENTER)
TITLE = ParagraphStyle("title", fontName=BOLD, fontSize=13, leading=17, alignment=TA_CENTER)
NUMBER = ParagraphStyle("number", fontName=REGULAR, fontSize=10.5, leading=14, alignment=TA_CENTER)
BODY = ParagraphStyle("body", fontName=REGULAR, fontSize=10.5, leading=16, alignment=TA_JUSTIFY, splitLongWords=1)
CELL = ParagraphStyle("cell", fontName=REGULAR, fontSize=10.5, leading=15, splitLongWords=1)
SIGNER = ParagraphStyle("signer", fontName=REGULAR, fontSize=10.5, leading=14, alignment=TA_CENTER)
SIGNER_NAME = ParagraphStyle("signer-name", parent=SIGNER, fontName=BOLD)
FINE = ParagraphStyle("fine", fontName=REGULAR, fontSize=7.5, leading=10)


class Issue(BaseModel, frozen=True):
    """What issuing adds to a letter: number, day, verification code, its address, and the signed statement.

    `statement` (statement.py) follows the address in the QR code after a `#`: browsers don't send that part.
    """

    number: str
    day: date
    code: str
    verify_url: str
    statement: str = ""
    valid_until: date | None = None

    @property
    def qr(self) -> list[str]:
        """Return the QR code's text in two parts: the second one's alphabet takes less space in a code."""
        return [f"{self.verify_url}#", self.statement] if self.statement else [self.verify_url]


@functools.cache
def glyphs() -> frozenset[int]:
    """Return the code points that both fonts can print."""
    _fonts()
    regular, bold = (frozenset(pdfmetrics.getFont(name).face.charToGlyph) for name in (REGULAR, BOLD))
    return regular & bold


@functools.cache
def _fonts() -> None:
    for name in (REGULAR, BOLD):
        pdfmetrics.registerFont(TTFont(name, FONTS / f"{name}.ttf"))


def render(
    letter: LetterType,
    values: Mapping[str, str],
    office: Office,
    issue: Issue | None,
    today: date,
    basis: Basis = DECLARED,
) -> bytes:
    """Return the letter's unsigned PDF; without `issue`, a watermarked draft dated `today`. One runs at a time."""
    with _drawing:
        _fonts()
        buffer, speech = io.BytesIO(), office.speech
        canvas = Canvas(
            buffer, A4, invariant=1, initialFontName=REGULAR, initialFontSize=10, lang=speech.locale, pageCompression=1
        )
        day = issue.day if issue else today
        canvas._doc._timeStamp = _midnight(day)
        canvas.setTitle(f"{letter.title} {issue.number}" if issue else f"{letter.title} ({speech.draft_mark})")
        canvas.setAuthor(office.kelurahan)
        canvas.setSubject(letter.title)
        canvas.setCreator("agentd")
        canvas.setViewerPreference("DisplayDocTitle", "true")
        number = f"{speech.number}: {issue.number if issue else speech.draft_number}"
        sheet = _Sheet(canvas, None if issue else speech.draft_mark, running_head=f"{letter.title}, {number}")
        _letterhead(sheet, office)
        sheet.paragraph(f"<u>{escape(letter.title.upper())}</u>", TITLE, kind="H1")
        sheet.paragraph(escape(number), NUMBER, gap=16)
        signer = office.signer(letter.signer)
        basis_words = {BASIS_SLOT: letter.basis_words(values, basis, office)}
        words = display(values, letter.fields, speech) | office.words(signer) | basis_words
        for line in letter.whole_text(office):
            if line == TABLE:
                _table(sheet, letter, words)
            elif slots(line) <= words.keys():
                sheet.paragraph(fill(line, words), BODY, gap=7)
        if (until := issue.valid_until if issue else letter.valid_until(today, office)) is not None:
            sheet.paragraph(speech.valid_until.format(date=speech.date(until)), BODY, gap=7)
        _foot(sheet, f"{office.place}, {speech.date(day)}", signer, issue, speech)
        sheet.tags.finish()
        canvas.save()
        return buffer.getvalue()


class _Sheet:
    """A4 pages filled from the top; `y` is the next position. Each page after the first begins with `running_head`."""

    def __init__(self, canvas: Canvas, draft_mark: str | None, running_head: str) -> None:
        self.canvas, self.draft_mark, self.running_head = canvas, draft_mark, running_head
        self.tags, self.y = Tags(canvas), HEIGHT - TOP
        self._watermark()

    def room(self, height: float) -> None:
        """Start a new page unless `height` points are left."""
        if self.y - height < BOTTOM:
            self.tags.show_page()
            self.y = HEIGHT - TOP
            self._watermark()
            with self.tags.artifact():
                self.canvas.setFont(REGULAR, FINE.fontSize)
                head = f"{self.running_head} ({self.canvas.getPageNumber()})"
                self.canvas.drawRightString(WIDTH - RIGHT, HEIGHT - TOP + 3 * mm, head)

    def paragraph(self, markup: str, style: ParagraphStyle, gap: float = 0, kind: str = "P") -> None:
        """Draw a paragraph on one page; only one that is longer than a page continues on the next."""
        left, height = _wrapped(markup, style, INNER)
        while height > TALLEST:
            self.room(3 * style.leading)  # reportlab leaves no single line behind
            first, left = left.split(INNER, self.y - BOTTOM)
            self._draw(first, first.wrap(INNER, HEIGHT)[1], kind)
            height = left.wrap(INNER, HEIGHT)[1]
        self._draw(left, height, kind)
        self.y -= gap

    def _draw(self, paragraph: Paragraph, height: float, kind: str) -> None:
        self.room(height)
        with self.tags.element(kind):
            paragraph.drawOn(self.canvas, LEFT, self.y - height)
        self.y -= height

    def rule(self, width: float) -> None:
        with self.tags.artifact():
            self.canvas.setLineWidth(width)
            self.canvas.line(LEFT, self.y, WIDTH - RIGHT, self.y)

    def _watermark(self) -> None:
        if self.draft_mark is None:
            return
        with self.tags.artifact():
            self.canvas.saveState()
            self.canvas.setFillGray(0.85)
            self.canvas.setFont(BOLD, 34)
            self.canvas.translate(WIDTH / 2, HEIGHT / 2)
            self.canvas.rotate(52)
            for offset in (-190, 0, 190):
                self.canvas.drawCentredString(0, offset, self.draft_mark)
            self.canvas.restoreState()


def _letterhead(sheet: _Sheet, office: Office) -> None:
    for line in office.letterhead:
        sheet.paragraph(escape(line), LETTERHEAD)
    if office.address:
        sheet.y -= 2
        sheet.paragraph(escape(office.address), SMALL_CENTRED)
    sheet.y -= 5
    sheet.rule(1.8)
    sheet.y -= 2.4
    sheet.rule(0.6)
    sheet.y -= 20


def _table(sheet: _Sheet, letter: LetterType, words: Mapping[str, str]) -> None:
    with sheet.tags.group("Table"):
        for label, line in letter.rows:
            if not slots(line) <= words.keys():
                continue
            heading, heading_height = _wrapped(escape(label), CELL, LABEL_WIDTH)
            value, height = _wrapped(fill(line, words), CELL, INNER - LABEL_WIDTH - 18 * mm)
            sheet.room(max(height, heading_height))
            with sheet.tags.group("TR"):
                with sheet.tags.element("TH"):
                    heading.drawOn(sheet.canvas, LEFT + 10 * mm, sheet.y - heading_height)
                with sheet.tags.artifact():
                    sheet.canvas.setFont(REGULAR, CELL.fontSize)
                    sheet.canvas.drawString(LEFT + 10 * mm + LABEL_WIDTH, sheet.y - CELL.fontSize, ":")
                with sheet.tags.element("TD"):
                    value.drawOn(sheet.canvas, LEFT + 14 * mm + LABEL_WIDTH, sheet.y - height)
            sheet.y -= max(height, heading_height)
    sheet.y -= 8


def _foot(sheet: _Sheet, dated: str, signer: Signer, issue: Issue | None, speech: OfficeWords) -> None:
    """Draw the signer's block on the right and the QR code on the left, always together on one page."""
    block = [_wrapped(escape(dated), SIGNER, INNER / 2)]
    block += [_wrapped(escape(line), SIGNER, INNER / 2) for line in (signer.on_behalf, signer.title) if line]
    name = [_wrapped(f"<u>{escape(signer.name)}</u>", SIGNER_NAME, INNER / 2)]
    name += [_wrapped(f"NIP {escape(signer.nip)}", SIGNER, INNER / 2)] if signer.nip else []
    space = 20 * mm
    height = sum(h for _, h in (*block, *name)) + space + 14
    matrix = _matrix(issue) if issue else []
    sheet.room(max(height, _side(matrix) + 70))
    sheet.y -= 14
    top = sheet.y
    for paragraph, each in (*block, (None, space), *name):
        if paragraph is not None:
            with sheet.tags.element("P"):
                paragraph.drawOn(sheet.canvas, LEFT + INNER / 2, sheet.y - each)
        sheet.y -= each
    if issue is not None:
        _verification(sheet, issue, matrix, top, speech)


def _verification(sheet: _Sheet, issue: Issue, matrix: Matrix, top: float, speech: OfficeWords) -> None:
    side = _side(matrix)
    with sheet.tags.element("Figure", alt=speech.qr.format(url=issue.verify_url)):
        _qr(sheet.canvas, matrix, LEFT, top - side)
    address = escape(issue.verify_url.removesuffix(issue.code))
    note = f"{speech.scan}<br/>{address}<br/><font name={BOLD!r}>{escape(issue.code)}</font><br/>{speech.original}"
    paragraph, height = _wrapped(note, FINE, INNER / 2 - 6 * mm)
    with sheet.tags.element("P"):
        paragraph.drawOn(sheet.canvas, LEFT, top - side - 4 - height)


def _matrix(issue: Issue) -> Matrix:
    import segno

    return segno.make_qr(issue.qr, error="m", mask=QR_MASK).matrix  # type: ignore[arg-type]  # its stubs know no pieces


def _side(matrix: Matrix) -> float:
    return float(min(max(len(matrix) * QR_MODULE, QR_SMALLEST), QR_LARGEST))


def _qr(canvas: Canvas, matrix: Matrix, x: float, y: float) -> None:
    """Draw each run of dark modules as one rectangle, in module units, since fractions of a point would be rounded."""
    runs = []
    for row, cells in enumerate(reversed(matrix)):
        column = 0
        for dark, run in itertools.groupby(cells):
            length = len(list(run))
            if dark:
                runs.append(f"{column} {row} {length} 1 re")
            column += length
    module = _side(matrix) / len(matrix)
    canvas.saveState()
    canvas.translate(x, y)
    canvas.scale(module, module)
    canvas.setFillGray(0)
    canvas.addLiteral(f"{' '.join(runs)} f")
    canvas.restoreState()


def _wrapped(markup: str, style: ParagraphStyle, width: float) -> tuple[Any, float]:
    paragraph = Paragraph(markup, style)
    return paragraph, paragraph.wrap(width, HEIGHT)[1]


def _midnight(day: date) -> TimeStamp:
    stamp = TimeStamp(1)
    stamp.YMDhms, stamp.dhh, stamp.dmm = (day.year, day.month, day.day, 0, 0, 0), 7, 0
    return stamp
