"""agentd's own register on three databases: import, PINs, check; a bad file changes nothing (issue 18)."""

from __future__ import annotations

import io
import os
import subprocess
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import openpyxl
import pytest
import sqlalchemy as sa

from servers.residents.configured import ConfiguredRegister
from servers.residents.database import Database
from servers.residents.importing import BadRow, resident_of
from servers.residents.locks import Locks
from servers.residents.resident import RegisterError
from servers.residents.settings import Settings
from servers.residents.sheet import SheetError, rows
from servers.residents.verification import Verification
from tests import warm
from tests.mariadb import mariadb
from tests.postgresql import postgresql
from tests.servers.residents import opensid

HEADER = "alamat,dusun,rw,rt,nama,no_kk,nik,sex,tempatlahir,tanggallahir,agama_id,pekerjaan_id,status_kawin,kk_level"
GOOD = (
    'Jl. Contoh No. 1,-,002,001,"CONTOH, S.Pd O\'NEIL",3175060101200001,3175061708859001,1,Jakarta,17-08-1985,1,'
    "KARYAWAN SWASTA,2,1",
    "Jl. Contoh No. 1,-,002,001,SITI CONTOH,3175060101200001,3175064806849002,Perempuan,Bogor,1984-06-08,ISLAM,,"
    "kawin,3",
)
BUDI, SITI = "3175061708859001", "3175064806849002"

SHIPPED = Path(__file__).parents[3] / "config" / "client.toml"


@pytest.fixture(scope="module")
def servers() -> Iterator[dict[str, str]]:
    with mariadb("own") as maria, postgresql() as postgres:
        yield {"mariadb": maria.url(), "postgresql": postgres}


@pytest.fixture(params=["sqlite", "mariadb", "postgresql"])
def url(request: pytest.FixtureRequest, servers: dict[str, str], tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/register.db"
    address = servers[request.param]
    database = Database(address, writing=True)
    with database.connection() as connection:
        for table in ("residents", "resident_pins"):
            connection.exec_driver_sql(f"DROP TABLE IF EXISTS {table}")
    database.close()
    return address


def run(state: Path, url: str | None, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "AGENTD_STATE": str(state)} | ({"RESIDENTS_URL": url} if url else {})
    command = [warm.python(), "-m", "servers.residents", *words]
    return subprocess.run(command, env=env, input=stdin, capture_output=True, text=True, timeout=300)


def write(folder: Path, *lines: str, header: str = HEADER) -> str:
    file = folder / "warga.csv"
    file.write_text("\n".join((header, *lines)) + "\n", encoding="utf-8")
    return str(file)


def register_of(url: str, state: Path) -> ConfiguredRegister:
    return ConfiguredRegister(Settings(url=url, office_id=None, home=state))


def test_opensids_sheet_is_imported_and_its_residents_get_pins_and_verify(url: str, tmp_path: Path) -> None:
    file = write(tmp_path, *GOOD)
    for _ in range(2):  # a second time changes nothing
        done = run(tmp_path, url, "import", file)
        assert (done.returncode, done.stdout) == (0, "2 residents imported\n"), done.stderr
    pin = run(tmp_path, url, "pin", stdin=f"{BUDI}\n").stdout.strip()
    register = register_of(url, tmp_path)
    desk = Verification(register, Locks(tmp_path / "locks.db", lambda: 1.0))
    wrong = f"{(int(pin) + 1) % 10**6:06d}"
    assert desk.verify(nik=BUDI, card=None, pin=wrong).reason == "not_verified"
    verified = desk.verify(nik=BUDI, card=None, pin=pin)
    assert verified.notes == ("first_pin_unchanged",)
    assert verified.resident is not None
    assert verified.resident.model_dump(exclude_none=True) == {
        "nik": BUDI,
        "no_kk": "3175060101200001",
        "nama": "CONTOH, S.Pd O'NEIL",
        "jenis_kelamin": "Laki-laki",
        "tempat_lahir": "Jakarta",
        "tanggal_lahir": "1985-08-17",
        "agama": "Islam",
        "status_perkawinan": "Kawin",
        "pekerjaan": "Karyawan Swasta",
        "alamat": "Jl. Contoh No. 1",
        "rt": "001",
        "rw": "002",
        "hubungan": "Kepala Keluarga",
    }
    found, _ = desk.resident(SITI)
    assert found is not None
    assert [one.resident.hubungan for one in register.family(found)] == ["Kepala Keluarga", "Istri"]
    assert desk.verify(nik=SITI, card=None, pin=pin).notes == ("no_active_pin",)
    checked = run(tmp_path, url, "check")
    assert checked.returncode == 0, checked.stderr
    assert checked.stdout.splitlines() == [
        "a register of agentd's own",
        "2 residents: resident",
        "0 NIKs not of 16 digits",
        "0 temporary NIKs",
        "1 family",
        "0 families without a living head",
        "1 active PIN",
        "1 active PIN never changed",
    ]


def test_every_bad_row_is_named_with_its_line_and_nothing_is_imported(url: str, tmp_path: Path) -> None:
    short = GOOD[1].replace(SITI, "317506480684900")
    bad = (short, GOOD[0], GOOD[1].replace("1984-06-08", "1984-02-31"), GOOD[1].replace("ISLAM", "77"))
    assert run(tmp_path, url, "import", write(tmp_path, GOOD[0])).stdout == "1 resident imported\n"
    changed = GOOD[0].replace("Jl. Contoh No. 1", "Jl. Lain No. 9")
    done = run(tmp_path, url, "import", write(tmp_path, changed, *bad))
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "warga.csv:3: nik is not 16 digits (in a spreadsheet, format the column as text)",
        "warga.csv:4: the same NIK as line 2",
        "warga.csv:5: tanggal_lahir is no day; write 1985-08-17 or 17-08-1985",
        "warga.csv:6: agama has a code that nobody knows",
        "residents: 4 bad rows: nothing was imported",
    ]
    found = register_of(url, tmp_path).find(nik=BUDI)
    assert found is not None and found.resident.alamat == "Jl. Contoh No. 1"


