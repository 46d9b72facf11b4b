"""Answers that say something official was done though nothing was: found by their words, so that no citizen hears them.

A small model ends a conversation as its examples end, with a letter. Whether one was made is not the model's to say:
a call of an official tool that succeeded in this session says it. It judges text, each sentence in time that grows as
its length; the loop decides what follows.
"""

from __future__ import annotations

import re
from bisect import bisect, bisect_left
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

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


def _parts(*patterns: str) -> tuple[re.Pattern[str], ...]:
    """A claim's words in their order, with anything of the sentence between them."""
    return tuple(re.compile(pattern, re.I) for pattern in patterns)


_CLAIMS = (
    _parts(rf"\b{_LETTER}\b", _BY_NOW, rf"\b(?:{_MADE}|(?:di)?siap(?:kan)?|selesai)\b"),
    _parts(rf"{_BY_NOW}\s++(?:berhasil\s++)?(?:kami\s++|saya\s++)?{_MADE}\b"),
    _parts(rf"\b(?:saya|kami)\b\s++{_BY_NOW}\s++(?:berhasil\s++)?{_MAKING}\b"),
    _parts(rf"{_BY_NOW}\s++(?:kami|saya)\s++(?:{_ROOT}|siap)(?:kan)?\b"),
    _parts(r"\bsiap\s++diambil\b|\bini\s++suratnya\b|\bditerbitkan\s++dengan\s++nomor\b"),
    _parts(r"\bberikut\b.{0,20}\bsurat(?:nya|(?:\s+keterangan)?(?:\s+\w+)?\s+anda)\b"),
    _parts(rf"\b{_PAPER}\b", r"\b(?:has|have)\b", r"\bbeen\b", rf"\b{_CREATED}\b"),
    _parts(rf"\b{_PAPER}\b", r"\bis\s++(?:now\s++|already\s++)*+(?:ready|done|complete)\b"),
    _parts(
        rf"\b(?:i|we)(?:'ve|\s++have)?\s++(?:(?:just|already|successfully|now)\s++)*+{_CREATED}\b", rf"\b{_PAPER}\b"
    ),
    _parts(r"\bhere\s++is\s++your\b", rf"\b{_PAPER}\b"),
    _parts(rf"\bsuccessfully\s++{_CREATED}\b"),
)
_HEDGE = re.compile(
    r"\b(?:belum|tidak|tak|bukan|akan|apakah|setelah|sesudah|sebelum|ketika|begitu|agar|supaya|bisa|dapat|tinggal|harus|"
    r"must|not|cannot|no|will|would|whether|after|before|until|unless)\b|n't\b",
    re.I,
)
"""Takes a claim back where it stands before the claim's end, in its clause; behind it, it speaks of something else."""
_BREAK = re.compile(r"[,;:]")
MOST_SEARCHED = 32
_IF = re.compile(r"\b(?:jika|bila|kalau|apabila|if|once|when)\b", re.I)
_PROMISES = (
    _parts(rf"\b(?:saya|kami)\s++akan\s++(?:(?:segera|sekarang|langsung)\s++)?{_MAKING}\b"),
    _parts(
        rf"\b{_LETTER}\b",
        rf"\bakan\s++(?:segera|langsung)\s++(?:di{_ROOT}(?:kan)?|terbit|jadi|siap|selesai)\b",
    ),
    _parts(r"\b(?:mohon|silakan|harap)\s++(?:di)?tunggu\b|\btunggu\s++(?:sebentar|beberapa)\b"),
    _parts(
        r"\b(?:i|we)(?:'ll|\s++will)\s++(?:now\s++)?(?:create|issue|make|generate|print|prepare)\b", rf"\b{_PAPER}\b"
    ),
    _parts(r"\bplease\s++wait\b"),
)
_CONDITION = re.compile(
    r"\b(?:setelah|sesudah|jika|bila|kalau|apabila|ketika|begitu|hanya|once|after|when|if|as\s+soon\s+as|only)\b", re.I
)
_NUMBER = re.compile(r"\b\d{1,5}/[A-Z][\w.-]*(?:/[\w.-]*\w)+")
_TRUTH: dict[Language, str] = {
    "id": "Surat belum dibuat. Mohon sebutkan data yang belum lengkap; sebelum terbit, semuanya kami tunjukkan.",
    "en": "No letter has been made yet. Please give the missing details. You will see everything before it is issued.",
}


