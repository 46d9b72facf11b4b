"""Conditions in letter.toml on a resident's register data, required to begin a letter. The daemon evaluates them."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field, model_validator

COLUMNS = (
    *("nik", "no_kk", "nama", "jenis_kelamin", "tempat_lahir", "tanggal_lahir", "agama", "status_perkawinan"),
    *("pekerjaan", "kewarganegaraan", "pendidikan", "golongan_darah", "alamat", "rt", "rw", "dusun", "hubungan"),
    *("nama_ayah", "nik_ayah", "nama_ibu", "nik_ibu", "telepon"),
)
"""The data of a resident in the register."""
COLUMN = rf"(resident|family)\.({'|'.join(COLUMNS)})"
Source = Annotated[str, Field(pattern=rf"^({COLUMN}|family\.anak_pemohon)$")]


class Condition(BaseModel, frozen=True, extra="forbid"):
    """`of` is the value to check; a value that the register doesn't have is not checked."""

    of: Source
    only: tuple[str, ...] = Field(default=(), description="the values that allow the letter")
    never: tuple[str, ...] = Field(default=(), description="the values that forbid it")
    differs: Source | None = Field(default=None, description="whose value must be another")
    says: dict[str, str] = Field(min_length=1, description="to the citizen, by language; {value} is the register's")

    @model_validator(mode="after")
    def _asks_something(self) -> Condition:
        if not (self.only or self.never or self.differs):
            raise ValueError("a condition needs `only`, `never` or `differs`")
        return self
