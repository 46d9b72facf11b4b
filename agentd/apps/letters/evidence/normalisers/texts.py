"""Compares free text by content: whether all of a short phrase was said (`melamar kerja`, `Melamar pekerjaan`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from agentd.agent.languages import words as shared_words
from agentd.agent.text import fold, stem
from agentd.apps.letters.evidence.normalisers.choices import meanings
from agentd.apps.letters.languages import phrases

_SAME = phrases().same_content
_JOINERS = shared_words().joiners


def content(phrase: Iterable[str]) -> tuple[str, ...]:
    """The stems of a phrase, without joining words and punctuation."""
    roots = ((word, stem(word)) for word in phrase if word[0].isalnum())
    return tuple(root for word, root in roots if word not in _JOINERS and root not in _JOINERS)


def essence(words: Sequence[str]) -> tuple[str, ...]:
    """The content words of folded words, with a few translations unified."""
    return content(_SAME.get(word, word) for word in words)


def saying(value: str) -> Callable[[Sequence[str]], bool]:
    """A function that tells whether folded words have every content word of `value` or mean the same known phrase."""
    written = fold(value)
    asked = frozenset(essence([word for word in written if word.isalpha() or word.isdecimal()]))
    meant = meanings(written)

    def says(said: Sequence[str]) -> bool:
        kept = [word for word in said if word[0].isalnum()]
        if 0 < len(asked) <= len(kept) and asked.issubset(essence(kept)):
            return True
        return bool(asked and meant) and any(
            meanings(tuple(kept[start:end])) & meant
            for start in range(len(kept))
            for end in range(start + 1, min(len(kept), start + 5) + 1)
        )

    return says
