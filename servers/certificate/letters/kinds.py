"""The kinds of field of a letter, and how each is parsed from what people write. No I/O; each error is one sentence.

Each reader takes the raw value of one field and returns its canonical text, or raises WrongValue. Canonical forms: NIK
and KK 16 digits; dates ISO (`1990-03-05`), since when also `2015` or `2015-03`; RT and RW three digits; phones E.164;
money whole rupiah as digits; times `19.00`; everything else NFC text with single spaces, spelling unchanged.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from servers.certificate.languages import any_of
from servers.certificate.letters.amounts import read_money, read_time
from servers.certificate.letters.dates import is_date, read_date, read_since
from servers.certificate.messages import WrongValue

# `RT 3/RW 7`, `RT03 RW07`, `RT/RW 003/007`, `(RT. 3, RW. 7)`, or only one of the two, at any position, but not in a
# street's name (`Gang RT 12`).
_RT, _RW, _AND = (f"(?:{any_of(kind)})" for kind in ("rt", "rw", "conjunctions"))
_NO_STREET = "".join(rf"(?<!{street}\s)" for street in any_of("numbered_streets").split("|"))
_RT_RW = re.compile(
    rf"""[\s,.;(]*\b{_NO_STREET}(?:
        {_RT} (?:\s*[/.&,-]\s*{_RW})?[\s.:]* (?P<rt>[0-9]{{1,3}})
           (?:\s*(?:[/,.&;-]|{_AND})?\s*{_RW}[\s.:]*|\s*/\s*) (?P<rw>[0-9]{{1,3}})
      | {_RT} [\s.:]* (?P<only_rt>[0-9]{{1,3}})
      | {_RW} [\s.:]* (?P<only_rw>[0-9]{{1,3}})
    )(?![0-9])\)?""",
    re.IGNORECASE | re.VERBOSE,
)

# The province codes of the Ministry of Home Affairs (Kepmendagri 100.1.1-6117/2022), first two digits of a NIK.
_RANGES = ((11, 20), (21, 22), (31, 37), (51, 54), (61, 66), (71, 77), (81, 83), (91, 98))
PROVINCES = frozenset(str(code) for start, end in _RANGES for code in range(start, end))

# Not allowed in a field: control, format (bidi overrides), surrogate, private, unassigned; marks; what prints blank.
_FORBIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Mn", "Mc", "Me"})
_LOOKALIKES = ("CYRILLIC", "GREEK", "ROMAN NUMERAL", "SMALL ROMAN NUMERAL")
_BLANKS = "\u2800\ufffc"

# Without α γ ι ν ο ρ σ υ, which Unicode's confusables.txt (UTS 39) lists as look-alikes of a y i v o p o u.
_GREEK_PREFIX = re.compile(r"\b[βδεζηθκλμξπτφχψω]-(?=\w)")


@dataclass(frozen=True)
class Kind:
    """One kind: an obviously fake example, and its reader. Its name is its JSON Schema `format`."""

    example: str
    read: Callable[[str], str]
    max_length: int = 120


def text_of(value: object) -> str:
    """Return the value as one line of NFC text. Numbers are converted; other types raise WrongValue."""
    if isinstance(value, bool) or not isinstance(value, str | int) or (isinstance(value, int) and value >= 10**40):
        raise WrongValue("not_text")
    return " ".join(unicodedata.normalize("NFC", str(value)).split())


def unprintable(text: str, glyphs: frozenset[int]) -> str | None:
    """Return the name of the first character a letter can't show: not in the font, right-to-left or invisible."""
    for character in text:
        if (
            unicodedata.category(character) in _FORBIDDEN_CATEGORIES
            or character in _BLANKS
            or unicodedata.bidirectional(character) in ("R", "AL", "AN")
            or ord(character) not in glyphs
        ):
            return unicodedata.name(character, f"U+{ord(character):04X}")
    return None


