"""One type of letter, read from its folder: its fields, checks and text. Issues nothing.

A folder contains `letter.toml` (title, series, fields, rows of the applicant's table, requirements) and `letter.txt`
(the text, one paragraph per line). In both, `{field}` stands for a value; a paragraph or row with an empty optional
field is left out. A line `[data]` in the text is replaced by the table, and `{dasar}` by what the letter is based on.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails

from hardening.files import plain_text
from servers.certificate.languages import DEFAULT, OfficeWords, terms, words
from servers.certificate.letters import kinds
from servers.certificate.letters.basis import REGISTER, Basis, Level, Source, in_words
from servers.certificate.letters.conditions import Condition
from servers.certificate.letters.fields import APPLICANT, FieldProblem, InvalidFields, LetterField, Slug, Words
from servers.certificate.letters.fitting import compare, warnings
from servers.certificate.letters.ownkinds import FILE, MOST_BYTES, with_own_kinds
from servers.certificate.letters.wording import slots
from servers.certificate.messages import Message, WrongValue
from servers.certificate.office import SLOTS, NumberPattern, Office

BASIS_SLOT = "dasar"
"""The slot in a letter's text for what it is based on, in words (basis.py)."""
TABLE = "[data]"
"""The line in a letter's text that is replaced by the table of the applicant's data."""
REWORDED = {
    "extra_forbidden": "there is no such key",
    "missing": "is missing",
    "tuple_type": "should be a list",
    "dict_type": "should be a table",
}
"""Replacements for pydantic's error messages, which speak of data, not of keys in a file."""
PURPOSE = frozenset({"keperluan", "tujuan", "purpose"})
"""Fields for the purpose of a letter, which state no facts."""


class LetterTypeError(ValueError):
    """A letter's folder can't be used; the text names the file and what to correct."""


