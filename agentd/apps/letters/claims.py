"""Answers that say something official was done though nothing was: found by their words, so that no citizen hears them.

A small model ends a conversation as its examples end, with a letter. Whether one was made is not the model's to say:
a call of an official tool that succeeded in this session says it. It judges text; the loop decides what follows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from agentd.agent.toolset import Toolset
from agentd.errors import Language
from agentd.messages import Said

_SENTENCE = re.compile(r"(?:[^.!?\n]|(?<=\d)\.(?=\d)|\.(?=[A-Za-z]))+[.!?]*")
_LETTER = r"(?:surat|suratnya|dokumen|dokumennya|berkas|sktm|skd|sku|keterangan)"
_ROOT = r"(?:buat|terbit|cetak|keluar|kirim)"
_MADE = rf"(?:(?:di|ter)?{_ROOT}(?:kan|i)?|jadi)"
"""Also as small models write it: `telah terbitkan`."""
_MAKING = r"(?:membuat|menerbitkan|mencetak|mengeluarkan|menyiapkan|mengirim|memproses)(?:kan)?"
_BY_NOW = r"(?<!yang )\b(?:telah|sudah|udah|berhasil)\b"
_PAPER = r"(?:letters?|certificates?|documents?)"
_CREATED = r"(?:created|issued|made|generated|printed|prepared|completed|sent)"
_CLAIMS = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        rf"\b{_LETTER}\b.*{_BY_NOW}.*\b(?:{_MADE}|(?:di)?siap(?:kan)?|selesai)\b",
        rf"{_BY_NOW}\s+(?:berhasil\s+)?(?:kami\s+|saya\s+)?{_MADE}\b",
        rf"\b(?:saya|kami)\b\s+{_BY_NOW}\s+(?:berhasil\s+)?{_MAKING}\b",
        rf"{_BY_NOW}\s+(?:kami|saya)\s+(?:{_ROOT}|siap)(?:kan)?\b",
        r"\bsiap\s+diambil\b|\bini\s+suratnya\b|\bditerbitkan\s+dengan\s+nomor\b",
        r"\bberikut\b.{0,20}\bsurat(?:nya|(?:\s+keterangan)?(?:\s+\w+)?\s+anda)\b",
        rf"\b{_PAPER}\b.*\b(?:has|have)\b.*\bbeen\b.*\b{_CREATED}\b",
        rf"\b{_PAPER}\b.*\bis\s+(?:now\s+|already\s+)*(?:ready|done|complete)\b",
        rf"\b(?:i|we)(?:'ve|\s+have)?\s+(?:(?:just|already|successfully|now)\s+)*{_CREATED}\b.*\b{_PAPER}\b",
        rf"\bhere\s+is\s+your\b.*\b{_PAPER}\b",
        rf"\bsuccessfully\s+{_CREATED}\b",
    )
)
_HEDGE = re.compile(
    r"\b(?:belum|tidak|tak|bukan|akan|apakah|setelah|sesudah|sebelum|ketika|begitu|agar|supaya|bisa|dapat|tinggal|harus|"
    r"must|not|cannot|no|will|would|whether|after|before|until|unless)\b|n't\b",
    re.I,
)
"""Takes a claim back where it stands before the claim's end, in its clause; behind it, it speaks of something else."""
_IF = re.compile(r"\b(?:jika|bila|kalau|apabila|if|once|when)\b", re.I)
_PROMISES = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        rf"\b(?:saya|kami)\s+akan\s+(?:(?:segera|sekarang|langsung)\s+)?{_MAKING}\b",
        rf"\b{_LETTER}\b.*\bakan\s+(?:segera|langsung)\s+(?:di{_ROOT}(?:kan)?|terbit|jadi|siap|selesai)\b",
        r"\b(?:mohon|silakan|harap)\s+(?:di)?tunggu\b|\btunggu\s+(?:sebentar|beberapa)\b",
        rf"\b(?:i|we)(?:'ll|\s+will)\s+(?:now\s+)?(?:create|issue|make|generate|print|prepare)\b.*\b{_PAPER}\b",
        r"\bplease\s+wait\b",
    )
)
_CONDITION = re.compile(
    r"\b(?:setelah|sesudah|jika|bila|kalau|apabila|ketika|begitu|hanya|once|after|when|if|as\s+soon\s+as|only)\b", re.I
)
_NUMBER = re.compile(r"\b\d{1,5}/[A-Z][\w.-]*(?:/[\w.-]*\w)+")
_TRUTH: dict[Language, str] = {
    "id": "Surat belum dibuat. Mohon sebutkan data yang belum lengkap; sebelum terbit, semuanya kami tunjukkan.",
    "en": "No letter has been made yet. Please give the data still missing; you will see all of it before.",
}


def false_claim(answer: str, toolset: Toolset, said: Sequence[Said]) -> str | None:
    """The first sentence that is such a claim. Without official tools nothing can be claimed."""
    official = toolset.official
    if not official:
        return None
    for sentence in (part.group().strip() for part in _SENTENCE.finditer(answer)):
        numbers = _NUMBER.findall(sentence)
        if numbers and not _found(numbers, said):
            return sentence
        if (_claims(sentence) or _promises(sentence)) and not _told(official, said):
            return sentence
    return None


def _found(numbers: Sequence[str], said: Sequence[Said]) -> bool:
    known = " ".join(f"{one.text} {one.value}" for one in said if one.by != "agent")
    return all(number in known for number in numbers)


def _told(official: frozenset[str], said: Sequence[Said]) -> bool:
    """Whether a tool of this session made a letter, or told of one by its number."""
    return any(one.by == "tool" and (one.tool in official or _NUMBER.search(str(one.value))) for one in said)


def _claims(sentence: str) -> bool:
    return not sentence.endswith("?") and any(
        not _taken_back(sentence, found) for claim in _CLAIMS for found in claim.finditer(sentence)
    )


def _taken_back(sentence: str, claim: re.Match[str]) -> bool:
    clause = max(sentence.rfind(mark, 0, claim.start()) for mark in ",;:") + 1
    return bool(_HEDGE.search(sentence, clause, claim.end()) or _IF.search(sentence, 0, claim.end()))


def _promises(sentence: str) -> bool:
    """`Saya akan membuat suratnya, mohon tunggu`: nothing happens after an answer, so this is not true either."""
    return not _CONDITION.search(sentence) and any(promise.search(sentence) for promise in _PROMISES)


def truth(language: Language) -> str:
    """What the citizen is told when the model insists."""
    return _TRUTH[language]
