"""Reads and checks conversations.toml: what the citizen says, and what is true of the letter.

`citizen` decides who says what when, `judge` judges.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict

FILE = Path(__file__).with_name("conversations.toml")

Category = Literal[
    "complete", "partial", "turns", "corrected", "contradictory", "hostile", "off-topic", "procedure"
]  # fmt: skip
LetterKind = Literal[
    "surat_keterangan_domisili", "surat_keterangan_usaha", "surat_keterangan_tidak_mampu", "surat_pengantar"
]  # fmt: skip
Values = Annotated[tuple[str, ...], BeforeValidator(lambda value: (value,) if isinstance(value, str) else value)]
"""One or more notations of the same value; the citizen uses the first."""

_IDENTITY = ("nama", "nik", "tempat_lahir", "tanggal_lahir", "agama")
_OF_PERSON: Mapping[str, Mapping[str, str]] = {
    "surat_keterangan_domisili": {
        **{name: name for name in (*_IDENTITY, "status_perkawinan", "pekerjaan", "rt", "rw")},
        "alamat_domisili": "alamat",
    },
    "surat_keterangan_usaha": {name: name for name in (*_IDENTITY, "alamat", "rt", "rw")},
    "surat_keterangan_tidak_mampu": {
        name: name for name in (*_IDENTITY, "status_perkawinan", "pekerjaan", "alamat", "rt", "rw")
    },
    "surat_pengantar": {name: name for name in (*_IDENTITY, "status_perkawinan", "pekerjaan", "alamat", "rt", "rw")},
}
"""Maps a letter's fields to facts about the person."""


class Conversation(BaseModel):
    """One citizen at the counter.

    `turns` are said in order, regardless of the answers; after them the citizen answers questions from `truth` or in
    the words of `answers`. `later` lists the fields that `turns` leave out. `truth` is all that a letter may say:
    {field: notations}. `letter` None means that no letter may be issued. `answer_has` lists words that the last answer
    must contain, all of them (alternatives are written `a|b`).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    category: Category
    language: Literal["id", "en"] = "id"
    letter: LetterKind | None = None
    turns: tuple[str, ...]
    truth: dict[str, Values] = {}
    answers: dict[str, str] = {}
    later: tuple[str, ...] = ()
    answer_has: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """A hash that changes with any word of the script."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:12]


class ScriptError(ValueError):
    """conversations.toml is invalid; the message names the conversation."""


def load(file: Path = FILE) -> list[Conversation]:
    """The conversations in running order: evenly mixed over the categories. Raises ScriptError."""
    data = tomllib.loads(file.read_text(encoding="utf-8"))
    people: dict[str, dict[str, Any]] = data.get("people", {})
    found = [_conversation(entry, people) for entry in data["conversations"]]
    ids = [conversation.id for conversation in found]
    if twice := {name for name in ids if ids.count(name) > 1}:
        raise ScriptError(f"{file.name}: used twice: {', '.join(sorted(twice))}")
    return _mixed(found)


def _conversation(entry: dict[str, Any], people: Mapping[str, dict[str, Any]]) -> Conversation:
    entry = dict(entry)
    name = entry.pop("person", None)
    if name is not None:
        if name not in people:
            raise ScriptError(f"{entry.get('id')}: there is no [people.{name}]")
        facts = _OF_PERSON[entry.get("letter", "surat_keterangan_domisili")]
        known = {field: people[name][fact] for field, fact in facts.items()}
        entry["truth"] = known | entry.get("truth", {})
    conversation = Conversation.model_validate(entry)
    if stranger := set(conversation.later) - conversation.truth.keys():
        raise ScriptError(f"{conversation.id}: `later` names what has no truth: {', '.join(sorted(stranger))}")
    if conversation.letter and not conversation.truth:
        raise ScriptError(f"{conversation.id}: a letter is expected, but nothing is true of it")
    return conversation


def _mixed(conversations: list[Conversation]) -> list[Conversation]:
    """Mix evenly, so that any prefix is a fair sample of the categories."""
    by_category: defaultdict[str, list[Conversation]] = defaultdict(list)
    for conversation in conversations:
        by_category[conversation.category].append(conversation)
    places = [
        ((number + 0.5) / len(group), category, conversation)
        for category, group in by_category.items()
        for number, conversation in enumerate(group)
    ]
    return [conversation for _, _, conversation in sorted(places, key=lambda place: place[:2])]
