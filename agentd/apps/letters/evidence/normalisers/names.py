"""Names of people: finds where a name ends in running text and compares spellings. Ignores whose name it is."""

from __future__ import annotations

from collections.abc import Sequence

from agentd.agent.text import normal
from agentd.apps.letters.evidence.normalisers.choices import is_choice
from agentd.apps.letters.languages import phrases

_PACK = phrases()
Name = tuple[str, ...]


def key(value: str | Sequence[str]) -> Name:
    """A normalised name for comparison: folded words without honorifics and marks."""
    words = normal(value).split() if isinstance(value, str) else value
    letters = ["".join(letter for letter in word.casefold() if letter.isalnum()) for word in words]
    kept = [word for word in letters if word]
    while len(kept) > 1 and kept[0] in _PACK.honorifics:
        kept = kept[1:]
    return tuple(kept)


def leading(raws: Sequence[str]) -> list[Name]:
    """The names that a segment may begin with: the whole run, and its capitalised head if lower-case words follow.

    `raws` are the tokens as written. Empty if the segment doesn't begin with a name.
    """
    run: list[str] = []
    for raw in raws[_begins(raws) :]:
        word = raw.casefold()
        if raw[0].isalpha():
            if word in _PACK.name_ends:
                break
            run.append(raw)
        elif raw == ":":  # a field of somebody's own (`Pemilik: H. Rahmat`)
            run = []
        elif raw not in ("'", ".", "-", "`", ". ", ".\n"):
            break
    if not run:
        return []
    found = [key(run)]
    if run[0][0].isupper() and any(raw[0].islower() for raw in run):
        found.append(key(run[: next(index for index, raw in enumerate(run) if raw[0].islower())]))
    return found


def capitalised(raws: Sequence[str]) -> bool:
    """Whether the name that a segment may begin with has a capital, or its script has none."""
    return not "".join(raws[_begins(raws) :])[:1].islower()


def _begins(raws: Sequence[str]) -> int:
    """The index of the first word that may belong to a name; the number of words if there is none."""
    return next((at for at, raw in enumerate(raws) if raw[0].isalpha() and not _before(raws, at)), len(raws))


def _before(raws: Sequence[str], at: int) -> bool:
    """Whether a word may precede a name without being part of it; an initial such as `M.` is part of it."""
    initial = len(raws[at]) == 1 and raws[at + 1 : at + 2] in (["."], [". "])
    return raws[at].casefold() in _PACK.before_name and not initial


def same(left: Name, right: Name) -> bool:
    """Whether two names are equal apart from what stands between letters: `Ma'ruf` and `Maruf`, `S.Pd` and `SPd`."""
    return left == right or "".join(left) == "".join(right)


def untitled(name: Name) -> Name:
    """The name without leading titles: `H. Abdul Karim`."""
    return untitled(name[1:]) if len(name) > 1 and name[0] in _PACK.titles else name


def within(part: Name, whole: Name) -> bool:
    """Whether every word of the shorter name is in the longer one."""
    return set(part) <= set(whole)


def plausible(name: Name) -> bool:
    """Whether words after `saya`, or first in a list, may be a name: no choice, no occupation, no common word."""
    return 0 < len(name) <= 7 and not is_choice(name) and not any(word in _PACK.no_name for word in name)
