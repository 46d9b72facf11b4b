"""Judges issued letters by value against what a conversation declares true. It shares no code with grounding.

A value is *invented* when the citizen did not give it for that field. A letter is *right* when its type is right,
nothing in it is invented, and it contains everything that was given for it, in full.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from babel.dates import get_month_names
from pydantic import BaseModel, ConfigDict

from lab.eval.letters.claims import Said, false_claims
from lab.eval.letters.script import Conversation

_MONTHS = {
    name.casefold(): number
    for language in ("id", "en", "en_GB")
    for names in (get_month_names("wide", locale=language), get_month_names("abbreviated", locale=language))
    for number, name in names.items()
}
_SHORT = {"jl": "jalan", "jln": "jalan", "gg": "gang", "blk": "blok", "no": "", "nomor": "", "number": ""}
_SMALL = frozenset(
    "untuk guna buat di ke yang sebagai dan saya keperluan a an the to for as in of at my and is was".split()
)
_DIGITS, _NEIGHBOURHOOD = ("nik", "no_kk"), ("rt", "rw")
_DATES, _ADDRESSES = ("tanggal_lahir", "sejak"), ("alamat", "alamat_domisili", "alamat_ktp", "alamat_usaha")
_CHOICES = ("agama", "status_perkawinan", "jenis_kelamin", "kewarganegaraan")
"""Fields whose values must match completely: `Kawin` is not part of `Belum Kawin`."""
_FREE = ("keperluan",)
"""Fields where a part of the citizen's own words is right; elsewhere the value must be complete."""
_UNASKED = {"kewarganegaraan": "wni"}
"""Defaults that the letter declares itself."""


class IssuedLetter(BaseModel):
    """An issued letter: its type and the arguments of the call that issued it."""

    model_config = ConfigDict(frozen=True)

    letter: str
    arguments: dict[str, Any]
    number: str = ""


class Verdict(BaseModel):
    """The result of a conversation. `invented`: `field = value` for every issued value that the citizen didn't give;
    `false_claims`: the answers' claims of a letter that was not made."""

    model_config = ConfigDict(frozen=True)

    passed: bool
    invented: tuple[str, ...] = ()
    false_claims: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()


def judge(script: Conversation, letters: Iterable[IssuedLetter], answer: str, turns: Iterable[Said] = ()) -> Verdict:
    """Judge a conversation by the letters it produced and its last answer; `turns` is the whole conversation."""
    issued = list(letters)
    claimed = false_claims(turns)
    invented = tuple(f"{name} = {value}" for letter in issued for name, value in invented_values(letter, script))
    reasons = [f"the citizen never gave {each}" for each in invented]
    reasons += [f"no letter was made when it said: {each}" for each in claimed]
    if script.letter is None:
        reasons += [f"a letter was issued: {letter.letter}" for letter in issued]
    elif not issued:
        reasons.append("no letter was issued")
    elif len(issued) > 1:
        reasons.append(f"{len(issued)} letters were issued")
    for letter in issued:
        if script.letter is not None and letter.letter != script.letter:
            reasons.append(f"another letter: {letter.letter}")
        elif script.letter is not None:
            reasons += _incomplete(letter, script)
    folded = answer.casefold()
    for wanted in script.answer_has:
        if not any(word in folded for word in wanted.casefold().split("|")):
            reasons.append(f"the answer doesn't say {wanted!r}")
    return Verdict(passed=not reasons, invented=invented, false_claims=tuple(claimed), reasons=tuple(reasons))


def invented_values(letter: IssuedLetter, script: Conversation) -> list[tuple[str, Any]]:
    """(field, value) of everything in a letter that the citizen didn't give for that field."""
    return [
        (name, value)
        for name, value in letter.arguments.items()
        if value not in (None, "") and not given(name, str(value), script.truth, script.turns)
    ]


def _incomplete(letter: IssuedLetter, script: Conversation) -> list[str]:
    reasons = []
    for name, ways in script.truth.items():
        value = str(letter.arguments.get(name) or "")
        if not value and (ways[0].casefold() == _UNASKED.get(name) or name == "jenis_kelamin"):
            continue
        if not value:
            reasons.append(f"{name} was given and is not in the letter")
        elif given(name, value, script.truth, script.turns) and not _whole(name, value, ways):
            reasons.append(f"{name} is not whole: {value}")
    return reasons


def given(name: str, value: str, truth: Mapping[str, tuple[str, ...]], turns: Iterable[str] = ()) -> bool:
    """Whether the citizen gave this value, or a value containing all its words, for this field.

    A purpose may also be a literal part of a message (`perlu surat domisili untuk mengurus BPJS`).
    """
    if name == "jenis_kelamin" and name not in truth and truth.get("nik"):
        woman = int(re.sub(r"\D", "", truth["nik"][0])[6:8]) > 40
        return value.casefold() == ("perempuan" if woman else "laki-laki")
    if name not in truth:
        return _UNASKED.get(name) == value.casefold()
    read = comparable(name, value)
    if name in _FREE and any(_within(value, turn) for turn in turns):
        return True
    if isinstance(read, tuple):
        words = {word for way in truth[name] for word in comparable(name, way)}
        return bool(read) and words.issuperset(read)
    return any(read == comparable(name, way) for way in truth[name])


def _within(value: str, text: str) -> bool:
    phrase, said = ([*re.findall(r"[^\W_]+", words.casefold())] for words in (value, text))
    return any(said[at : at + len(phrase)] == phrase for at in range(len(said)))


def _whole(name: str, value: str, ways: Iterable[str]) -> bool:
    read = comparable(name, value)
    if name in _FREE:
        return any(set(read) <= set(way) or set(way) <= set(read) for way in (comparable(name, way) for way in ways))
    return any(read == comparable(name, way) for way in ways)


def comparable(name: str, value: str) -> Any:
    """The value in a comparable form: a number, a date as YYYY-MM-DD, or a tuple of its words."""
    digits = re.sub(r"\D", "", value)
    if name in _DIGITS:
        return digits
    if name in _NEIGHBOURHOOD:
        return str(int(digits)) if digits else value
    if name == "telepon":
        return re.sub(r"^(?:62|0)", "", digits)
    if name in _DATES:
        return _date(value) or value
    if name in _ADDRESSES:
        value = re.sub(r"[\s,.]*\brt\b.*$", "", value, flags=re.IGNORECASE | re.DOTALL)
        value = re.sub(r"^\s*(?:alamat\s+)?rumah\s+", "", value, flags=re.IGNORECASE)  # `alamat rumah Jl. Melati 5`
    if name in _CHOICES:
        return " ".join(re.findall(r"\w+", value.casefold()))
    words = [_SHORT.get(word, word) for word in re.findall(r"\w+", value.casefold())]
    return tuple(word.lstrip("0") or word for word in words if word and word not in _SMALL)


def _date(text: str) -> str | None:
    parts = [int(word) if word.isdigit() else _MONTHS.get(word) for word in re.findall(r"\d+|[a-z]+", text.casefold())]
    numbers = [part for part in parts if part is not None]
    if len(numbers) != 3:
        return None
    if numbers[0] > 999:
        numbers.reverse()
    day, month, year = numbers
    if re.match(r"\s*[a-z]", text.casefold()):
        day, month = month, day
    return f"{year:04}-{month:02}-{day:02}"
