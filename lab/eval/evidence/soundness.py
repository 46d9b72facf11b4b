"""Values that must not pass, and honest twins: chats with shipped letters and unfamiliar tools. Judges nothing."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lab.eval.evidence.offices import tool
from lab.eval.evidence.trials import Trial, half, session

FILE = Path(__file__).with_suffix(".toml")
LANGUAGES = ("id", "en", "jv")


def half_of(trial: Trial) -> str:
    """The half that the trial's conversation is in."""
    return half("\n".join(one.text for one in trial.said))


def trials(file: Path = FILE) -> Iterator[Trial]:
    """One trial per argument, wrong or right; a list of wrong values gives one trial per value."""
    for office in tomllib.loads(file.read_text(encoding="utf-8"))["office"]:
        for language in LANGUAGES:
            for at, row in enumerate(office.get(language, ())):
                yield from _row(f"{office['name']}:{language}:{at}", language, office, row)


def _row(key: str, language: str, office: Mapping[str, Any], row: list[Any]) -> Iterator[Trial]:
    """The trials of `[why, {argument: wrong values}, {argument: right value}, *lines of the chat]`."""
    why, wrong, right, *lines = row
    asked, said = tool(office), session(*lines)
    for name, values in wrong.items():
        for value in values if isinstance(values, list) else (values,):
            yield Trial(f"{key}:{name}:{why}", "wrong", language, False, asked, {name: value}, said)
    for name, value in right.items():
        yield Trial(f"{key}:{name}:{why}", "honest", language, True, asked, {name: value}, said)
