"""Writes issued letters to OpenSID's own lists, log_surat and permohonan_surat, if the office wants that.

A letter is written once, however often it is sent, by its number and file name. It reads no templates and draws no
letters.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa
from pydantic import BaseModel, Field

from servers.residents.database import Database
from servers.residents.opensid import PERSON, OpensidRegister, table_of
from servers.residents.resident import RegisterError

WAIT_SECONDS = 5
READY = 3
"""permohonan_surat.status of a letter ready to be collected."""
PRINTED = 1
"""log_surat.status."""


FORMAT = table_of("tweb_surat_format", "id config_id nama url_surat")
LOG = table_of(
    "log_surat",
    "id config_id id_format_surat id_pend tanggal bulan tahun no_surat nama_surat nik_non_warga nama_non_warga "
    "keterangan status",
)
REQUEST = table_of(
    "permohonan_surat",
    "id config_id id_pemohon id_surat isian_form status keterangan no_hp_aktif syarat created_at updated_at",
)


class IssuedLetter(BaseModel, frozen=True, hide_input_in_errors=True):
    """`nik` is the applicant's, "" if unknown; `form` are their answers, `seen` their documents."""

    number: str = Field(min_length=1, max_length=100)
    title: str = Field(min_length=1, max_length=200)
    file_name: str = Field(min_length=1, max_length=100)
    issued_at: datetime
    nik: str = Field(max_length=16, repr=False)
    nama: str = Field(min_length=1, max_length=100, repr=False)
    telepon: str = Field(default="", max_length=50, repr=False)
    form: dict[str, str] = Field(default={}, repr=False)
    seen: tuple[str, ...] = ()


class IssuedLog:
    """The two lists of one office, through an account that may write only them. Times are in the office's zone."""

    def __init__(self, url: str, register: OpensidRegister, zone: ZoneInfo) -> None:
        self._database, self._register, self._zone = Database(url, writing=True), register, zone

    def write(self, letter: IssuedLetter) -> bool:
        """Write a letter; return whether it was new. Raises RegisterError if nothing of it was written."""
        office = self._register.office().id
        at = letter.issued_at.astimezone(self._zone).replace(tzinfo=None)
        with self._database.errors(), self._database.engine.connect() as connection, _alone(connection, office):
            same = (LOG.c.config_id == office) & (LOG.c.nama_surat == letter.file_name)
            if connection.execute(sa.select(LOG.c.id).where(same, LOG.c.keterangan == letter.number)).first():
                return False
            mine = (PERSON.c.config_id == office) & (PERSON.c.nik == letter.nik)
            person = connection.execute(sa.select(PERSON.c.id).where(mine)).scalar()
            of_office = sa.select(FORMAT.c.id, FORMAT.c.nama, FORMAT.c.url_surat).where(FORMAT.c.config_id == office)
            form = _form_of(letter.title, connection.execute(of_office).all())
            connection.execute(LOG.insert().values(**_logged(letter, at, office, person, form)))
            if person is not None and form is not None:  # requests need a resident and a form
                connection.execute(REQUEST.insert().values(**_requested(letter, at, office, person, form)))
            return True


@contextmanager
def _alone(connection: sa.Connection, office: int) -> Iterator[None]:
    """Run one transaction, on one node at a time, so that a letter sent twice at once is written once.

    Raises RegisterError if another node writes for longer than WAIT_SECONDS.
    """
    name = f"agentd-log_surat-{office}"
    if connection.execute(sa.select(sa.func.get_lock(name, WAIT_SECONDS))).scalar() != 1:
        raise RegisterError("another node is writing log_surat; it is tried again")
    connection.commit()
    try:
        with connection.begin():
            yield
    finally:
        connection.execute(sa.select(sa.func.release_lock(name)))
        connection.commit()


def _logged(letter: IssuedLetter, at: datetime, office: int, person: int | None, form: int | None) -> dict[str, object]:
    """Return the log_surat row: only the running number fits; a non-resident is entered by NIK and name."""
    stranger = {"nik_non_warga": letter.nik, "nama_non_warga": letter.nama} if person is None else {}
    return {
        **{"config_id": office, "id_format_surat": form, "id_pend": person, "tanggal": at},
        **{"bulan": f"{at.month:02}", "tahun": f"{at.year}", "no_surat": letter.number.partition("/")[0][:20]},
        **{"nama_surat": letter.file_name, "keterangan": letter.number, "status": PRINTED, **stranger},
    }


def _requested(letter: IssuedLetter, at: datetime, office: int, person: int, form: int) -> dict[str, object]:
    return {
        **{"config_id": office, "id_pemohon": person, "id_surat": form, "status": READY},
        **{"isian_form": json.dumps(letter.form, ensure_ascii=False), "keterangan": letter.number},
        **{"no_hp_aktif": letter.telepon, "syarat": json.dumps(list(letter.seen), ensure_ascii=False)},
        **{"created_at": at, "updated_at": at},
    }


def _form_of(title: str, forms: Iterable[Any]) -> int | None:
    """Return the office's form with the letter's name, or None."""
    wanted = _plain(title)
    return next((int(one.id) for one in forms if wanted in (_plain(one.nama), _plain(one.url_surat))), None)


def _plain(name: str | None) -> str:
    """Normalise: `Surat Keterangan Domisili`, `surat-keterangan-domisili` and `Keterangan Domisili` become equal."""
    return " ".join(re.sub(r"[^a-z0-9]+", " ", (name or "").lower()).split()).removeprefix("surat ")
