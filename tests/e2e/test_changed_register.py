"""A register that an officer changes between the summary and the yes, on a real daemon: no letter says what it said."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa

from servers.residents.pins import ScryptPins
from servers.residents.schema import metadata, pins
from servers.residents.schema import residents as table
from tests.daemon import HEAD, Daemon, call, final, running
from tests.e2e.register import FORMS, REGISTER, WITH_OFFICERS, arrived, person, residents

BUDI, SITI, RIZKY = residents()[:3]
WANTS = call("generate_surat_alamat", keperluan="melamar kerja")
ASKS = "Saya perlu surat alamat untuk melamar kerja"
CHANGED = "Data kependudukan berubah sejak surat ini diperiksa"


@contextmanager
def office(folder: Path, *script: str, head: str = HEAD) -> Iterator[tuple[Daemon, sa.Engine]]:
    """A daemon whose register is a file with the sample's first family, and that file."""
    engine = sa.create_engine(f"sqlite:///{folder / 'register.db'}")
    names = [column.name for column in table.c if column.name in BUDI]
    with engine.begin() as register:
        metadata.create_all(register)
        for one in (BUDI, SITI, RIZKY):
            born = sa.func.date(one["tanggal_lahir"])
            row = {name: one[name] or None for name in names} | {"tanggal_lahir": born}
            register.execute(sa.insert(table).values(**row))
        stored = ScryptPins().make(BUDI["pin"])
        register.execute(sa.insert(pins).values(nik=BUDI["nik"], stored=stored, unchanged=False))
    url = f'residents_url = "sqlite:///{folder / "register.db"}"\n'
    with running(folder / "state", *script, config=head + REGISTER + url + FORMS) as daemon:
        yield daemon, engine
    engine.dispose()


def change(engine: sa.Engine, resident: dict[str, str], **values: str) -> None:
    with engine.begin() as register:
        register.execute(sa.update(table).where(table.c.nik == resident["nik"]).values(**values))


@pytest.mark.parametrize("values", [{"alamat": "Jl. Baru No. 9"}, {"standing": "dead"}, {"standing": "moved"}])
def test_a_citizens_yes_to_what_the_register_no_longer_holds_makes_no_letter(
    values: dict[str, str], tmp_path: Path
) -> None:
    with office(tmp_path, WANTS, WANTS, final("Surat selesai.")) as (daemon, register):
        one = arrived(daemon, BUDI)
        assert BUDI["alamat"] in one.says(ASKS)["approval"]["summary"]
        change(register, BUDI, **values)
        done = one.says("ya")
        assert not done["steps"][0]["success"] and CHANGED in done["response"]
        if "alamat" in values:
            again = one.says(ASKS)
            assert "Jl. Baru No. 9" in again["approval"]["summary"], "the citizen is asked again, with the true address"
            assert one.says("ya")["steps"][0]["success"]


@pytest.mark.parametrize("name", [BUDI["nama"], "BUDI LAIN CONTOH"])
def test_an_officers_yes_counts_while_the_register_still_holds_it(name: str, tmp_path: Path) -> None:
    wants = call("generate_surat_telepon", telepon="081234567890", keperluan="bank")
    with office(tmp_path, wants, final("Surat selesai."), head=WITH_OFFICERS) as (daemon, register):
        one, officer = arrived(daemon, BUDI), person(daemon, "siti", "staff")
        one.says("Surat telepon untuk keperluan bank, nomor telepon saya 081234567890")
        asked = one.says("ya")
        change(register, BUDI, nama=name)
        done = officer.approve(asked)
        holds = name == BUDI["nama"]
        assert done["steps"][0]["success"] is holds and (CHANGED in done["response"]) is not holds
        (request,) = officer.call("Request.list")["requests"]
        assert request["status"] == ("ready" if holds else "cancelled")


def test_a_register_that_is_away_at_the_yes_holds_up_no_letter(tmp_path: Path) -> None:
    with office(tmp_path, WANTS, final("Surat selesai.")) as (daemon, _):
        one = arrived(daemon, BUDI)
        one.says(ASKS)
        (tmp_path / "register.db").rename(tmp_path / "away.db")
        assert one.says("ya")["steps"][0]["success"]
