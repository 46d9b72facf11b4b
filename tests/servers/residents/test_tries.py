"""Tries are counted together, over restarts, processes and nodes, and hold no NIK."""

from __future__ import annotations

import multiprocessing
import os
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from servers.residents.locks import LOCK_SECONDS, Locks
from servers.residents.resident import RegisterError
from servers.residents.sample import SampleRegister
from servers.residents.verification import Verification
from tests.postgresql import postgresql
from tests.servers.residents.test_verification import BUDI, RIGHT, SITI, Clock, Residents, clock, desk, residents

__all__ = ["clock", "desk", "residents"]


@pytest.mark.slow
def test_a_thousand_tries_stay_locked_and_compare_three_pins(tmp_path: Path, residents: Residents) -> None:
    clock = Clock()
    tries = Verification(residents, Locks(tmp_path / "locks.db", clock))
    reasons = [tries.verify(nik=SITI, card=None, pin=f"{number:06d}").reason for number in range(369_000, 370_000)]
    assert reasons == ["not_verified"] * 3 + ["locked"] * 997
    assert len(residents.pins.hashed) == 3


def test_a_lock_stands_after_a_restart(tmp_path: Path, residents: Residents, clock: Clock) -> None:
    for pin in ("000000", "000001", "000002"):
        Verification(residents, Locks(tmp_path / "locks.db", clock)).verify(nik=BUDI, card=None, pin=pin)
    again = Verification(Residents(), Locks(tmp_path / "locks.db", clock))
    assert again.verify(nik=BUDI, card=None, pin=RIGHT).reason == "locked"


def test_kiosks_that_try_at_once_have_three_tries_together(desk: Verification, residents: Residents) -> None:
    with ThreadPoolExecutor(8) as kiosks:
        answers = list(kiosks.map(lambda n: desk.verify(nik=SITI, card=None, pin=f"{n:06d}").reason, range(40)))
    assert sorted(map(str, answers)) == ["locked"] * 37 + ["not_verified"] * 3
    assert len(residents.pins.hashed) == 3


def _try_in_a_process(given: tuple[Path, int]) -> str | None:
    file, number = given
    desk = Verification(SampleRegister(), Locks(file, Clock()))
    return desk.verify(nik=SITI, card=None, pin=f"{number:06d}").reason


def test_processes_that_try_at_once_have_three_tries_together(tmp_path: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(4) as processes:
        answers = processes.map(_try_in_a_process, [(tmp_path / "locks.db", number) for number in range(12)])
    assert sorted(map(str, answers)) == ["locked"] * 9 + ["not_verified"] * 3


def test_nodes_that_share_a_postgresql_have_three_tries_together_by_its_clock(residents: Residents) -> None:
    with postgresql() as url:
        ahead, behind = Clock(), Clock()
        ahead.now += 10 * LOCK_SECONDS
        nodes = [Verification(residents, Locks(url, clock)) for clock in (ahead, behind)]

        def guess(number: int) -> str | None:
            return nodes[number % 2].verify(nik=SITI, card=None, pin=f"{number:06d}").reason

        with ThreadPoolExecutor(8) as kiosks:
            answers = list(kiosks.map(guess, range(20)))
        again = Verification(residents, Locks(url, Clock())).verify(nik=SITI, card=None, pin="366129")
        assert sorted(map(str, answers)) == ["locked"] * 17 + ["not_verified"] * 3
        assert (again.reason, 890 <= again.retry_after_s <= 900) == ("locked", True)
        with psycopg.connect(url) as database:
            database.execute("UPDATE agentd_pin_tries SET at = at - 901")
        assert nodes[0].verify(nik=SITI, card=None, pin="366129").resident is not None
        held = [str(row) for row in psycopg.connect(url).execute("SELECT * FROM agentd_pin_tries")]
        assert held == []
    with pytest.raises(RegisterError, match="nodes' shared database"):
        nodes[0].verify(nik=SITI, card=None, pin="366129")


@pytest.mark.parametrize("address", ["mysql://u:geheim@h/d", "nothing at all geheim"])
def test_an_address_of_no_postgresql_is_refused_and_not_repeated(address: str) -> None:
    with pytest.raises(RegisterError, match="residents_locks_url") as told:
        Locks(address, Clock())
    assert "geheim" not in str(told.value)


def test_a_register_that_is_down_takes_no_try(desk: Verification, residents: Residents) -> None:
    residents.down = True
    for _ in range(5):
        with pytest.raises(RegisterError):
            desk.verify(nik=BUDI, card=None, pin=RIGHT)
    residents.down = False
    assert desk.verify(nik=BUDI, card=None, pin=RIGHT).attempts_left == 3


def test_without_a_count_nobody_is_verified(residents: Residents, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    desk = Verification(residents, Locks(tmp_path / "file" / "locks.db", Clock()))
    with pytest.raises(RegisterError, match="count of wrong PINs"):
        desk.verify(nik=BUDI, card=None, pin=RIGHT)
    assert residents.pins.hashed == []


def test_the_file_of_tries_holds_no_nik_and_forgets_the_old(desk: Verification, clock: Clock, tmp_path: Path) -> None:
    for number in range(30):
        desk.verify(nik=f"31750617088510{number:02d}", card=None, pin="987654")
    held = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"3175061708851" not in held and b"987654" not in held
    clock.now += LOCK_SECONDS
    desk.verify(nik=BUDI, card=None, pin="987654")
    with sqlite3.connect(tmp_path / "locks.db") as connection:
        assert connection.execute("SELECT count(*) FROM agentd_pin_tries").fetchone() == (1,)


def test_a_temporary_nik_and_a_first_pin_verify_and_the_desk_is_told(desk: Verification, residents: Residents) -> None:
    one = residents._by_nik[BUDI]
    temporary = one.resident.model_copy(update={"nik": "0175061708859001"})
    residents._by_nik[temporary.nik] = replace(one, resident=temporary, pin_unchanged=True)
    verified = desk.verify(nik=temporary.nik, card=None, pin=RIGHT)
    assert verified.resident == temporary
    assert verified.notes == ("temporary_nik", "first_pin_unchanged")


def test_the_dead_are_no_residents_for_the_desk_either(desk: Verification, residents: Residents) -> None:
    residents.become(BUDI, "dead")
    assert desk.resident(BUDI) == (None, ("dead",))


def test_the_sample_is_sixty_residents_in_twenty_families_all_marked() -> None:
    people = list(SampleRegister()._by_nik.values())
    assert len(people) == 60
    assert len({one.family for one in people}) == 20
    for one in people:
        resident = one.resident
        assert "Contoh" in resident.nama and "Contoh" in (resident.alamat or "")
        assert len(resident.nik) == len(resident.no_kk or "") == 16
        day = int(resident.nik[6:8]) - (40 if resident.jenis_kelamin == "Perempuan" else 0)
        assert resident.tanggal_lahir is not None
        assert (resident.tanggal_lahir[2:4], resident.tanggal_lahir[5:7]) == (resident.nik[10:12], resident.nik[8:10])
        assert int(resident.tanggal_lahir[8:]) == day
    assert os.environ.get("RESIDENTS_URL") is None
