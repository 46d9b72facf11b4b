"""Where sentences end: at a line, a full stop that abbreviates nothing, a mark. It understands no words."""

from __future__ import annotations

from collections.abc import Sequence

from agentd.agent.text import normal, tokens
from agentd.apps.letters.evidence.lexicon import Lexicon
from agentd.apps.letters.languages import phrases

_ABBREVIATIONS = phrases().abbreviations
_ENDING = frozenset({".", "!", "?", "\n"})


def split(text: str, lexicon: Lexicon) -> list[str]:
    """Tokens, with `-nya` and `-ku` taken off labels and relations (`alamatnya` → alamat, nya)."""
    split: list[str] = []
    for raw in tokens(normal(text)):
        size = lexicon.suffix(raw.casefold()) if len(raw) > 4 else 0
        if size:
            split += (raw[:-size], raw[-size:])
        else:
            split.append(raw)
    return split


def sentences(words: Sequence[str], raws: Sequence[str]) -> list[tuple[int, int, str, bool]]:
    """(start, end, closing mark, before a blank line) of each sentence; a line is a sentence."""
    found: list[tuple[int, int, str, bool]] = []
    start = 0
    for at, word in enumerate(words):
        if word not in _ENDING:
            continue
        if word == "." and ((raws[at] == "." and at + 1 < len(words)) or not _closes(raws, at)):
            continue
        if at > start:
            found.append((start, at, word, raws[at].count("\n") > 1))
        elif found and raws[at].count("\n") > 1:
            found[-1] = (*found[-1][:3], True)
        start = at + 1
    if start < len(words):
        found.append((start, len(words), "", False))
    return found


def _closes(raws: Sequence[str], at: int) -> bool:
    before = raws[at - 1].casefold() if at else ""
    if "\n" in raws[at]:
        return True
    return not (before in _ABBREVIATIONS or (len(before) == 1 and before.isalpha()) or (at == 1 and before.isdecimal()))
