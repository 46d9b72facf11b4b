"""Sample applicants and services for the letter tests. Everybody here is made up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from servers.certificate import cli
from servers.certificate.issued import Issued
from servers.certificate.issuing import LetterService
from servers.certificate.settings import Settings

NOW = "2026-03-05T09:15:00+07:00"
PERSON: dict[str, Any] = {
    "nama": "Siti Rahayu",
    "nik": "3175064508900001",
    "tempat_lahir": "Jakarta",
    "tanggal_lahir": "5 Agustus 1990",
    "jenis_kelamin": "Perempuan",
    "agama": "Islam",
    "keperluan": "Membuka rekening bank",
}
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
}


def open_service(state: Path, **env: str) -> LetterService:
    """A service of its own state folder, as the server opens it."""
    return cli.open_service(Settings.from_env({"AGENTD_STATE": str(state)} | env))


def issue(service: LetterService, answers: dict[str, Any] = DOMISILI, key: str | None = None, **more: Any) -> Issued:
    """Issue a surat keterangan domisili."""
    letter = service.catalogue.types[more.pop("letter", "surat_keterangan_domisili")]
    return service.issue(letter, answers, key, **more)
