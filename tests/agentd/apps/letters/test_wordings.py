"""Values in the words that people write them in: abbreviations, spelled-out labels, titles, answers of one word."""

from __future__ import annotations

import pytest

from tests.agentd.apps.letters.test_lists import missing

SKTM, USAHA = "surat_keterangan_tidak_mampu", "surat_keterangan_usaha"
NIK = "3175064501900003"
KK = "3175062408100005"
STATUS = "A: Apa status perkawinan Anda?"
WORK_AND_STATUS = "A: Mohon sebutkan: Pekerjaan dan Status perkawinan."


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"nik": NIK}, [f"n i k {NIK}"]),
        ({"nik": NIK, "no_kk": KK}, [f"en i ka {NIK}, k k {KK}"]),
        ({"nama": "Rudi", "agama": "Hindu", "status_perkawinan": "Kawin"}, ["nm sy Rudi, agm Hindu, sts kawin"]),
        ({"status_perkawinan": "Kawin"}, ["saya berstatus kawin"]),
        ({"status_perkawinan": "Kawin"}, ["aku wis rabi"]),
        ({"status_perkawinan": "Belum Kawin"}, ["kula dereng rabi"]),
        ({"status_perkawinan": "Belum Kawin"}, [STATUS, "belum kok"]),
        ({"status_perkawinan": "Kawin"}, [STATUS, "sudah, bu"]),
        ({"status_perkawinan": "Belum Kawin", "pekerjaan": "mahasiswi"}, [WORK_AND_STATUS, "mahasiswi, belum"]),
        ({"nama": "Hasanuddin"}, ["saya H. Hasanuddin"]),
        ({"keperluan": "to renew my visa"}, ["this is to renew my visa"]),
        ({"keperluan": "تجديد الاقامة"}, ["الهدف: تجديد الاقامة"]),
    ],
)
def test_a_value_in_peoples_own_words_is_read(arguments: dict[str, str], said: list[str]) -> None:
    assert missing(SKTM, arguments, *said) == set()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"nik": NIK}, [f"en i ka suami saya {NIK}"]),
        ({"nik": KK}, [f"k k {KK}"]),
        ({"agama": "Hindu"}, ["agm istri sy Hindu"]),
        ({"status_perkawinan": "Kawin"}, ["adik saya berstatus kawin"]),
        ({"status_perkawinan": "Kawin"}, ["aku durung rabi"]),
        ({"status_perkawinan": "Kawin"}, ["aku arep rabi"]),
        ({"status_perkawinan": "Belum Kawin"}, [STATUS, "belum saya cek"]),
        ({"status_perkawinan": "Belum Kawin"}, ["A: Sudah ada surat pengantar RT?", "belum"]),
        ({"nama": "Hasanuddin"}, ["orang yang bernama Hasanuddin itu siapa?"]),
        ({"nama": "Hasanuddin"}, ["tetangga saya yang bernama Hasanuddin"]),
        ({"tempat_lahir": "Depok"}, ["born 4 June 1995, now in Depok"]),
        ({"tempat_lahir": "Bekasi"}, ["lahir tanggal 5-5-1980, tinggal di Bekasi"]),
        ({"keperluan": "to renew my visa"}, ["last year I used it to renew my visa"]),
    ],
)
def test_the_same_words_of_somebody_else_or_of_another_thing_prove_nothing(
    arguments: dict[str, str], said: list[str]
) -> None:
    assert missing(SKTM, arguments, *said) == set(arguments)


@pytest.mark.parametrize(
    "said",
    [
        "saya mau ketemu direkturnya, Andi Wijaya",
        "saya kenal pemiliknya, Andi Wijaya",
        "saya bukan direkturnya, Andi Wijaya yang direktur",
        "saya sekretarisnya, Pak Andi Wijaya",
        "I work for the director, Andi Wijaya",
    ],
)
def test_whom_somebody_knows_or_works_for_is_not_the_citizen(said: str) -> None:
    assert missing(USAHA, {"nama": "Andi Wijaya"}, said) == {"nama"}


def test_since_when_somebody_lives_somewhere_is_no_beginning_of_a_business() -> None:
    assert missing(USAHA, {"sejak": "2018"}, "usaha saya sejak 2018") == set()
    assert missing(USAHA, {"sejak": "2018"}, "saya tinggal di sini sejak 2018") == {"sejak"}


def test_the_neighbourhood_of_a_place_that_was_asked_for_is_not_the_citizens() -> None:
    said = ["A: Mohon sebutkan: Tempat acara.", "lapangan voli RW 03"]
    assert missing("surat_pengantar_izin_keramaian", {"rw": "03"}, *said) == {"rw"}
    assert missing("surat_pengantar_izin_keramaian", {"tempat_acara": "lapangan voli RW 03"}, *said) == set()
