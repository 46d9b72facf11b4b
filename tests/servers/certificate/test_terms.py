"""What pages and conversations show in English and Javanese of the office's own words."""

from __future__ import annotations

from pathlib import Path

import pytest

from servers.certificate.answers import error_of
from servers.certificate.issuing.issuing import LetterService
from servers.certificate.languages import terms, words
from servers.certificate.letters import kinds
from servers.certificate.letters.fields import InvalidFields
from servers.certificate.letters.lettertype import load
from servers.certificate.lookups import hours, needed

SAME = {"A", "B", "AB", "O", "Islam", "Hindu", "Buddha"}
"""Words that are the same in all three languages."""
LETTERS = sorted((Path(__file__).parents[3] / "profiles/kelurahan/letters").glob("*/letter.toml"))


@pytest.mark.parametrize("language", ["en", "jv"])
def test_each_field_hint_and_choice_of_a_shipped_letter_has_its_meaning(language: str) -> None:
    """A hint without one was Indonesian in an English form ("3 angka")."""
    unsaid: set[str] = set()
    for file in LETTERS:
        letter = load(file.parent)
        for rule in letter.input_schema()["properties"].values():
            own_hint = rule.get("format") in {"nik", "kk", "date"}  # the form says these in its own texts
            shown = {rule["title"], *rule.get("enum", ()), *([] if own_hint else [rule.get("description", "")])}
            unsaid |= shown - SAME - {""} - terms()[language].keys()
    assert sorted(unsaid) == []


def test_a_choice_is_read_in_the_words_in_which_it_is_shown() -> None:
    pairs = [
        (choice, shown.get(choice, choice), table)
        for shown in terms().values()
        for table in kinds.CHOICES.values()
        for choice in table
    ]
    assert [(choice, word) for choice, word, table in pairs if kinds.read_choice(word, table) != choice] == []


def test_documents_hours_and_fees_are_told_in_the_citizens_language(service: LetterService) -> None:
    asked = [needed(service, name, words("en")) for name in ("domicile letter", "skds")]
    told = [*asked, hours(service, words("en"))]
    shown = " ".join(one.content[0].text for one in told)
    assert not [word for word in ("salinan", "Alamat", "lahir", "Gratis", "Senin", "diurus") if word in shown]
    assert "family card (KK, a copy)" in str(asked[0].structured_content)
    assert "Kartu Keluarga (salinan)" in str(needed(service, "surat domisili", words("id")).structured_content)
    assert hours(service, words("id")).structured_content["fee"] == "Gratis"


def test_wrong_values_are_told_in_the_citizens_language(service: LetterService) -> None:
    letter = service.catalogue.types["surat_keterangan_domisili"]
    with pytest.raises(InvalidFields) as wrong:
        service.check(letter, {"tanggal_lahir": "kemarin"})
    told = error_of(wrong.value, words("en")).content[0].text
    assert "- Date of birth: this date can't be read." in told and "- Full name: is missing." in told
    assert "- Nama lengkap: belum diisi." in error_of(wrong.value, words("id")).content[0].text


def test_a_letter_of_ones_own_has_its_words_in_other_languages(tmp_path: Path) -> None:
    folder = tmp_path / "surat_hewan"
    folder.mkdir()
    text = 'title = "Surat Hewan"\nsummary = "Surat."\nseries = "SH"\nrows = [["Hewan", "{hewan}"]]\n'
    (folder / "letter.toml").write_text(
        f'{text}[terms.en]\nHewan = "Pet"\n[fields]\nhewan = {{ kind = "text", label = "Hewan" }}\n'
    )
    (folder / "letter.txt").write_text("Menerangkan:\n[data]\n")
    assert load(folder).translated()["en"] == {"Hewan": "Pet"}
