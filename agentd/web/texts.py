"""The texts of the pages, one TOML file per language (incomplete ones are refused), and the choice of the language.

The daemon's own are in web/texts, an app's in `texts` beside its pages; the scripts get all of them as one module.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from aiohttp import hdrs, web

from agentd.agent.languages import LANGUAGES, own
from agentd.errors import Language

_PLACEHOLDER = re.compile(r"\{\w+\}")
TERMS = "terms"
"""The key of the translations of the office's terms; the office's own language has none."""


def texts(folders: Iterable[Path]) -> dict[Language, dict[str, Any]]:
    """The texts of each language, merged from folders of `LANGUAGE.toml`.

    Raises ValueError if a text, or a placeholder in it, is missing in one of the languages, or if two folders have the
    same text key.
    """
    merged: dict[Language, dict[str, Any]] = {language: {} for language in LANGUAGES}
    for folder in folders:
        said = {language: tomllib.loads((folder / f"{language}.toml").read_text("utf-8")) for language in LANGUAGES}
        terms = said["en"].get(TERMS, {})
        for language, words in said.items():
            pattern = said["id"] if language == "id" else {**said["id"], TERMS: terms}
            _compare(folder / f"{language}.toml", words, pattern)
            if twice := sorted(merged[language].keys() & words.keys()):
                raise ValueError(f"{folder / f'{language}.toml'}: another folder has these words: {', '.join(twice)}")
            merged[language].update(words)
    return merged


def _compare(file: Path, words: Mapping[str, Any], pattern: Mapping[str, Any]) -> None:
    own, other = _shape(words), _shape(pattern)
    wrong = sorted(name for name in own.keys() | other.keys() if own.get(name) != other.get(name))
    if wrong:
        raise ValueError(f"{file}: other words or placeholders than the languages beside it: {', '.join(wrong)}")


def _shape(words: Mapping[str, Any], path: str = "") -> dict[str, tuple[str, ...]]:
    """{path of each text: its sorted placeholders}."""
    found: dict[str, tuple[str, ...]] = {}
    for name, said in words.items():
        if isinstance(said, Mapping):
            found |= _shape(said, f"{path}{name}.")
        else:
            found[path + name] = tuple(sorted(_PLACEHOLDER.findall(said)))
    return found


def module(folders: Iterable[Path], zone: str, opening: Language) -> bytes:
    """The pages' JavaScript module: `TEXTS` in all languages, the office's time `ZONE`, the language of a new page."""
    said = (("TEXTS", texts(folders)), ("ZONE", zone), ("OPENING", opening))
    return "".join(f"export const {name} = {json.dumps(value, ensure_ascii=False)};\n" for name, value in said).encode()


def language_of(request: web.Request) -> Language:
    """The language of `?lang=`, else the first supported one that the browser accepts, else Indonesian."""
    accepted = request.headers.get(hdrs.ACCEPT_LANGUAGE, "").split(",")
    asked = (request.query.get("lang", ""), *(part.partition(";")[0].strip()[:2].lower() for part in accepted))
    return next((known for one in asked if (known := own(one))), LANGUAGES[0])
