"""Splits a template's HTML into blocks: paragraphs and table rows. It doesn't interpret placeholders."""

from __future__ import annotations

from dataclasses import dataclass, field

from lxml import etree

_BREAKS = frozenset({"p", "div", "h1", "h2", "h3", "h4", "h5", "h6", "br", "li", "ul", "ol", "hr", "table"})
_SKIPPED = frozenset({"style", "script", "head", "title"})


@dataclass(frozen=True)
class Block:
    """A paragraph (one cell), or a table row (its non-empty cells)."""

    cells: tuple[str, ...]

    @property
    def text(self) -> str:
        return " ".join(self.cells)


@dataclass
class _Row:
    cells: list[str] = field(default_factory=list)
    open: bool = False


class _Reader:
    """Collects text by cell inside rows, by paragraph outside; a table inside a cell gives separate rows.

    The target of lxml's parser, which takes linear time (the standard library's needs minutes for 80 KB of `<x `).
    """

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._text: list[str] = []
        self._rows: list[_Row] = []
        self._skipping = 0

    def start(self, tag: str, _attributes: object) -> None:
        if tag in _SKIPPED:
            self._skipping += 1
        elif tag == "tr":
            self._end_text()
            self._rows.append(_Row())
        elif tag in ("td", "th") and self._rows:
            self._end_cell()
            self._rows[-1].open = True
        elif tag in _BREAKS:
            self._break()

    def end(self, tag: str) -> None:
        if tag in _SKIPPED:
            self._skipping = max(0, self._skipping - 1)
        elif tag in ("td", "th"):
            self._end_cell()
        elif tag == "tr" and self._rows:
            self._end_cell()
            row = self._rows.pop()
            if any(row.cells):
                self.blocks.append(Block(tuple(cell for cell in row.cells if cell)))
        elif tag in _BREAKS:
            self._break()

    def data(self, data: str) -> None:
        if not self._skipping:
            self._text.append(data)

    def close(self) -> list[Block]:
        while self._rows:
            self.end("tr")
        self._end_text()
        return self.blocks

    def _break(self) -> None:
        if self._rows and self._rows[-1].open:
            self._text.append(" ")
        else:
            self._end_text()

    def _end_cell(self) -> None:
        if self._rows and self._rows[-1].open:
            self._rows[-1].cells.append(self._taken())
            self._rows[-1].open = False

    def _end_text(self) -> None:
        if text := self._taken():
            self.blocks.append(Block((text,)))

    def _taken(self) -> str:
        text = " ".join("".join(self._text).split())
        self._text.clear()
        return text


def blocks(html: str) -> list[Block]:
    """Return the page's blocks from top to bottom; broken HTML is read as far as possible."""
    parser = etree.HTMLParser(target=_Reader(), huge_tree=True)
    parser.feed(html)
    read: list[Block] = parser.close()
    return read
