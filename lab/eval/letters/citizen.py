"""The citizen of a conversation: chooses the next message from agentd's last answer. Pure; judges nothing.

The citizen is careless on purpose: any summary is answered "ya, benar" unread, so that only agentd can keep a wrong
value off a letter.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from lab.eval.letters.script import Conversation

MORE_TURNS = 7
"""Maximum number of the citizen's messages after the scripted turns."""

_SAID: Mapping[str, Mapping[str, str]] = {
    "id": {
        "nama": "nama saya {}",
        "nik": "NIK {}",
        "tempat_lahir": "lahir di {}",
        "tanggal_lahir": "tanggal lahir {}",
        "agama": "agama {}",
        "status_perkawinan": "status perkawinan {}",
        "pekerjaan": "pekerjaan {}",
        "rt": "RT {}",
        "rw": "RW {}",
        "alamat": "alamat {}",
        "alamat_domisili": "alamat domisili {}",
        "alamat_ktp": "alamat KTP {}",
        "alamat_usaha": "alamat usaha {}",
        "no_kk": "nomor KK {}",
        "telepon": "nomor telepon {}",
        "nama_usaha": "nama usaha {}",
        "jenis_usaha": "jenis usaha {}",
        "sejak": "berusaha sejak {}",
        "nama_penerima": "untuk anak saya {}",
        "hubungan": "hubungan {}",
        "tujuan": "instansi tujuan {}",
        "keperluan": "keperluan {}",
        "kewarganegaraan": "kewarganegaraan {}",
        "jenis_kelamin": "jenis kelamin {}",
    },
    "en": {
        "nama": "my name is {}",
        "nik": "NIK {}",
        "tempat_lahir": "place of birth {}",
        "tanggal_lahir": "date of birth {}",
        "agama": "religion {}",
        "status_perkawinan": "marital status {}",
        "pekerjaan": "occupation {}",
        "rt": "RT {}",
        "rw": "RW {}",
        "alamat": "address {}",
        "alamat_domisili": "current address {}",
        "alamat_ktp": "KTP address {}",
        "alamat_usaha": "business address {}",
        "no_kk": "family card number {}",
        "telepon": "phone number {}",
        "nama_usaha": "business name {}",
        "jenis_usaha": "type of business {}",
        "sejak": "in business since {}",
        "nama_penerima": "for my child {}",
        "hubungan": "relationship {}",
        "tujuan": "the office it is for: {}",
        "keperluan": "purpose: {}",
        "kewarganegaraan": "citizenship {}",
        "jenis_kelamin": "sex {}",
    },
}
_ASKED: Mapping[str, str] = {
    "nama": r"\bnama\b(?! usaha)|full name|your name",
    "nik": r"\bnik\b",
    "tempat_lahir": r"tempat(?:,| dan|/)? ?(?:tanggal )?lahir|kota lahir|place of birth|place and date|birthplace",
    "tanggal_lahir": r"tanggal lahir|tgl\.? lahir|date of birth|birth date|place and date",
    "agama": r"\bagama\b|religion",
    "status_perkawinan": r"status|marital",
    "pekerjaan": r"pekerjaan|occupation|\bjob\b|profession",
    "rt": r"\brt\b",
    "rw": r"\brw\b",
    "alamat": r"alamat(?! (?:usaha|ktp|tempat usaha))|(?<!business )(?<!current )\baddress\b",
    "alamat_domisili": r"alamat(?! (?:usaha|ktp))|domicile address|current address|\baddress\b",
    "alamat_ktp": r"alamat (?:di )?ktp|address on your ktp|ktp address",
    "alamat_usaha": r"alamat (?:tempat )?usaha|business address|address of (?:the|your) business",
    "no_kk": r"\bkk\b|kartu keluarga|family card",
    "telepon": r"telepon|telp|phone",
    "nama_usaha": r"nama usaha|business name|name of (?:the|your) business",
    "jenis_usaha": r"jenis usaha|type of business|kind of business|business type",
    "sejak": r"sejak|since",
    "nama_penerima": r"untuk siapa|nama penerima|nama anak|for whom",
    "hubungan": r"hubungan|relationship",
    "tujuan": r"instansi|tujuan|which office|destination|institution",
    "keperluan": r"keperluan|tujuan|purpose",
    "kewarganegaraan": r"warga ?negara|citizenship|nationality",
    "jenis_kelamin": r"jenis kelamin|\bsex\b|gender",
}
_YES = {"id": "ya, benar", "en": "yes, correct"}
_PLEASE = {"id": "Tolong dibuatkan suratnya.", "en": "Please make the letter."}


class Citizen:
    """Speaks for one conversation and remembers which fields are still untold."""

    def __init__(self, script: Conversation) -> None:
        self._script = script
        self._untold = list(script.later)
        self._said = 0

    def next(self, answer: str, *, waiting: bool, issued: bool) -> str | None:
        """The next message, or None when there is nothing more to say. `waiting`: a letter waits for a yes."""
        script = self._script
        self._said += 1
        if self._said <= len(script.turns):
            return script.turns[self._said - 1]
        if issued or self._said > len(script.turns) + MORE_TURNS:
            return None
        if waiting:
            return _YES[script.language]
        return self.reply(asked_for(answer, script)) if script.letter else None

    def reply(self, asked: list[str]) -> str:
        """State the requested fields, else all untold ones, else a request to make the letter."""
        told = asked or self._untold
        self._untold = [field for field in self._untold if field not in told]
        if not told:
            return _PLEASE[self._script.language]
        sentence = ", ".join(self._words(field) for field in told)
        return f"{sentence[0].upper()}{sentence[1:]}."

    def _words(self, field: str) -> str:
        script = self._script
        return script.answers.get(field) or _SAID[script.language][field].format(script.truth[field][0])


def asked_for(answer: str, script: Conversation) -> list[str]:
    """The fields of the truth that an answer mentions."""
    folded = answer.casefold()
    return [field for field in script.truth if re.search(_ASKED[field], folded)]
