"""Tags for reportlab pages: headings, paragraphs, table cells, pictures with a description. Draws nothing itself.

reportlab doesn't support tagged PDF. This writes the marked-content operators around what is drawn and, at the end, the
structure tree (ISO 32000-1 §14.7) into the catalogue, so that screen readers follow the letter's order.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from reportlab.pdfbase.pdfdoc import PDFArray, PDFDictionary, PDFName, PDFString
from reportlab.pdfgen.canvas import Canvas


class Tags:
    """The structure of one document. Use `element` around drawn content, `artifact` for decoration, then `finish`."""

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas
        self._root = PDFDictionary({"Type": PDFName("StructTreeRoot")})
        self._document = self._node("Document", self._root)
        self._stack = [self._document]
        self._marked: list[list[Any]] = [[]]
        self._page_of: list[tuple[PDFDictionary, int]] = []

    @contextmanager
    def group(self, kind: str) -> Iterator[None]:
        """Open an element that contains others: Table, TR."""
        self._stack.append(self._node(kind, self._stack[-1]))
        yield
        self._stack.pop()

    @contextmanager
    def element(self, kind: str, alt: str | None = None) -> Iterator[None]:
        """Open an element for what is drawn inside: H1, P, TH, TD, Figure (which needs `alt`)."""
        node = self._node(kind, self._stack[-1])
        if alt is not None:
            node.dict["Alt"] = PDFString(alt)
        if kind == "TH":  # ISO 14289-1, 7.5: of which cells it is the header
            node.dict["A"] = PDFDictionary({"O": PDFName("Table"), "Scope": PDFName("Row")})
        mark = len(self._marked[-1])
        node.dict["K"] = mark
        self._marked[-1].append(node)
        self._page_of.append((node, len(self._marked) - 1))
        self._canvas._code.append(f"/{kind} <</MCID {mark}>> BDC")
        yield
        self._canvas._code.append("EMC")

    @contextmanager
    def artifact(self) -> Iterator[None]:
        """Mark what is drawn inside as decoration that screen readers skip: rules, watermarks."""
        self._canvas._code.append("/Artifact BMC")
        yield
        self._canvas._code.append("EMC")

    def show_page(self) -> None:
        """End the page and start the next."""
        self._canvas.showPage()
        self._marked.append([])

    def finish(self) -> None:
        """End the last page and write the tree. Call it once, before saving the canvas."""
        self._canvas.showPage()
        document = self._canvas._doc
        pages = document.Pages.pages
        for node, page in self._page_of:
            node.dict["Pg"] = document.Reference(pages[page])
        parents = []
        for index, nodes in enumerate(self._marked):
            page = pages[index]
            page.__NoDefault__ = [*page.__NoDefault__, "StructParents", "Tabs"]
            page.StructParents, page.Tabs = index, PDFName("S")
            parents += [index, PDFArray([document.Reference(node) for node in nodes])]
        self._reference(self._root)
        self._root.dict["ParentTree"] = document.Reference(PDFDictionary({"Nums": PDFArray(parents)}))
        document.Catalog.StructTreeRoot = document.Reference(self._root)
        document.Catalog.MarkInfo = PDFDictionary({"Marked": "true"})

    def _node(self, kind: str, parent: PDFDictionary) -> PDFDictionary:
        node = PDFDictionary({"Type": PDFName("StructElem"), "S": PDFName(kind), "P": parent})
        parent.dict.setdefault("K", []).append(node)
        return node

    def _reference(self, node: PDFDictionary) -> None:
        document = self._canvas._doc
        if isinstance(children := node.dict.get("K"), list):
            for child in children:
                child.dict["P"] = document.Reference(node)
                self._reference(child)
            node.dict["K"] = PDFArray([document.Reference(child) for child in children])
