"""The page: deterministic, embedded, tagged, and deaf to markup (issue 5, The page)."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from datetime import date
from pathlib import Path

import pypdf
import pypdfium2
import pytest
import zxingcpp
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from PIL import Image

from servers.certificate import office
from servers.certificate.drawing import page
from servers.certificate.drawing.picture import pictures
from servers.certificate.languages import words
from servers.certificate.letters import lettertype
from servers.certificate.letters.fitting import display
from servers.certificate.settings import SHIPPED_LETTERS
from servers.certificate.signing import statement
from tests.servers.certificate.letters import ANSWERS, DOMISILI

TODAY = date(2026, 3, 5)
ISSUE = page.Issue(
    number="001/SKD/CONTOH/III/2026",
    day=TODAY,
    code="ABCD-EFGH-JKMN-PQRS",
    verify_url="https://kelurahan.example/verify/ABCD-EFGH-JKMN-PQRS",
)


def draw(
    answers: dict[str, object] = DOMISILI, key: str = "surat_keterangan_domisili", issue: page.Issue | None = ISSUE
) -> bytes:
    letter = lettertype.load(SHIPPED_LETTERS / key)
    values, _ = letter.check(answers, TODAY, page.glyphs())
    return page.render(letter, values, office.load(), issue, TODAY)


def text(pdf: bytes) -> str:
    return " ".join(" ".join(sheet.extract_text() for sheet in pypdf.PdfReader(io.BytesIO(pdf)).pages).split())


def test_the_same_letter_is_the_same_bytes_in_another_process() -> None:
    code = (
        "import sys, hashlib; from tests.servers.certificate.test_page import draw;"
        "sys.stdout.write(hashlib.sha256(draw()).hexdigest())"
    )
    env = os.environ | {"PYTHONHASHSEED": "7", "TZ": "America/New_York"}
    other = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True, timeout=300
    )
    import hashlib

    assert other.stdout == hashlib.sha256(draw()).hexdigest()


def test_each_further_page_names_its_letter_and_number() -> None:
    letter = lettertype.load(SHIPPED_LETTERS / "surat_keterangan_domisili")
    long = letter.model_copy(
        update={"text": (*letter.text[:-1], *["Kalimat yang panjang. " * 12] * 14, letter.text[-1])}
    )
    values, _ = letter.check(ANSWERS["surat_keterangan_domisili"], TODAY, page.glyphs())
    first, *others = pypdf.PdfReader(io.BytesIO(page.render(long, values, office.load(), ISSUE, TODAY))).pages
    heads = [f"{letter.title}, Nomor: {ISSUE.number} ({number})" for number in range(2, len(others) + 2)]
    assert heads and [sheet.extract_text().splitlines()[0] for sheet in others] == heads
    assert "(1)" not in first.extract_text()


@pytest.mark.parametrize("before", [0, 3, 9, 10, 11])
def test_a_paragraph_longer_than_a_page_goes_on_on_the_next(before: int) -> None:
    letter = lettertype.load(SHIPPED_LETTERS / "surat_keterangan_domisili")
    numbered = [f"kata{number}" for number in range(1500)]
    lines = (letter.text[0], *["Kalimat pendek."] * before, " ".join(numbered), *letter.text[1:])
    values, _ = letter.check(DOMISILI, TODAY, page.glyphs())
    pdf = page.render(letter.model_copy(update={"text": lines}), values, office.load(), ISSUE, TODAY)
    with pypdfium2.PdfDocument(pdf) as document:
        sheets = [sheet.get_textpage() for sheet in document]
        shown = " ".join(sheet.get_text_range() for sheet in sheets).split()
        lowest = [min(sheet.get_charbox(at)[1] for at in range(sheet.count_chars())) for sheet in sheets]
    assert [word for word in shown if word.startswith("kata")] == numbered
    assert min(lowest) > page.BOTTOM - 5, "nothing is drawn below the margin"


@pytest.mark.parametrize("key", ANSWERS)
def test_every_letter_says_what_it_was_told_on_one_page(key: str) -> None:
    pdf = draw(ANSWERS[key], key)
    shown = text(pdf)
    assert len(pypdf.PdfReader(io.BytesIO(pdf)).pages) == 1
    letter = lettertype.load(SHIPPED_LETTERS / key)
    values, _ = letter.check(ANSWERS[key], TODAY, page.glyphs())
    assert values.keys() >= ANSWERS[key].keys()
    for told in display(values, letter.fields, words("id")).values():
        assert told in shown
    assert "Siti Rahayu" in shown and ("RT 003/RW 005" in shown or "rt" not in values)
    for office_word in (
        "KELURAHAN CAKUNG BARAT",
        "001/SKD/CONTOH/III/2026",
        "Jakarta, 5 Maret 2026",
        "ABCD-EFGH-JKMN-PQRS",
    ):
        assert office_word in shown
    assert "{" not in shown
    assert "0812-3456-7890" in shown or key != "surat_keterangan_usaha"


def test_a_row_without_an_answer_is_left_out() -> None:
    assert "Alamat KTP" not in text(draw())
    assert "Alamat KTP" in text(draw(ANSWERS["surat_keterangan_domisili"]))


def test_only_embedded_fonts_are_used() -> None:
    reader = pypdf.PdfReader(io.BytesIO(draw()))
    fonts = [font.get_object() for sheet in reader.pages for font in sheet["/Resources"]["/Font"].values()]
    assert fonts and all("DejaVuSerif" in font["/BaseFont"] for font in fonts)
    assert all("/FontFile2" in font["/FontDescriptor"] for font in fonts)


def test_the_letter_is_tagged_and_its_language_and_title_are_set() -> None:
    reader = pypdf.PdfReader(io.BytesIO(draw()))
    catalogue = reader.trailer["/Root"]
    assert catalogue["/Lang"] == "id-ID" and catalogue["/MarkInfo"]["/Marked"] is not None
    document = catalogue["/StructTreeRoot"]["/K"][0].get_object()
    kinds = [child.get_object()["/S"] for child in document["/K"]]
    assert "/H1" in kinds and "/Table" in kinds and "/Figure" in kinds
    assert reader.metadata is not None
    assert reader.metadata.title == "Surat Keterangan Domisili 001/SKD/CONTOH/III/2026"


def test_the_metadata_and_the_qr_tell_nothing_of_the_applicant() -> None:
    reader = pypdf.PdfReader(io.BytesIO(draw()))
    assert reader.metadata is not None
    told = " ".join(str(value) for value in reader.metadata.values()) + ISSUE.verify_url
    assert "Siti" not in told and "3175064508900001" not in told


def test_a_draft_has_no_number_no_code_and_a_watermark() -> None:
    shown = text(draw(issue=None))
    assert "BUKAN SURAT" in shown and "nomor diberikan saat terbit" in shown
    assert "001/" not in shown and "Periksa keaslian" not in shown


def test_the_signer_a_letter_names_stands_under_it_and_in_its_text() -> None:
    deputy = office.Signer(title="Sekretaris Kelurahan", name="[NAMA SEKRETARIS]", on_behalf="a.n. Lurah Cakung Barat")
    sample = office.load()
    here = sample.model_copy(update={"signers": sample.signers | {"sekretaris": deputy}, "validity_months": 6})
    letter = lettertype.load(SHIPPED_LETTERS / "surat_pengantar").model_copy(update={"signer": "sekretaris"})
    values, _ = letter.check(ANSWERS["surat_pengantar"], TODAY, page.glyphs())
    until = letter.valid_until(TODAY, here)
    shown = text(page.render(letter, values, here, ISSUE.model_copy(update={"valid_until": until}), TODAY))
    assert "di bawah ini Sekretaris Kelurahan" in shown and "[NAMA SEKRETARIS]" in shown
    assert "a.n. Lurah Cakung Barat" in shown and "sampai dengan tanggal 5 September 2026" in shown


LONG = {"nama": "Raden Mas Bambang Sulistyo Kusumo Wardhani", "keperluan": "Pengajuan kredit usaha rakyat " * 4}
LONGEST = {"nama": "Wa" * 40, "keperluan": "W" * 120}


@pytest.mark.parametrize("answers", [{}, LONG, LONGEST], ids=["usual", "long", "longest"])
@pytest.mark.parametrize("dpi", [60, 100, 150])
def test_a_reader_reads_the_whole_qr_code_from_a_coarse_picture(answers: dict[str, str], dpi: int) -> None:
    key = Ed25519PrivateKey.generate()
    letter = lettertype.load(SHIPPED_LETTERS / "surat_keterangan_domisili")
    values, _ = letter.check(DOMISILI | answers, TODAY, page.glyphs())
    signed = statement.sign(statement.stated(letter, values, ISSUE.number, TODAY), key)
    issue = ISSUE.model_copy(update={"statement": signed})
    pdf = page.render(letter, values, office.load(), issue, TODAY)
    [read] = zxingcpp.read_barcodes(Image.open(io.BytesIO(pictures(pdf, dpi)[-1])))
    assert read.text == f"{ISSUE.verify_url}#{signed}"


def test_a_qr_code_without_a_statement_is_the_address_alone() -> None:
    [read] = zxingcpp.read_barcodes(Image.open(io.BytesIO(pictures(draw(), 60)[0])))
    assert read.text == ISSUE.verify_url


def test_markup_in_an_answer_is_printed_as_written() -> None:
    hostile = "Jl. <b>Besar</b> & Co <img src='file:///etc/passwd'/> {jabatan} No. 5"
    shown = text(draw(DOMISILI | {"alamat_domisili": hostile}))
    assert "<b>Besar</b> & Co" in shown and "{jabatan}" in shown


def test_the_longest_answers_still_end_with_the_signer() -> None:
    words = "Jalan Panjang Sekali " * 7
    longest = ANSWERS["surat_keterangan_domisili"] | {
        "alamat_domisili": words,
        "alamat_ktp": words,
        "keperluan": "W" * 120,
    }
    pdf = draw(longest)
    shown = text(pdf)
    assert "[NAMA LURAH]" in shown and "W" * 40 in shown.replace(" ", "")
    assert len(pictures(pdf, 30)) == len(pypdf.PdfReader(io.BytesIO(pdf)).pages)


def test_the_fonts_carry_their_licence() -> None:
    assert "Bitstream Vera" in (Path(page.FONTS) / "LICENSE.txt").read_text()