class LetterType(BaseModel, frozen=True, extra="forbid"):
    """A type of letter. `key` is its folder's name, and `generate_KEY` its tool."""

    key: Slug
    title: str = Field(min_length=1)
    summary: str = Field(min_length=1, description="the tool's description: one short sentence")
    series: str = Field(pattern=r"^[A-Z0-9.-]{1,20}$", description="the letter's code in its number")
    aliases: tuple[str, ...] = ()
    elsewhere: dict[str, str] = {}
    requirements: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    number_pattern: NumberPattern | None = Field(default=None, description="its own, where it isn't the office's")
    signer: str | None = Field(default=None, description="a key of the office's [signers]; none: its default signer")
    order: int = 100
    titles: dict[str, str] = Field(default={}, description="its title in other languages, by language")
    terms: dict[str, dict[str, str]] = Field(default={}, description="its other words in other languages, by language")
    assurance: Level = Field(default="officer", description="the least level it is issued at")
    valid_days: int = Field(default=0, ge=0, le=3660, description="0: as the office's validity_months says")
    declarant: str = Field(default="", description="whose statement it rests on; none: that of whom it is about")
    declares: bool = Field(default=False, description="its text states what no register knows: an officer looks at it")
    conditions: tuple[Condition, ...] = ()
    roles: dict[str, Words] = Field(default={}, description="whom its fields are about, and the words for them")
    fields: dict[Slug, LetterField]
    rows: tuple[tuple[str, str], ...]
    text: tuple[str, ...]

    @model_validator(mode="after")
    def _slots_have_fields(self) -> LetterType:
        known = SLOTS | {BASIS_SLOT} | set(self.fields)
        for line in (*(value for _, value in self.rows), *self.text):
            if unknown := slots(line) - known:
                raise ValueError(f"{{{'}, {'.join(sorted(unknown))}}} is neither a field nor one of the office's words")
        if self.text.count(TABLE) != bool(self.rows) or not set(self.text) - {TABLE}:
            raise ValueError(f"letter.txt needs its sentences, and one line {TABLE} where the table of `rows` goes")
        if undeclared := {field.about for field in self.fields.values()} - {APPLICANT, *self.roles}:
            raise ValueError(f"about = {', '.join(sorted(undeclared))}: not one of [roles]")
        if self.declares and self.assurance not in ("declared", "officer"):
            raise ValueError(f"declares: what rests on a statement never reaches assurance = {self.assurance}")
        return self

    @property
    def tool(self) -> str:
        return f"generate_{self.key}"

    def title_in(self, language: str) -> str:
        """Return the title in a language, or as the letter has it."""
        return self.titles.get(language, self.title)

    def word_in(self, word: str, language: str) -> str:
        """Return a word of the letter (a label, a document) in a language, or unchanged if nothing translates it."""
        return self.terms.get(language, {}).get(word) or terms().get(language, {}).get(word, word)

    def translated(self) -> dict[str, dict[str, str]]:
        """Return {language: {word of the letter: the same in that language}}, for pages and the daemon."""
        rules = self.input_schema()["properties"].values()
        own = {word for rule in rules for word in (rule["title"], rule.get("description"), *rule.get("enum", ()))}
        own = {self.title, *own, *self.requirements, *self.notes} - {None}
        known = {code: {word: self.word_in(word, code) for word in own} for code in {*terms(), *self.terms}}
        return {code: {word: other for word, other in each.items() if other != word} for code, each in known.items()}

    def whole_text(self, office: Office) -> tuple[str, ...]:
        """Return the text, adding a sentence on the letter's basis if it has none."""
        says_so = any(BASIS_SLOT in slots(line) for line in self.text)
        return self.text if says_so else (*self.text, office.speech.rests_on.format())

    def input_schema(self, language: str = DEFAULT) -> dict[str, Any]:
        """Return the tool's input as JSON Schema: a flat object, with the office's labels as titles."""
        roles = {role: {language: list(them) for language, them in words.items()} for role, words in self.roles.items()}
        return {
            "type": "object",
            "properties": {name: field.json_schema(words(language)) for name, field in self.fields.items()},
            "required": [name for name, field in self.fields.items() if field.required],
            "additionalProperties": False,
        } | ({"x-agentd-roles": roles} if roles else {})

    def check(
        self,
        arguments: Mapping[str, Any],
        today: date,
        glyphs: frozenset[int],
        registered: Collection[str] = (),
        language: str = DEFAULT,
    ) -> tuple[dict[str, str], list[str]]:
        """Return (values, warnings): the given fields and the declared defaults, in canonical form.

        `registered` fields have the register's values, which are accepted unchanged: our plausibility rules only add
        warnings. `glyphs` are the code points that the font can print. Raises InvalidFields with one problem for each
        wrong field.
        """
        spoken = words(language)
        values, problems, doubts = self._read(arguments, glyphs, registered)
        for name in sorted(arguments.keys() - self.fields.keys()):
            problems[name] = Message("no_field", {"title": self.title})
        unfit = self._settle_addresses(values, registered) | compare(self.fields, values, today)
        for name, message in unfit.items():
            (doubts if name in registered else problems).setdefault(name, message)
        if problems:
            raise InvalidFields(partial(self._in_words, problems), spoken)
        odd = [problem.message for problem in self._in_words(doubts, spoken)]
        odd += [message.in_words(spoken) for message in warnings(self.fields, values)]
        return {name: values[name] for name in self.fields if name in values}, odd

    def valid_until(self, day: date, office: Office) -> date | None:
        """Return the last day a letter of `day` is valid; None if neither its folder nor the office sets a limit."""
        return day + timedelta(days=self.valid_days) if self.valid_days else office.valid_until(day)

    def basis_words(self, values: Mapping[str, str], basis: Basis, office: Office) -> str:
        """Return the text after "berdasarkan". In a verified session without sources, the declared ones count."""
        verified = basis.level != "declared" and not basis.sources
        facts: dict[str, Source] = {
            name: REGISTER if verified and field.source else basis.sources.get(name, "citizen")
            for name, field in self.fields.items()
            if name in values and name not in PURPOSE and field.time != "future" and values[name] != field.default
        }
        if self.declares:
            facts[""] = "citizen"
        spoken = office.speech
        register = spoken.records.format(office=office.kelurahan)
        statement = spoken.statement.format(declarant=self.declarant or spoken.declarant)
        return in_words(basis, facts, register, statement, self.requirements, spoken)

    def _read(
        self, arguments: Mapping[str, Any], glyphs: frozenset[int], registered: Collection[str]
    ) -> tuple[dict[str, str], dict[str, Message], dict[str, Message]]:
        """Return (values, problems, doubts) of the fields, each read by itself."""
        values: dict[str, str] = {}
        problems: dict[str, Message] = {}
        doubts: dict[str, Message] = {}
        for name, field in self.fields.items():
            raw = arguments.get(name)
            if raw is None or (isinstance(raw, str) and not raw.strip()):
                if field.default is not None:
                    values[name] = field.default
                elif field.required:
                    problems[name] = Message("missing")
                continue
            try:
                if name in registered:
                    values[name], doubt = field.read_register(raw, glyphs)
                    doubts |= {name: doubt} if doubt else {}
                else:
                    values[name] = field.read(raw, glyphs)
            except WrongValue as wrong:
                problems[name] = wrong.message
        return values, problems, doubts

    def changed(
        self,
        proposed: Mapping[str, Any],
        values: Mapping[str, str],
        glyphs: frozenset[int],
        registered: Collection[str],
    ) -> list[str]:
        """Return the fields whose values mean something else than what was proposed; an invalid value always does."""
        meant, wrong, _ = self._read(proposed, glyphs, registered)
        self._settle_addresses(meant, registered)
        unread = wrong.keys() | proposed.keys() - self.fields.keys()
        meant |= {name: str(proposed[name]) for name in unread if proposed.get(name) is not None}
        return sorted(name for name in {*self.fields, *proposed} if meant.get(name, "") != values.get(name, ""))

    def _settle_addresses(self, values: dict[str, str], registered: Collection[str]) -> dict[str, Message]:
        """Remove RT and RW from an address that is printed together with them; they must agree with those fields."""
        problems: dict[str, Message] = {}
        for line in (line for _, line in self.rows if {"rt", "rw"} <= slots(line)):
            for name in sorted(slots(line) & values.keys()):
                if self.fields[name].kind != "address":
                    continue
                street, rts, rws = kinds.split_rt_rw(values[name])
                values[name] = values[name] if name in registered and not street else street
                for label, written, given in (("RT", rts, values.get("rt")), ("RW", rws, values.get("rw"))):
                    if given is not None and written - {given}:
                        found = {"label": label, "inside": "/".join(sorted(written)), "given": given}
                        problems[name] = Message("another_in_address", found)
                try:
                    kinds.read_address(values[name])
                except WrongValue as wrong:
                    problems.setdefault(name, wrong.message)
        return problems

    def _in_words(self, found: Mapping[str, Message], spoken: OfficeWords) -> list[FieldProblem]:
        """Return the problems in the letter's order; those of fields that it doesn't have after them, by name."""
        problems: list[FieldProblem] = []
        for name in (*(name for name in self.fields if name in found), *sorted(found.keys() - self.fields.keys())):
            label = self.word_in(self.fields[name].label, spoken.language) if name in self.fields else name[:40]
            message = f"{label}: {found[name].in_words(spoken)}"
            problems.append(FieldProblem(field=name[:40], label=label, message=message))
        return problems


