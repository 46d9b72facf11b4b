"""One field of a letter, as letter.toml declares it: its JSON Schema and how its value is read. Compares no fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, Field, StringConstraints, model_validator

from hardening.patterns import bounded
from servers.certificate.languages import OfficeWords, words
from servers.certificate.letters import kinds
from servers.certificate.letters.conditions import COLUMN
from servers.certificate.messages import Message, WrongValue

Slug = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{1,40}$")]
CodePattern = Annotated[str, AfterValidator(bounded)]
Words = dict[str, tuple[str, ...]]
"""{language: words}; the first word is used in questions."""
APPLICANT = "applicant"
LONGEST = 400
"""Maximum characters of a register value, which is printed unchanged."""


class FieldProblem(BaseModel, frozen=True):
    """One wrong field. `message` is a whole sentence in the office's language that begins with the label."""

    field: str
    label: str
    message: str


class InvalidFields(Exception):
    """Some fields are missing or wrong; `problems` has one entry for each, `in_words` says them in any language."""

    def __init__(self, in_words: Callable[[OfficeWords], list[FieldProblem]], spoken: OfficeWords) -> None:
        self.in_words, self.problems = in_words, in_words(spoken)
        super().__init__(f"{len(self.problems)} fields: {', '.join(problem.field for problem in self.problems)}")


_SAID_KINDS = {"code": "code", "money": "money", "number": "number", "time": "time", "since": "date"}
"""The kinds that a program can't tell by their `format`, as `x-agentd-kind`."""


def _known_kind(kind: str) -> str:
    if kind not in kinds.NAMES:
        raise ValueError(f"should be one of {', '.join(kinds.NAMES)}")
    return kind


