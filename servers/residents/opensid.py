"""OpenSID's database as a read-only register: its tables and rules. PINs and tools are handled elsewhere."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from servers.residents import codes
from servers.residents.database import Database, missing
from servers.residents.pins import OpensidPins
from servers.residents.resident import Found, RegisterError, Resident, Standing, known

MARK = "tweb_penduduk"
"""OpenSID is recognised by this table."""


def table_of(name: str, columns: str) -> sa.TableClause:
    """A table of OpenSID's with these of its columns, separated by blanks."""
    return sa.table(name, *(sa.column(column) for column in columns.split()))


CONFIG = table_of("config", "id nama_desa")
PERSON = table_of(
    MARK,
    "id config_id nama nik id_kk kk_level sex tempatlahir tanggallahir agama_id pendidikan_kk_id pekerjaan_id "
    "status_kawin warganegara_id ayah_nik ibu_nik nama_ayah nama_ibu golongan_darah_id id_cluster status "
    "alamat_sekarang status_dasar telepon tag_id_card",
)
FAMILY = table_of("tweb_keluarga", "id config_id no_kk alamat id_cluster")
AREA = table_of("tweb_wil_clusterdesa", "id rt rw dusun")
PIN = table_of("tweb_penduduk_mandiri", "id_pend pin aktif ganti_pin")
OCCUPATION = table_of("tweb_penduduk_pekerjaan", "id nama")
TABLES = (CONFIG, PERSON, FAMILY, AREA, PIN, OCCUPATION)

CODED = {
    "jenis_kelamin": PERSON.c.sex,
    "agama": PERSON.c.agama_id,
    "status_perkawinan": PERSON.c.status_kawin,
    "kewarganegaraan": PERSON.c.warganegara_id,
    "pendidikan": PERSON.c.pendidikan_kk_id,
    "golongan_darah": PERSON.c.golongan_darah_id,
    "hubungan": PERSON.c.kk_level,
    "standing": PERSON.c.status_dasar,
}
"""{field: the column with its code}."""


@dataclass(frozen=True)
class Office:
    """The residents' office: a row of `config`."""

    id: int
    name: str


class OpensidRegister:
    """The residents of one office."""

    notice: str | None = None

    def __init__(self, database: Database, office_id: int | None) -> None:
        self._database, self._office_id = database, office_id
        self._office: Office | None = None
        self.pins = OpensidPins()

    def office(self) -> Office:
        """Return the office, after checking the tables. Raises RegisterError."""
        if self._office is None:
            with self._database.connection() as connection:
                _check_columns(connection)
                rows = connection.execute(sa.select(CONFIG.c.id, CONFIG.c.nama_desa)).all()
            self._office = _chosen([Office(int(row.id), str(row.nama_desa)) for row in rows], self._office_id)
        return self._office

    def find(self, *, nik: str | None = None, card: str | None = None) -> Found | None:
        wanted = PERSON.c.nik == nik if nik is not None else PERSON.c.tag_id_card == card
        rows = self._rows(wanted)
        if len(rows) > 1:
            what, numbers = "NIK" if nik is not None else "card", ", ".join(str(row.id) for row in rows)
            raise RegisterError(f"several residents have one {what}: rows {numbers} of {MARK}; correct all but one")
        return _found(rows[0]) if rows else None

    def family(self, found: Found) -> list[Found]:
        if found.family is None:
            return [found]
        living = (PERSON.c.id_kk == int(found.family)) & (PERSON.c.status_dasar == 1)
        return [_found(row) for row in self._rows(living, limit=200)]

    def _rows(self, wanted: sa.ColumnElement[bool], limit: int = 3) -> list[sa.Row[Any]]:
        statement = _statement(self.office().id).where(wanted).order_by(PERSON.c.kk_level, PERSON.c.tanggallahir)
        with self._database.connection() as connection:
            return list(connection.execute(statement.limit(limit)).all())


def _statement(office: int) -> sa.Select[Any]:
    """Select the office's residents, one row each, with family card, area, occupation and PIN if they have them."""
    area = sa.func.coalesce(PERSON.c.id_cluster, FAMILY.c.id_cluster)
    joined = (
        sa.outerjoin(PERSON, FAMILY, (FAMILY.c.id == PERSON.c.id_kk) & (FAMILY.c.config_id == PERSON.c.config_id))
        .outerjoin(AREA, AREA.c.id == area)
        .outerjoin(OCCUPATION, OCCUPATION.c.id == PERSON.c.pekerjaan_id)
        .outerjoin(PIN, PIN.c.id_pend == PERSON.c.id)
    )
    more = (
        FAMILY.c.id.label("family_id"),
        FAMILY.c.no_kk,
        FAMILY.c.alamat.label("family_address"),
        AREA.c.rt,
        AREA.c.rw,
        AREA.c.dusun,
        OCCUPATION.c.nama.label("occupation"),
        PIN.c.pin,
        PIN.c.aktif,
        PIN.c.ganti_pin,
    )
    return sa.select(*PERSON.c, *more).select_from(joined).where(PERSON.c.config_id == office)


def _found(row: sa.Row[Any]) -> Found:
    """Convert a row to our terms. The address is the family's if there is a family."""
    values = row._mapping
    spoken = {name: codes.word(name, values[column.name]) for name, column in CODED.items() if name != "standing"}
    resident = Resident(
        **spoken,
        nik=str(row.nik),
        nama=" ".join(str(row.nama or "").split()),
        no_kk=known(row.no_kk),
        tempat_lahir=known(row.tempatlahir),
        tanggal_lahir=iso_date(row.tanggallahir),
        pekerjaan=codes.occupation(row.occupation),
        alamat=known(row.alamat_sekarang if row.family_id is None else row.family_address),
        rt=known(row.rt),
        rw=known(row.rw),
        dusun=known(row.dusun),
        nama_ayah=known(row.nama_ayah),
        nik_ayah=known(row.ayah_nik),
        nama_ibu=known(row.nama_ibu),
        nik_ibu=known(row.ibu_nik),
        telepon=known(row.telepon),
    )
    active = str(row.aktif) == "1"
    return Found(
        resident=resident,
        standing=_standing(row.status_dasar, row.status),
        family=None if row.family_id is None else str(row.family_id),
        pin=known(row.pin) if active else None,
        pin_unchanged=active and str(row.ganti_pin) == "1",
    )


def _standing(code: object, status: object) -> Standing:
    """Return the standing: `resident` only if alive and living here; unknown codes are `invalid`."""
    standing: Any = codes.word("standing", code) or "invalid"
    return "not_resident_here" if standing == "resident" and str(status) != "1" else standing


def iso_date(value: object) -> str | None:
    """Return a date in ISO form; None for 0000-00-00 and for incomplete dates."""
    try:
        return datetime.date.fromisoformat(str(value)[:10]).isoformat()
    except ValueError:
        return None


def _check_columns(connection: sa.Connection) -> None:
    if lacking := missing(connection, TABLES):
        raise RegisterError(
            f"this OpenSID's database lacks {lacking}, or the account may not see them; "
            "update OpenSID, or give the account SELECT on these tables"
        )


def _chosen(offices: list[Office], wanted: int | None) -> Office:
    if wanted is None and len(offices) == 1:
        return offices[0]
    for office in offices:
        if office.id == wanted:
            return office
    there = ", ".join(f"{office.id} {office.name}" for office in offices) or "none"
    setting = "is not set" if wanted is None else f"is {wanted}"
    raise RegisterError(f"OFFICE_CONFIG_ID {setting}; the offices in the table config are: {there}")
