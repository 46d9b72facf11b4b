"""One type of letter, read from its folder: what it asks, how the answers are checked, what it says. Issues nothing.

A folder holds `letter.toml` (title, series, fields, rows of the applicant's table, requirements) and `letter.txt` (the
text, one paragraph a line). In both, `{field}` stands for an answer; a paragraph or row that names an empty optional
field is left out. A line `[data]` in the text is where the table goes.
"""

from __future__ import annotations

import re
import string
import tomllib
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from servers.certificate import kinds

OFFICE_SLOTS = frozenset({"jabatan", "kelurahan", "kecamatan", "kota", "provinsi"})
Slug = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{1,40}$")]


class LetterTypeError(ValueError):
    """A letter's folder can't be used; the text names the file and what to correct."""


class FieldProblem(BaseModel):
    """One wrong field, in words for the citizen. `message` is a whole sentence that begins with the label."""

    model_config = ConfigDict(frozen=True)

    field: str
    label: str
    message: str


class InvalidFields(Exception):
    """Some fields are missing or wrong: all of them, one problem each."""

    def __init__(self, problems: list[FieldProblem]) -> None:
        self.problems = problems
        super().__init__(f"{len(problems)} fields: {', '.join(problem.field for problem in problems)}")


class LetterField(BaseModel):
    """One field as its letter.toml declares it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["nik", "kk", "date", "rt", "rw", "phone", "person-name", "address", "text", "choice"]
    label: str
    hint: str | None = None
    choices: str | dict[str, tuple[str, ...]] = ""
    optional: bool = False
    default: str | None = None
    identity: bool = False
    """It says who a person is, though its kind does not show it (a place of birth)."""

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

    @property
    def spellings(self) -> Mapping[str, tuple[str, ...]]:
        """The choices, each with its other spellings; empty for other kinds."""
        return (
            kinds.CHOICES[self.choices] if self.choices and isinstance(self.choices, str) else dict(self.choices or {})
        )

    @property
    def required(self) -> bool:
        return not self.optional and self.default is None

    def json_schema(self) -> dict[str, Any]:
        """The field as a JSON Schema property; short, for a small model reads it."""
        schema: dict[str, Any] = {"type": "string", "title": self.label}
        if self.kind == "choice":
            schema["enum"] = list(self.spellings)
            schema["x-agentd-spellings"] = {choice: list(others) for choice, others in self.spellings.items()}
        else:
            kind = kinds.KINDS[self.kind]
            schema |= {"format": kind.format, "examples": [kind.example]}
        hint = self.hint if self.hint is not None else (kinds.KINDS[self.kind].hint if self.kind != "choice" else "")
        if hint:
            schema["description"] = hint
        if self.default is not None:
            schema["default"] = self.default
        if self.identity:
            schema["x-agentd-identity"] = True
        return schema

    def read(self, value: object, glyphs: frozenset[int]) -> str:
        """The canonical value. Raises ValueError with the end of a sentence that the label begins."""
        text = kinds.text_of(value)
        if not text:
            raise ValueError("belum diisi.")
        if self.kind == "choice":
            return kinds.read_choice(text, self.spellings)
        kind = kinds.KINDS[self.kind]
        if text == kind.example:
            raise ValueError("ini masih contoh, isi dengan data Anda.")
        if len(text) > kind.max_length:
            raise ValueError(f"terlalu panjang, paling banyak {kind.max_length} huruf.")
        if (character := kinds.unprintable(text, glyphs)) is not None:
            raise ValueError(f"ada karakter yang tidak dapat dicetak ({character}). Tulis dengan huruf Latin.")
        return kind.read(text)


class LetterType(BaseModel):
    """A type of letter. `key` is its folder's name, and `generate_KEY` its tool."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: Slug
    title: str
    summary: str = Field(description="the tool's description: one short sentence")
    series: str = Field(pattern=r"^[A-Z0-9.-]{1,20}$", description="the letter's code in its number")
    aliases: tuple[str, ...] = ()
    elsewhere: dict[str, str] = {}
    requirements: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    signer: str | None = Field(default=None, description="a key of the office's [signers]; none: its default signer")
    order: int = 100
    fields: dict[Slug, LetterField]
    rows: tuple[tuple[str, str], ...]
    text: tuple[str, ...]

    @model_validator(mode="after")
    def _slots_have_fields(self) -> LetterType:
        known = OFFICE_SLOTS | set(self.fields)
        for line in (*(value for _, value in self.rows), *self.text):
            if unknown := slots(line) - known:
                raise ValueError(f"{{{'}, {'.join(sorted(unknown))}}} is neither a field nor one of the office's words")
        return self

    @property
    def tool(self) -> str:
        return f"generate_{self.key}"

    def input_schema(self) -> dict[str, Any]:
        """The tool's input as JSON Schema: a flat object, the office's labels as titles."""
        return {
            "type": "object",
            "properties": {name: field.json_schema() for name, field in self.fields.items()},
            "required": [name for name, field in self.fields.items() if field.required],
            "additionalProperties": False,
        }

    def check(
        self, arguments: Mapping[str, Any], today: date, glyphs: frozenset[int]
    ) -> tuple[dict[str, str], list[str]]:
        """(values, warnings): every field in its canonical form, sex taken from the NIK when it wasn't given.

        Raises InvalidFields with one problem for each wrong field. `glyphs` are the code points the font can print.
        """
        values: dict[str, str] = {}
        problems: dict[str, str] = {}
        for name, field in self.fields.items():
            raw = arguments.get(name)
            if raw is None or (isinstance(raw, str) and not raw.strip()):
                if field.default is not None:
                    values[name] = field.default
                elif field.required:
                    problems[name] = "belum diisi."
                continue
            try:
                values[name] = field.read(raw, glyphs)
            except ValueError as error:
                problems[name] = str(error)
        for name in sorted(arguments.keys() - self.fields.keys()):
            problems[name] = f"bukan isian {self.title}."
        problems = self._settle_addresses(values) | compare(values, today) | problems
        if problems:
            raise InvalidFields([self._problem(name, problems[name]) for name in sorted(problems, key=self._place)])
        if "jenis_kelamin" in self.fields and "nik" in values:
            values.setdefault("jenis_kelamin", "Perempuan" if kinds.nik_is_woman(values["nik"]) else "Laki-laki")
        return {name: values[name] for name in self.fields if name in values}, warnings(values)

    def changed(
        self, proposed: Mapping[str, Any], values: Mapping[str, str], today: date, glyphs: frozenset[int]
    ) -> list[str]:
        """The fields in which the letter's values mean something else than what was proposed, right or wrong."""
        try:
            meant, _ = self.check(proposed, today, glyphs)
        except InvalidFields as error:
            wrong = {problem.field for problem in error.problems}
            texts = {name: kinds.text_of(value) for name, value in proposed.items()}
            return sorted(name for name in wrong | set(texts) if texts.get(name, "") != values.get(name, ""))
        return sorted(name for name in self.fields if meant.get(name) != values.get(name))

    def _settle_addresses(self, values: dict[str, str]) -> dict[str, str]:
        """Take RT and RW out of an address that the letter prints together with them; they must agree."""
        problems = {}
        for line in (line for _, line in self.rows if {"rt", "rw"} <= slots(line)):
            for name in sorted(slots(line) & values.keys()):
                if self.fields[name].kind != "address":
                    continue
                values[name], rts, rws = kinds.split_rt_rw(values[name])
                for label, written, given in (("RT", rts, values.get("rt")), ("RW", rws, values.get("rw"))):
                    if given is not None and written - {given}:
                        inside = "/".join(sorted(written))
                        problems[name] = (
                            f"di dalamnya tertulis {label} {inside}, tetapi isian {label} {given}. Mana yang benar?"
                        )
                try:
                    kinds.read_address(values[name])
                except ValueError as error:
                    problems.setdefault(name, str(error))
        return problems

    def _place(self, name: str) -> tuple[int, str]:
        """Fields in the letter's order, strangers after them."""
        return (list(self.fields).index(name) if name in self.fields else len(self.fields), name)

    def _problem(self, name: str, sentence: str) -> FieldProblem:
        known = self.fields.get(name)
        label = known.label if known else name[:40]
        return FieldProblem(field=name[:40], label=label, message=f"{label}: {sentence}")