def false_claim(answer: str, toolset: Toolset, said: Sequence[Said]) -> str | None:
    """The first sentence that is such a claim. Without official tools nothing can be claimed."""
    official = toolset.official
    if not official:
        return None
    past = _Past(official, said)
    for sentence in (part.group().strip() for part in _SENTENCE.finditer(answer)):
        numbers = _NUMBER.findall(sentence)
        if numbers and not past.found(numbers):
            return sentence
        if (_claims(sentence) or _promises(sentence)) and not past.told:
            return sentence
    return None


class _Past:
    """What tools did and found in a session, looked up once for a whole answer."""

    def __init__(self, official: frozenset[str], said: Sequence[Said]) -> None:
        self._official, self._said = official, said
        self._searched = 0

    @cached_property
    def told(self) -> bool:
        """Whether a tool of this session made a letter, or told of one by its number."""
        return any(
            one.by == "tool" and (one.tool in self._official or _NUMBER.search(str(one.value))) for one in self._said
        )

    @cached_property
    def _known(self) -> str:
        return " ".join(f"{one.text} {one.value}" for one in self._said if one.by != "agent")

    @cached_property
    def _numbers(self) -> frozenset[str]:
        return frozenset(_NUMBER.findall(self._known))

    def found(self, numbers: Sequence[str]) -> bool:
        """Whether each was said or found. A few may be parts of others; an answer of more is not looked through."""
        for number in numbers:
            if number not in self._numbers:
                self._searched += 1
                if self._searched > MOST_SEARCHED or number not in self._known:
                    return False
        return True


def _claims(sentence: str) -> bool:
    if sentence.endswith("?"):
        return False
    spans = [span for claim in _CLAIMS for span in _spans(claim, sentence)]
    return bool(spans) and not all(map(_hedged(sentence), spans))


def _spans(claim: Sequence[re.Pattern[str]], sentence: str) -> Iterator[tuple[int, int]]:
    """Where the claim stands: from its first word to the last that may end it."""
    first, *others = claim
    if not others:
        yield from (found.span() for found in first.finditer(sentence))
        return
    start = found = first.search(sentence)
    for part in others[:-1]:
        found = found and part.search(sentence, found.end())
    ends = [one.end() for one in others[-1].finditer(sentence, found.end())] if found else []
    if start and ends:
        yield start.start(), ends[-1]


def _hedged(sentence: str) -> Callable[[tuple[int, int]], bool]:
    """Whether a claim that stands there is taken back before its end: by its clause, or by a condition before it."""
    hedges = [found.span() for found in _HEDGE.finditer(sentence)]
    breaks = [found.end() for found in _BREAK.finditer(sentence)]
    condition = _IF.search(sentence)

    def taken_back(span: tuple[int, int]) -> bool:
        start, end = span
        before = bisect(breaks, start)
        hedge = bisect_left(hedges, (breaks[before - 1] if before else 0, 0))
        said = hedge < len(hedges) and hedges[hedge][1] <= end
        return said or (condition is not None and condition.end() <= end)

    return taken_back


def _promises(sentence: str) -> bool:
    """`Saya akan membuat suratnya, mohon tunggu`: nothing happens after an answer, so this is not true either."""
    if _CONDITION.search(sentence):
        return False
    return any(next(_spans(promise, sentence), None) is not None for promise in _PROMISES)


def truth(language: Language) -> str:
    """What the citizen is told when the model insists."""
    return _TRUTH[language]
