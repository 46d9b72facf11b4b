"""Detects a message's language by its script, then by function words, then by CLD2. It translates nothing.

The daemon's own sentences exist only in the languages of the packs; `own_language` picks the one for the citizen.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from agentd.agent.languages import LANGUAGES, languages, own
from agentd.errors import Language

_DATA = tomllib.loads(Path(__file__).with_name("detection.toml").read_text(encoding="utf-8"))
NAMES: Mapping[str, str] = _DATA["names"]
"""The detected languages: code → the name that the model is given. No other language is detected."""
NEAR = frozenset(_DATA["near"])
"""Languages so similar to Indonesian in words and names that an uncertain CLD2 reading of them is ignored."""
_READ_INDONESIAN = frozenset(_DATA["read_indonesian"])
"""Languages without a pack whose writers get the daemon's sentences in Indonesian rather than English."""
_WIDE = frozenset(_DATA["wide"])
"""Languages whose words and names are mixed into others: a sure CLD2 reading never outranks function words."""
_SCRIPTS: Mapping[str, re.Pattern[str]] = {code: re.compile(letters) for code, letters in _DATA["scripts"].items()}
_SYLLABLES = frozenset(_DATA["syllables"])
_CLD2_CODES: Mapping[str, str] = _DATA["cld2_codes"]
_MALAY = frozenset(_DATA["malay"])
_OTHERS = {code: frozenset(known) for code, known in _DATA["others"].items()}
_WORD = re.compile(r"[^\W\d_]+")
_READ = 2000
"""Only this many characters are examined."""
_SENTENCE = 4
"""Words needed to switch a session's language without any function word; one more for languages in NEAR."""
_GUESSED = 400
"""The CLD2 score (per 1024 bytes) from which an uncertain reading counts. Names score below it."""


@dataclass(frozen=True, slots=True)
class Signals:
    """Evidence of a text's language: its word count, function words by language, and CLD2's reading."""

    words: int
    small: Mapping[str, int]
    """The number of function words of each pack."""
    other: Mapping[str, int]
    """The number of function words of other languages (detection.toml), without zeros."""
    sure: str | None
    """CLD2's reading if it is sure."""
    guess: str | None
    """CLD2's most likely language, only for a first message of which it is not sure."""


def detect(text: str, session: str | None = None) -> str:
    """The code (of NAMES) of a text's language. `session` is the session's language, kept if the text says too little.

    An inconclusive first message counts as Indonesian, the office's language.
    """
    text = text[:_READ]
    words = _WORD.findall(text.casefold())
    by_script = _script(text, len("".join(words)))
    if by_script is not None or (session is not None and len(words) < 2):
        return by_script or session or LANGUAGES[0]
    return _decided(_signals(words, first=session is None), session) or session or LANGUAGES[0]


def own_language(code: str) -> Language:
    """The language of the daemon's own sentences for a citizen who writes in `code`; English by default."""
    return own(code) or ("id" if code in _READ_INDONESIAN else "en")


def _script(text: str, letters: int) -> str | None:
    """The language of the script used by most of the text. A sign for a syllable or word counts as three letters."""
    found = {code: len(script.findall(text)) for code, script in _SCRIPTS.items()}
    weight = sum(count * (3 if code in _SYLLABLES else 1) for code, count in found.items())
    if weight <= letters - sum(found.values()) or not weight:
        return None
    if found["ja"]:  # kana means Japanese, even with Han characters
        return "ja"
    return max(found, key=lambda code: found[code])


def _decided(signals: Signals, session: str | None) -> str | None:
    """The language that the signals prove; None keeps the session's language."""
    if _is_foreign(signals, session):
        return signals.sure
    if (other := _other(signals, session)) is not None:
        return other
    most = max(signals.small, key=lambda code: signals.small[code])
    if list(signals.small.values()).count(signals.small[most]) == 1:
        return "ms" if most == "id" and signals.sure == "ms" else most
    if session is None:
        often_wrong = signals.guess == "en" and signals.words < 2  # CLD2 of a single word
        return None if signals.sure in NEAR else signals.sure or (None if often_wrong else signals.guess)
    return signals.sure if session not in _WIDE and signals.words >= _SENTENCE else None


def _other(signals: Signals, session: str | None) -> str | None:
    """The language without a pack, if it has more function words here than every other language."""
    most = max(signals.other, key=lambda code: signals.other[code], default=None)
    if most is None or (count := signals.other[most]) < 2:
        return None
    alone = list(signals.other.values()).count(count) == 1 and count > max(signals.small.values())
    return most if alone and (session in (None, most) or signals.words >= _SENTENCE) else None


def _is_foreign(signals: Signals, session: str | None) -> bool:
    """Whether CLD2 is sure of a language outside _WIDE and Malay, and other packs' function words don't outweigh it."""
    if signals.sure is None or signals.sure in (*_WIDE, "ms"):
        return False
    small = max(count for code, count in signals.small.items() if code != signals.sure)
    begun = session is not None and session != signals.sure
    enough = _SENTENCE if begun else 1
    if signals.sure in NEAR:
        enough = _SENTENCE + 1 if begun or small else 2
        if small and not (signals.small.get(signals.sure) or signals.other.get(signals.sure)):
            return False  # names alone made it look so: `almarhum bernama Slamet Riyadi, lahir di Klaten`
    return signals.words >= enough and 2 * small <= signals.words


def _signals(words: Sequence[str], *, first: bool) -> Signals:
    sure = _read(words, best_effort=False)
    guess = _read(words, best_effort=True) if first and sure is None else None
    return Signals(
        words=len(words),
        small={
            code: sum(word in pack.detection or word in pack.shorthands for word in words)
            for code, pack in languages().items()
        },
        other={code: count for code, known in _OTHERS.items() if (count := sum(word in known for word in words))},
        sure=sure,
        guess=guess,
    )


def _read(words: Sequence[str], *, best_effort: bool) -> str | None:
    """CLD2's reading; None if CLD2 isn't installed or has no result. Malay needs a word that Indonesian lacks."""
    if (cld2 := _cld2()) is None:
        return None
    reliable, _, (first, *_) = cld2.detect(" ".join(words), bestEffort=best_effort)
    code = _CLD2_CODES.get(first[1], first[1])
    if not reliable or code not in NAMES or (best_effort and (first[3] < _GUESSED or code in NEAR)):
        return None
    return "id" if code == "ms" and _MALAY.isdisjoint(words) else code


@cache
def _cld2() -> Any:
    """Import pycld2, or None. Cached, because Python does not cache a failed import."""
    with suppress(ModuleNotFoundError):
        import pycld2

        return pycld2
    return None