def compare(values: Mapping[str, str], today: date) -> dict[str, str]:
    """What doesn't fit together: field name → sentence. Only fields that are right by themselves are compared."""
    problems: dict[str, str] = {}
    nik, born = values.get("nik"), values.get("tanggal_lahir")
    if born is not None:
        birth = date.fromisoformat(born)
        if birth > today:
            problems["tanggal_lahir"] = "tanggal ini belum terjadi."
        elif today.year - birth.year > 120:
            problems["tanggal_lahir"] = "tahunnya tidak mungkin, periksa lagi."
        elif nik is not None and kinds.nik_birth(nik) != (birth.day, birth.month, birth.year % 100):
            problems["nik"] = "tidak cocok dengan tanggal lahir. Periksa NIK dan tanggal lahir pada KTP."
    if nik is not None and (sex := values.get("jenis_kelamin")) and (sex == "Perempuan") != kinds.nik_is_woman(nik):
        problems["jenis_kelamin"] = "tidak cocok dengan NIK. Periksa lagi pada KTP."
    if nik is not None and values.get("no_kk") == nik:
        problems["no_kk"] = "sama dengan NIK. Nomor KK ada di bagian atas Kartu Keluarga."
    return problems


def warnings(values: Mapping[str, str]) -> list[str]:
    """What the counter should look at, though it doesn't stop the letter."""
    nik = values.get("nik", "")
    return (
        ["Kode wilayah pada NIK tidak dikenal, cocokkan dengan KTP."] if nik and nik[:2] not in kinds.PROVINCES else []
    )


