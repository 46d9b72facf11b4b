"""PINs, tries and locks: every refusal does the same work, the third wrong PIN locks, for all processes (issue 18)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from servers.residents.locks import LOCK_SECONDS, Locks
from servers.residents.pins import OpensidPins, ScryptPins, opensid_form
from servers.residents.resident import Found, RegisterError, Standing
from servers.residents.sample import SampleRegister
from servers.residents.verification import Verification

BUDI, SITI, CARD, RIGHT = "3175061708859001", "3175064806849002", "C0NT0H0001", "123456"


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
def desk(residents: Residents, clock: Clock, tmp_path: Path) -> Verification:
    return Verification(residents, Locks(tmp_path / "locks.db", clock))


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
    left = [
        desk.verify(nik=BUDI, card=None, pin=pin).attempts_left
        for pin in ("000000", "000000", RIGHT, "000000", "000000")
    ]
    assert left == [2, 1, 3, 2, 1]
    assert desk.verify(nik=BUDI, card=None, pin=RIGHT).resident is not None
