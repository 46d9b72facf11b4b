"""Normalises and compares addresses (`Jl. Melati No. 5 RT 3` → `jalan melati nomor 5 RT 003`); does not locate them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agentd.agent.text import folded_tokens
from agentd.apps.letters.evidence.normalisers.numbers import spoken
from agentd.apps.letters.languages import phrases

_PACK = phrases()
_KINDS, NUMBERED = (frozenset(_PACK.address[key]) for key in ("kinds", "number"))
"""Words for what has a name of its own as a street does, and those before a house number."""
(_STREET,) = _PACK.address["street"]
_ROMAN = {roman: str(number) for number, roman in enumerate("i ii iii iv v vi vii viii ix x".split(), 1)}

_BEFORE_NUMBER = {".", ":", "/", "-", ". ", *NUMBERED, *_PACK.clitics}
LONGEST_NUMBER = 20
"""The most digits of a number that is parsed as an int; Python's own limit is 4300."""


@dataclass(frozen=True, slots=True)
class Address:
    """A normalised address: its words in order, and its RT and RW numbers if it has any."""

    words: tuple[str, ...]
    rt: int | None
    rw: int | None

    @property
    def street(self) -> bool:
        """Whether it has a street, a kind of place or a number, rather than only RT, RW and district."""
        return any(word in _KINDS or word.isdecimal() for word in self.words)


NOTHING = Address((), None, None)


def small_number(text: str) -> int | None:
    """The number of an RT or RW value (`3`, `003`, `RT 03`), or None."""
    words = [word for word in text.casefold().replace(".", " ").split() if word not in ("rt", "rw")]
    joined = "".join(words).removeprefix("rt").removeprefix("rw")
    return int(joined) if joined.isdecimal() and joined.isascii() and len(joined) <= 3 else None


def joined(parts: Iterable[Address]) -> Address:
    """Concatenates addresses. If several have an RT or RW, the last one is kept."""
    words: list[str] = []
    rt = rw = None
    for part in parts:
        words += part.words
        rt = rt if part.rt is None else part.rt
        rw = rw if part.rw is None else part.rw
    return Address(tuple(words), rt, rw)


def read(words: Sequence[str]) -> Address:
    """Parses folded tokens as an address."""
    kept: list[str] = []
    rt = rw = None
    at = 0
    while at < len(words):
        word = words[at]
        if word in ("rt", "rw"):
            at = _skip(words, at + 1)
            both = word == "rt" and "rw" in words[at : at + 1]
            values, at = _numbers(words, at + both, 2 if word == "rt" else 1)
            if word == "rw":
                rw = values[0] if values else rw
            elif values:
                rt = values[0]
                rw = values[1] if len(values) > 1 else rw
            continue
        if word.isdecimal():
            kept.append(str(int(word)) if len(word) <= LONGEST_NUMBER else word)
        elif word[0].isalpha() and word not in _PACK.silent_in_address:
            said = spoken(words, at)
            if said is not None:
                kept.append(str(said[0]))
                at = said[1]
                continue
            kept.extend(_PACK.address_words.get(word, word).split())
        at += 1
    return Address(tuple(kept), rt, rw)


def neighbourhood(words: Sequence[str]) -> tuple[int, int] | None:
    """The RT and RW of words that state both (`rt 7 rw 3`, `007/003`)."""
    said = read(words if "rt" in words else ["rt", *words])
    return None if said.rt is None or said.rw is None else (said.rt, said.rw)


def parse(value: str) -> Address:
    """Parses a whole value as an address."""
    return read(folded_tokens(value))


def supports(said: Address, value: Address) -> bool:
    """Whether `said` has every word of `value` in order, with each number after the same word as in `value`."""
    if (value.rt is not None and value.rt != said.rt) or (value.rw is not None and value.rw != said.rw):
        return False
    words = value.words
    if words and words[0] == _STREET and not _KINDS & set(said.words):
        words = words[1:]
    if not any(len(word) > 1 and word.isalpha() for word in words):
        return False
    at = -1
    for index, word in enumerate(words):
        before = words[index - 1] if index else None
        for place in range(at + 1, len(said.words)):
            other = said.words[place]
            fits = word in (other, _ROMAN.get(other)) or _ROMAN.get(word) == other
            binds = word.isdecimal() or len(word) == 1 or word in _ROMAN
            if word.isdecimal() and _letter(said.words, place) not in (None, *words[index + 1 : index + 2]):
                continue  # `No. 3A` isn't `No. 3`
            if fits and (not binds or (place > 0 and before is not None and said.words[place - 1] == before)):
                at = place
                break
        else:
            return False
    return True


def _letter(words: Sequence[str], number: int) -> str | None:
    """The letter of a house number (`3A`). A pronoun such as `I`, which starts the next sentence, doesn't count."""
    after = words[number + 1] if number + 1 < len(words) else ""
    return after if len(after) == 1 and after.isalpha() and after not in _PACK.subjects else None


def _skip(words: Sequence[str], at: int) -> int:
    while at < len(words) and words[at] in _BEFORE_NUMBER:
        at += 1
    return at


def _numbers(words: Sequence[str], at: int, most: int) -> tuple[list[int], int]:
    """Reads up to `most` numbers (`3`, `003/007`, `tiga`). A further number must follow a slash or a hyphen."""
    values: list[int] = []
    at = _skip(words, at)
    while len(values) < most and at < len(words):
        if words[at].isdecimal() and len(words[at]) <= 3:
            values.append(int(words[at]))
            at += 1
        elif (said := spoken(words, at)) is not None:
            values.append(said[0])
            at = said[1]
        else:
            break
        if not (at + 1 < len(words) and words[at] in "/-" and words[at + 1].isdecimal()):
            break
        at += 1
    return values, at
