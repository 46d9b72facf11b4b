"""What the host fills in was said of just this field: no verb is a name, no scene of an event a home."""

from __future__ import annotations

import pytest

from agentd.apps.letters.policies.copying import copied
from agentd.apps.letters.policies.grounding import case_of, ungrounded
from tests.agentd.apps.letters.letters import call, letter, session
from tests.agentd.apps.letters.test_conversations import tool as shipped

DEATH = (
    "bapak saya Slamet Riyadi meninggal kemarin sore di RSUD Cengkareng karena sakit jantung",
    "A: Mohon sebutkan tempat dan tanggal lahir almarhum, serta nama, NIK dan alamat Anda sebagai pelapor.",
    "almarhum lahir di Solo 12 mei 1957, saya anaknya, Rudi Hartono NIK 3175061501900003 tinggal di jalan mawar 7 rt 3",
)


@pytest.mark.parametrize(
    "corrected",
    [
        "alamatnya salah ketik pak, harusnya nomor 17 bukan 7",
        "eh, nomor 17 maksudnya",
        "salah, nomor 17 bukan 7",
        "nomor rumahnya 17 bukan 7",
    ],
)
def test_an_address_whose_house_number_was_corrected_is_not_filled_in(corrected: str) -> None:
    tool = shipped("surat_keterangan_kematian")
    case = case_of(tool, session(*DEATH, "A: Mohon diperiksa.", corrected))
    assert "alamat_pelapor" not in copied(tool, case).known


def test_a_reporter_whom_the_reading_doubts_can_be_written_and_is_shown_to_be_checked() -> None:
    tool = shipped("surat_keterangan_kematian")
    found = copied(tool, case_of(tool, session(*DEATH)))
    assert "Rudi Hartono" in found.tool.input_schema["properties"]["nama_pelapor"]["enum"]
    assert "nama_pelapor" not in found.tool.input_schema["required"]


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ("stnk motor saya hilang di jalan raya bekasi tanggal 3", "jalan raya bekasi"),
        ("motor saya dicuri di Jl. Raya Bogor KM 22", "Jl. Raya Bogor KM 22"),
        ("dompet ketinggalan di Jalan Sudirman kemarin", "Jalan Sudirman"),
    ],
)
def test_a_street_where_something_happened_is_nobodys_home(said: str, place: str) -> None:
    tool = shipped("surat_pengantar_kehilangan")
    found = copied(tool, case_of(tool, session(said)))
    assert "alamat" not in found.known and place in found.tool.input_schema["properties"]["tempat_hilang"]["enum"]
    at_home = ungrounded(call({"alamat": place}, said, tool=tool))
    assert [field.path for field in at_home if field.path == "alamat"], "it isn't proven to be the home either"


def test_a_lost_card_whose_name_is_a_fields_name_can_be_written() -> None:
    tool = shipped("surat_pengantar_kehilangan")
    found = copied(tool, case_of(tool, session("ktp saya ilang kemarin di pasar")))
    properties = found.tool.input_schema["properties"]
    assert "ktp" in properties["barang_hilang"]["enum"] and "pasar" in properties["tempat_hilang"]["enum"]


@pytest.mark.parametrize(
    "said", ["saya ditolak bank kemarin", "saya nginep di jl anggrek 9", "buat apa: buka rekening", "saya direkturnya"]
)
def test_no_verb_and_no_question_word_is_a_value(said: str) -> None:
    tool = letter(("nama", "keperluan"))
    known = copied(tool, case_of(tool, session(said))).known
    assert "nama" not in known and known.get("keperluan") != "apa"


def test_a_place_ends_where_a_date_begins() -> None:
    tool = shipped("surat_keterangan_bepergian")
    found = copied(tool, case_of(tool, session("saya mau pulang kampung ke Wonogiri tanggal 20 bareng istri")))
    assert found.known["tempat_tujuan"] == "Wonogiri" and "alamat" not in found.known


@pytest.mark.parametrize(
    ("letter_type", "said", "absent", "known"),
    [
        ("domisili", "saya Agus, tinggal di Jl. Dahlia 9, rumah mertua namanya H. Sanusi", {"nama": "H. Sanusi"}, {}),
        ("usaha", "usaha laundry, nama Kinclong, alamatnya sama kayak rumah", {"nama": "Kinclong"}, {}),
        ("usaha", "usaha laundry, nama saya Budi", {}, {"nama": "Budi", "jenis_usaha": "laundry"}),
        ("domisili", "nama Yoga Pratama tanpa gelar", {}, {"nama": "Yoga Pratama"}),
        ("usaha", "jenis usaha warung, nama Budi Santoso, NIK 3175061501900003", {}, {"nama": "Budi Santoso"}),
    ],
)
def test_a_name_is_whose_it_was_said_to_be(
    letter_type: str, said: str, absent: dict[str, str], known: dict[str, str]
) -> None:
    tool = shipped(f"surat_keterangan_{letter_type}")
    found = copied(tool, case_of(tool, session(said))).known
    assert known.items() <= found.items() and absent.items().isdisjoint(found.items())
    assert "rumah" not in str(found.get("alamat"))


@pytest.mark.parametrize(
    ("letter_type", "said", "known", "field"),
    [
        ("keterangan_usaha", "Usaha: warung\nPemilik: H. Rahmat\nNIK pemilik: 3175061501900003", "H. Rahmat", "nama"),
        ("keterangan_domisili", "surat domisili atas nama PT Sinar Abadi", None, "nama"),
        (
            "pengantar_kelahiran",
            "Anak kami lahir 25 Nov 2026 di Puskesmas Cakung",
            "Puskesmas Cakung",
            "tempat_lahir_anak",
        ),
    ],
)
def test_no_label_company_or_month_is_a_name_or_a_place(
    letter_type: str, said: str, known: str | None, field: str
) -> None:
    tool = shipped(f"surat_{letter_type}")
    assert copied(tool, case_of(tool, session(said))).known.get(field) == known


SPEECH = (
    "jadi gini pak saya tuh kan mau nikah bulan depan nah diminta surat keterangan belum pernah nikah nama saya Dimas "
    "Aditya terus niknya 3174051101970017 terus saya lahir di bandung sebelas januari sembilan tujuh agama islam"
)
"""As spoken to a telephone: without a comma, and with a year that no rule reads."""


@pytest.mark.parametrize(
    ("key", "said", "known"),
    [
        (
            "surat_keterangan_belum_menikah",
            SPEECH,
            {"nama": "Dimas Aditya", "nik": "3174051101970017", "tempat_lahir": "bandung", "agama": "Islam"},
        ),
        ("surat_keterangan_domisili", "nama saya Dimas Aditya, lahir 11 januari", {"nama": "Dimas Aditya"}),
        ("surat_pengantar_kelahiran", "anak saya lahir 11 januari", {"tanggal_lahir_anak": "2026-01-11"}),
        ("surat_keterangan_domisili", "KK nya atas nama Sutrisno", {}),
        ("surat_keterangan_domisili", "surat atas nama Budi Santoso", {"nama": "Budi Santoso"}),
        ("surat_keterangan_domisili", "saya nggak kerja nama saya Dimas Aditya", {"nama": "Dimas Aditya"}),
    ],
)
def test_a_birth_without_its_year_and_a_name_on_another_paper_are_not_filled_in(
    key: str, said: str, known: dict[str, str]
) -> None:
    day = [one.model_copy(update={"day": "2026-11-30"}) for one in session(said)]
    found = dict(copied(shipped(key), case_of(shipped(key), day)).known)
    assert {name: value for name, value in found.items() if name != "pekerjaan"} == known
