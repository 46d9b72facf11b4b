"""A resident with the fields of letters, a register's further data, and the port `Register`. Reads no register."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal, Protocol

from pydantic import BaseModel

from servers.common.phrases import phrases

NIK = re.compile("[0-9]{16}")
Standing = Literal["resident", "not_resident_here", "dead", "moved", "missing", "left", "invalid"]
"""`resident` if somebody in the register gets letters as a resident, otherwise why not."""


class Resident(BaseModel, frozen=True):
    """Unknown is None, never "-" or "0". Words as letters print them, names as stored, `tanggal_lahir` in ISO form."""

    nik: str
    no_kk: str | None
    nama: str
    jenis_kelamin: str | None
    tempat_lahir: str | None
    tanggal_lahir: str | None
    agama: str | None
    status_perkawinan: str | None
    pekerjaan: str | None
    kewarganegaraan: str | None
    pendidikan: str | None
    golongan_darah: str | None
    alamat: str | None
    rt: str | None
    rw: str | None
    dusun: str | None
    hubungan: str | None
    nama_ayah: str | None
    nik_ayah: str | None
    nama_ibu: str | None
    nik_ibu: str | None
    telepon: str | None


@dataclass(frozen=True)
class Found:
    """A row of the register: the resident, and what decides whether a PIN or card may be used for them."""

    resident: Resident = field(repr=False)
    standing: Standing
    family: str | None = field(default=None, repr=False)
    """The register's own key of the family card; None without one."""
    pin: str | None = field(default=None, repr=False)
    """The PIN as stored (see pins.py); None if none was issued or it is not active."""
    pin_unchanged: bool = False
    """True if the citizen has not changed the first PIN."""


class PinForm(Protocol):
    """How a register stores PINs."""

    @property
    def decoy(self) -> str:
        """Return a stored form whose comparison takes as long as a real one."""

    def matches(self, pin: str, stored: str) -> bool:
        """Return whether six digits are the stored PIN; takes the same time either way."""


class Register(Protocol):
    """A register of residents. All methods raise RegisterError."""

    @property
    def pins(self) -> PinForm: ...

    @property
    def notice(self) -> str | None:
        """Return what applies to every answer (a sample's notice), or None."""

    def find(self, *, nik: str | None = None, card: str | None = None) -> Found | None:
        """Return the person with this NIK (16 digits) or card, whatever their standing."""

    def family(self, found: Found) -> list[Found]:
        """Return the living members of the family card, the head first; without a card only the resident."""


class RegisterError(Exception):
    """The register can't answer. The text is for the office: precise, but without addresses, accounts or persons."""

    citizen = phrases("servers.residents")["register_down"]


def known(value: object) -> str | None:
    """Return a value's text, or None if it only means "none": empty, "-", "0"."""
    text = "" if value is None else " ".join(str(value).split())
    return text if text.strip("-0. ") else None