def test_a_bad_row_far_down_takes_back_the_batches_before_it(url: str, tmp_path: Path) -> None:
    rows = [GOOD[0].replace(BUDI, f"31750617088{number:05d}") for number in range(2500)]
    done = run(tmp_path, url, "import", write(tmp_path, *rows, GOOD[0].replace(BUDI, "1")))
    assert (done.returncode, done.stderr.splitlines()[-1]) == (1, "residents: 1 bad row: nothing was imported")
    database = Database(url)
    with database.connection() as connection:
        there = sa.inspect(connection).has_table("residents")
        assert not there or connection.exec_driver_sql("SELECT COUNT(*) FROM residents").scalar_one() == 0


def test_a_workbook_is_read_as_a_sheet_is(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["NIK", "Nama Lengkap", "Tgl. Lahir", "RT", "Catatan"])
    book.active.append([BUDI, "Budi Contoh", "17/08/1985", 1, "x"])
    book.active.append([int(SITI), "Siti Contoh", None, None, None])
    book.save(tmp_path / "warga.xlsx")
    url = f"sqlite:///{tmp_path}/register.db"
    done = run(tmp_path, url, "import", str(tmp_path / "warga.xlsx"))
    assert done.returncode == 0, done.stderr
    assert "column 'Catatan' is not known and left out" in done.stderr
    found = register_of(url, tmp_path).find(nik=BUDI)
    assert found is not None
    assert (found.resident.tanggal_lahir, found.resident.rt) == ("1985-08-17", "1")


