"""An issued letter as the caller receives it, and its verification code. Issues nothing."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping

from pydantic import BaseModel

from servers.certificate.letters.lettertype import LetterType
from servers.certificate.messages import Message

# Crockford's base 32: no I, L, O, U. 16 characters are 80 random bits.
CODE_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


class IssueError(Exception):
    """A letter can't be issued. `kind` is a stable name, `message` is for the citizen."""

    def __init__(self, kind: str, **values: object) -> None:
        self.kind, self.message = kind, Message(f"issue_{kind}", values)
        super().__init__(str(self.message))


class Issued(BaseModel, frozen=True):
    """A letter that exists: what `generate_…` answers. `path` is absolute, dates are ISO, `size` in bytes."""

    number: str
    letter_type: str
    title: str
    date: str
    path: str
    file_name: str
    sha256: str
    size: int
    verify_code: str
    verify_url: str
    valid_until: str | None = None
    name_masked: str
    already_issued: bool
    warnings: list[str] = []


def masked_name(letter: LetterType, values: Mapping[str, str]) -> str:
    """Return the applicant's name for people who only have the code: the first letter of each word."""
    name = next((values.get(key, "") for key, field in letter.fields.items() if field.kind == "person-name"), "")
    return " ".join(f"{word[0]}***" for word in name.split())


def normal_code(code: str) -> str:
    """Return a code as printed, however it was typed: case, spaces, O for 0, I or L for 1."""
    plain = re.sub(r"[\s-]", "", code.upper()).translate(str.maketrans("OIL", "011"))
    return "-".join(plain[start : start + 4] for start in range(0, len(plain), 4))


def new_code() -> str:
    return normal_code("".join(secrets.choice(CODE_ALPHABET) for _ in range(16)))
