"""OpenSID's database as a register: words, addresses, standings, PINs, and what it may be short of (issue 18)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from servers.residents.database import Database
from servers.residents.opensid import OpensidRegister
from servers.residents.pins import OpensidPins, opensid_form
from servers.residents.resident import Found, RegisterError
from tests.mariadb import PASSWORD, MariaDB
from tests.servers.residents import opensid
from tests.servers.residents.opensid import nik


@pytest.fixture
def register(maria: MariaDB) -> Iterator[OpensidRegister]:
    database = Database(maria.url("reader"))
    yield OpensidRegister(database, None)
    database.close()


def set_to(maria: MariaDB, number: int, change: str, table: str = "tweb_penduduk", key: str = "id") -> None:
    maria.execute("SET SESSION sql_mode=''", f"UPDATE {table} SET {change} WHERE {key} = {number}")


def found(register: OpensidRegister, number: int) -> Found:
    one = register.find(nik=nik(number))
    assert one is not None
    return one


@pytest.mark.parametrize(
    ("pin", "stored"), [("123456", "3645e735f033e8482be0c7993fcba946"), ("120000", "2f5896527715d189ce28103fe97bd393")]
)
def test_a_pin_has_the_form_that_opensid_stores(pin: str, stored: str) -> None:
    assert opensid_form(pin) == stored
    assert OpensidPins().matches(pin, stored)
    assert OpensidPins().matches(pin, stored.upper())
    assert not OpensidPins().matches("654321", stored)


def test_codes_come_as_the_words_of_letters(register: OpensidRegister) -> None:
    resident = found(register, 1).resident
    assert resident.model_dump() == {
        "nik": nik(1),
        "no_kk": "3175060101200001",
        "nama": "WARGA CONTOH 1",
        "jenis_kelamin": "Perempuan",
        "tempat_lahir": "JAKARTA",
        "tanggal_lahir": "1985-08-17",
        "agama": "Kristen",
        "status_perkawinan": "Kawin",
        "pekerjaan": "Karyawan Swasta",
        "kewarganegaraan": "WNA",
        "pendidikan": "Belum Tamat SD/Sederajat",
        "golongan_darah": "B",
        "alamat": "JL. CONTOH NO. 1",
        "rt": "001",
        "rw": "002",
        "dusun": "MAWAR",
        "hubungan": "Kepala Keluarga",
        "nama_ayah": "AYAH",
        "nik_ayah": None,
        "nama_ibu": None,
        "nik_ibu": None,
        "telepon": None,
    }
    assert found(register, 2).resident.pekerjaan == "Pegawai Negeri Sipil (PNS)"


def test_every_known_code_has_a_word(register: OpensidRegister) -> None:
    people = [found(register, number).resident for number in range(1, 201)]
    for field, count in {"agama": 7, "status_perkawinan": 4, "kewarganegaraan": 3, "hubungan": 11}.items():
        words = {getattr(one, field) for one in people}
        assert None not in words
        assert len(words) == count, field
    assert {one.jenis_kelamin for one in people} == {"Laki-laki", "Perempuan"}


def test_who_has_no_family_has_an_own_address_and_dashes_are_left_out(register: OpensidRegister) -> None:
    alone = found(register, 185)
    assert (alone.resident.alamat, alone.resident.no_kk) == ("JL. SENDIRI", None)
    assert (alone.resident.rt, alone.resident.rw, alone.resident.dusun) == (None, None, None)
    assert register.family(alone) == [alone]


def test_a_family_is_its_living_members_with_the_head_first(maria: MariaDB, register: OpensidRegister) -> None:
    set_to(maria, 7, "status_dasar = 2")
    members = register.family(found(register, 6))
    assert [one.resident.nik for one in members] == [nik(5), nik(6), nik(8)]
    assert members[0].resident.hubungan == "Kepala Keluarga"


@pytest.mark.parametrize(
    ("change", "standing"),
    [
        ("status_dasar = 2", "dead"),
        ("status_dasar = 3", "moved"),
        ("status_dasar = 4", "missing"),
        ("status_dasar = 6", "left"),
        ("status_dasar = 9", "invalid"),
        ("status_dasar = 5", "invalid"),
        ("status_dasar = NULL", "invalid"),
        ("status_dasar = 1, status = 2", "not_resident_here"),
        ("status_dasar = 1, status = 1", "resident"),
    ],
)
def test_only_the_living_who_live_here_are_residents(
    maria: MariaDB, register: OpensidRegister, change: str, standing: str
) -> None:
    set_to(maria, 20, change)
    assert found(register, 20).standing == standing


@pytest.mark.parametrize(
    ("change", "field", "value"),
    [
        ("tanggallahir = '0000-00-00'", "tanggal_lahir", None),
        ("tanggallahir = '1980-00-00'", "tanggal_lahir", None),
        ("tanggallahir = NULL", "tanggal_lahir", None),
        ("agama_id = 77", "agama", None),
        ("nama = 'Hj. SITI O''NEIL, S.Pd \"C\"'", "nama", 'Hj. SITI O\'NEIL, S.Pd "C"'),
        ("nama_ibu = ''", "nama_ibu", None),
        ("pekerjaan_id = 999", "pekerjaan", None),
        ("telepon = '0'", "telepon", None),
        ("golongan_darah_id = 13", "golongan_darah", None),
    ],
)
def test_what_is_unknown_is_null_and_names_stay_as_stored(
    maria: MariaDB, register: OpensidRegister, change: str, field: str, value: str | None
) -> None:
    set_to(maria, 30, change)
    assert getattr(found(register, 30).resident, field) == value


def test_a_pin_counts_only_while_it_is_active(maria: MariaDB, register: OpensidRegister) -> None:
    assert found(register, 41).pin == opensid.PIN_123456
    set_to(maria, 41, "aktif = 0", "tweb_penduduk_mandiri", "id_pend")
    assert found(register, 41).pin is None
    set_to(maria, 41, "aktif = 1, ganti_pin = 1", "tweb_penduduk_mandiri", "id_pend")
    assert found(register, 41).pin_unchanged


def test_a_card_finds_its_resident(register: OpensidRegister) -> None:
    one = register.find(card="KARTU0050")
    assert one is not None
    assert one.resident.nik == nik(50)
    assert register.find(card="KARTU9999") is None


def test_two_residents_of_one_nik_are_named_by_their_rows(maria: MariaDB, register: OpensidRegister) -> None:
    set_to(maria, 61, f"nik = '{nik(60)}'")
    with pytest.raises(RegisterError, match=r"several residents have one NIK: rows \d+, \d+ of tweb_penduduk") as told:
        register.find(nik=nik(60))
    assert nik(60) not in str(told.value)
    set_to(maria, 61, f"nik = '{nik(61)}'")


def test_with_several_offices_the_setting_chooses_and_others_residents_are_unknown(maria: MariaDB) -> None:
    maria.execute("INSERT INTO config VALUES (2, 'l', 'LAIN')")
    set_to(maria, 70, "config_id = 2")
    try:
        with pytest.raises(RegisterError, match=r"OFFICE_CONFIG_ID is not set.*1 CONTOH, 2 LAIN"):
            OpensidRegister(Database(maria.url("reader")), None).find(nik=nik(70))
        with pytest.raises(RegisterError, match="OFFICE_CONFIG_ID is 3"):
            OpensidRegister(Database(maria.url("reader")), 3).find(nik=nik(70))
        assert OpensidRegister(Database(maria.url("reader")), 1).find(nik=nik(70)) is None
        assert OpensidRegister(Database(maria.url("reader")), 2).find(nik=nik(70)) is not None
    finally:
        maria.execute("DELETE FROM config WHERE id = 2")
        set_to(maria, 70, "config_id = 1")


def test_a_missing_column_is_named(maria: MariaDB) -> None:
    maria.execute("ALTER TABLE tweb_penduduk CHANGE tag_id_card tag_lama VARCHAR(17)")
    try:
        with pytest.raises(RegisterError, match=r"column tweb_penduduk\.tag_id_card"):
            OpensidRegister(Database(maria.url("reader")), None).find(nik=nik(1))
    finally:
        maria.execute("ALTER TABLE tweb_penduduk CHANGE tag_lama tag_id_card VARCHAR(17)")


def test_the_sessions_only_read_even_with_an_account_that_may_write(maria: MariaDB) -> None:
    with pytest.raises(RegisterError), Database(maria.url("root")).connection() as connection:
        connection.exec_driver_sql("UPDATE tweb_penduduk SET nama = 'X' WHERE id = 1")


def test_a_database_on_this_machine_is_asked_without_reading_the_machines_certificates(
    maria: MariaDB, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ssl.SSLContext.load_default_certs", lambda *_: pytest.fail("certificates are read"))
    with Database(maria.url("reader")).connection() as connection:
        assert connection.exec_driver_sql("SELECT 1").scalar() == 1


def test_a_slow_register_is_stopped_and_said_to_be_slow(maria: MariaDB) -> None:
    with (
        pytest.raises(RegisterError, match=r"took longer than 0\.2 seconds"),
        Database(maria.url("reader"), seconds=0.2).connection() as connection,
    ):
        connection.exec_driver_sql(
            "SELECT COUNT(*) FROM tweb_penduduk a, tweb_penduduk b, tweb_penduduk c, config d, tweb_penduduk e"
        )


def test_no_error_repeats_the_address(maria: MariaDB) -> None:
    wrong = (maria.url("reader", "falsch"), maria.url().replace(str(maria.port), "1"), f"mysql+aiomysql://{PASSWORD}")
    for url in wrong:
        with pytest.raises(RegisterError) as told:
            OpensidRegister(Database(url), None).find(nik=nik(1))
        assert PASSWORD not in str(told.value)
        assert "127.0.0.1" not in str(told.value)
        assert "falsch" not in str(told.value)
