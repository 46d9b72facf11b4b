"""Maps OpenSID's placeholders to a letter's fields, the office's words, or unknown. No I/O."""

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
"""{placeholder: the resident's value}, which is our field of the same name."""
FRAME = frozenset(DATA["frame"])
"""Letterhead, number, place and date, signer, QR code: our page draws these itself."""
VALIDITY = frozenset(DATA["validity"])
"""Validity: our page prints it itself."""
_OFFICE: Mapping[str, str] = DATA["office"]
ROLES: Mapping[str, str] = DATA["roles"]
"""{suffix of a placeholder: the role of the person that it names}."""


@dataclass
class Mapped:
    """What a template's texts need: fields by name, as (value, role), form fields, and unmapped placeholders."""

    residents: dict[str, tuple[str, str | None]] = field(default_factory=dict)
    forms: set[str] = field(default_factory=set)
    unknown: set[str] = field(default_factory=set)


def translate(text: str, forms: frozenset[str], found: Mapped) -> str:
    """Replace a text's placeholders with our slots, and record them in `found`."""
    plain = _WITH_ITS_KIND.sub("", text).replace("{", "{{").replace("}", "}}")
    return PLACEHOLDER.sub(lambda match: _slot(match[1], forms, found), plain)


def names(text: str) -> set[str]:
    """Return the placeholders in a text, in lower case."""
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
    """Return (the value's placeholder, whose it is): `pekerjaan_ayah` is the father's occupation."""
    if name in RESIDENT or name == "ttl":
        return name, None
    base, _, suffix = name.rpartition("_")
    return (base, suffix) if suffix in ROLES and (base in RESIDENT or base == "ttl") else (name, None)


def _named(datum: str, role: str | None) -> str:
    return datum if role is None else f"{datum}_{role}"


def letter_case(written: str) -> str:
    """Return a slot's ending for the value's letter case, judging by the placeholder's letters; the first rule wins."""
    letters = [letter for letter in written if letter.isalpha()]
    if letters[0].isupper() and letters[-1].isupper():
        return ""
    if letters[0].islower():
        return ":lower"
    return ":upper" if len(letters) > 1 and letters[1].isupper() else ":title"
