"""What a placeholder of OpenSID is here: a field of a letter, a word of the office, or nothing we know. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

PLACEHOLDER = re.compile(r"\[([A-Za-z][A-Za-z0-9_]*)\]")
_WITH_ITS_KIND = re.compile(r"\[sebutan_(desa|kecamatan|kabupaten|provinsi)\]\s*(?=\[nama_\1\])", re.IGNORECASE)

RESIDENT = {
    **{"nama": "nama", "nik": "nik", "no_ktp": "nik", "tempatlahir": "tempat_lahir", "tanggallahir": "tanggal_lahir"},
    **{"jenis_kelamin": "jenis_kelamin", "sex": "jenis_kelamin", "agama": "agama", "status_kawin": "status_perkawinan"},
    **{"status": "status_perkawinan", "pekerjaan": "pekerjaan", "warga_negara": "kewarganegaraan"},
    **{"pendidikan_kk": "pendidikan", "pendidikan": "pendidikan", "no_kk": "no_kk", "hubungan_kk": "hubungan"},
    **{"hubungan": "hubungan", "gol_darah": "golongan_darah", "nama_ayah": "nama_ayah", "nik_ayah": "nik_ayah"},
    **{"nama_ibu": "nama_ibu", "nik_ibu": "nik_ibu", "telepon": "telepon", "alamat": "alamat"},
}
"""A placeholder → the datum of a resident, which is our field of the same name."""
LABELS = {
    **{
        "nama": "Nama",
        "nik": "NIK",
        "tempat_lahir": "Tempat lahir",
        "tanggal_lahir": "Tanggal lahir",
        "agama": "Agama",
    },
    **{"jenis_kelamin": "Jenis kelamin", "status_perkawinan": "Status perkawinan", "pekerjaan": "Pekerjaan"},
    **{"kewarganegaraan": "Kewarganegaraan", "pendidikan": "Pendidikan", "no_kk": "Nomor KK", "alamat": "Alamat"},
    **{"hubungan": "Hubungan dalam keluarga", "golongan_darah": "Golongan darah", "nama_ayah": "Nama ayah"},
    **{"nik_ayah": "NIK ayah", "nama_ibu": "Nama ibu", "nik_ibu": "NIK ibu", "telepon": "Nomor telepon"},
    **{"rt": "RT", "rw": "RW"},
}
KINDS = {
    **{"nama": "person-name", "nik": "nik", "tanggal_lahir": "date", "no_kk": "kk", "nama_ayah": "person-name"},
    **{"nik_ayah": "nik", "nama_ibu": "person-name", "nik_ibu": "nik", "telepon": "phone", "alamat": "address"},
    **{"rt": "rt", "rw": "rw"},
}
"""Kinds of fields that aren't `text`; sex, religion, status and citizenship are choices of their own name."""
CHOICES = frozenset({"jenis_kelamin", "agama", "status_perkawinan", "kewarganegaraan"})
_OFFICE = {
    **{"nama_desa": "kelurahan", "nama_kecamatan": "kecamatan", "nama_kabupaten": "kota", "nama_provinsi": "provinsi"},
    **{"jabatan": "jabatan", "nama_propinsi": "provinsi"},
}
FRAME = frozenset(
    {
        *("judul_surat", "format_nomor_surat", "logo", "tgl_surat", "nama_pamong", "nip_pamong", "sebutan_nip_desa"),
        *("qr_code", "atas_nama", "alamat_desa", "kode_pos", "email_desa", "telepon_desa", "website_desa", "form_qr"),
    }
)
"""Letterhead, number, place and date, signer, QR code: our page draws them itself."""
VALIDITY = frozenset({"mulai_berlaku", "berlaku_sampai", "berlaku_dari"})
"""Our page prints how long a letter is valid."""
_ROLES = {"ayah": "father", "ibu": "mother", "pelapor": "reporter", "pasangan": "spouse", "suami": "spouse"}
_ROLES |= {"istri": "spouse", "anak": "child"}


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
