"""The kinds of field that an office declares itself, in `kinds.toml` beside its letters' folders. Reads no values."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, TypeAdapter, model_validator

from hardening.files import plain_text
from servers.certificate.letters.fields import CodePattern
from servers.certificate.letters.kinds import NAMES

FILE = "kinds.toml"
MOST_BYTES = 32_000
"""Limit of each file of a letter, ten times the longest that ships: more takes seconds to draw."""


class OwnKind(BaseModel, frozen=True, extra="forbid"):
    """One kind: a code with a pattern, a number between bounds, or choices (each with its other spellings)."""

    pattern: CodePattern | None = None
    least: int | None = None
    most: int | None = None
    choices: dict[str, tuple[str, ...]] | None = None
    example: str = ""
    hint: str | None = None

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        number = self.least is not None or self.most is not None
        if [self.pattern is not None, number, bool(self.choices)].count(True) != 1:
            raise ValueError("a kind is one of `pattern`, `least` and `most`, `choices`")
        return self

    def field(self, name: str) -> dict[str, Any]:
        base = "code" if self.pattern is not None else "choice" if self.choices else "number"
        own = self.model_dump(exclude_none=True, exclude={"example"})
        return {"kind": base, "declared": f"{FILE}: {name}", "examples": (self.example,) if self.example else (), **own}


def _new(name: str) -> str:
    if name in NAMES:
        raise ValueError("is a kind that ships; give yours another name")
    return name


_ADAPTER = TypeAdapter(dict[Annotated[str, AfterValidator(_new)], OwnKind])


def file_of(folder: Path) -> Path:
    """Return the path of the kinds that a letter's folder may use."""
    return folder.parent / FILE


def with_own_kinds(data: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return a letter.toml's data with own kinds expanded in the fields. The field's own settings take precedence.

    Raises ValidationError and TOMLDecodeError for the kinds' file.
    """
    file, fields = file_of(folder), data.get("fields")
    if not isinstance(fields, dict) or not file.exists():
        return dict(data)
    known = _ADAPTER.validate_python(tomllib.loads(plain_text(file, MOST_BYTES)))
    written = {
        name: {**known[kind].field(kind), **{key: each for key, each in field.items() if key != "kind"}}
        if isinstance(field, dict) and (kind := field.get("kind")) in known
        else field
        for name, field in fields.items()
    }
    return {**data, "fields": written}