def disguised(text: str) -> str | None:
    """Return the name of the first Cyrillic or Greek letter, or Roman numeral, in a word of Latin letters: on paper it
    looks like one. Not a single small Greek letter before a hyphen (`β-karoten`), if it looks like no Latin letter."""
    for word in _GREEK_PREFIX.sub("", text).split():
        names = [unicodedata.name(letter, "") for letter in word]
        others = [name for name in names if name.startswith(_LOOKALIKES)]
        if others and any(name.startswith("LATIN") for name in names):
            return others[0]
    return None


def read_nik(text: str) -> str:
    """Check 16 digits PPKKCC DDMMYY SSSS: day 1-31 (women +40), a real date, serial not 0000. It has no check digit."""
    digits = _sixteen_digits(text)
    day, month, year = nik_birth(digits)
    if digits[12:] == "0000":
        raise WrongValue("nik_serial")
    if not any(is_date(century + year, month, day) for century in (1900, 2000)):
        raise WrongValue("nik_birth")
    return digits


def nik_birth(nik: str) -> tuple[int, int, int]:
    """Return (day, month, two-digit year) of a NIK, with the women's 40 subtracted."""
    day = int(nik[6:8])
    return day - 40 if day > 40 else day, int(nik[8:10]), int(nik[10:12])


def nik_is_woman(nik: str) -> bool:
    """Return whether the NIK's day (+40) says so."""
    return int(nik[6:8]) > 40


def is_nik(text: str) -> bool:
    """Return whether the text has 16 digits, whatever they mean."""
    return re.fullmatch("[0-9]{16}", text) is not None


def is_temporary_nik(nik: str) -> bool:
    """Return whether an office assigned the number to a person without a NIK: it begins with 0, like no province."""
    return nik.startswith("0")


def read_kk(text: str) -> str:
    """Check the 16 digits of a family card."""
    digits = _sixteen_digits(text)
    if digits[12:] == "0000" or digits[:2] == "00":
        raise WrongValue("kk_impossible")
    return digits


def read_rt_rw(text: str) -> str:
    """Return an RT or RW number, zero-padded to three digits: `3`, `RT 03`, `003`."""
    found = re.fullmatch(rf"(?:(?:{_RT}|{_RW})\b)?[\s.:]*([0-9]{{1,3}})", text, re.IGNORECASE)
    if found is None or int(found[1]) == 0:
        raise WrongValue("rt_rw")
    return found[1].zfill(3)


def read_phone(text: str) -> str:
    """Return an Indonesian (or +international) telephone number as E.164."""
    import phonenumbers

    try:
        number = phonenumbers.parse(text, "ID")
    except phonenumbers.NumberParseException:
        number = None
    if number is None or not phonenumbers.is_valid_number(number):
        raise WrongValue("phone")
    return str(phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164))


def dialled(e164: str) -> str:
    """Return a telephone number in national format, 0812-3456-7890; a foreign one with its country code.

    What is no number in E.164 is returned unchanged: a register may have anything there.
    """
    import phonenumbers

    try:
        number = phonenumbers.parse(e164)
    except phonenumbers.NumberParseException:
        return e164
    home = number.country_code == 62
    style = phonenumbers.PhoneNumberFormat.NATIONAL if home else phonenumbers.PhoneNumberFormat.INTERNATIONAL
    return str(phonenumbers.format_number(number, style))


_INTRODUCED = re.compile(rf"(?:(?:{any_of('before_streets')})\s+)+(?=(?:{any_of('streets')})\b)", re.IGNORECASE)


def read_address(text: str) -> str:
    """Return an address without RT and RW; introductions are removed (`rumah saya di Jl. Melati 5` → Jl. Melati 5)."""
    introduced = _INTRODUCED.match(text)
    text = text[introduced.end() :] if introduced else text
    if len(re.findall(r"[^\W_]", text)) < 4:
        raise WrongValue("address")
    return text


