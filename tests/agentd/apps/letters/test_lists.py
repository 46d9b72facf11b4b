"""What people tell in a row: a business and its place, parents by their titles, items without commas, answers."""

from __future__ import annotations

import pytest

from agentd.apps.letters.policies.grounding import refusal, ungrounded
from agentd.messages import Said
from tests.agentd.apps.letters.letters import call
from tests.agentd.apps.letters.test_grounding_letters import tool

USAHA, BIODATA, DOMISILI = "surat_keterangan_usaha", "biodata_penduduk", "surat_keterangan_domisili"
HERE = "Jl. Raya Bekasi KM 21"
HOME = "Jl. Melati No. 5"


def missing(letter: str, arguments: dict[str, str], *said: str) -> set[str]:
    judged = ungrounded(call(arguments, *said, tool=tool(letter)))
    return {field.path for field in judged} & set(arguments)


@pytest.mark.parametrize(
    "said",
    [
        ["asma kula Slamet, griya Gang Haji Naim No. 7", f"usahane Bakso Pak Met, sade bakso, panggenane {HERE}"],
        [f"tokone Maju, dununge ing {HERE}"],
        [f"usaha saya jualan bakso sama es teh dan nasi, tempatnya di {HERE}"],
        [f"usaha saya jualan bakso. lokasinya {HERE}"],
        ["usaha saya jualan bakso", "A: Baik.", f"tempatnya {HERE}"],
        [f"My shop is Toko Maju, it's at {HERE}"],
        [f"My business sells noodles and its address is {HERE}"],
    ],
)
def test_the_place_of_a_business_is_its_own_and_nobodys_home(said: list[str]) -> None:
    assert missing(USAHA, {"alamat_usaha": HERE}, *said) == set()
    assert missing(USAHA, {"alamat": HERE}, *said) == {"alamat"}


@pytest.mark.parametrize(
    "said",
    [
        f"usaha saya jualan bakso, rumah saya di {HOME}",
        f"usaha saya jualan bakso, saya tinggal di kontrakan, tempatnya di {HOME}",
        f"nama Budi, usaha Bakso Maju, {HOME} RT 3 RW 2",
        f"kula Slamet, griya kula panggenane {HOME}",
        f"usahane bakso, kula manggen wonten {HOME}",
        f"My shop is Toko Maju. My house is at {HOME}",
    ],
)
def test_a_home_told_after_a_business_is_the_citizens(said: str) -> None:
    assert missing(USAHA, {"alamat": HOME}, said) == set()


@pytest.mark.parametrize("said", ["nama ayah Abdul Rojak, nama ibu Juleha", "nama ibu Juleha, nama ayah Abdul Rojak"])
def test_parents_are_named_by_the_fields_names(said: str) -> None:
    assert missing(BIODATA, {"nama_ayah": "Abdul Rojak", "nama_ibu": "Juleha"}, said) == set()
    wrong = {"nama_ayah": "Juleha", "nama_ibu": "Abdul Rojak", "nama": "Abdul Rojak"}
    assert missing(BIODATA, wrong, said) == set(wrong)


@pytest.mark.parametrize(
    "said",
    [
        "Bapak Joko, tolong buatkan biodata, saya Siti",
        "selamat siang Ibu Joko, saya Siti",
        "ibu Joko, bapak Ratna, tolong",
        "halo bapak Joko, ibu Ratna",
        "surat dari Bapak Joko untuk ibu Ratna",
        "a note from father Joko to mother Ratna",
        "istri saya Siti, nama ayah Joko",
        "suami saya Lukman, nama ibunya Joko",
        "my wife is Mary, her father's name is Joko",
    ],
)
def test_whom_somebody_speaks_to_and_who_is_anothers_is_no_parent(said: str) -> None:
    wrong = {"nama_ayah": "Joko", "nama_ibu": "Joko"}
    assert missing(BIODATA, wrong, said) == set(wrong)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"status_perkawinan": "Kawin"}, "lahir 5 Januari 1990 menikah 2015"),
        ({"agama": "Islam"}, "lahir di Bandung 5 Januari 1990 kuliah di universitas islam"),
        ({"agama": "Islam"}, "anak saya lahir 5 Januari 2015 islam"),
        ({"agama": "Islam"}, "lahir 5 Januari 1990 bukan islam"),
        ({"agama": "Islam"}, "lahir 5 Januari 1990 guru agama islam"),
        (
            {"tanggal_lahir": "2026-12-01", "tempat_lahir": "berangkat"},
            "nik 3175062009880012 berangkat 1 Desember 2026",
        ),
    ],
)
def test_what_only_stands_behind_a_date_is_no_choice(arguments: dict[str, str], said: str) -> None:
    assert missing(DOMISILI, arguments, said) == set(arguments)


