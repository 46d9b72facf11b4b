"""Finds short forms of a place's name as people write them: `LA`, `San Fran`, `Vegas`, `jkt`. It doesn't judge them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentd.agent.languages import words as all_words
from agentd.agent.text import FILLERS

_SMALL = FILLERS | all_words().detection
_LEAST = 4
"""The fewest letters of a name's word or beginning that stands for the name (`Vegas`, `Philly`)."""
_CODE = 3
"""The letters of a place's code, of which the last may be none of the name's (`LAX`)."""


def shortened(name: Sequence[str], words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """(start, end) of each run of one or two folded words that may be short for a name, and is no longer."""
    content = [word.isalpha() and word not in _SMALL for word in words]
    for start, said in enumerate(content):
        end = start + 2 if content[start : start + 2] == [True, True] else start + 1
        alone = not any(content[max(start - 1, 0) : start]) and not any(content[end : end + 1])
        if said and alone and _short(words[start:end], name):
            yield start, end


def _short(said: Sequence[str], name: Sequence[str]) -> bool:
    if len(said) > 1:
        return len(said) == len(name) and all(map(str.startswith, name, said))
    (word,), initials = said, "".join(part[0] for part in name)
    if len(name) > 1 and initials in (word, word[:-1] if len(word) == _CODE else ""):
        return True
    if len(word) >= _LEAST:
        return word in name or word[:_LEAST] == "".join(name)[:_LEAST]
    return len(name) == 1 and len(word) == _CODE and _within(word, name[0])


def _within(short: str, full: str) -> bool:
    """Whether the letters of a short form follow one another in a longer one that begins with the same (`jkt`)."""
    letters = iter(full)
    return len(full) > len(short) and short[0] == full[0] and all(letter in letters for letter in short)