class LetterField(BaseModel, frozen=True, extra="forbid"):
    """One field as its letter.toml declares it."""

    kind: Annotated[str, AfterValidator(_known_kind)]
    label: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
    hint: str | None = None
    pattern: CodePattern | None = None
    """A regular expression that a whole code must match."""
    least: int | None = None
    most: int | None = None
    """`least` and `most` bound a number."""
    examples: tuple[str, ...] = ()
    declared: str | None = None
    """Where its kind is declared, if it is the office's own."""
    choices: str | dict[str, tuple[str, ...]] = ""
    optional: bool = False
    default: str | None = None
    identity: bool = False
    """True if the field identifies a person, though its kind doesn't show it (a place of birth)."""
    source: str | None = Field(default=None, pattern=rf"^({COLUMN}|family)$")
    """Where a verified session takes the value from: `resident.nama`; `family`: a family member whom the citizen names;
    `family.nik`: a value of that member."""
    about: str = Field(default=APPLICANT, pattern=r"^[a-z][a-z_]*$")
    """Whom or what the field is about: applicant, child, deceased, reporter, company …; left out, its name says."""
    labels: Words = {}
    """What people call the field."""
    time: Literal["past", "future"] | None = None
    sensitive: bool = False
    says: str | None = None
    """The meaning of the value, if its kind doesn't show it: passed on as `x-agentd-kind`."""

    @model_validator(mode="after")
    def _choices_exist(self) -> LetterField:
        if (self.kind == "choice") != bool(self.choices):
            raise ValueError('kind = "choice" needs `choices`, other kinds have none')
        if isinstance(self.choices, str) and self.choices and self.choices not in kinds.CHOICES:
            raise ValueError(f"choices = {self.choices!r} is not one of {', '.join(kinds.CHOICES)}")
        meant = [each for choice, others in self.spellings.items() for each in {*map(kinds.spelled, (choice, *others))}]
        if twice := sorted({each for each in meant if meant.count(each) > 1}):
            raise ValueError(f"two choices are spelled {', '.join(twice)}: who writes that must be asked")
        return self

    @model_validator(mode="after")
    def _bounds_and_examples_fit(self) -> LetterField:
        if self.least is not None and self.most is not None and self.least > self.most:
            raise ValueError(f"least = {self.least} is more than most = {self.most}")
        if unlike := [each for each in self.examples if self.pattern and not re.fullmatch(self.pattern, each)]:
            raise ValueError(f"the example {', '.join(unlike)} is not of its pattern {self.pattern}")
        if self.kind != "number" and (self.least, self.most) != (None, None):
            raise ValueError(f'least and most bound a number, and this is kind = "{self.kind}"')
        return self

    @model_validator(mode="after")
    def _default_is_a_value(self) -> LetterField:
        try:
            if self.default is not None:
                self.read(self.default, frozenset(map(ord, self.default)))
        except WrongValue as wrong:
            raise ValueError(f"default = {self.default!r}: {wrong.message.in_words(words('en'))}") from None
        return self

    @property
    def spellings(self) -> Mapping[str, tuple[str, ...]]:
        """Return the choices, each with its other spellings; empty for other kinds."""
        return (
            kinds.CHOICES[self.choices] if self.choices and isinstance(self.choices, str) else dict(self.choices or {})
        )

    @property
    def required(self) -> bool:
        return not self.optional and self.default is None

    def json_schema(self, spoken: OfficeWords) -> dict[str, Any]:
        """Return the field as a JSON Schema property, kept short because a small model reads it."""
        schema: dict[str, Any] = {"type": "string", "title": self.label}
        if self.kind == "choice":
            schema["enum"] = list(self.spellings)
            schema["x-agentd-spellings"] = {choice: list(others) for choice, others in self.spellings.items()}
        else:
            kind = kinds.KINDS[self.kind]
            schema |= {"format": self.kind, "examples": [*self.examples] or [kind.example]}
            schema |= {"pattern": f"^(?:{self.pattern})$"} if self.pattern else {}
        hint = spoken.hints.get(self.kind) if self.hint is None else self.hint
        optional = {
            "description": hint or None,
            "default": self.default,
            "x-agentd-identity": self.identity or None,
            "x-agentd-source": self.source,
            "x-agentd-about": self.about if "about" in self.model_fields_set else None,
            "x-agentd-labels": {language: list(phrases) for language, phrases in self.labels.items()} or None,
            "x-agentd-time": self.time,
            "x-agentd-sensitive": self.sensitive or None,
            "x-agentd-declared": self.declared,
            "x-agentd-kind": self.says or _SAID_KINDS.get(self.kind),
        }
        return schema | {name: value for name, value in optional.items() if value is not None}

    def read(self, value: object, glyphs: frozenset[int]) -> str:
        """Return the canonical value. Raises WrongValue."""
        text = kinds.text_of(value)
        if not text:
            raise WrongValue("missing")
        if self.kind == "choice":
            return kinds.read_choice(text, self.spellings)
        kind = kinds.KINDS[self.kind]
        if text in (kind.example, *(own for own in self.examples if not re.search("[1-9]", own))):
            raise WrongValue("still_example")
        if len(text) > kind.max_length:
            raise WrongValue("too_long", most=kind.max_length)
        _refuse_unprintable(text, glyphs)
        if (character := kinds.disguised(text)) is not None:
            raise WrongValue("disguised", character=character)
        read = kind.read(text)
        if self.pattern is not None and not re.fullmatch(self.pattern, read):
            raise WrongValue("pattern_like", example=self.examples[0]) if self.examples else WrongValue("pattern")
        if self.kind == "number" and not self._within(read):
            raise WrongValue("bounds", least=self.least or 0, most="…" if self.most is None else self.most)
        return read

    def _within(self, number: str) -> bool:
        value = float(number.replace(".", "").replace(",", "."))
        return (self.least is None or value >= self.least) and (self.most is None or value <= self.most)

    def read_register(self, value: object, glyphs: frozenset[int]) -> tuple[str, Message | None]:
        """Return (the register's value, a warning for the counter or None): canonical if possible, else unchanged.

        Raises WrongValue if it can't be printed, or isn't one of the choices that the letter itself lists.
        """
        text = kinds.text_of(value)
        _refuse_unprintable(text, glyphs)
        if len(text) > LONGEST:
            raise WrongValue("too_long_to_print", most=LONGEST)
        if isinstance(self.choices, dict) and self.choices:
            return kinds.read_choice(text, self.spellings), None
        try:
            read = self.read(value, glyphs)
        except WrongValue as wrong:
            return text, wrong.message
        return (text if self.kind == "choice" else read), None


def _refuse_unprintable(text: str, glyphs: frozenset[int]) -> None:
    if (character := kinds.unprintable(text, glyphs)) is not None:
        raise WrongValue("unprintable", character=character)
