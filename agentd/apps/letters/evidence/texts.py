"""Free text by its content: whether all that a short phrase says was said (`melamar kerja`, `Melamar pekerjaan`)."""

from __future__ import annotations

from collections.abc import Sequence

from agentd.agent.text import content, fold
from agentd.apps.letters.evidence.choices import meanings
from agentd.apps.letters.languages import phrases

_SAME = phrases().same_content


def essence(words: Sequence[str]) -> tuple[str, ...]:
    """The content of folded words, with a few plain translations made one."""
    return content([_SAME.get(word, word) for word in words])


def supports(said: Sequence[str], value: str) -> bool:
    """Whether every content word of `value` is among the folded words said, or both are one known phrase."""
    asked = _asked(value)
    if not asked:
        return False
    kept = [word for word in said if word[0].isalnum()]
    if asked.issubset(essence(kept)):
        return True
    meant = meanings(fold(value))
    return bool(meant) and any(
        meanings(tuple(kept[start:end])) & meant
        for start in range(len(kept))
        for end in range(start + 1, min(len(kept), start + 5) + 1)
    )


def _asked(value: str) -> frozenset[str]:
    return frozenset(essence([word for word in fold(value) if word.isalpha() or word.isdecimal()]))
