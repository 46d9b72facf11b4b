"""The proper names in a question, by their capitals. It doesn't know whether the data has them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from agentd.agent.languages import languages, words
from agentd.apps.analytics.vocabulary import listed, vocabulary

_NAME = re.compile(r"(?<![\w'])[A-Z][\w&'./-]*\w")
_DATE_PARTS = ("hh", "mm", "ss", "dd", "yyyy")  # of a date's format


def names_in(text: str) -> Iterator[str]:
    """Capitalised words within a sentence, and upper-case words, except time words and the packs' words."""
    for found in _NAME.finditer(text):
        before = text[: found.start()].rstrip(" \"'(")
        first = not before or (before[-1] in ".?!:;\n" and not _abbreviated(text, found.start()))
        word = found[0]
        if not ((first and not word.isupper()) or word.casefold() in known_words()):
            yield word


def _abbreviated(text: str, end: int) -> bool:
    """Whether `text` has at `end` a short word and a dot that ends no sentence: `drh. Bayu`; a word that it also has
    without a dot is none."""
    short = re.search(r"(?<!\w)([^\W\d_]{1,3})\.$", text[:end].rstrip(" \"'("))
    spelled = short and re.search(rf"(?i)(?<!\w){short[1]}(?![\w.])", text)
    return short is not None and not spelled and short[1].casefold() not in known_words()


@cache
def known_words() -> frozenset[str]:
    said, small = vocabulary(), {word for pack in languages().values() for word in pack.detection}
    months = {name for names in words().months for name in names}
    unsaid = listed("ranks", "most", "least", "currencies", "legal_forms")
    return frozenset({*small, *months, *said.units, *unsaid, *_DATE_PARTS})
