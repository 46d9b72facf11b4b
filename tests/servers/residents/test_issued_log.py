"""What was issued stands in OpenSID's own lists, once, on a real MariaDB; or nothing of it does (issue 18)."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from servers.residents.configured import ConfiguredRegister
from servers.residents.issued_log import IssuedLetter
from servers.residents.resident import RegisterError
from servers.residents.settings import Settings, SettingsError
from tests.mariadb import PASSWORD, MariaDB
from tests.servers.residents.opensid import nik

TABLES = (
    "CREATE TABLE tweb_surat_format (id INT PRIMARY KEY, config_id INT, nama VARCHAR(100), url_surat VARCHAR(100))",
    "CREATE TABLE log_surat (id INT AUTO_INCREMENT PRIMARY KEY, config_id INT, id_format_surat INT, id_pend INT, "
    "id_pamong INT, nama_pamong VARCHAR(100), nama_jabatan VARCHAR(100), id_user INT, tanggal DATETIME, "
    "bulan VARCHAR(2), tahun VARCHAR(4), no_surat VARCHAR(20), nama_surat VARCHAR(100), lampiran VARCHAR(100), "
    "nik_non_warga VARCHAR(16), nama_non_warga VARCHAR(100), keterangan VARCHAR(200), status INT DEFAULT 0, "
    "isi_surat LONGTEXT, deleted_at DATETIME)",
    "CREATE TABLE permohonan_surat (id INT AUTO_INCREMENT PRIMARY KEY, config_id INT, id_pemohon INT NOT NULL, "
    "id_surat INT NOT NULL, isian_form TEXT, status TINYINT DEFAULT 0, alasan TEXT, keterangan TEXT, "
    "no_hp_aktif VARCHAR(50) NOT NULL, syarat TEXT, no_antrian VARCHAR(10), created_at DATETIME, updated_at DATETIME)",
    "INSERT INTO tweb_surat_format VALUES (7, 1, 'Keterangan Domisili', 'surat-keterangan-domisili')",
    "CREATE USER writer@'127.0.0.1' IDENTIFIED BY '{password}'",
    "GRANT SELECT ON opensid.* TO writer@'127.0.0.1'",
    "GRANT INSERT ON opensid.log_surat TO writer@'127.0.0.1'",
    "GRANT INSERT ON opensid.permohonan_surat TO writer@'127.0.0.1'",
)
LETTER = IssuedLetter(
    number="001/SKD/CONTOH/VIII/2026",
    title="Surat Keterangan Domisili",
    file_name="surat-keterangan-domisili-001.pdf",
    issued_at=datetime.fromisoformat("2026-08-17T09:15:00+07:00"),
    nik=nik(1),
    nama="WARGA CONTOH 1",
    telepon="08123",
    form={"keperluan": "melamar kerja"},
    seen=("KTP (asli)",),
)


@pytest.fixture(scope="module", autouse=True)
def lists(maria: MariaDB) -> None:
    maria.execute(*(statement.replace("{password}", PASSWORD) for statement in TABLES))


@pytest.fixture
def register(maria: MariaDB, tmp_path: Path) -> ConfiguredRegister:
    maria.execute("DELETE FROM log_surat", "DELETE FROM permohonan_surat")
    return configured(maria.url("writer"), tmp_path)


def configured(url: str, state: Path) -> ConfiguredRegister:
    env = {"RESIDENTS_URL": url, "WRITE_LOG": "true", "AGENTD_STATE": str(state)}
    return ConfiguredRegister(Settings.from_env(env))


def rows(maria: MariaDB, table: str, columns: str) -> list[tuple[object, ...]]:
    return [tuple(map(str, row)) for row in maria.execute(f"SELECT {columns} FROM {table}")]


LOGGED = "config_id, id_format_surat, id_pend, tanggal, bulan, tahun, no_surat, nama_surat, keterangan, status"


def test_a_residents_letter_stands_in_both_lists_however_often_it_is_sent(
    maria: MariaDB, register: ConfiguredRegister
) -> None:
    sent = LETTER.model_copy(update={"issued_at": LETTER.issued_at.astimezone(UTC)})  # as the daemon writes times
    assert [register.issued_log().write(sent) for _ in range(3)] == [True, False, False]
    assert rows(maria, "log_surat", LOGGED) == [
        ("1", "7", "1", "2026-08-17 09:15:00", "08", "2026", "001", LETTER.file_name, LETTER.number, "1")
    ]
    requested = "id_pemohon, id_surat, isian_form, status, no_hp_aktif, syarat, keterangan"
    assert rows(maria, "permohonan_surat", requested) == [
        ("1", "7", json.dumps(LETTER.form), "3", "08123", json.dumps(["KTP (asli)"]), LETTER.number)
    ]


def test_nodes_that_send_it_at_once_write_it_once(maria: MariaDB, tmp_path: Path, register: ConfiguredRegister) -> None:
    nodes = [configured(maria.url("writer"), tmp_path).issued_log() for _ in range(4)]
    with ThreadPoolExecutor(4) as at_once:
        assert sorted(at_once.map(lambda log: log.write(LETTER), nodes)) == [False, False, False, True]
    assert len(rows(maria, "log_surat", "id")) == len(rows(maria, "permohonan_surat", "id")) == 1


@pytest.mark.parametrize(
    ("changes", "kept"),
    [
        ({"nik": "9" * 16, "nama": "O'Neil"}, ("None", "7", "9" * 16, "O'Neil")),
        ({"title": "Surat yang Tidak Dikenal"}, ("1", "None", "None", "None")),
    ],
    ids=["of nobody in the register", "of a kind that the office has no form for"],
)
def test_what_has_no_resident_or_no_form_is_logged_and_makes_no_request(
    maria: MariaDB, register: ConfiguredRegister, changes: dict[str, Any], kept: tuple[str, ...]
) -> None:
    assert register.issued_log().write(LETTER.model_copy(update=changes))
    assert rows(maria, "log_surat", "id_pend, id_format_surat, nik_non_warga, nama_non_warga") == [kept]
    assert rows(maria, "permohonan_surat", "id") == []


def test_what_can_not_be_written_whole_is_not_written_at_all(maria: MariaDB, register: ConfiguredRegister) -> None:
    maria.execute("ALTER TABLE permohonan_surat RENAME permohonan_lama")
    try:
        with pytest.raises(RegisterError) as told:
            register.issued_log().write(LETTER)
        assert "permohonan_surat" in str(told.value) and LETTER.nik not in str(told.value)
        assert rows(maria, "log_surat", "id") == []
    finally:
        maria.execute("ALTER TABLE permohonan_lama RENAME permohonan_surat")
    assert register.issued_log().write(LETTER)


def test_a_database_that_answers_nothing_holds_nobody_for_long(maria: MariaDB, register: ConfiguredRegister) -> None:
    log = register.issued_log()
    maria.freeze()
    try:
        with pytest.raises(RegisterError, match=r"can't be read|longer than"):
            log.write(LETTER)
    finally:
        maria.thaw()
    assert log.write(LETTER)


def test_an_account_that_only_reads_is_told_so(maria: MariaDB, tmp_path: Path, register: ConfiguredRegister) -> None:
    with pytest.raises(RegisterError, match="INSERT"):
        configured(maria.url("reader"), tmp_path).issued_log().write(LETTER)
    assert rows(maria, "log_surat", "id") == []


@pytest.mark.parametrize(
    "env", [{"WRITE_LOG": "true"}, {"WRITE_LOG": "ja", "RESIDENTS_URL": "sqlite:///x"}], ids=["no register", "no flag"]
)
def test_a_wrong_setting_is_named(env: dict[str, str]) -> None:
    with pytest.raises(SettingsError, match="WRITE_LOG"):
        Settings.from_env(env)


def test_a_register_without_such_lists_is_told(tmp_path: Path) -> None:
    with pytest.raises(RegisterError):
        configured(f"sqlite:///{tmp_path / 'own.db'}", tmp_path).issued_log()
