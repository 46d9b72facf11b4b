"""`letters check`: reports every mistake in a letter's folder, with its line, to its author. Issues nothing."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from servers.certificate.letters.conditions import Condition
from servers.certificate.letters.fields import LetterField
from servers.certificate.letters.lettertype import LetterType, LetterTypeError, load, reason

KEYS: dict[str, type[BaseModel]] = {"fields": LetterField, "conditions": Condition}
"""The models of the tables inside a letter.toml."""


def check(folders: Sequence[Path], signers: Collection[str]) -> Iterator[str]:
    """Yield the mistakes in these folders, and conflicts between them. Reads only files."""
    letters: dict[Path, LetterType] = {}
    for folder in folders:
        found = list(mistakes(folder))
        yield from found
        letters |= {} if found else {folder / "letter.toml": load(folder)}
    sources = {id(letter): source for source, letter in letters.items()}
    for source, letter in letters.items():
        for where in _strange_languages(letter):
            yield f"{source}:{_line(source, where)}: {'.'.join(where)}: is no language's code, such as `en`"
    for letter, key, what in conflicts(letters.values(), signers):
        source = sources[id(letter)]
        yield f"{source}:{_line(source, (key,))}: {key}: {what}"


def _strange_languages(letter: LetterType) -> Iterator[tuple[str, ...]]:
    """Where words are given in no language: the keys that lead there."""
    from babel.localedata import exists

    by_language: dict[tuple[str, ...], Mapping[str, object]] = {("titles",): letter.titles, ("terms",): letter.terms}
    by_language |= {("roles", name): said for name, said in letter.roles.items()}
    by_language |= {("fields", name, "labels"): field.labels for name, field in letter.fields.items()}
    yield from ((*where, code) for where, said in by_language.items() for code in said if not exists(code))


def conflicts(letters: Iterable[LetterType], signers: Collection[str]) -> Iterator[tuple[LetterType, str, str]]:
    """Yield (letter, key of letter.toml, what is wrong) of a signer that the office lacks and of another's series."""
    owners: dict[str, str] = {}
    for letter in letters:
        usable = letter.signer is None or letter.signer in signers
        if not usable:
            yield letter, "signer", f"the office file has no {letter.signer}"
        owner = owners.setdefault(letter.series, letter.key) if usable else owners.get(letter.series, letter.key)
        if owner != letter.key:
            yield letter, "series", f"{letter.series} is {owner}'s already"


def letters_in(folder: Path) -> list[Path]:
    """Return the folder itself if it is a letter's, else the letter folders in it."""
    inside = [one for one in sorted(folder.glob("[!._]*")) if one.is_dir()]
    holds_letters = any((one / name).exists() for one in inside for name in ("letter.toml", "letter.txt"))
    return inside if holds_letters and not (folder / "letter.toml").exists() else [folder]


def mistakes(folder: Path) -> Iterator[str]:
    """Yield `FILE:LINE: KEY: what is wrong` for each mistake in one letter's folder."""
    source = folder / "letter.toml"
    if not folder.is_dir():
        yield f"{folder}: no such folder"
        return
    if not source.exists() and (folder / "letters").is_dir():
        yield f"{folder} is an office's folder; its letters are in {folder / 'letters'}"
        return
    try:
        load(folder)
        return
    except LetterTypeError as error:
        if not isinstance(invalid := error.__cause__, ValidationError):
            yield _with_line(str(error))
            return
    text = (folder / "letter.txt").read_text(encoding="utf-8")
    for one in invalid.errors(include_input=False, include_url=False):
        where = tuple(str(part) for part in one["loc"])
        slot = None if where else re.search(r"\{([\w:!]+)", one["msg"])
        in_text = "letter.txt" in one["msg"] or (slot and f"{{{slot[1]}}}" in text)
        file = folder / "letter.txt" if in_text else source
        line = _line(file, (f"{{{slot[1]}}}",) if slot else where)
        yield f"{file}:{line}: {'.'.join(where) or 'letter'}: {_in_words(one)}"


def _in_words(one: ErrorDetails) -> str:
    """Describe a validation error for the author of the file."""
    if one["type"] == "extra_forbidden":
        *above, key = map(str, one["loc"])
        known = [*(KEYS.get(above[0], LetterType) if above else LetterType).model_fields]
        near = get_close_matches(key, known, n=1, cutoff=0.75)
        return f"{reason(one)}; " + (f"did you mean `{near[0]}`?" if near else f"there are: {', '.join(known)}")
    own = "; or one of your own, in kinds.toml beside the letters' folders" if one["loc"][2:] == ("kind",) else ""
    return reason(one) + own


def _with_line(mistake: str) -> str:
    """Add to `FILE: …` the line that TOML reports, or that of the key at the start of the message."""
    file, _, what = mistake.partition(": ")
    if at := re.search(r"at line (\d+)", what):
        return f"{file}:{at[1]}: {what}"
    key = re.match(r"([\w.-]+): ", what)
    return f"{file}:{_line(Path(file), key[1].split('.'))}: {what}" if key else mistake


def _line(file: Path, names: Sequence[str]) -> int:
    """Return the line of these names, each searched after the previous one; a name not found is skipped."""
    text, at = file.read_text(encoding="utf-8"), 0
    for name in names:
        found = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])").search(text, at)
        at = found.start() if found else at
    return text.count("\n", 0, at) + 1
