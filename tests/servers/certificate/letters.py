"""Sample applicants and services for the letter tests. All people are fictional."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import sqlalchemy as sa

from servers.certificate import cli
from servers.certificate.issuing.issued import Issued
from servers.certificate.issuing.issuing import LetterService
from servers.certificate.register.records import Letter
from servers.certificate.register.tables import unguard
from servers.certificate.settings import Settings

NOW = "2026-03-05T09:15:00+07:00"
WHO = {"nama": "Siti Rahayu", "nik": "3175064508900001"}
BORN = WHO | {"tempat_lahir": "Jakarta", "tanggal_lahir": "5 Agustus 1990", "jenis_kelamin": "Perempuan"}
PERSON: dict[str, Any] = BORN | {"agama": "Islam", "keperluan": "Membuka rekening bank"}
PLACE = {"alamat": "Jl. Contoh Raya No. 5", "rt": "3", "rw": "5"}
CIVIL = {"status_perkawinan": "Kawin", "pekerjaan": "Karyawan swasta"}
DOMISILI: dict[str, Any] = PERSON | CIVIL | {"alamat_domisili": "Jl. Contoh Raya No. 5", "rt": "3", "rw": "5"}
ANSWERS: dict[str, dict[str, Any]] = {
    "surat_keterangan_domisili": DOMISILI | {"alamat_ktp": "Jl. Lama No. 1, Bandung", "no_kk": "3175060101100002"},
    "surat_keterangan_usaha": PERSON
    | PLACE
    | {
        "nama_usaha": "Warung Bu Siti",
        "jenis_usaha": "Warung makan",
        "alamat_usaha": "Jl. Contoh Raya No. 7",
        "telepon": "0812-3456-7890",
        "sejak": "1 Maret 2019",
        "keperluan": "Pengajuan kredit usaha rakyat",
    },
    "surat_keterangan_tidak_mampu": PERSON
    | CIVIL
    | PLACE
    | {"nama_penerima": "Budi Contoh", "hubungan": "anak", "keperluan": "Keringanan biaya sekolah"},
    "surat_pengantar": PERSON | CIVIL | PLACE | {"tujuan": "Kantor Urusan Agama", "keperluan": "Pendaftaran nikah"},
    "surat_keterangan_domisili_usaha": BORN
    | PLACE
    | {
        "nama_usaha": "Warung Bu Siti",
        "jenis_usaha": "Warung makan",
        "alamat_usaha": "Jl. Contoh Raya No. 7",
        "keperluan": "Kredit",
    },
    "surat_keterangan_belum_menikah": PERSON | CIVIL | PLACE | {"status_perkawinan": "Belum Kawin"},
    "surat_keterangan_kematian": {
        "nama_almarhum": "Budi Contoh",
        "nik_almarhum": "3175060101500002",
        "tempat_lahir_almarhum": "Bogor",
        "tanggal_lahir_almarhum": "1 Januari 1950",
        "jenis_kelamin_almarhum": "Laki-laki",
        "tanggal_meninggal": "2 Maret 2026",
        "tempat_meninggal": "RSUD Contoh",
        "nama_pelapor": "Siti Rahayu",
        "nik_pelapor": "3175064508900001",
        "alamat_pelapor": "Jl. Contoh Raya No. 5",
        "hubungan_pelapor": "anak",
        "keperluan": "Pengurusan akta kematian",
    },
    "surat_keterangan_penghasilan_orang_tua": WHO
    | PLACE
    | {
        "tempat_lahir": "Jakarta",
        "tanggal_lahir": "5 Agustus 1990",
        "pekerjaan": "Karyawan swasta",
        "penghasilan": "Rp 2.500.000",
        "nama_anak": "Putri Contoh",
        "tanggal_lahir_anak": "7 Juli 2010",
        "sekolah": "SMP Contoh",
        "keperluan": "Beasiswa",
    },
    "surat_keterangan_beda_identitas": BORN
    | PLACE
    | {
        "dokumen": "ijazah SMA",
        "nama_pada_dokumen": "Siti Rahaju",
        "lahir_pada_dokumen": "5 Agustus 1991",
        "keperluan": "Pendaftaran haji",
    },
    "surat_keterangan_bepergian": BORN
    | PLACE
    | {
        "pekerjaan": "Karyawan swasta",
        "tempat_tujuan": "Surabaya",
        "tanggal_berangkat": "10 Maret 2026",
        "tanggal_kembali": "17 Maret 2026",
        "keperluan": "Menjenguk keluarga",
    },
    "surat_keterangan_ktp_dalam_proses": PERSON | CIVIL | PLACE,
    "surat_pengantar_kelahiran": PLACE
    | {
        "nama_anak": "Putri Contoh",
        "jenis_kelamin_anak": "Perempuan",
        "tempat_lahir_anak": "Jakarta",
        "tanggal_lahir_anak": "1 Maret 2026",
        "jam_lahir_anak": "jam 7 malam",
        "anak_ke": "kedua",
        "nama_ayah": "Budi Contoh",
        "nama_ibu": "Siti Rahayu",
        "nama_pelapor": "Siti Rahayu",
        "nik_pelapor": "3175064508900001",
    },
    "surat_pengantar_skck": PERSON | CIVIL | PLACE | {"keperluan": "Melamar pekerjaan"},
    "surat_pengantar_kehilangan": BORN
    | PLACE
    | {
        "pekerjaan": "Karyawan swasta",
        "barang_hilang": "dompet berisi KTP dan SIM",
        "tanggal_hilang": "1 Maret 2026",
        "tempat_hilang": "Pasar Contoh",
    },
    "surat_pengantar_izin_keramaian": WHO
    | PLACE
    | {
        "pekerjaan": "Karyawan swasta",
        "acara": "resepsi pernikahan",
        "tanggal_acara": "21 Maret 2026",
        "jam_mulai": "19.00",
        "tempat_acara": "Jl. Contoh Raya No. 5",
        "hiburan": "organ tunggal",
        "jumlah_undangan": "200 orang",
    },
    "biodata_penduduk": PERSON
    | CIVIL
    | PLACE
    | {
        "golongan_darah": "O",
        "pendidikan": "SLTA/Sederajat",
        "no_kk": "3175060101100002",
        "nama_ayah": "Budi Contoh",
        "nama_ibu": "Ani Contoh",
    },
}
"""Valid answers for every shipped letter, including some optional ones."""
OPENED: list[LetterService] = []


def open_service(state: Path, **env: str) -> LetterService:
    """A service on its own state folder, opened as the server opens it; conftest.py closes it after the test."""
    OPENED.append(cli.open_service(Settings.from_env({"AGENTD_STATE": str(state)} | env)))
    return OPENED[-1]


def row_of(service: LetterService, letter: Issued) -> Letter:
    """The letter as the register has it."""
    row = service.ledger.by_number(letter.number)
    assert row is not None
    return row


def void(service: LetterService, letter: Issued, reason: str, by: str | None = None) -> None:
    """Void a letter in the register, without the service's checks."""
    service.ledger.void(row_of(service, letter), reason, service.now(), by)


