"""Addresses by value: `Jl. Melati No. 5 RT 3` is `jalan melati nomor 5 RT 003`. Not where in a text they stand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agentd.agent.text import folded_tokens
from agentd.apps.letters.evidence.numbers import spoken
from agentd.apps.letters.languages import phrases

_PACK = phrases()
_KINDS = frozenset({"gang", "kampung", "perumahan", "komplek", "desa", "dusun", "apartemen", "taman", "blok", "lorong"})
_ROMAN = {roman: str(number) for number, roman in enumerate("i ii iii iv v vi vii viii ix x".split(), 1)}


LONGEST_NUMBER = 20
"""Digits of a number that is read as one; Python itself refuses 4301."""


@dataclass(frozen=True, slots=True)
class Address:
    """An address to compare by: its words in order, and its RT and RW where said."""

    words: tuple[str, ...]
    rt: int | None
    rw: int | None

    @property
    def street(self) -> bool:
        """Whether it says where, not only RT, RW and district."""
        return any(word == "jalan" or word in _KINDS or word.isdecimal() for word in self.words)


NOTHING = Address((), None, None)


def joined(parts: Iterable[Address]) -> Address:
    """All of them, said one after the other with a comma between; of several RT and RW the last."""
    words: list[str] = []
    rt = rw = None
    for part in parts:
        words += part.words
        rt = rt if part.rt is None else part.rt
        rw = rw if part.rw is None else part.rw
    return Address(tuple(words), rt, rw)


def read(words: Sequence[str]) -> Address:
    """Folded tokens as an address."""
    kept: list[str] = []
    rt = rw = None
    at = 0
    while at < len(words):
        word = words[at]
        if word in ("rt", "rw"):
            both = word == "rt" and _skip(words, at + 1) < len(words) and words[_skip(words, at + 1)] == "rw"
            values, at = _numbers(words, _skip(words, at + 1) + (1 if both else 0), 2 if word == "rt" else 1)
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


def parse(value: str) -> Address:
    """A whole value as an address."""
    return read(folded_tokens(value))


def supports(said: Address, value: Address) -> bool:
    """Whether everything in `value` was said, in that order and each number beside the word it stood beside."""
    if (value.rt is not None and value.rt != said.rt) or (value.rw is not None and value.rw != said.rw):
        return False
    words = value.words
    if words and words[0] == "jalan" and "jalan" not in said.words and not _KINDS & set(said.words):
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
                continue  # `No. 3A` is another house than `No. 3`
            if fits and (not binds or (place > 0 and before is not None and said.words[place - 1] == before)):
                at = place
                break
        else:
            return False
    return True


def _letter(words: Sequence[str], number: int) -> str | None:
    """The letter that a house number has: `3A`, but not the `I` of who goes on speaking."""
    after = words[number + 1] if number + 1 < len(words) else ""
    return after if len(after) == 1 and after.isalpha() and after not in _PACK.subjects else None


def _skip(words: Sequence[str], at: int) -> int:
    while at < len(words) and words[at] in (".", ":", "/", "-", ". ", "no", "nomor"):
        at += 1
    return at


def _numbers(words: Sequence[str], at: int, most: int) -> tuple[list[int], int]:
    """Up to `most` numbers: `3`, `003/007`, `tiga`; the second only after a slash."""
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
