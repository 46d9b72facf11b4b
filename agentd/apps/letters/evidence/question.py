"""The one friendly question for what is missing. It names fields by their labels and repeats no value."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agentd.apps.letters.evidence.fields import Field
from agentd.errors import Language

_HINTS = {"nik": {"id": "16 digit", "en": "16 digits"}, "kk": {"id": "16 digit", "en": "16 digits"}}
_ENGLISH = {
    **{"nama": "full name", "nik": "NIK", "kk": "family card number (KK)", "tempat_lahir": "place of birth"},
    **{
        "tanggal_lahir": "date of birth",
        "lahir": "place and date of birth",
        "alamat": "address",
        "rt": "RT",
        "rw": "RW",
    },
    **{"alamat_domisili": "current address", "alamat_ktp": "address on your KTP", "alamat_usaha": "business address"},
    **{"rtrw": "RT/RW", "telepon": "phone number", "agama": "religion", "status_perkawinan": "marital status"},
    **{"jenis_kelamin": "sex", "pekerjaan": "occupation", "kewarganegaraan": "citizenship", "pendidikan": "education"},
    **{"keperluan": "purpose of the letter", "email": "e-mail address", "umur": "age", "nama_usaha": "business name"},
    **{"jenis_usaha": "type of business", "penghasilan": "income", "golongan_darah": "blood type"},
}


def label(field: Field, language: Language) -> str:
    """What a citizen calls a field: its schema title, or in English its usual name.

    Choices that the citizen's words leave open stand behind it.
    """
    english = _ENGLISH.get(field.label) if language == "en" and field.person is None else None
    text = field.own_title(language) or english or field.title.strip()
    head = text.split(" ", 1)[0]
    if len(head) > 1 and head[1:].islower():
        text = text[0].lower() + text[1:]
    hint = _HINTS.get(field.kind)
    if hint is not None and not re.search(r"\d", text):
        text = f"{text} ({hint[language]})"
    return f"{text} ({' / '.join(field.between)})" if field.between else text


def question(missing: Sequence[Field], language: Language) -> str:
    """`Mohon sebutkan: NIK (16 digit) dan tanggal lahir.`"""
    labels = list(dict.fromkeys(label(field, language) for field in missing))
    joined = (
        labels[0]
        if len(labels) == 1
        else f"{', '.join(labels[:-1])} {'and' if language == 'en' else 'dan'} {labels[-1]}"
    )
    return f"Please tell me: {joined}." if language == "en" else f"Mohon sebutkan: {joined}."
