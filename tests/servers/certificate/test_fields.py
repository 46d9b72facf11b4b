"""Field rules: what people write is understood, what can't be true is refused in their words (issue 5, Field rules)."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from servers.certificate.drawing import page
from servers.certificate.languages import LANGUAGES, words
from servers.certificate.letters import amounts, dates, kinds, lettertype
from servers.certificate.letters.fields import InvalidFields
from servers.certificate.letters.fitting import display
from servers.certificate.messages import WrongValue
from servers.certificate.settings import SHIPPED_LETTERS
from tests.servers.certificate.letters import ANSWERS, DOMISILI

LETTER = lettertype.load(SHIPPED_LETTERS / "surat_keterangan_domisili")
TODAY = date(2026, 3, 5)


def check(**changes: Any) -> dict[str, str]:
    values, _ = LETTER.check(DOMISILI | changes, TODAY, page.glyphs())
    return values


def problems(**changes: Any) -> dict[str, str]:
    with pytest.raises(InvalidFields) as caught:
        check(**changes)
    return {problem.field: problem.message for problem in caught.value.problems}


DATES = (
    *("5 Agustus 1990", "05-08-1990", "5/8/1990", "5.8.1990", "1990-08-05", "5 Agt 1990", "August 5, 1990"),
    *("5th of August 1990", "tanggal 5 bulan 8 tahun 1990", "Minggu, 5 Agustus 1990", "5 AGUSTUS 1990", "5-Aug-1990"),
    "Sunday, 5 August 1990",
)
NIKS = ("3175 0645 0890 0001", "3175.0645.0890.0001", 3175064508900001)
RTS = ("3", 3, "03", "003", "RT 3", "rt.003", "RT: 03")
NAMES = ("Sukarno", "siti RAHAYU", "Ida Ayu Nyoman", "Muhammad Rizky, S.Kom.", "D'Angelo", "José Ñuñez")
WITH_RT_AND_RW = (
    *(
        "Jl. Melati No. 5",
        "Jl. Melati No. 5 RT 3 RW 5",
        "Jl. Melati No. 5, RT.003/RW.005",
        "Jl. Melati No. 5, rt 03/05",
    ),
    *("Jl. Melati No. 5, RT 3, RW 5", "Jl. Melati No. 5 RT03/RW05", "Jl. Melati No. 5 RT/RW 003/005"),
    *(
        "Jl. Melati No. 5 (RT 3/RW 5)",
        "Jl. Melati No. 5 RW 5 RT 3",
        "Jl. Melati No. 5 RT 3",
        "RT 3 RW 5, Jl. Melati No. 5",
    ),
)
STREETS = ("Gang RT 12 No. 4", "Perum ART 3 Blok B", "Jl. Start 5", "Kompleks RTX 3 No. 1")  # no RT of a field


@pytest.mark.parametrize(
    ("field", "written", "read"),
    [
        *(("tanggal_lahir", written, "1990-08-05") for written in DATES),
        *(("nik", written, "3175064508900001") for written in NIKS),
        *(("rt", written, "003") for written in RTS),
        *(("nama", name, name) for name in NAMES),
        ("agama", "kristen protestan", "Kristen"),
        ("agama", "BUDHA", "Buddha"),
        ("status_perkawinan", "belum menikah", "Belum Kawin"),
        ("status_perkawinan", "married", "Kawin"),
        ("jenis_kelamin", "wanita", "Perempuan"),
        ("kewarganegaraan", "Indonesia", "WNI"),
        *(("alamat_domisili", written, "Jl. Melati No. 5") for written in WITH_RT_AND_RW),
        ("alamat_domisili", "Jl. Melati No. 5, RT 3/RW 5, Cakung Barat", "Jl. Melati No. 5, Cakung Barat"),
        *(("alamat_domisili", street, street) for street in STREETS),
        ("alamat_domisili", "rumah Jl. Melati No. 5", "Jl. Melati No. 5"),  # it begins with its street
        ("alamat_domisili", "rumah saya di Gang Mawar 2", "Gang Mawar 2"),
        ("alamat_domisili", "Rumah Susun Cakung Blok B2", "Rumah Susun Cakung Blok B2"),
        ("alamat_domisili", "Rumah Kontrakan Pak Haji, Jl. Melati 5", "Rumah Kontrakan Pak Haji, Jl. Melati 5"),
        ("alamat_ktp", "Jl. Lama No. 1 RT 7 RW 8, Bandung", "Jl. Lama No. 1 RT 7 RW 8, Bandung"),  # it has its own
    ],
)
def test_a_value_is_read_however_people_write_it(field: str, written: object, read: str) -> None:
    assert check(**{field: written})[field] == read


@pytest.mark.parametrize(
    ("field", "written", "says"),
    [
        ("tanggal_lahir", "31 Februari 1990", "tidak ada di kalender"),
        ("tanggal_lahir", "08/25/1990", "tidak ada di kalender"),
        ("tanggal_lahir", "5 Agustus 90", "empat angka"),
        ("tanggal_lahir", "Agustus 1990", "tidak terbaca"),
        ("tanggal_lahir", "kemarin", "tidak terbaca"),
        ("tanggal_lahir", "5 Agustus 2090", "belum terjadi"),
        ("tanggal_lahir", "5 Agustus 1890", "tidak mungkin"),
        ("tanggal_lahir", "0000-00-00", "masih contoh"),
        ("nik", "317506450890000", "16 angka, yang ditulis 15"),
        ("nik", "31750645089000012", "16 angka, yang ditulis 17"),
        ("nik", "317506450890000x", "hanya berisi angka"),
        ("nik", "317506450890000१", ""),  # a digit of another script is no digit
        ("nik", "3175064508900000", "0000"),
        ("nik", "3175067208900001", "tanggal lahir yang ada"),
        ("nik", "3175064513900001", "tanggal lahir yang ada"),
        ("nik", "3175063102900001", "tanggal lahir yang ada"),
        ("nik", "3175064608900001", "tidak cocok dengan tanggal lahir"),
        ("nik", "0000000000000000", "masih contoh"),
        ("nik", True, "teks"),
        pytest.param("nik", 10**5000, "teks", id="an integer of 5000 digits"),
        ("nik", 3.175064508900001e15, "teks"),
        *(("rt", written, "") for written in ("0", "000", "1000", "tiga", "003/005", "-3", 0)),
        ("jenis_kelamin", "laki-laki", "NIK"),
        ("status_perkawinan", "rumit", "Belum Kawin, Kawin, Cerai Hidup, Cerai Mati"),
        ("no_kk", DOMISILI["nik"], "sama dengan NIK"),
        ("nama", "<b>Siti</b>", "hanya berisi huruf"),
        ("nama", "Siti 123", "hanya berisi huruf"),
        ("nama", "Siti 😀", "GRINNING FACE"),
        ("nama", "سيتي", "ARABIC LETTER"),
        ("nama", "Siti\u202eayu", "RIGHT-TO-LEFT OVERRIDE"),
        ("nama", "Budi S\u0430ntoso", "CYRILLIC SMALL LETTER A"),
        ("nama", "\u2160wan", "ROMAN NUMERAL ONE"),
        ("keperluan", "Membuka\ufe0f rekening", "VARIATION SELECTOR-16"),
        ("keperluan", "Membuka\u034f rekening", "COMBINING GRAPHEME JOINER"),
        ("keperluan", "Membuka \u2800\u2800 rekening", "BRAILLE PATTERN BLANK"),
        ("nama", "Si\u0000ti", "U+0000"),
        ("nama", "Siti \ud83d", "U+D83D"),
        ("nama", "李小龍", "CJK UNIFIED IDEOGRAPH"),
        ("nama", "S" * 81, "terlalu panjang"),
        ("nama", "NAMA CONTOH", "masih contoh"),
        ("nama", "   ", "belum diisi"),
        ("nama", ["Siti"], "teks"),
        ("alamat_domisili", "RT 3 RW 5", "tulis alamat lengkap"),
        (
            *("alamat_domisili", "Jl. Melati No. 5 RT 4 RW 5"),
            "di dalamnya tertulis RT 004, tetapi isian RT 003. Mana yang benar?",
        ),
        ("alamat_domisili", "Jl. Melati 5, RW 7", "tertulis RW 007, tetapi isian RW 005"),
    ],
)
def test_a_value_that_cannot_be_is_refused_in_words(field: str, written: object, says: str) -> None:
    assert says in problems(**{field: written})[field]


@pytest.mark.parametrize("written", ["suplemen β-karoten", "(ω-3)", "β-Karoten dan δ-tokoferol"])
def test_a_chemical_name_may_begin_with_a_greek_letter(written: str) -> None:
    assert kinds.disguised(written) is None


@pytest.mark.parametrize("written", ["ο-Neill", "αndi", "βudi", "Bud-β-i ρ-Adi", "а-kasie", "Sit\u0456", "Ββ-karoten"])
def test_a_look_alike_in_a_latin_word_is_refused(written: str) -> None:
    assert kinds.disguised(written) is not None


@pytest.mark.parametrize(
    ("letter", "field"),
    [("surat_pengantar_izin_keramaian", "jumlah_undangan"), ("surat_pengantar_kelahiran", "anak_ke")],
)
@pytest.mark.parametrize("written", ["300", 3, "ke-2", "kedua", "300 orang"])
def test_how_many_or_which_may_be_a_mere_number(letter: str, field: str, written: object) -> None:
    counted = lettertype.load(SHIPPED_LETTERS / letter)
    values, _ = counted.check(ANSWERS[letter] | {field: written}, TODAY, page.glyphs())
    assert values[field] == str(written)
    with pytest.raises(InvalidFields):
        counted.check(ANSWERS[letter] | {field: "-"}, TODAY, page.glyphs())


@pytest.mark.parametrize("month", range(1, 13))
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_month_is_known_in_every_language(month: int, language: str) -> None:
    assert dates.read_date(f"7 {words(language).months[month - 1]} 1988") == date(1988, month, 7).isoformat()


@pytest.mark.parametrize(
    ("written", "canonical", "printed"),
    [
        ("2015", "2015", "2015"),
        ("tahun 2015", "2015", "2015"),
        (2015, "2015", "2015"),
        ("Maret 2015", "2015-03", "Maret 2015"),
        ("3/2015", "2015-03", "Maret 2015"),
        ("2015-03", "2015-03", "Maret 2015"),
        ("1 Maret 2015", "2015-03-01", "1 Maret 2015"),
        ("2015-03-01", "2015-03-01", "1 Maret 2015"),
    ],
)
def test_since_when_may_be_a_year_a_month_or_a_day(written: object, canonical: str, printed: str) -> None:
    business = lettertype.load(SHIPPED_LETTERS / "surat_keterangan_usaha")
    values, _ = business.check(ANSWERS["surat_keterangan_usaha"] | {"sejak": written}, TODAY, page.glyphs())
    assert (values["sejak"], display(values, business.fields, words("id"))["sejak"]) == (canonical, printed)


@pytest.mark.parametrize(
    "written", ["dulu", "13/2015", "2015-00", "31 Februari 2015", "99", "1850", f"{TODAY.year + 1}"]
)
def test_since_when_is_a_time_that_was(written: str) -> None:
    business = lettertype.load(SHIPPED_LETTERS / "surat_keterangan_usaha")
    with pytest.raises(InvalidFields):
        business.check(ANSWERS["surat_keterangan_usaha"] | {"sejak": written}, TODAY, page.glyphs())


def test_nothing_is_added_to_what_was_given_but_the_published_default() -> None:
    """What nobody saw in the summary isn't printed: the sex is not read off the NIK here."""
    assert check(jenis_kelamin=None).keys() == DOMISILI.keys() - {"jenis_kelamin"} | {"kewarganegaraan"}
    assert check()["kewarganegaraan"] == LETTER.input_schema()["properties"]["kewarganegaraan"]["default"]


