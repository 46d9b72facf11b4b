"""What differs between a visitor's form and the register; and what is only written otherwise."""

from __future__ import annotations

import pytest

from agentd.apps.residents.comparing import differences
from agentd.apps.residents.filling import named_nik

SOURCES = ("nama", "nik", "tanggal_lahir", "alamat", "rt", "status_perkawinan", "telepon")
SCHEMA = {
    "properties": {
        **{name: {"title": name.title(), "x-agentd-source": f"resident.{name}"} for name in SOURCES},
        "keperluan": {"title": "Keperluan"},
        "nama_anak": {"x-agentd-source": "family"},
    }
}
RESIDENT = {
    "nama": "Budi Contoh",
    "nik": "3175061708859001",
    "tanggal_lahir": "1985-08-17",
    "alamat": "Jl. Contoh No. 1",
    "rt": "001",
    "status_perkawinan": None,
    "telepon": "0812-3456-7890",
}


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("nama", "BUDI  CONTOH"),
        ("tanggal_lahir", "17-08-1985"),
        ("tanggal_lahir", "17 Agustus 1985"),
        ("tanggal_lahir", "1985-08-17"),
        ("alamat", "jl contoh no 1"),
        ("rt", "1"),
        ("status_perkawinan", "Kawin"),
        ("keperluan", "bank"),
        ("nama_anak", "Siti"),
        ("alamat", ""),
        ("nik", "3175 0617 0885 9001"),
        ("telepon", "081234567890"),
    ],
)
def test_what_is_only_written_otherwise_is_no_difference(field: str, said: str) -> None:
    assert differences(SCHEMA, {field: said}, RESIDENT) == []


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("nama", "Budi Contoh Jaya"),
        ("tanggal_lahir", "08-17-1985"),
        ("tanggal_lahir", "18 Agustus 1985"),
        ("alamat", "Jl. Contoh No. 11"),
        ("rt", "10"),
        ("rt", "00 1 2"),
        ("nik", "3175 0617 0885 9002"),
    ],
)
def test_what_is_another_value_is_a_difference(field: str, said: str) -> None:
    (found,) = differences(SCHEMA, {field: said}, RESIDENT)
    assert (found.field, found.said, found.registered) == (field, said, RESIDENT[field])


def test_the_nik_is_that_of_the_applicant_and_whole() -> None:
    assert named_nik(SCHEMA, {"nik": "3175061708859001"}) == "3175061708859001"
    assert named_nik(SCHEMA, {"nik": "3175.0617.0885-9001 "}) == "3175061708859001", "as the letter's server reads it"
    assert named_nik(SCHEMA, {"nik": "317506170885900"}) is None
    assert named_nik(SCHEMA, {"keperluan": "3175061708859001"}) is None