def display(values: Mapping[str, str], fields: Mapping[str, LetterField]) -> dict[str, str]:
    """The values as the letter prints them: dates in words, telephone numbers as they are dialled here."""
    shown = dict(values)
    for name, value in values.items():
        if fields[name].kind == "date":
            shown[name] = indonesian_date(date.fromisoformat(value))
        elif fields[name].kind == "phone":
            shown[name] = kinds.dialled(value)
    return shown


def indonesian_date(day: date) -> str:
    """5 Maret 1990."""
    return f"{day.day} {kinds.MONTHS[day.month - 1]} {day.year}"


def slots(line: str) -> frozenset[str]:
    """The names in braces in a line of a letter."""
    return frozenset(name for _, name, _, _ in string.Formatter().parse(line) if name is not None)


def load(folder: Path) -> LetterType:
    """Read one letter's folder. Raises LetterTypeError naming the file and the key at fault."""
    source = folder / "letter.toml"
    try:
        data = tomllib.loads(source.read_text(encoding="utf-8"))
        lines = (folder / "letter.txt").read_text(encoding="utf-8").splitlines()
    except FileNotFoundError as error:
        raise LetterTypeError(f"{error.filename} is missing: a letter needs letter.toml and letter.txt") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise LetterTypeError(f"{source}: {error}") from error
    try:
        return LetterType(**data, key=folder.name, text=tuple(line.strip() for line in lines if line.strip()))
    except (ValidationError, TypeError) as error:
        raise LetterTypeError(f"{source}: {_first_reason(error)}") from error


def _first_reason(error: ValidationError | TypeError) -> str:
    if isinstance(error, TypeError):
        return re.sub(r"^.*__init__\(\) ", "", str(error))
    first = error.errors(include_input=False, include_url=False)[0]
    return f"{'.'.join(str(part) for part in first['loc']) or 'letter'}: {first['msg']}"
