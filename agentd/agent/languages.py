"""Loads the language packs: the words that citizens write and the daemon's replies, one TOML file per language.

Each file is read once; an incomplete one is refused. Readers understand all languages at once, so `words()` merges
them. Apps keep their own packs and load them with `packs`. docs/languages.md tells how to make a pack.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, TypeVar, cast, get_args

from pydantic import ValidationError

from agentd.errors import CommandError, Language
from agentd.messages import adapter

LANGUAGES: tuple[Language, ...] = get_args(Language)
Pack = TypeVar("Pack")


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The words that the daemon and more than one app use; the files explain each key."""

    detection: frozenset[str]
    prefixes: Mapping[str, str]
    suffixes: tuple[str, ...]
    clitics: tuple[str, ...]
    fillers: frozenset[str]
    joiners: frozenset[str]
    assents: frozenset[str]
    assents_first: frozenset[str]
    beside_assent: frozenset[str]
    refusals: frozenset[str]
    number_joiners: frozenset[str]
    numbered: frozenset[str]
    address_parts: tuple[str, ...]
    pin: tuple[str, ...]
    months: tuple[tuple[str, ...], ...]
    shorthands: Mapping[str, str]
    digits: Mapping[str, int]
    numbers: Mapping[str, int]
    ordinals: Mapping[str, int]
    scales: Mapping[str, int]


class IncompletePack(CommandError):
    """A pack lacks a key, has an unknown one, or has a wrong value; the text names file and key."""


@cache
def languages() -> Mapping[str, Words]:
    return packs(Path(__file__).with_suffix(""), Words)


@cache
def words() -> Words:
    """The words of all languages merged."""
    return merged(languages())


def packs(folder: Path, shape: type[Pack]) -> Mapping[str, Pack]:
    """Load a folder's packs by language as the dataclass `shape`, the daemon's own languages first.

    A language can have a pack of words without one of replies. Raises IncompletePack.
    """
    others = sorted({file.stem for file in folder.glob("*.toml")} - set(LANGUAGES))
    files = {language: folder / f"{language}.toml" for language in (*LANGUAGES, *others)}
    found = {language: read(file, shape) for language, file in files.items() if file.exists()}
    first = next(iter(found))
    for language, name in product(found, (each.name for each in fields(cast("Any", shape)))):
        known, lists = (getattr(found[each], name) for each in (first, language))
        if _nested(known) and _nested(lists) and len(known) != len(lists):
            raise IncompletePack(f"{files[language]}: {name}: {len(lists)} of {len(known)} lists")
    return found


def understood(code: str | None) -> bool:
    """Whether a pack of words covers the language. Malay counts as Indonesian; None means one of the daemon's own."""
    return code is None or code == "ms" or code in languages()


def own(code: object) -> Language | None:
    """The code as one of the daemon's own languages, or None."""
    return next((language for language in LANGUAGES if language == code), None)


def read(file: Path, shape: type[Pack]) -> Pack:
    """Read one pack. It must have every key of `shape` or a reason under `[absent]`. Raises IncompletePack."""
    try:
        data: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise IncompletePack(f"{file}: {error}") from error
    absent: dict[str, str] = data.pop("absent", {})
    wanted = {each.name: each for each in fields(cast("Any", shape))}
    if wrong := sorted((wanted.keys() - data.keys() - absent.keys()) | (absent.keys() & data.keys())):
        raise IncompletePack(f"{file}: {', '.join(wrong)}: give the words, or the reason for none under [absent]")
    if unread := sorted((data.keys() | absent.keys()) - wanted.keys()):
        raise IncompletePack(f"{file}: {', '.join(unread)}: nothing reads it")
    nothing: dict[str, Any] = {name: {} if str(wanted[name].type).startswith("Mapping") else [] for name in absent}
    try:
        pack: Pack = adapter(shape).validate_python({**data, **nothing})
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        raise IncompletePack(f"{file}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from error
    return pack


def merged(each: Mapping[str, Pack]) -> Pack:
    """Merge all languages into one pack key by key: sets and tables are united, lists concatenated."""
    first, *others = each.values()
    values = {field.name: getattr(first, field.name) for field in fields(cast("Any", first))}
    for other in others:
        values = {name: _joined(value, getattr(other, name)) for name, value in values.items()}
    return type(first)(**values)


def _joined(left: Any, right: Any) -> Any:
    if isinstance(left, frozenset):
        return left | right
    if isinstance(left, Mapping):
        return {**left, **{key: _joined(left[key], value) if key in left else value for key, value in right.items()}}
    if _nested(left) and _nested(right):
        return tuple(_joined(one, other) for one, other in zip(left, right, strict=True))
    return left + right if isinstance(left, tuple) else right


def _nested(value: object) -> bool:
    """Whether the value is a tuple of tuples, such as `months`, to be joined element by element."""
    return isinstance(value, tuple) and bool(value) and isinstance(value[0], tuple)


@dataclass(frozen=True, slots=True, kw_only=True)
class Replies:
    """The daemon's texts in one language; the files explain each key. Error texts are in agentd/errors.py."""

    declined: str
    blocked: str
    cut_off: str
    parked: str
    withdrawn: str
    withdrawn_for_another: str
    check_official: str
    ask_official: str
    officer_official: str
    check_act: str
    ask_act: str
    officer_act: str
    differs: str
    doubted: str
    which: str
    yes: str
    no: str
    prompt: Mapping[str, str]
    logs: Mapping[str, str]
    courtesies: Mapping[str, tuple[str, ...]]
    beside_courtesies: frozenset[str]


@cache
def replies() -> Mapping[str, Replies]:
    return packs(Path(__file__).with_name("replies"), Replies)