def issue(service: LetterService, answers: dict[str, Any] = DOMISILI, key: str | None = None, **more: Any) -> Issued:
    """Issue a letter, by default a surat keterangan domisili."""
    letter = service.catalogue.types[more.pop("letter", "surat_keterangan_domisili")]
    return service.issue(letter, answers, key, **more)


LATER_COLUMNS = ("approved_by", "voided_by", "proposed_by", "proposed", "approvals")
GUARD_OF_THEN = {
    "sqlite": ("CREATE TRIGGER letters_stay BEFORE DELETE ON letters BEGIN SELECT RAISE(ABORT, 'stay'); END",),
    "mariadb": (
        "CREATE TRIGGER letters_keep BEFORE UPDATE ON letters FOR EACH ROW IF OLD.number <> NEW.number THEN "
        "SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'kept'; END IF",
    ),
    "postgresql": (
        "CREATE FUNCTION letters_keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "IF OLD.number <> NEW.number THEN RAISE EXCEPTION 'kept'; END IF; RETURN NEW; END $$",
        "CREATE TRIGGER letters_keep BEFORE UPDATE OR DELETE ON letters FOR EACH ROW EXECUTE FUNCTION letters_keep()",
    ),
}


def left_by_an_earlier_version(service: LetterService) -> None:
    """Change the register to an earlier version's, without entries, journal and today's guards, and close it."""
    with service.ledger._database.engine.begin() as connection:
        dialect = connection.dialect.name
        unguard(connection)
        for change in (
            *(f"ALTER TABLE letters DROP COLUMN {column}" for column in LATER_COLUMNS),
            "DROP TABLE letter_entries",
            "DELETE FROM letter_counters WHERE series = ''",
            f"DROP INDEX letters_day{' ON letters' if dialect == 'mariadb' else ''}",
            *GUARD_OF_THEN[dialect],
        ):
            connection.execute(sa.text(change))
    service.journal.file.unlink()
    service.close()