def workbook(change: Callable[[bytes], bytes]) -> bytes:
    """A workbook of 50 lines and a header, with the change made to its sheet."""
    whole, cut, book = io.BytesIO(), io.BytesIO(), openpyxl.Workbook()
    for line in (["nik", "nama"], *([str(int(BUDI) + one), "Budi Contoh"] for one in range(50))):
        book.active.append(line)
    book.save(whole)
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(cut, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            new.writestr(name, change(data) if "sheet1" in name else data)
    return cut.getvalue()


def test_a_workbook_that_states_another_size_is_read_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Programs that write sheets row by row state `A1`; a reader that believes it leaves people out."""
    file = tmp_path / "warga.xlsx"
    file.write_bytes(workbook(lambda sheet: sheet.replace(b'"A1:B51"', b'"A1:A1"')))
    assert [cells for _, cells in rows(file)][::50] == [["nik", "nama"], [str(int(BUDI) + 49), "Budi Contoh"]]
    monkeypatch.setattr("servers.residents.sheet.MOST_BYTES", 99)
    with pytest.raises(SheetError, match="too long"):
        next(rows(file))


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("warga.xlsx", b"no workbook", "no XLSX workbook"),
        ("warga.xlsx", workbook(lambda sheet: sheet[: len(sheet) // 2]), "no XLSX workbook"),
        ("warga.xlsx", workbook(lambda sheet: sheet.replace(b'<row r="51"', b'<row r="9999999999"')), "too long"),
        ("warga.csv", b"nik,nama\n\xff\xfe", "not UTF-8"),
        ("warga.csv", b"", "is empty"),
        ("warga.ods", b"", "neither .csv nor .xlsx"),
    ],
)
def test_a_file_that_is_no_sheet_is_refused_in_words(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    (tmp_path / name).write_bytes(content)
    done = run(tmp_path, f"sqlite:///{tmp_path}/register.db", "import", str(tmp_path / name))
    assert done.returncode == 2
    assert said in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "cells",
    [
        {"nik": "3.17506E+15", "nama": "A"},
        {"nik": BUDI, "nama": "-"},
        {"nik": BUDI, "nama": "A" * 101},
        {"nik": BUDI, "nama": "A", "no_kk": "123"},
        {"nik": BUDI, "nama": "A", "pekerjaan": "12"},
        {"nik": BUDI, "nama": "A", "standing": "zombie"},
        {"nik": BUDI, "nama": "A", "jenis_kelamin": "Orang"},
        {"nik": BUDI, "nama": "BUDI\u202eIDUB"},
        {"nik": BUDI, "nama": "BU\0DI"},
    ],
)
def test_a_bad_cell_is_refused_without_being_repeated(cells: dict[str, str]) -> None:
    with pytest.raises(BadRow) as told:
        resident_of(cells)
    assert not any(value in str(told.value) for value in cells.values() if len(value) > 3)


def test_without_an_address_nothing_is_imported_and_the_sample_is_checked(tmp_path: Path) -> None:
    done = run(tmp_path, None, "import", write(tmp_path, *GOOD))
    assert done.returncode == 2 and "RESIDENTS_URL is not set" in done.stderr
    assert "60 residents in 20 families" in run(tmp_path, None, "check").stdout


def test_a_register_is_made_in_a_folder_that_is_not_there_yet(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/state/residents.db"
    done = run(tmp_path, url, "import", write(tmp_path, *GOOD))
    assert done.returncode == 0, done.stderr


def test_opensid_is_checked_in_counts_and_never_written(tmp_path: Path) -> None:
    with mariadb("opensid") as server:
        opensid.make(server)
        server.execute(
            "UPDATE tweb_penduduk SET agama_id = 77 WHERE id IN (1, 2)",
            "UPDATE tweb_penduduk SET nik = '123' WHERE id = 3",
            "UPDATE tweb_penduduk SET status_dasar = 2 WHERE id IN (4, 5)",
            "UPDATE tweb_penduduk_mandiri SET ganti_pin = 1 WHERE id_pend = 6",
            "UPDATE tweb_penduduk_mandiri SET aktif = 0 WHERE id_pend = 7",
        )
        checked = run(tmp_path, server.url("reader"), "check")
        refused = run(tmp_path, server.url(), "import", write(tmp_path, *GOOD))
    assert checked.stdout.splitlines() == [
        "OpenSID's database, office 1 (CONTOH)",
        "198 residents: resident",
        "2 residents: dead",
        "1 NIK not of 16 digits",
        "0 temporary NIKs",
        "0 NIKs of several residents",
        "2 residents: unknown code 77 in tweb_penduduk.agama_id",
        "45 families",
        "1 family without a living head",
        "199 active PINs",
        "1 active PIN never changed",
    ]
    assert refused.returncode == 2 and "agentd never writes" in refused.stderr


def test_a_table_short_of_a_column_is_named(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/register.db"
    assert run(tmp_path, url, "import", write(tmp_path, *GOOD)).returncode == 0
    database = Database(url, writing=True)
    with database.connection() as connection:
        connection.exec_driver_sql("ALTER TABLE residents DROP COLUMN dusun")
    with pytest.raises(RegisterError, match=r"column residents\.dusun"):
        register_of(url, tmp_path).find(nik=BUDI)


def test_agentd_residents_hands_its_words_to_the_configured_server(tmp_path: Path) -> None:
    (tmp_path / "client.toml").write_text(SHIPPED.read_text())
    command = [str(warm.command()), "residents"]
    places = ["--config", str(tmp_path / "client.toml"), "--state", str(tmp_path)]
    env = {name: value for name, value in os.environ.items() if name != "RESIDENTS_URL"}
    done = subprocess.run([*command, *places, "check"], env=env, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "60 residents in 20 families" in done.stdout
    (tmp_path / "client.toml").write_text(SHIPPED.read_text().replace('name = "residents"', 'name = "other"'))
    without = subprocess.run([*command, "check", *places], env=env, capture_output=True, text=True, timeout=300)
    assert without.returncode == 2 and "starts no server `residents`" in without.stderr
