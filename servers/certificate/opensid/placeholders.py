"""What a placeholder of OpenSID is here: a field of a letter, a word of the office, or nothing we know. Pure."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

PLACEHOLDER = re.compile(r"\[([A-Za-z][A-Za-z0-9_]*)\]")
_WITH_ITS_KIND = re.compile(r"\[sebutan_(desa|kecamatan|kabupaten|provinsi)\]\s*(?=\[nama_\1\])", re.IGNORECASE)

DATA = tomllib.loads(Path(__file__).with_name("opensid.toml").read_text(encoding="utf-8"))
RESIDENT: Mapping[str, str] = DATA["resident"]
"""A placeholder → the datum of a resident, which is our field of the same name."""
FRAME = frozenset(DATA["frame"])
"""Letterhead, number, place and date, signer, QR code: our page draws them itself."""
VALIDITY = frozenset(DATA["validity"])
"""Our page prints how long a letter is valid."""
_OFFICE: Mapping[str, str] = DATA["office"]
_ROLES: Mapping[str, str] = DATA["roles"]


@dataclass
class Mapped:
    """What the texts of one template ask for: fields by name, as (datum, role), and what couldn't be mapped."""

    residents: dict[str, tuple[str, str | None]] = field(default_factory=dict)
    forms: set[str] = field(default_factory=set)
    unknown: set[str] = field(default_factory=set)


def translate(text: str, forms: frozenset[str], found: Mapped) -> str:
    """The text with our slots for its placeholders; what is met is noted in `found`."""
    plain = _WITH_ITS_KIND.sub("", text).replace("{", "{{").replace("}", "}}")
    return PLACEHOLDER.sub(lambda match: _slot(match[1], forms, found), plain)


def names(text: str) -> set[str]:
    """The placeholders in a text, in lower case."""
    return {name.casefold() for name in PLACEHOLDER.findall(text)}


def _slot(written: str, forms: frozenset[str], found: Mapped) -> str:
    name, case = written.casefold(), letter_case(written)
    if name in forms:
        found.forms.add(name)
        return f"{{{name}{case}}}"
    if name in _OFFICE:
        return f"{{{_OFFICE[name]}}}"
    base, role = _of_whom(name)
    if base == "ttl":
        born = [(_named(one, role), one) for one in ("tempat_lahir", "tanggal_lahir")]
        found.residents |= {field: (one, role) for field, one in born}
        return ", ".join(f"{{{field}{case}}}" for field, _ in born)
    datum = RESIDENT.get(base)
    if datum is None:
        found.unknown.add(f"[{written}]")
        return ""
    found.residents[_named(datum, role)] = (datum, role)
    if datum == "alamat" and role is None:
        found.residents |= {"rt": ("rt", None), "rw": ("rw", None)}
        return f"{{alamat{case}}}, RT {{rt}}/RW {{rw}}"
    return f"{{{_named(datum, role)}{case}}}"


def _of_whom(name: str) -> tuple[str, str | None]:
    """(the datum's placeholder, whose it is): `pekerjaan_ayah` is the father's work."""
    if name in RESIDENT or name == "ttl":
        return name, None
    base, _, suffix = name.rpartition("_")
    return (base, suffix) if suffix in _ROLES and (base in RESIDENT or base == "ttl") else (name, None)


def _named(datum: str, role: str | None) -> str:
    return datum if role is None else f"{datum}_{role}"


def role_of(suffix: str) -> str:
    """The role of a person whom placeholders name by this suffix."""
    return _ROLES[suffix]


def letter_case(written: str) -> str:
    """How the value is written, as a slot's ending: by the letters of the placeholder, the first rule that fits."""
    letters = [letter for letter in written if letter.isalpha()]
    if letters[0].isupper() and letters[-1].isupper():
        return ""
    if letters[0].islower():
        return ":lower"
    return ":upper" if len(letters) > 1 and letters[1].isupper() else ":title"
