"""Decides whether a NIK or card and a PIN belong together. Every refusal takes the same work as a wrong PIN."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from servers.residents.locks import TRIES, Locks
from servers.residents.pins import UNKNOWN, is_pin
from servers.residents.resident import NIK, Found, Register, Resident

CARD = re.compile(r"[A-Za-z0-9]{4,32}\Z")
NEVER = "f" * 16
"""A NIK that no register has, looked up instead of an invalid one."""

Reason = Literal["not_verified", "locked"]


@dataclass(frozen=True)
class Verified:
    """`notes` are for the desk and the audit trail; the citizen sees only `reason`."""

    resident: Resident | None = field(default=None, repr=False)
    reason: Reason | None = None
    attempts_left: int = 0
    retry_after_s: int = 0
    notes: tuple[str, ...] = ()


class Verification:
    """Verifies against one register and the count of wrong PINs."""

    def __init__(self, register: Register, locks: Locks) -> None:
        self.register, self._locks = register, locks

    def verify(self, *, nik: str | None, card: str | None, pin: str) -> Verified:
        """Verify a PIN; give exactly one of `nik` and `card`. Raises RegisterError."""
        found = self._find(nik, card)
        subject = found.resident.nik if found is not None else f"{'card' if nik is None else 'nik'}:{nik or card}"
        attempt = self._locks.take(subject)
        if not attempt.granted:
            return Verified(reason="locked", retry_after_s=attempt.retry_after_s, notes=("locked",))
        pins = self.register.pins
        right = pins.matches(pin if is_pin(pin) else UNKNOWN, (found and found.pin) or pins.decoy)
        refused = refusals(found, right and is_pin(pin))
        if refused or found is None:
            return Verified(reason="not_verified", attempts_left=attempt.left, notes=refused)
        self._locks.forget(subject)
        return Verified(resident=found.resident, attempts_left=TRIES, notes=remarks(found))

    def resident(self, nik: str) -> tuple[Found | None, tuple[str, ...]]:
        """Return the living resident with this NIK, and notes for the desk. Raises RegisterError."""
        found = self._find(nik, None)
        if found is None or found.standing != "resident":
            return None, refusals(found, right=True)
        return found, remarks(found)

    def _find(self, nik: str | None, card: str | None) -> Found | None:
        if nik is not None:
            return self.register.find(nik=nik if NIK.fullmatch(nik) else NEVER)
        return self.register.find(card=card if card is not None and CARD.match(card) else NEVER)


def refusals(found: Found | None, right: bool) -> tuple[str, ...]:
    """Return why somebody is not verified, for the desk; empty if they are."""
    if found is None:
        return ("unknown",)
    reasons: list[str] = [] if found.standing == "resident" else [found.standing]
    if not right:
        reasons.append("wrong_pin" if found.pin else "no_active_pin")
    return tuple(reasons)


def remarks(found: Found) -> tuple[str, ...]:
    """Return notes for the desk about a verified resident."""
    notes = ["temporary_nik"] if found.resident.nik.startswith("0") else []
    return (*notes, "first_pin_unchanged") if found.pin_unchanged else tuple(notes)
