"""Normalizes, splits, folds and stems text. It knows nothing of fields, persons or meaning."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from agentd.agent.languages import words

_TOKEN = re.compile(r"[0-9]+|[^\W\d_]+|\n\s*|[.,](?:\s|$)|[^\w\s]|_")
_SPACES = re.compile(r"[^\S\n]+")
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_JOINT = re.compile(r"[_-]|(?<=[a-z0-9])(?=[A-Z])")
HAN = r"(?-i:[\u3400-\u4dbf\u4e00-\u9fff])"
"""Han characters have no spaces between words, so each is a token. `-i` saves the slow search for their case."""
_MARKS = str.maketrans({"。": ". ", "，": ", ", "、": ", ", "،": ", ", "؛": "; "})
_SAME_MARKS = str.maketrans("؟’‘“”「」", '?\'\'""""')
_UNWRITTEN = dict.fromkeys((0x640, 0x670, *range(0x64B, 0x660)))
"""Arabic vowel signs and the lengthening stroke (tatweel), which are removed."""
_ONE_LETTER = str.maketrans("أإآٱىی", "اااايي")
"""Arabic letters that people write interchangeably."""
_PLAIN_MARKS = _MARKS | _SAME_MARKS | _UNWRITTEN
_UNSHOWN = (*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A))
"""Control characters, and those that turn the direction of the text around them."""
_DROPPED = {code: None for code in _UNSHOWN if chr(code) not in "\t\n\r"}


def encodable(text: str) -> str:
    """Remove characters of control and direction except tab and line breaks; PostgreSQL rejects NUL.

    Half a surrogate pair, which JSON allows but UTF-8 doesn't, becomes a question mark.
    """
    return text.translate(_DROPPED).encode("utf-8", "replace").decode("utf-8")


def one_line(text: str) -> str:
    """The text as one line of a list, in which no other line can be forged."""
    return " ".join(encodable(text).split())


FILLERS = words().fillers
"""Words that may accompany a value without changing it."""
_CHAT = words().shorthands
"""Chat abbreviations and the words that they stand for."""
_PREFIXES, _SUFFIXES = words().prefixes, words().suffixes
_BEGINNINGS = tuple({prefix[:2] for prefix in _PREFIXES})
_LENGTHENED = re.compile(r"(?<=[a-z])([abeghknoprstuy])\1{2,}$")
"""Matches a lengthened word end (`tolonggg`), but not the letters of Roman numerals (`Blok III`)."""


def alike(text: str) -> str:
    """The normalized text, with interchangeable Arabic letters unified."""
    return normal(text).translate(_ONE_LETTER)


def folded(token: str) -> str:
    """The token case-folded, abbreviations spelt out, and without the `2` of a reduplication (`jadi2`)."""
    word = token.strip().casefold()
    if not word.isascii():
        return word.translate(_ONE_LETTER)
    if word.isalpha():
        if word[-3:] == 3 * word[-1]:
            word = _LENGTHENED.sub(r"\1", word)
    elif word.isalnum() and not word.isdecimal():
        word = word.replace("2", "")
    return _CHAT.get(word, word)


@cache
def _doubled() -> re.Pattern[str]:
    """Matches a reduplicated word (`jadi2`, `anak2nya`), but no number of something (`RT2`, `blok2`) and no capitals.

    Compiled at its first use, since few texts have a word with a 2.
    """
    return re.compile(
        rf"\b(?!(?:{'|'.join(sorted(words().numbered))})2)(?=(?-i:[^\W\d_]*[a-z]))[^\W\d_]{{2,}}2"
        rf"(?:{'|'.join((*_SUFFIXES, *words().clitics))})?\b",
        re.IGNORECASE,
    )


@cache
def _token_or_doubled() -> re.Pattern[str]:
    return re.compile(f"{_doubled().pattern}|{_TOKEN.pattern}", re.IGNORECASE)


def doubled(word: str) -> bool:
    """Whether the word's digit marks a reduplication (`jalan2`)."""
    return _doubled().fullmatch(word) is not None


def normal(text: str) -> str:
    """NFKC text without invisible characters. Line breaks stay; other scripts' punctuation and digits become Latin."""
    if text.isascii():
        return text.replace("\r\n", "\n")
    plain_marks = _fewer_marks(text.replace("\r\n", "\n")).translate(_PLAIN_MARKS)
    composed = unicodedata.normalize("NFKC", plain_marks)
    seen = (letter for letter in composed if unicodedata.category(letter) != "Cf")
    return "".join(str(unicodedata.digit(letter)) if letter.isdecimal() else letter for letter in seen)


MOST_MARKS = 30
"""Most combining marks kept per letter (UAX #15, Stream-Safe Text Format): composing sorts them in quadratic time."""


def _fewer_marks(text: str) -> str:
    kept: list[str] = []
    marks = 0
    for letter in text:
        marks = marks + 1 if unicodedata.combining(letter) else 0
        if marks <= MOST_MARKS:
            kept.append(letter)
    return "".join(kept)


def tokens(text: str) -> list[str]:
    """Split into digit runs, words (`jadi2` is one), line breaks and single marks, as written.

    A full stop or comma before a space keeps that space.
    """
    if not text.isascii():
        text = re.sub(HAN, r" \g<0> ", text)
    found = _token_or_doubled() if "2" in text else _TOKEN
    return found.findall(_SPACES.sub(" ", text))


def folded_tokens(text: str) -> tuple[str, ...]:
    """The folded tokens of a text, words and marks, without spaces."""
    return tuple(folded(token) for token in tokens(normal(text)) if token.strip())


def fold(text: str) -> tuple[str, ...]:
    """The folded words and digit runs of a text, without punctuation."""
    return tuple(folded(token) for token in tokens(normal(text)) if token[0].isalnum())


def plain(text: str) -> str:
    """A text reduced to its folded words, to compare spellings of one value."""
    return " ".join(fold(text))


def name_words(name: str) -> list[str]:
    """The lower-case words of a name in a program, in any case style: `UnitPrice_2` is unit, price, 2."""
    return [part.casefold() for part in _PARTS.findall(name)]


def spaced(name: str) -> str:
    """A name in a program as people read it: `UnitPrice_2` is `Unit Price 2`."""
    return _JOINT.sub(" ", name)


def stem(word: str) -> str:
    """The rough root of a word: strips one suffix and one prefix if at least four letters stay.

    Both sides of a comparison are stemmed, so roots need not be real words.
    """
    for suffix in _SUFFIXES if word.endswith(_SUFFIXES) else ():
        if word.endswith(suffix) and len(word) - len(suffix) >= 4:
            word = word[: -len(suffix)]
            break
    for prefix, restored in _PREFIXES.items() if word.startswith(_BEGINNINGS) else ():
        if word.startswith(prefix) and len(word) - len(prefix) >= 4:
            return restored + word[len(prefix) :]
    return word
