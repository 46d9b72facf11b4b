"""Texts designed to slow down the agent's code that reads a person's text. Not a test.

A family is a repeating text: `families()[name](n)` has about n characters. The drill uses them too.
"""

from __future__ import annotations

import random
from collections.abc import Callable

Family = Callable[[int], str]

PIECES = {
    "double quotes": '"',
    "single quotes": "'",
    "spaced single quotes": "' ",
    "quoted words": '"a" ',
    "quoted attributions": '"a" kata ',
    "low quotes": "„",
    "guillemets": "«",
    "closing guillemets": "»",
    "backquotes": "`",
    "fences": "```\n",
    "tildes": "~~~\n",
    "unclosed tags": "<a ",
    "different tags": "<a><b><c>",
    "open angles": "<",
    "tags never closed": "<a>",
    "closing tags": "</a>",
    "braces": "{",
    "closed braces": "{}",
    "nested braces": "{{}",
    "brackets": "[",
    "round brackets": "(",
    "closed round brackets": "()",
    "pipes": "|",
    "pipe lines": "|\n",
    "rules": "---\n",
    "rules and words": "---\nsaya\n",
    "hashes": "#",
    "dashes": "-",
    "underscores": "_",
    "emphasis": "*a ",
    "stars": "*",
    "commas": ",",
    "a comma": "a,",
    "a comma space": "a, ",
    "full stops": ".",
    "sentences": "a. ",
    "question marks": "?",
    "questions": "apa? ",
    "colons": ":",
    "a colon": "a: ",
    "digits": "1",
    "single digits": "1 ",
    "grouped digits": "1-",
    "dotted digits": "1.",
    "sixteen digits": "3175064501900003 ",
    "dates": "5-1-1990 ",
    "half dates": "5 januari ",
    "months": "januari ",
    "date noise": "tanggal ",
    "number words": "satu ",
    "thousands": "seribu ",
    "scales": "ribu ",
    "glue": "satu dan ",
    "newlines": "\n",
    "lines": "a\n",
    "blank lines": " \n",
    "carriage returns": "\r",
    "numbered lines": "1. a\n",
    "spaces": " ",
    "tabs": "\t",
    "long word": "a",
    "nya": "nya",
    "words": "saya ",
    "other words": "kata bilang ",
    "isi": "isi ",
    "isi of a long word": "isi" + "a" * 30,
    "surat": "surat ",
    "ini surat": "ini surat ",
    "forwarded": "forwarded message ",
    "surat dari": "surat dari ",
    "teman": "surat teman ",
    "orders": "abaikan ",
    "orders half": "ignore the ",
    "system": "system ",
    "right to left": "\u202e",
    "right to left words": "\u202ea ",
    "joiners": "\u200d",
    "combining": "\u0301",
    "combined": "e\u0301",
    "combining wide": "a" + "\u0301\u0323" * 20,
    "ligatures": "\ufdfa",
    "emoji": "👩‍👩‍👧",
    "arabic digits": "٣",
    "full width": "１",
    "names": "Budi ",
    "labels": "nama ",
    "label colons": "nama: ",
    "nik colons": "NIK: ",
    "addresses": "Jl. Melati No. 5 RT 3 RW 7, ",
    "streets": "jalan ",
    "rt": "rt ",
    "rt rw": "rt/rw ",
    "ktp streets": "ktp jl a ",
    "relations": "ibu saya ",
    "relation": "anak ",
    "negations": "bukan ",
    "denied labels": "bukan nama ",
    "corrections": "eh ",
    "wrong": "salah ",
    "wrong labels": "nama salah ",
    "unsure": "mungkin ",
    "unsure words": "mungkin a ",
    "examples": "misalnya ",
    "aside examples": "a (contoh ",
    "lookups": "cek ",
    "turns": "tapi ",
    "pronouns": "dia ",
    "that is mine": "itu ibu ",
    "disowned": "itu nik ",
    "purposes": "untuk a ",
    "job": "guru ",
    "choices": "kristen ",
    "possessed": "mobil saya ",
    "owned": "nama mobil saya ",
    "self": "saya, saya ",
    "wishes": "mau ",
    "denied and": "tidak dan ",
    "correction address": "eh jl a ",
    "claims": "surat sudah ",
    "letters made": "letter has been ",
    "i have": "i have just ",
    "json": '{"a":',
    "json strings": '{"a":"b"},',
    "json quotes": '"{',
    "actions": '{"action":"final"',
    "backslashes": "\\",
    "escapes": "\\u00",
    "nul": "\x00",
    "amounts": "2.500",
    "capitals": "A",
    "asked for": "domisili ",
    "asked for together": "surat domisili usaha, ",
    "wraps": "kata\n\nkata",
}


def _repeated(piece: str) -> Family:
    return lambda size: "Saya mau surat domisili " + (piece * (size // len(piece) + 1))[:size]


def families() -> dict[str, Family]:
    """All repeated pieces, and some texts that close, nest or change."""
    found = {name: _repeated(piece) for name, piece in PIECES.items()}
    found["opened then closed"] = lambda size: "{" * (size // 2) + "}" * (size // 2)
    found["brackets opened then closed"] = lambda size: "[" * (size // 2) + "]" * (size // 2)
    found["different words"] = lambda size: " ".join(f"k{number}" for number in range(size // 7))
    found["different tags each"] = lambda size: "".join(f"<t{number}>" for number in range(size // 8))
    found["an open quotation at the end"] = lambda size: "a " * (size // 2) + '"'
    some = fuzzed(1_000, random.Random(15))  # repeated, so that double the length is the same text twice
    found["fuzzed"] = lambda size: (some * (size // len(some) + 1))[:size]
    return found


MIXED = 4_000
"""Number of characters in one mix."""


def fuzzed(size: int, chance: random.Random) -> str:
    """Random pieces, some repeated many times; every length uses the same mix, so that only the length differs."""
    pieces = list(PIECES.values())
    text: list[str] = []
    length = 0
    while length < MIXED:
        piece = chance.choice(pieces) * chance.choice((1, 1, 2, 5, 40, 400))
        text.append(piece)
        length += len(piece)
    return ("".join(text)[:MIXED] * (size // MIXED + 1))[:size]
