"""PINs, tries and locks: every refusal does the same work, the third wrong PIN locks, for all processes (issue 18)."""

from __future__ import annotations

import multiprocessing
import os
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from servers.residents.locks import LOCK_SECONDS, Locks
from servers.residents.pins import OpensidPins, ScryptPins, opensid_form
from servers.residents.resident import Found, RegisterError, Standing
from servers.residents.sample import SampleRegister
from servers.residents.verification import Verification
from tests.postgresql import postgresql

BUDI = "3175061708859001"
SITI = "3175064806849002"
CHILD = "3175062108049003"
CARD = "C0NT0H0001"
RIGHT = "123456"


class CountingPins(OpensidPins):
    """OpenSID's form that counts the hashing."""

    def __init__(self) -> None:
        self.hashed: list[str] = []

    def matches(self, pin: str, stored: str) -> bool:
        self.hashed.append(pin)
        return super().matches(pin, stored)


class Residents(SampleRegister):
    """The sample, in which a test may change somebody, and which may be down."""

    def __init__(self) -> None:
        super().__init__()
        self.pins = CountingPins()
        self.asked = 0
        self.down = False

    def find(self, *, nik: str | None = None, card: str | None = None) -> Found | None:
        self.asked += 1
        if self.down:
            raise RegisterError("down")
        return super().find(nik=nik, card=card)

    def become(self, nik: str, standing: Standing = "resident", pin: str | None = None) -> None:
        self._by_nik[nik] = replace(self._by_nik[nik], standing=standing, pin=pin)


class Clock:
    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def residents() -> Residents:
    return Residents()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def desk(residents: Residents, clock: Clock, tmp_path: Path) -> Iterator[Verification]:
    yield Verification(residents, Locks(tmp_path / "locks.db", clock))


def test_the_right_pin_verifies_by_nik_and_by_card(desk: Verification) -> None:
    for given in ({"nik": BUDI, "card": None}, {"nik": None, "card": CARD}):
        verified = desk.verify(**given, pin=RIGHT)
        assert verified.resident is not None
        assert (verified.resident.nama, verified.reason) == ("Budi Contoh", None)


@pytest.mark.parametrize(
    "pin",
    [
        "654321",
        "",
        "12345",
        "1234567",
        "12345a",
        "１２３４５６",
        "123456\n",
        " 123456",
        "0123456",
        "١٢٣٤٥٦",
        "x" * 10_000,
    ],
)
def test_whatever_is_not_the_pin_is_a_wrong_pin_and_costs_one_hash(
    desk: Verification, residents: Residents, pin: str
) -> None:
    verified = desk.verify(nik=BUDI, card=None, pin=pin)
    assert (verified.resident, verified.reason, verified.attempts_left) == (None, "not_verified", 2)
    assert len(residents.pins.hashed) == residents.asked == 1
    assert len(residents.pins.hashed[0]) == 6


STANDINGS: tuple[Standing, ...] = ("dead", "moved", "missing", "left", "invalid", "not_resident_here")


@pytest.mark.parametrize("case", [*STANDINGS, "no_active_pin", "unknown", "unknown card", "no nik", "sql"])
def test_every_refusal_answers_and_works_as_a_wrong_pin_does(
    desk: Verification, residents: Residents, case: str
) -> None:
    nik: str | None = SITI
    card = None
    if case in STANDINGS:
        residents.become(SITI, case, opensid_form(RIGHT))
    elif case == "no_active_pin":
        residents.become(SITI)
    else:
        nik = {"unknown": "3175061708850000", "no nik": "12 34", "sql": "' OR 1=1 --"}.get(case)
        card = "NOBODY" if nik is None else None
    answers = [desk.verify(nik=nik, card=card, pin=RIGHT) for _ in range(4)]
    assert [one.reason for one in answers] == ["not_verified"] * 3 + ["locked"]
    assert [one.attempts_left for one in answers] == [2, 1, 0, 0]
    assert all(one.resident is None for one in answers)
    assert (residents.asked, len(residents.pins.hashed)) == (4, 3)
    known = case in STANDINGS or case == "no_active_pin"
    assert answers[0].notes == ((case,) if known else ("unknown",))


def test_the_decoy_of_a_salted_register_costs_the_same_hash() -> None:
    pins, counted = ScryptPins(), []
    inner = pins._hash
    pins._hash = lambda pin, salt: counted.append((len(pin), len(salt))) or inner(pin, salt)  # type: ignore[method-assign]
    stored = pins.make("042000")
    assert pins.matches("042000", stored)
    assert not pins.matches("042001", stored)
    assert not pins.matches("000000", pins.decoy)
    assert not pins.matches("000000", "damaged")
    assert counted == [(6, 16)] * 5
    assert stored != pins.make("042000")


def test_the_third_wrong_pin_locks_for_fifteen_minutes_also_against_the_right_one(
    desk: Verification, clock: Clock
) -> None:
    answers = [desk.verify(nik=BUDI, card=None, pin="000000").reason for _ in range(3)]
    assert answers == ["not_verified"] * 3
    clock.now += LOCK_SECONDS - 1
    locked = desk.verify(nik=BUDI, card=None, pin=RIGHT)
    assert (locked.reason, locked.retry_after_s, locked.resident) == ("locked", 1, None)
    clock.now += 1
    assert desk.verify(nik=BUDI, card=None, pin=RIGHT).resident is not None


def test_a_clock_set_back_locks_for_fifteen_minutes_and_no_longer(desk: Verification, clock: Clock) -> None:
    for _ in range(3):
        desk.verify(nik=BUDI, card=None, pin="000000")
    clock.now -= 3 * 365 * 86_400
    locked = desk.verify(nik=BUDI, card=None, pin=RIGHT)
    assert (locked.reason, locked.retry_after_s) == ("locked", LOCK_SECONDS)
    clock.now += LOCK_SECONDS
    assert desk.verify(nik=BUDI, card=None, pin=RIGHT).resident is not None


def test_wrong_tries_by_card_count_for_its_nik(desk: Verification) -> None:
    for given in ({"nik": None, "card": CARD}, {"nik": BUDI, "card": None}, {"nik": None, "card": CARD}):
        assert desk.verify(**given, pin="000000").reason == "not_verified"
    assert desk.verify(nik=BUDI, card=None, pin=RIGHT).reason == "locked"
    assert desk.verify(nik=SITI, card=None, pin="366129").resident is not None


def test_the_right_pin_forgets_the_wrong_ones_before_it(desk: Verification) -> None:
    for pin in ("000000", "000000", RIGHT, "000000", "000000"):
        desk.verify(nik=BUDI, card=None, pin=pin)
    assert desk.verify(nik=BUDI, card=None, pin=RIGHT).resident is not None


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
