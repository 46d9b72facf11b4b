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
        ({"nama": "Budi Santoso", "nik": NIK}, [f"Pagi bapak, nama saya Budi Santoso, NIK {NIK}"]),
        ({"rt": "005", "rw": "007"}, ["alamat saya Jalan Melati, RT nomer 5 RW nomer 7"]),
        ({"rt": "005", "rw": "007"}, ["rt number 5, rw number 7"]),
        ({"keperluan": "to renew my visa"}, ["this is to renew my visa"]),
        ({"keperluan": "تجديد الاقامة"}, ["الهدف: تجديد الاقامة"]),
        ({"nama_penerima": "Sri Wahyuni"}, ["Tolong SKTM buat istri saya, Sri Wahyuni, mau operasi"]),
        ({"status_perkawinan": "Kawin"}, ["kerjaan sehari2 ojek online pak, udah nikah anak dua"]),
        ({"status_perkawinan": "Belum Kawin"}, ["Saya Fajar Nugroho belum nikah, perlu surat keterangan"]),
    ],
)
def test_a_value_in_peoples_own_words_is_read(arguments: dict[str, str], said: list[str]) -> None:
    assert missing(SKTM, arguments, *said) == set()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"nik": NIK}, [f"en i ka suami saya {NIK}"]),
        ({"nik": NIK}, [f"NIK bapak {NIK}"]),
        ({"nik": NIK}, [f"nama saya Budi. nik ibu: {NIK}, nik bapak {NIK}"]),
        ({"keperluan": "my children"}, ["a residence letter for my children"]),
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
        ({"nama_penerima": "Murni"}, ["saya diantar kakak saya, Murni"]),
        ({"nama_penerima": "Darto"}, ["guru anak saya, Pak Darto, yang menyuruh"]),
        ({"nama_penerima": "Dimas"}, ["teman anak saya, Dimas, juga dapat SKTM. Anak saya bisa?"]),
        ({"keperluan": "bayar sekolah"}, ["Saya mau mengajukan KUR. Anak saya pinjam juga tapi untuk bayar sekolah."]),
        ({"status_perkawinan": "Kawin"}, ["kawin lari"]),
    ],
)
def test_the_same_words_of_somebody_else_or_of_another_thing_prove_nothing(
    arguments: dict[str, str], said: list[str]
) -> None:
    assert missing(SKTM, arguments, *said) == set(arguments)


WHERE = "A: Usahanya di mana, RT RW berapa?"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"nama_usaha": "CV Cahaya Abadi"}, ["CV Cahaya Abadi, bergerak di bidang konveksi, butuh surat usaha"]),
        ({"nama_usaha": "PT Karya Bersama"}, ["untuk PT Karya Bersama"]),
        ({"alamat_usaha": "Ruko Indah Blok A No. 7"}, ["usaha saya CV Abadi, berlokasi di Ruko Indah Blok A No. 7"]),
        (
            {"alamat_usaha": "Jalan Bekasi Timur 9"},
            ["My business is Maju Print, we do printing, at Jalan Bekasi Timur 9"],
        ),
        (
            {"alamat_usaha": "Jalan Penggilingan 45", "rt": "10", "rw": "2"},
            [WHERE, "Jalan Penggilingan 45, RT 10 RW 2"],
        ),
        ({"jenis_usaha": "warung makan"}, ["pak saya jualan, warung makan, namanya Warung Bu Tini"]),
        ({"jenis_usaha": "laundry"}, ["I run a laundry called Sunrise Laundry and need the business letter"]),
    ],
)
def test_a_business_is_read_without_its_fields_names(arguments: dict[str, str], said: list[str]) -> None:
    assert missing(USAHA, arguments, *said) == set()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"nama_usaha": "PT Karya Bersama"}, ["saya kerja di PT Karya Bersama"]),
        ({"nama_usaha": "Karya Bersama"}, ["untuk Karya Bersama"]),
        ({"jenis_usaha": "toko roti"}, ["saya mau buka toko roti"]),
        ({"jenis_usaha": "toko roti"}, ["kemarin beli di toko roti"]),
        ({"jenis_usaha": "jualan kue"}, ["A: Apa pekerjaan Anda?", "jualan kue"]),
        ({"alamat": "Ruko Indah Blok A No. 7"}, ["Ruko Indah Blok A No. 7"]),
        ({"alamat": "Jalan Penggilingan 45"}, [WHERE, "Jalan Penggilingan 45, RT 10 RW 2"]),
    ],
)
def test_another_business_or_place_is_no_fields_value(arguments: dict[str, str], said: list[str]) -> None:
    assert missing(USAHA, arguments, *said) == set(arguments)


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


def test_whose_death_is_reported_is_the_deceased() -> None:
    death, said = "surat_keterangan_kematian", "Saya Wulan Sari, melaporkan kematian suami saya, Hartono"
    assert missing(death, {"nama_almarhum": "Hartono", "nama_pelapor": "Wulan Sari"}, said) == set()
    assert missing(death, {"nama_almarhum": "Wulan Sari"}, said) == {"nama_almarhum"}


@pytest.mark.parametrize(
    "question", ["Siapa nama kucing Anda?", "Apa nama alarmnya?", "Apa nama sekolah Anda?", "nama motor kamu apa?"]
)
def test_the_name_of_a_thing_that_was_asked_for_is_nobodys(question: str) -> None:
    assert missing("surat_pengantar_skck", {"nama": "Fajar"}, f"A: {question}", "Fajar") == {"nama"}


@pytest.mark.parametrize("question", ["Siapa nama lengkap Anda?", "Nama asli kamu?", "Siapa nama pemohon?"])
def test_an_answer_to_who_somebody_is_names_them(question: str) -> None:
    assert missing("surat_pengantar_skck", {"nama": "Fajar"}, f"A: {question}", "Fajar") == set()


def test_a_purpose_behind_somebodys_name_is_the_letters() -> None:
    assert (
        missing("surat_pengantar_skck", {"keperluan": "sekolah"}, "Surat anak untuk Rizky, keperluan sekolah") == set()
    )
