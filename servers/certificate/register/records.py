"""Records for letters in the register and for requests; the register itself is elsewhere."""

from __future__ import annotations

import json
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field, Json

from servers.certificate.letters.basis import DECLARED, Basis
from servers.certificate.register.chain import digest

Status = Literal["reserved", "issued", "void"]


class KeyConflict(Exception):
    """This idempotency key has already been used with other arguments."""


class Approval(BaseModel, frozen=True):
    """Who said yes, by the id of the caller, and when (ISO 8601, as the daemon says)."""

    by: str
    at: str | None = None


class Letter(BaseModel, frozen=True):
    """A row of the register. `proposed` is what was requested before an approver changed it; null if nobody did.

    `basis` is null in a letter of an earlier version, for which `valid_until` isn't stored either.
    """

    id: int
    letter_type: str
    series: str
    year: int
    seq: int
    number: str
    day: date
    code: str
    values: Json[dict[str, str]] = Field(validation_alias="answers")
    status: Status
    file: str | None
    sha256: str | None
    size: int | None
    issued_at: str | None
    voided_at: str | None
    void_reason: str | None
    voided_by: str | None
    approved_by: str | None
    proposed_by: str | None
    proposed: Json[dict[str, Any]] | None
    approvals: Annotated[Json[tuple[Approval, ...]], BeforeValidator(lambda text: text or "[]")]
    basis: Json[Basis] | None
    valid_until: date | None

    @property
    def registered(self) -> frozenset[str]:
        """Return the fields whose values come from the register of residents."""
        return self.basis.registered if self.basis else frozenset()


class Consent(BaseModel, frozen=True):
    """Who made the call, what they proposed if the approver changed it, and who approved."""

    proposed_by: str | None = None
    proposed: dict[str, Any] | None = None
    approved_by: str | None = None
    approvals: tuple[Approval, ...] = ()


NO_CONSENT = Consent()
"""A call that nobody proposed or approved."""


class Request(BaseModel, frozen=True):
    """A letter to issue: its type, its canonical values, and what identifies a repeated call."""

    letter_type: str
    series: str
    values: dict[str, str]
    idempotency_key: str | None = None
    session_id: str | None = None
    consent: Consent = NO_CONSENT
    basis: Basis = DECLARED
    valid_until: date | None = None

    @property
    def digest(self) -> str:
        """Return a digest of type, values and the stated basis: equal requests have equal digests."""
        rests_on = (
            [] if self.basis.level == "declared" and not self.basis.seen else [self.basis.level, *self.basis.seen]
        )
        return digest(self.letter_type, json.dumps(self.values, sort_keys=True, ensure_ascii=False), *rests_on)

    @property
    def key_digest(self) -> str | None:
        return digest(self.idempotency_key) if self.idempotency_key else None

    @property
    def session_digest(self) -> str | None:
        return digest(self.session_id, self.digest) if self.session_id else None