@pytest.mark.parametrize("word", ["hilang", "pulang"])
def test_the_day_of_another_event_is_no_birth(word: str) -> None:
    said = f"Puji, NIK 3175062009880012, {word} 1 Desember 2026, Jl. Rawa Kuning No. 30"
    wrong = {"tanggal_lahir": "2026-12-01", "tempat_lahir": word}
    assert missing("surat_pengantar_kehilangan", wrong, said) == set(wrong)


def test_a_list_of_answers_by_the_fields_names_is_a_list_of_answers() -> None:
    """A child in the value of one (`khitanan anak`) owns none of the others."""
    letter = "surat_pengantar_izin_keramaian"
    want = {
        **{"nama": "Wahyu Setiawan", "acara": "khitanan anak", "tanggal_acara": "6 Desember 2026"},
        **{"jam_mulai": "09.00", "tempat_acara": "Lapangan RW 04", "jumlah_undangan": "200"},
    }
    first = "khitanan anak 6 desember 2026 jam 9 pagi di lapangan rw 04"
    asked = call(want, first, tool=tool(letter))
    question = refusal(asked, ungrounded(asked))
    pairs = zip(question.output["missing"], question.output["labels"], strict=True)
    answer = ", ".join(f"{label} {want[path]}" for path, label in pairs if path in want)
    said = Said(by="agent", order=90, text=question.message, tool=letter, value=question.output)
    answered = call(want, first, said=(said, Said(by="citizen", order=91, text=answer)), tool=tool(letter))
    assert {field.path for field in ungrounded(answered)} & set(want) == set()


@pytest.mark.parametrize(
    ("letter", "arguments", "said"),
    [
        (BIODATA, {"nama_ibu": "Ratna"}, ["istri saya Siti, nama ayah Joko, nama ibu Ratna"]),
        (USAHA, {"alamat": HERE, "alamat_usaha": HERE}, [f"dulu usaha saya bakso, tempatnya di {HERE}"]),
        (USAHA, {"alamat": HERE, "alamat_usaha": HERE}, [f"usaha tetangga saya bakso, tempatnya di {HERE}"]),
        ("surat_keterangan_penghasilan_orang_tua", {"penghasilan": "3"}, ["A: Berapa penghasilan?", "anak saya 3"]),
        ("surat_pengantar_izin_keramaian", {"jumlah_undangan": "300"}, ["teman saya khitanan anak, undangan 300"]),
    ],
)
def test_what_is_told_of_somebody_else_or_of_the_past_stays_theirs(
    letter: str, arguments: dict[str, str], said: list[str]
) -> None:
    assert missing(letter, arguments, *said) == set(arguments)


@pytest.mark.parametrize("said", ["nama ayah saya Joko, istri saya Siti", "istri saya Siti, ayah saya Joko"])
def test_the_citizens_own_father_beside_others(said: str) -> None:
    assert missing(BIODATA, {"nama_ayah": "Joko"}, said) == set()


@pytest.mark.parametrize(
    "said", ["cicilan dari penghasilan saya 1 juta", "potongan gaji 1 juta", "rent out of my salary is 1000000"]
)
def test_what_is_taken_from_an_income_is_none(said: str) -> None:
    wrong = {"penghasilan": "1000000"}
    assert missing("surat_keterangan_penghasilan_orang_tua", wrong, said) == set(wrong)
    assert missing("surat_keterangan_penghasilan_orang_tua", wrong, "pendapatan dari warung 1 juta") == set()


def test_an_income_is_the_answer_and_no_number_beside_it() -> None:
    said = ["A: Berapa penghasilan Anda?", "2 juta, tanggungan 3 orang"]
    assert missing("surat_keterangan_penghasilan_orang_tua", {"penghasilan": "2000000"}, *said) == set()


@pytest.mark.parametrize(
    "said",
    [
        "buatkan surat domisili untuk ibu saya namanya Siti Aminah",
        "untuk ibu saya, namanya Siti Aminah",
        "I need a letter for my mother, her name is Siti Aminah",
    ],
)
def test_a_name_right_behind_whom_a_letter_is_for_is_that_persons(said: str) -> None:
    assert not missing("surat_keterangan_domisili", {"nama": "Siti Aminah"}, said)


@pytest.mark.parametrize(
    "said", ["kucing saya namanya Siti Aminah", "I need a letter. My friend knows my mother, her name is Siti Aminah"]
)
def test_a_name_that_may_be_anothers_is_nobodys(said: str) -> None:
    assert missing("surat_keterangan_domisili", {"nama": "Siti Aminah"}, said) == {"nama"}