def test_a_womans_day_of_birth_has_forty_added() -> None:
    assert check(nik="3175060508900001", jenis_kelamin="laki-laki")["jenis_kelamin"] == "Laki-laki"


def test_a_leap_day_of_2000_is_a_real_date() -> None:
    assert check(nik="3175066902000001", tanggal_lahir="29-02-2000")["nik"] == "3175066902000001"


def test_an_unknown_district_only_warns() -> None:
    _, warnings = LETTER.check(DOMISILI | {"nik": "9975064508900001"}, TODAY, page.glyphs())
    assert len(warnings) == 1 and "Kode wilayah" in warnings[0]


@pytest.mark.parametrize(
    ("kind", "written", "read"),
    [
        ("phone", "0812-3456-7890", "+6281234567890"),
        ("phone", "(021) 4600123", "+62214600123"),
        ("kk", "3175 0601 0110 0002", "3175060101100002"),
    ],
)
def test_phones_and_family_cards_are_normalised(kind: str, written: str, read: str) -> None:
    assert kinds.KINDS[kind].read(written) == read


@pytest.mark.parametrize(
    ("kind", "written"), [("phone", "12"), ("phone", "halo"), ("kk", "123"), ("kk", "0075060101100002")]
)
def test_phones_and_family_cards_that_are_none_are_refused(kind: str, written: str) -> None:
    with pytest.raises(ValueError, match=r"\.$"):
        kinds.KINDS[kind].read(written)


