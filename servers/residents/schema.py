"""The tables of agentd's own register of residents, on SQLite, PostgreSQL and MariaDB. Reads and writes none itself."""

from __future__ import annotations

import sqlalchemy as sa

metadata = sa.MetaData()
NIK = sa.String(16)
WORD = sa.String(100)


def _words(names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, WORD) for name in names.split()]


residents = sa.Table(
    "residents",
    metadata,
    sa.Column("nik", NIK, primary_key=True),
    sa.Column("no_kk", NIK, index=True),
    sa.Column("nama", WORD, nullable=False),
    *_words("jenis_kelamin tempat_lahir"),
    sa.Column("tanggal_lahir", sa.Date),
    *_words("agama status_perkawinan pekerjaan kewarganegaraan pendidikan golongan_darah"),
    sa.Column("alamat", sa.String(200)),
    sa.Column("rt", sa.String(10)),
    sa.Column("rw", sa.String(10)),
    *_words("dusun hubungan nama_ayah"),
    sa.Column("nik_ayah", NIK),
    sa.Column("nama_ibu", WORD),
    sa.Column("nik_ibu", NIK),
    sa.Column("telepon", sa.String(30)),
    sa.Column("card", sa.String(32), unique=True),
    sa.Column("standing", sa.String(20), nullable=False, server_default="resident"),
)
"""Words are spelled as in letters; unknown is NULL. `standing` as in resident.Standing."""

pins = sa.Table(
    "resident_pins",
    metadata,
    sa.Column("nik", NIK, primary_key=True),
    sa.Column("stored", sa.String(200), nullable=False),
    sa.Column("unchanged", sa.Boolean, nullable=False),
)
"""`stored` is what pins.ScryptPins makes. PINs have their own table: who may read residents need not read PINs."""
