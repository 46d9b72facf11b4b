"""Every letter by rules of PDF/UA-1 (ISO 14289-1) that a program can check, and by a reader that forgives nothing."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import pypdf
import pypdfium2
import pytest

from tests.servers.certificate.letters import ANSWERS
from tests.servers.certificate.test_page import draw

ACTIVE = {"/JavaScript", "/JS", "/OpenAction", "/AA", "/Launch", "/EmbeddedFiles", "/XFA"}

SHOWING = {b"Tj", b"TJ", b"'", b"f", b"f*", b"S", b"s", b"B", b"Do"}
"""Operators that put something on the page."""


@pytest.mark.parametrize("key", ANSWERS)
def test_a_strict_reader_finds_no_fault(key: str) -> None:
    pdf = draw(ANSWERS[key], key)
    reader = pypdf.PdfReader(io.BytesIO(pdf), strict=True)
    root: Any = reader.trailer["/Root"]
    sheets: list[Any] = list(reader.pages)
    names = {name for each in objects(reader) if isinstance(each, dict) for name in each}
    assert not names & ACTIVE and "/Encrypt" not in reader.trailer
    assert root["/MarkInfo"]["/Marked"] == True  # noqa: E712  pypdf's own kind of True
    assert root["/ViewerPreferences"]["/DisplayDocTitle"] == True  # noqa: E712
    assert all(sheet["/StructParents"] is not None and sheet["/Tabs"] == "/S" for sheet in sheets)
    fonts: list[Any] = [font.get_object() for sheet in sheets for font in sheet["/Resources"]["/Font"].values()]
    assert all("/ToUnicode" in font for font in fonts), "what can't be searched can't be read aloud"
    figures = [each for each in objects(reader) if isinstance(each, dict) and each.get("/S") == "/Figure"]
    assert figures and all(figure.get("/Alt") for figure in figures)
    assert len(pypdfium2.PdfDocument(pdf)) == len(sheets)


@pytest.mark.parametrize("key", ANSWERS)
def test_all_that_is_drawn_is_tagged_or_called_decoration(key: str) -> None:
    for sheet in pypdf.PdfReader(io.BytesIO(draw(ANSWERS[key], key))).pages:
        content = sheet.get_contents()
        assert content is not None
        depth, drawn, bare = 0, 0, []
        for operands, operator in content.operations:
            depth += {b"BDC": 1, b"BMC": 1, b"EMC": -1}.get(operator, 0)
            if operator in SHOWING:
                drawn += 1
                bare += [operands] * (depth == 0)
        assert (depth, bare) == (0, []) and drawn > 20


def objects(reader: pypdf.PdfReader) -> Iterator[Any]:
    """Every object of the file."""
    for number in range(1, len(reader.xref_objStm) + sum(map(len, reader.xref.values())) + 1):
        yield reader.get_object(number)