def load(folder: Path) -> LetterType:
    """Read one letter's folder. Raises LetterTypeError naming the file and the faulty key."""
    source = folder / "letter.toml"
    try:
        data = tomllib.loads(plain_text(source, MOST_BYTES))
        lines = plain_text(folder / "letter.txt", MOST_BYTES).splitlines()
    except FileNotFoundError as error:
        raise LetterTypeError(f"{error.filename} is missing: a letter needs letter.toml and letter.txt") from error
    except OSError as error:
        raise LetterTypeError(f"{error.filename}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise LetterTypeError(f"{source}: {error}") from error
    try:
        data = with_own_kinds(data, folder)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError, OSError) as error:
        raise LetterTypeError(f"{folder.parent / FILE}: {error}") from error
    except ValidationError as error:
        raise LetterTypeError(f"{folder.parent / FILE}: {_first_reason(error)}") from None
    try:
        return LetterType(**data, key=folder.name, text=tuple(line.strip() for line in lines if line.strip()))
    except (ValidationError, TypeError) as error:
        raise LetterTypeError(f"{source}: {_first_reason(error)}") from error


def _first_reason(error: ValidationError | TypeError) -> str:
    if isinstance(error, TypeError):
        return re.sub(r"^.*__init__\(\) ", "", str(error))
    first = error.errors(include_input=False, include_url=False)[0]
    where = ".".join(str(part) for part in first["loc"] if part != "[key]")
    return f"{where or 'letter'}: {reason(first)}"


def reason(one: ErrorDetails) -> str:
    """Describe a validation error for the author of the file."""
    text = REWORDED.get(one["type"], one["msg"])
    return text.removeprefix("Value error, ").replace("Input should be", "should be")
