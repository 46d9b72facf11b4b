"""agentd's own schema as a read-only register. importing.py fills it; `agentd residents pin` (cli.py) creates PINs."""

from __future__ import annotations

from typing import Any, get_args

import sqlalchemy as sa

from servers.residents.database import Database, missing
from servers.residents.pins import ScryptPins
from servers.residents.resident import Found, RegisterError, Resident, Standing, known
from servers.residents.schema import pins, residents

STANDINGS = frozenset(get_args(Standing))
_JOINED = sa.select(residents, pins.c.stored, pins.c.unchanged).select_from(
    residents.outerjoin(pins, pins.c.nik == residents.c.nik)
)


class OwnRegister:
    """The residents of one office, in a database of its own."""

    notice: str | None = None

    def __init__(self, database: Database) -> None:
        self._database = database
        self._checked = False
        self.pins = ScryptPins()

    def find(self, *, nik: str | None = None, card: str | None = None) -> Found | None:
        rows = self._rows(residents.c.nik == nik if nik is not None else residents.c.card == card)
        return _found(rows[0]) if rows else None

    def family(self, found: Found) -> list[Found]:
        if found.family is None:
            return [found]
        members = self._rows((residents.c.no_kk == found.family) & (residents.c.standing == "resident"))
        return sorted(map(_found, members), key=lambda one: one.resident.hubungan != "Kepala Keluarga")

    def check(self) -> None:
        """Raise RegisterError naming missing tables and columns."""
        with self._database.connection() as connection:
            lacking = missing(connection, (residents, pins))
        if lacking:
            raise RegisterError(
                f"RESIDENTS_URL holds neither OpenSID's tables nor a whole register of agentd's: {lacking} "
                "missing; `agentd residents import FILE` makes them"
            )
        self._checked = True

    def _rows(self, wanted: sa.ColumnElement[bool]) -> list[sa.Row[Any]]:
        if not self._checked:
            self.check()
        with self._database.connection() as connection:
            return list(connection.execute(_JOINED.where(wanted).order_by(residents.c.tanggal_lahir).limit(200)).all())


def _found(row: sa.Row[Any]) -> Found:
    values = {name: known(row._mapping[name]) for name in Resident.model_fields}
    return Found(
        resident=Resident(**(values | {"nik": row.nik, "nama": row.nama})),
        standing=row.standing if row.standing in STANDINGS else "invalid",
        family=known(row.no_kk),
        pin=row.stored,
        pin_unchanged=bool(row.unchanged),
    )
