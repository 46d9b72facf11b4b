"""Finds claims of a deed by a sentence's meaning, for languages that no pack reads; claims.py finds them by words."""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from pathlib import Path
from statistics import fmean

from agentd.ports import Meaning

AHEAD = 0.034
"""The lead in mean cosine (multilingual-e5-small) of done deeds over all else that makes a claim."""
_BREAK = re.compile(r"(?<=[.!?])\s+|(?<=[。！？।])|\n")


async def meant_claim(answer: str, meaning: Meaning) -> str | None:
    """The first sentence, in any language, whose meaning is that a deed was done, or None."""
    examples = _examples()
    texts = [*examples["done"], *examples["other"]]
    for sentence in filter(None, map(str.strip, _BREAK.split(answer))):
        near = await meaning.nearness(sentence, texts)
        done = len(examples["done"])
        if fmean(near[:done]) - fmean(near[done:]) > AHEAD:
            return sentence
    return None


@lru_cache(1)
def _examples() -> dict[str, list[str]]:
    return tomllib.loads(Path(__file__).with_name("claims.toml").read_text(encoding="utf-8"))
