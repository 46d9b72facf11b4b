"""Says errors of tomllib and pydantic in the words of client.toml, with what to write instead. It finds none itself."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, get_args

from pydantic import BaseModel

from agentd.config import sections
from agentd.config.lines import Path as KeyPath

_TWICE = "it stands above already: leave one out; several entries of a kind are each [[…]], as in [[servers]]"
_PATH = "write a path in single quotes, 'C:\\srv\\tool.exe', or double each backslash"
_LINE = "a line is KEY = VALUE, a [section], or starts with #"
_NOT_TOML = {
    "Invalid value": 'text stands in straight quotes, "…"; true and false in small letters',
    "Illegal character": "the closing quote is missing",
    "Unescaped '\\'": _PATH,
    "Reserved escape": _PATH,
    "Expected '='": _LINE,
    "Invalid statement": _LINE,
    "Cannot declare": _TWICE,
    "Cannot overwrite": _TWICE,
}
"""{start of tomllib's message: what to do}."""

_TYPES = {
    "a valid dictionary": "a table",
    "a valid list": 'a list, ["…"]',
    "a valid string": 'text in quotes, "…"',
    "a valid integer": "a whole number without quotes",
    "a valid number": "a number without quotes",
    "a valid boolean": "true or false",
}
"""{pydantic's name of a type: how the file writes it}."""


def not_toml(said: str, text: str) -> tuple[int, str]:
    """tomllib's message as (line, sentence); the last line if it only says `at end of document`."""
    digits = said.partition("at line ")[2].partition(",")[0]
    line = int(digits) if digits.isdigit() else max(1, len(text.splitlines()))
    to_do = next((to_do for start, to_do in _NOT_TOML.items() if said.startswith(start)), "")
    return line, f"not TOML: {said}{'; ' if to_do else ''}{to_do}"


def known_keys(section: type[BaseModel]) -> tuple[str, ...]:
    """A section's keys, named as in the file."""
    return tuple(field.alias or name for name, field in section.model_fields.items())


def _sections(annotation: Any) -> Iterator[type[BaseModel]]:
    """The models in a field's annotation, alone or in a list."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _sections(part)


@cache
def _known() -> Mapping[str, tuple[str, ...]]:
    """{section: its keys}, with the key "" for the file itself."""
    file = sections.client_file()
    return {"": known_keys(file)} | {
        name: known_keys(section)
        for name, field in file.model_fields.items()
        for section in _sections(field.annotation)
    }


_QUOTED = re.compile("'([^']*)'")
_BRANCHES = ("ToolSettings", "dict[str,str]")
"""Pydantic's names of the union branches for tables where a bare name may stand (`[[tools]]`, `models`)."""


def of_other_branch(detail: Any) -> bool:
    """Whether a pydantic error is about the wrong union branch: a table where a bare name is tried, or the reverse."""
    branch, given = detail["loc"][-1], detail.get("input")
    return (branch == "str" and isinstance(given, dict)) or (branch in _BRANCHES and isinstance(given, str))


def path_of(detail: Any) -> KeyPath:
    """The key path of a pydantic error: its `loc` without the names of union branches."""
    return tuple(part for part in detail["loc"] if part not in ("str", *_BRANCHES))


def explain(detail: Any, raw: dict[str, Any]) -> tuple[KeyPath, str]:
    """A pydantic error as (key path, sentence)."""
    where = path_of(detail)
    name = ".".join(str(part) for part in where)
    kind = detail["type"]
    section = str(where[0]) if len(where) > 1 else ""
    if kind == "extra_forbidden":
        key = str(where[-1])
        return where, f"unknown key `{key}`{_elsewhere(key) or meant(key, _known().get(section, ()))}"
    if kind == "missing":
        unknown = [str(key) for key in table_at(raw, where[:-1]) or () if key not in _known().get(section, ())]
        near = meant_key(str(where[-1]), unknown)
        hint = f"; is it what `{near}` was meant to be?" if near else ""
        return where[:-1], f"`{name}` is missing{hint}"
    wanted = str(detail["msg"]).replace("Input should be ", "should be ").removeprefix("Value error, ")
    for name_of_type, written in _TYPES.items():
        wanted = wanted.replace(name_of_type, written)
    given = detail.get("input")
    near = meant(given, _QUOTED.findall(wanted)) if kind == "literal_error" and isinstance(given, str) else ""
    return where, f"`{name}` {wanted}, not {_shown(given)}{near if 'mean' in near else ''}"


def _elsewhere(key: str) -> str:
    """Where a key of this name is known, if in few places."""
    homes = [section for section, keys in _known().items() if key in keys]
    if "" in homes:
        return "; it is a key of the file itself: write it above the first [section]"
    return f"; it is a key of {' or '.join(f'[{home}]' for home in homes)}" if 0 < len(homes) <= 2 else ""


def table_at(raw: Any, where: KeyPath) -> dict[Any, Any] | None:
    for part in where:
        try:
            raw = raw[part]
        except (KeyError, IndexError, TypeError):
            return None
    return raw if isinstance(raw, dict) else None


def meant_key(key: str, known: Iterable[str]) -> str | None:
    """The known key that is most like this one, or None."""
    return next(iter(difflib.get_close_matches(key, list(known), n=1)), None)


def meant(key: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown key: the known key that it is most like, else all of them."""
    known = list(known)
    if (near := meant_key(key, known)) is not None:
        return f"; did you mean `{near}`?"
    return f"; known here: {', '.join(known)}" if known else ""


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:57] + "…"
