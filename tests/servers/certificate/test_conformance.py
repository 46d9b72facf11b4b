"""Every letter as it is issued, signed: by rules of PDF/UA-1 (ISO 14289-1) that a program can check, and by others'
readers, which forgive nothing."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pypdf
import pypdfium2
import pytest

from tests.servers.certificate.letters import ANSWERS, NOW, issue, open_service
from tests.servers.certificate.test_signing import pdfsig

ACTIVE = {"/JavaScript", "/JS", "/OpenAction", "/AA", "/Launch", "/EmbeddedFiles", "/XFA"}

SHOWING = {b"Tj", b"TJ", b"'", b"f", b"f*", b"S", b"s", b"B", b"Do"}
"""Operators that put something on the page."""


@pytest.fixture(scope="module")
def issued(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Path]:
    """{letter: its file}."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AGENTD_CLOCK", NOW)
        service = open_service(tmp_path_factory.mktemp("office"))
        return {key: Path(issue(service, answers, letter=key).path) for key, answers in ANSWERS.items()}


@pytest.mark.parametrize("key", ANSWERS)
def test_poppler_finds_the_signature_valid_and_over_the_whole_file(key: str, issued: Mapping[str, Path]) -> None:
    said = pdfsig(issued[key])
    assert "Signature is Valid" in said and "Total document signed" in said


@pytest.mark.parametrize("key", ANSWERS)
def test_a_strict_reader_finds_no_fault(key: str, issued: Mapping[str, Path]) -> None:
    pdf = issued[key].read_bytes()
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
    heads = [each for each in objects(reader) if isinstance(each, dict) and each.get("/S") == "/TH"]
    assert heads and all(head["/A"]["/Scope"] == "/Row" for head in heads), "7.5"
    notes = [note.get_object() for sheet in sheets for note in sheet.get("/Annots", ())]
    assert all("/StructParent" in note or note.get("/F", 0) & 2 or note["/Rect"][2] < 0 for note in notes), "7.18.1"
    assert len(pypdfium2.PdfDocument(pdf)) == len(sheets)


@pytest.mark.parametrize("key", ANSWERS)
def test_all_that_is_drawn_is_tagged_or_called_decoration(key: str, issued: Mapping[str, Path]) -> None:
    for sheet in pypdf.PdfReader(issued[key]).pages:
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
    for number in {*reader.xref_objStm, *(number for section in reader.xref.values() for number in section)}:
        yield reader.get_object(number)
