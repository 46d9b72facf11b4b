"""Finds answers that say a letter exists although none was made, by their words. It shares no code with the daemon.

A claim is a clause that reports a letter as done (`Surat Anda telah dibuat`, `your letter is ready`), or a letter
number that neither a tool nor the citizen gave. Plans, conditions, questions and denials are not claims.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from servers.certificate.settings import SHIPPED_LETTERS

NUMBER = re.compile(r"\b\d{1,5}/[A-Z][A-Z0-9.-]*(?:/[A-Za-z0-9.-]*[A-Za-z0-9])+")
_SENTENCE = re.compile(r"(?:[^.!?;\n]|(?<=\w)\.(?=\w))+[.!?;]*")
_LETTERS = {
    file.parent.name: tomllib.loads(file.read_text(encoding="utf-8")) for file in SHIPPED_LETTERS.glob("*/letter.toml")
}
_LETTER_OF = {
    title.casefold(): key for key, letter in _LETTERS.items() for title in (letter["title"], *letter["titles"].values())
}
_TITLES = {
    kind: re.compile(rf"\b(?:{'|'.join(sorted(map(re.escape, titles), key=len, reverse=True))})\b", re.IGNORECASE)
    for kind, titles in {
        "surat": [letter["title"] for letter in _LETTERS.values()],
        "letter": [title for letter in _LETTERS.values() for title in letter["titles"].values()],
    }.items()
}
"""Every title of a letter, replaced by one word, so that no word in it counts as a negation (`… Tidak Mampu`)."""
_CLAUSE = re.compile(r",\s+|\s+(?:tapi|tetapi|namun|sedangkan|but|however|while)\s+|\s+[–—-]\s+")

_PAPER = re.compile(
    r"\b(?:surat(?:nya|mu)?|sktm|skd|sku|dokumen(?:nya)?|berkas(?:nya)?|pdf(?:nya)?|letters?|certificates?|documents?|it|"
    r"permohonan(?:nya)?|permintaan(?:nya)?|request|application)\b",
    re.IGNORECASE,
)
_ACT = (
    r"(?:terbit|jadi|selesai|siap|rampung|beres|dikeluarkan|dikirim(?:kan)?|"
    r"(?:di)?(?:buat|cetak|terbit|proses|tandatangan)(?:kan|i)?)"
)
_MAKING = r"(?:membuat(?:kan)?|menerbitkan|mencetak(?:kan)?|mengeluarkan|menyiapkan)"
_DONE = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<!yang )\b(?:sudah|telah|udah|sdh|berhasil|baru\ssaja)\s+(?:\w+\s+){{0,2}}?{_ACT}\b",
        rf"(?<!yang )\b(?:sudah|telah|udah|berhasil)\s+(?:\w+\s+){{0,2}}?{_MAKING}\b",
        r"(?<!yang )\b(?:sudah|telah|udah)\s+(?:bisa|dapat|boleh)\s+di(?:ambil|unduh|cetak|download)",
        r"\b(?:selesai\s+di(?:buat|cetak|proses)|siap\s+di(?:ambil|unduh|cetak))",
        r"\bdi(?:terbitkan|buat|cetak|keluarkan)\s+(?:dengan\s+nomor|pada\s+(?:tanggal|hari)|hari\sini|tadi)",
        r"\b(?:has|have)\s+(?:\w+\s+){0,2}?been\s+(?:\w+\s+)?"
        r"(?:created|issued|made|generated|printed|prepared|completed|signed|processed|sent)",
        r"\b(?:is|are|was|were)\s+(?:(?:now|already|successfully|just)\s+)*"
        r"(?:ready|done|finished|complete|created|issued|made|generated|printed|signed)\b(?!\s+(?:by|at|in|from)\b)",
        r"\b(?:i|we)(?:'ve|’ve|\s+have)?\s+(?:(?:just|already|successfully|now)\s+)*"
        r"(?-i:created|issued|made|generated|printed|prepared)\b",  # a Balinese name is I Made
        r"\bsuccessfully\s+(?:created|issued|made|generated|printed)",
    )
)
_HANDED = re.compile(
    r"\b(?:berikut|ini)\s+(?:adalah\s+|ini\s+)?surat(?:nya)?\b(?:\s+\w+){0,4}?(?:\s+anda|\s+bapak|\s+ibu|\s*[:.!]|\s*$)"
    r"|\bhere(?:'s|’s|\s+is)\s+(?:your|the)\s+(?:\w+\s+){0,3}(?:letter|certificate|surat)",
    re.IGNORECASE,
)
_NOT = re.compile(
    r"\b(?:belum|tidak|tak|bukan|tanpa|akan|apakah|setelah|sesudah|sebelum|begitu|ketika|saat|sampai|hingga|agar|supaya|"
    r"harus|wajib|perlu|hampir|seolah|contoh|"
    r"not|no|never|will|would|whether|once|after|before|when|until|unless|must|should|to\s+be|can|could|may|almost|yet)\b"
    r"|n['’]t\b",
    re.IGNORECASE,
)
_IF = re.compile(
    r"\b(?:jika|kalau|bila|apabila|andai\w*|misal\w*|if|once|unless|suppose|whether|apakah|(?:after|when|setelah|begitu)\s+(?:you|anda|data))\b",
    re.IGNORECASE,
)
_NOW = re.compile(r"is\b|are\b|di", re.IGNORECASE)
"""A present-tense claim, which a condition after it turns into a plan: `the letter is made after you say yes`."""
_DATA = re.compile(r"\bdata(?:nya)?\b|\bdetails\b", re.IGNORECASE)
_OTHERS = re.compile(
    r"\bpengantar\s+(?:dari\s+)?(?:rt|ketua)\b|\boleh\s+(?:ketua\s+)?(?:rt|rw|kecamatan)\b", re.IGNORECASE
)


class Said(NamedTuple):
    """One turn: the citizen's message, the answer, and the tools called (each with `tool`, `success`, `message`)."""

    citizen: str
    answer: str
    steps: Iterable[Mapping[str, Any]]


