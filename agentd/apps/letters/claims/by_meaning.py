"""Finds claims of a deed by a sentence's meaning, for languages that no pack reads; by_words.py finds them by words."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from statistics import fmean

from agentd.agent.language import detect
from agentd.agent.languages import understood
from agentd.ports import Meaning

AHEAD = 0.034
"""The lead in mean cosine (multilingual-e5-small) of done deeds over all else that makes a claim."""
MOST_KNOWN = 1000
"""How many sentences of a session are kept with what they claim, since a streamed answer is checked again and again."""
_EXAMPLES: dict[str, list[str]] = tomllib.loads(Path(__file__).with_name("claims.toml").read_text(encoding="utf-8"))
_BREAK = re.compile(r"(?<=[.!?])\s+|(?<=[。！？।])|\n")


def unread(answer: str, language: str) -> list[str]:
    """The sentences that may be in a language without a pack: in a session of this language, or by themselves."""
    return [one for one in sentences_of(answer) if not (understood(detect(one, language)) and understood(detect(one)))]


def sentences_of(answer: str) -> list[str]:
    """The sentences of an answer in any language."""
    return list(filter(None, map(str.strip, _BREAK.split(answer))))


async def meant_claim(sentences: Iterable[str], meaning: Meaning, known: dict[str, bool]) -> str | None:
    """The first sentence, in any language, whose meaning is that a deed was done, or None. `known`: those judged."""
    for sentence in sentences:
        if sentence not in known:
            if len(known) >= MOST_KNOWN:
                known.clear()
            known[sentence] = await _claims(sentence, meaning)
        if known[sentence]:
            return sentence
    return None


async def _claims(sentence: str, meaning: Meaning) -> bool:
    near = await meaning.nearness(sentence, [*_EXAMPLES["done"], *_EXAMPLES["other"]])
    done = len(_EXAMPLES["done"])
    return fmean(near[:done]) - fmean(near[done:]) > AHEAD