def test_all_wrong_fields_are_told_at_once_one_message_each() -> None:
    with pytest.raises(InvalidFields) as caught:
        LETTER.check({"nik": "1", "rt": "x", "agama": "?", "nonsense": 1}, TODAY, page.glyphs())
    fields = [problem.field for problem in caught.value.problems]
    required = [name for name, field in LETTER.fields.items() if field.required]
    assert sorted(fields) == sorted([*required, "nonsense"])
    for problem in caught.value.problems:
        assert problem.message.startswith(f"{problem.label}: ") and problem.message.endswith(".")


@pytest.mark.parametrize("field", ["nama", "nik", "tanggal_lahir", "alamat_domisili", "rt", "keperluan", "pekerjaan"])
def test_the_schemas_own_examples_are_never_accepted(field: str) -> None:
    example = LETTER.input_schema()["properties"][field]["examples"][0]
    assert field in problems(**{field: example})


def test_an_empty_optional_field_is_as_if_not_given() -> None:
    assert check(alamat_ktp="", no_kk=None) == check()


@pytest.mark.parametrize("key", sorted(key for key, answers in ANSWERS.items() if "rt" in answers))
def test_no_letter_says_rt_and_rw_twice(key: str) -> None:
    letter = lettertype.load(SHIPPED_LETTERS / key)
    place = next(name for name in ("alamat_domisili", "alamat_usaha", "alamat") if name in letter.fields)
    answers = ANSWERS[key] | {place: "Jl. Melati No. 5, RT 3, RW 5"}
    values, _ = letter.check(answers, TODAY, page.glyphs())
    assert values[place] == "Jl. Melati No. 5"


