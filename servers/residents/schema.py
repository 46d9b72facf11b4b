"""The tables of agentd's own register of residents, on SQLite, PostgreSQL and MariaDB. Reads and writes none itself."""

from __future__ import annotations

import sqlalchemy as sa

metadata = sa.MetaData()
NIK = sa.String(16)
WORD = sa.String(100)

residents = sa.Table(
    "residents",
    metadata,
    sa.Column("nik", NIK, primary_key=True),
    sa.Column("no_kk", NIK, index=True),
    sa.Column("nama", WORD, nullable=False),
    sa.Column("jenis_kelamin", WORD),
    sa.Column("tempat_lahir", WORD),
    sa.Column("tanggal_lahir", sa.Date),
    sa.Column("agama", WORD),
    sa.Column("status_perkawinan", WORD),
    sa.Column("pekerjaan", WORD),
    sa.Column("kewarganegaraan", WORD),
    sa.Column("pendidikan", WORD),
    sa.Column("golongan_darah", WORD),
    sa.Column("alamat", sa.String(200)),
    sa.Column("rt", sa.String(10)),
    sa.Column("rw", sa.String(10)),
    sa.Column("dusun", WORD),
    sa.Column("hubungan", WORD),
    sa.Column("nama_ayah", WORD),
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