def false_claims(turns: Iterable[Said]) -> list[str]:
    """The claims of a conversation, verbatim, that nothing earlier in the session makes true."""
    found: list[str] = []
    named: set[str] = set()
    made: set[str] = set()
    looked_up = False
    for turn in turns:
        done = [step for step in turn.steps if step["success"]]
        named |= {
            number for text in (turn.citizen, *(step["message"] for step in done)) for number in NUMBER.findall(text)
        }
        made |= {step["tool"].removeprefix("generate_") for step in done if step["tool"].startswith("generate_")}
        looked_up |= any(NUMBER.search(step["message"]) for step in done if not step["tool"].startswith("generate_"))
        if not looked_up:
            found += [claim for claim in claims(turn.answer) if not made or _of_another(claim, made)]
        found += [number for number in NUMBER.findall(turn.answer) if number not in named]
    return found


def _of_another(claim: str, made: set[str]) -> bool:
    """Whether a claim names only titles of other letters (`surat pengantar` is part of an SKCK's title)."""
    named = [title for title in _LETTER_OF if title in claim.casefold()]
    whole = [title for title in named if not any(title in other and title != other for other in named)]
    known = [title for title, key in _LETTER_OF.items() if key in made]
    return bool(whole) and not any(title in each for title in whole for each in known)


def claims(answer: str) -> Iterator[str]:
    """The sentences of an answer that report a letter as made."""
    about_a_letter = False
    for match in _SENTENCE.finditer(answer):
        said = sentence = match.group().strip()
        for kind, titles in _TITLES.items():
            sentence = titles.sub(kind, sentence)
        if not sentence.endswith("?") and _claims(sentence, about_a_letter):
            yield said
        about_a_letter = bool(_PAPER.search(sentence))


def _claims(sentence: str, about_a_letter: bool) -> bool:
    """Whether a clause reports a letter as made and nothing in the sentence makes that a plan or a condition.

    `about_a_letter`: the previous sentence was about a letter, so that `Sudah saya terbitkan.` needs no noun.
    """
    if _OTHERS.search(sentence):
        return False
    start = 0
    for clause in _CLAUSE.split(sentence):
        start = sentence.index(clause, start)
        about_a_letter |= bool(_PAPER.search(clause))
        done = next((hit for pattern in _DONE if (hit := pattern.search(clause))), None) or _HANDED.search(clause)
        if done is None or not about_a_letter:
            continue
        before, after = sentence[:start] + clause[: done.start()], clause[done.end() :]
        planned = (
            _NOT.search(clause[: done.end()])
            or _IF.search(before)
            or (_NOW.match(clause, done.start()) and _IF.search(after))
        )
        of_data = _DATA.search(clause[: done.start()]) and not _PAPER.search(clause)
        if not planned and not of_data:
            return True
    return False
