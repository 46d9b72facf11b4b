"""Creates OpenSID's tables in MariaDB after its documented structure, with one office's residents (200 or more).

Codes rotate so that each occurs; office 2 shares the database where a test requests it.
"""

from __future__ import annotations

from tests.mariadb import MariaDB

TABLES = (
    "CREATE TABLE config (id INT PRIMARY KEY, app_key VARCHAR(100), nama_desa VARCHAR(100))",
    "CREATE TABLE tweb_wil_clusterdesa (id INT PRIMARY KEY, config_id INT, rt VARCHAR(10) DEFAULT '0', "
    "rw VARCHAR(10) DEFAULT '0', dusun VARCHAR(50) DEFAULT '0', id_kepala INT)",
    "CREATE TABLE tweb_keluarga (id INT PRIMARY KEY, config_id INT, no_kk VARCHAR(16), nik_kepala VARCHAR(200), "
    "alamat VARCHAR(200), id_cluster INT)",
    "CREATE TABLE tweb_penduduk_pekerjaan (id INT PRIMARY KEY, nama VARCHAR(100))",
    "CREATE TABLE tweb_penduduk (id INT PRIMARY KEY, config_id INT, nama VARCHAR(100), nik VARCHAR(16), id_kk INT, "
    "kk_level TINYINT, sex TINYINT, tempatlahir VARCHAR(100), tanggallahir DATE, agama_id INT, pendidikan_kk_id INT, "
    "pendidikan_sedang_id INT, pekerjaan_id INT, status_kawin TINYINT, warganegara_id TINYINT, ayah_nik VARCHAR(16), "
    "ibu_nik VARCHAR(16), nama_ayah VARCHAR(100), nama_ibu VARCHAR(100), golongan_darah_id INT, id_cluster INT, "
    "status INT, alamat_sekarang VARCHAR(200), status_dasar TINYINT DEFAULT 1, telepon VARCHAR(20), "
    "tag_id_card VARCHAR(17), KEY (nik), KEY (tag_id_card), KEY (id_kk))",
    "CREATE TABLE tweb_penduduk_mandiri (id_pend INT PRIMARY KEY, pin CHAR(32), aktif TINYINT, ganti_pin TINYINT, "
    "config_id INT)",
)
OCCUPATIONS = ("BELUM/TIDAK BEKERJA", "KARYAWAN SWASTA", "PEGAWAI NEGERI SIPIL (PNS)", "KEPOLISIAN RI (POLRI)")
PIN_123456 = "3645e735f033e8482be0c7993fcba946"
PIN_120000 = "2f5896527715d189ce28103fe97bd393"


def nik(number: int) -> str:
    """The NIK of resident `number`."""
    if number >= 1000:
        return f"317506170885{number:04d}"
    return f"31750617088590{number:02d}" if number < 100 else f"3175061708859{number:03d}"


def pin(number: int) -> str:
    """The PIN of resident `number`."""
    return "120000" if number % 2 == 0 else "123456"


def make(server: MariaDB, people: int = 200) -> None:
    """Create the tables and their rows."""
    server.execute(*TABLES, "INSERT INTO config VALUES (1, 'k', 'CONTOH')")
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute("SET SESSION sql_mode=''")  # as in offices: allows 0000-00-00
        rows = [(i + 1, name) for i, name in enumerate(OCCUPATIONS)]
        cursor.executemany("INSERT INTO tweb_penduduk_pekerjaan VALUES (%s, %s)", rows)
        places = [(1, 1, "001", "002", "MAWAR", None), (2, 1, "0", "-", "0", None)]
        cursor.executemany("INSERT INTO tweb_wil_clusterdesa VALUES (%s, %s, %s, %s, %s, %s)", places)
        families = [
            (f, 1, f"317506010120{f:04d}", str(4 * f - 3), f"JL. CONTOH NO. {f}", 1)
            for f in range(1, (people - 20) // 4 + 1)
        ]
        cursor.executemany("INSERT INTO tweb_keluarga VALUES (%s, %s, %s, %s, %s, %s)", families)
        cursor.executemany(
            f"INSERT INTO tweb_penduduk VALUES ({', '.join(['%s'] * 26)})",
            [_person(n, people) for n in range(1, people + 1)],
        )
        pins = [(n, PIN_120000 if n % 2 == 0 else PIN_123456, 1, 0, 1) for n in range(1, people + 1)]
        cursor.executemany("INSERT INTO tweb_penduduk_mandiri VALUES (%s, %s, %s, %s, %s)", pins)


def _person(n: int, people: int) -> tuple[object, ...]:
    """A resident's row. Families have four members; the last twenty residents have none, but an own address."""
    family = (n + 3) // 4 if n <= people - 20 else None
    return (
        *(n, 1, f"WARGA CONTOH {n}", nik(n), family, 1 if n % 4 == 1 else 2 + n % 10, 1 + n % 2, "JAKARTA"),
        *(
            "1985-08-17",
            1 + n % 7,
            1 + n % 10,
            None,
            1 + n % 4,
            1 + n % 4,
            1 + n % 3,
            "0",
            "-",
            "AYAH",
            "-",
            1 + n % 13,
        ),
        *(1 if n % 5 else 2, 1, "JL. SENDIRI", 1, "-", f"KARTU{n:04d}"),
    )