def test_problems_come_in_the_order_of_the_letter() -> None:
    assert list(problems(rw="x", nik="1", zzz="?", nama="")) == ["nama", "nik", "rw", "zzz"]


@pytest.mark.parametrize(
    ("read", "written"),
    [
        ("00.00", ("jam 12 malam", "12 tengah malam", "00.00", "12 am")),
        ("01.30", ("jam 1.30 malam", "1.30 dini hari", "1:30 a.m.", "01.30")),
        ("05.00", ("jam 5 subuh", "5 pagi WIB", "5 in the morning")),
        ("10.00", ("jam 10 siang", "10 pagi", "10 am")),
        ("12.15", ("12.15 siang", "12:15 pm", "12.15 WIB")),
        ("19.00", ("jam 7 malam", "pukul 7 malam WIB", "7 p.m.", "7 at night", "19.00 malam")),
        ("23.00", ("jam 11 malam", "11 in the evening")),
    ],
)
def test_an_hour_of_twelve_is_that_of_its_part_of_the_day(read: str, written: tuple[str, ...]) -> None:
    assert {text: amounts.read_time(text) for text in written} == dict.fromkeys(written, read)


@pytest.mark.parametrize("written", ["1,500", "Rp 750,500", "1,5", "Rp 1.500,50"])
def test_a_sum_that_no_whole_rupiah_is_sure_to_be_is_asked_about(written: str) -> None:
    with pytest.raises(WrongValue):
        amounts.read_money(written)
    assert [amounts.read_money(clear) for clear in ("1.500,00", "2,125 juta")] == ["1500", "2125000"]


def test_what_a_register_has_instead_of_a_month_is_printed_as_it_stands() -> None:
    letter = lettertype.load(SHIPPED_LETTERS / "surat_keterangan_usaha")
    (since,) = [name for name, field in letter.fields.items() if field.kind == "since"]
    shown = [display({since: text}, letter.fields, words("id"))[since] for text in ("2015-13", "2015-00", "2015-03")]
    assert shown == ["2015-13", "2015-00", "Maret 2015"]