def split_rt_rw(address: str) -> tuple[str, frozenset[str], frozenset[str]]:
    """Return (the address without RT and RW, the RTs, the RWs), numbers with three digits."""
    found = [match.groupdict() for match in _RT_RW.finditer(address)]
    rts, rws = (
        frozenset(number.zfill(3) for each in found for name in names if (number := each[name]))
        for names in (("rt", "only_rt"), ("rw", "only_rw"))
    )
    return _RT_RW.sub("", address).strip(" ,;"), rts, rws


def read_text(text: str) -> str:
    """Check a short text: at least one letter (`S1`)."""
    if not re.search(r"[^\W\d_]", text):
        raise WrongValue("text")
    return text


def read_count(text: str) -> str:
    """Check how many or which of a row, with or without its unit: `300`, `300 orang`, `kedua`."""
    return text if re.search("[1-9]", text) else read_text(text)


def read_choice(text: str, choices: Mapping[str, tuple[str, ...]]) -> str:
    """Return the choice that the text names, by its own or another spelling, ignoring case and punctuation.

    A text that is only the beginning of several choices (`cerai`) raises WrongValue and lists them.
    """
    folded = spelled(text)
    for choice, spellings in choices.items():
        if folded in map(spelled, (choice, *spellings)):
            return choice
    begun = [choice for choice in choices if folded and spelled(choice).startswith(f"{folded} ")]
    raise WrongValue("choice", choices=", ".join(begun if len(begun) > 1 else choices))


def spelled(text: str) -> str:
    """Normalise a spelling for comparison: words and numbers in NFKC, no case, punctuation, invisible characters."""
    visible = (letter for letter in unicodedata.normalize("NFKC", text) if unicodedata.category(letter) != "Cf")
    return " ".join(re.findall(r"[0-9]+|[^\W\d_]+", "".join(visible))).casefold()


def _written(pattern: str, wrong: str) -> Callable[[str], str]:
    """Return a reader that keeps the spelling of a text of this pattern; others are `wrong`, by a message's key."""

    def read(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise WrongValue(wrong)
        return text

    return read


# One word is enough for a name: letters, spaces and . , ' ’ ` - /
_NAME = r"[^\W\d_](?:[^\W\d_]|[ .,'’‘`/-])*"
# 3, 1.250 or 2,5: its spelling stays, since a unit may follow it in the letter's text.
_COUNTED = r"[0-9]{1,3}(?:\.[0-9]{3})+(?:,[0-9]+)?|[0-9]{1,12}(?:,[0-9]+)?"


def _sixteen_digits(text: str) -> str:
    digits = re.sub(r"[\s.\-]", "", text)
    if not re.fullmatch("[0-9]+", digits):
        raise WrongValue("digits_only")
    if len(digits) != 16:
        raise WrongValue("sixteen_digits", written=len(digits))
    return digits


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "nik": Kind("0000000000000000", read_nik),
        "kk": Kind("0000000000000000", read_kk),
        "date": Kind("0000-00-00", read_date),
        "since": Kind("0000", read_since),
        "rt": Kind("000", read_rt_rw),
        "rw": Kind("000", read_rt_rw),
        "phone": Kind("000", read_phone),
        "person-name": Kind("NAMA CONTOH", _written(_NAME, "person_name"), max_length=80),
        "address": Kind("ALAMAT CONTOH", read_address, max_length=160),
        "text": Kind("ISIAN CONTOH", read_text),
        "count": Kind("0 orang", read_count),
        "code": Kind("KODE CONTOH", _written(r"[^\W_](?:[^\W_]|[ ./-])*", "code"), max_length=40),  # 2026/2027
        "money": Kind("Rp0", read_money),
        "number": Kind("0", _written(_COUNTED, "number")),
        "time": Kind("00.00", read_time),
    }
)
NAMES = (*KINDS, "choice")

CHOICES: Mapping[str, Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        name: {choice: tuple(spellings) for choice, spellings in table.items()}
        for name, table in tomllib.loads(Path(__file__).with_name("choices.toml").read_text(encoding="utf-8")).items()
    }
)
"""Tables of choices that a field may name: {choice: its other spellings}."""
