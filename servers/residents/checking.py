"""Counts what is in a register: standings, unknown codes, NIKs of wrong length, PINs. It names nobody."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa

from servers.residents import codes, schema
from servers.residents.database import Database
from servers.residents.opensid import CODED, FAMILY, PERSON, PIN, OpensidRegister
from servers.residents.resident import Register
from servers.residents.sample import NOTICE

SINGULAR = {"families": "family", "residents": "resident", "NIKs": "NIK", "PINs": "PIN"}
_PLURAL = re.compile("|".join(SINGULAR))
own, pins = schema.residents, schema.pins


def findings(register: Register, database: Database | None) -> Iterator[str]:
    """Yield one line per finding. Raises RegisterError."""
    if database is None:
        yield NOTICE
        yield "60 residents in 20 families"
        return
    with database.connection() as connection:
        if isinstance(register, OpensidRegister):
            office = register.office()
            yield f"OpenSID's database, office {office.id} ({office.name})"
            yield from _opensid(connection, office.id)
        else:
            yield "a register of agentd's own"
            yield from _own(connection)


def _opensid(connection: sa.Connection, office: int) -> Iterator[str]:
    here = PERSON.c.config_id == office
    for code, count in _counts(connection, PERSON.c.status_dasar, here):
        yield _counted(count, f"residents: {codes.word('standing', code) or f'unknown status_dasar {code}'}")
    yield from _short(connection, PERSON.c.nik, here)
    doubles = sa.select(PERSON.c.nik).where(here).group_by(PERSON.c.nik).having(sa.func.count() > 1).subquery()
    yield _line(connection, sa.select(sa.func.count()).select_from(doubles), "NIKs of several residents")
    for name, column in CODED.items():
        for code, count in _counts(connection, column, here):
            if name != "standing" and codes.is_unknown(name, code):
                yield _counted(count, f"residents: unknown code {code} in tweb_penduduk.{column.name}")
    headed = sa.select(PERSON.c.id_kk).where(here & (PERSON.c.kk_level == 1) & (PERSON.c.status_dasar == 1))
    headed = headed.where(PERSON.c.id_kk.is_not(None))
    families = sa.select(sa.func.count()).select_from(FAMILY).where(FAMILY.c.config_id == office)
    yield _line(connection, families, "families")
    yield _line(connection, families.where(FAMILY.c.id.not_in(headed)), "families without a living head")
    given = sa.select(sa.func.count()).select_from(sa.join(PIN, PERSON, PIN.c.id_pend == PERSON.c.id)).where(here)
    yield _line(connection, given.where(PIN.c.aktif == 1), "active PINs")
    yield _line(connection, given.where((PIN.c.aktif == 1) & (PIN.c.ganti_pin == 1)), "active PINs never changed")


def _own(connection: sa.Connection) -> Iterator[str]:
    everybody = sa.true()
    for standing, count in _counts(connection, own.c.standing, everybody):
        yield _counted(count, f"residents: {standing}")
    yield from _short(connection, own.c.nik, everybody)
    families = sa.select(sa.func.count(sa.distinct(own.c.no_kk)))
    headed = sa.select(own.c.no_kk).where((own.c.hubungan == "Kepala Keluarga") & (own.c.standing == "resident"))
    headed = headed.where(own.c.no_kk.is_not(None))
    yield _line(connection, families, "families")
    yield _line(connection, families.where(own.c.no_kk.not_in(headed)), "families without a living head")
    yield _line(connection, sa.select(sa.func.count()).select_from(pins), "active PINs")
    unchanged = sa.select(sa.func.count()).select_from(pins).where(pins.c.unchanged)
    yield _line(connection, unchanged, "active PINs never changed")


def _counts(connection: sa.Connection, column: Any, where: Any) -> list[tuple[Any, int]]:
    statement = sa.select(column, sa.func.count()).where(where).group_by(column).order_by(column)
    return [(code, int(count)) for code, count in connection.execute(statement).all()]


def _short(connection: sa.Connection, nik: Any, where: Any) -> Iterator[str]:
    count = sa.select(sa.func.count()).where(where)
    yield _line(connection, count.where(sa.func.length(nik) != 16), "NIKs not of 16 digits")
    yield _line(connection, count.where(nik.like("0%")), "temporary NIKs")


def _line(connection: sa.Connection, count: sa.Select[Any], what: str) -> str:
    return _counted(connection.execute(count).scalar_one(), what)


def _counted(count: int, what: str) -> str:
    """`2 families without a living head`; of one, the first noun is singular."""
    return f"{count} {_PLURAL.sub(lambda noun: SINGULAR[noun[0]], what, count=1) if count == 1 else what}"
