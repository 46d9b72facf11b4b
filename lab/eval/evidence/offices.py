"""Conversations at unfamiliar offices as trials: two configured letters, two tools of other trades, and natural
conversations (FILES). Authors who had not seen the code wrote all of these but NATURAL."""

from __future__ import annotations

import json
import lzma
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from agentd.messages import ToolInfo
from lab.eval.evidence.trials import Trial, session
from servers.certificate.letters.lettertype import load

FILE = Path(__file__).with_suffix(".toml")
FILES = tuple(FILE.with_name(f"{name}.toml") for name in ("natural", "blind", "trades", "counters", "desks"))
NATURAL = FILES[0]
ROOT = FILE.parents[3]
HOSTED = FILE.with_name("hosted.json.xz")
"""{file:id of a conversation: {"input", "quotes"}}, as a large language model wrote the call from the tool and the
conversation alone."""


def trials(file: Path = FILE) -> Iterator[Trial]:
    """One honest call per conversation that has one, and one call per value that must not pass."""
    for office in tomllib.loads(file.read_text(encoding="utf-8"))["office"]:
        asked = tool(office)
        for at, talk in enumerate(office["talk"]):
            key, said = f"{office['name']}:{at}", session(*talk["said"], day=office.get("day", ""))
            if call := talk.get("call"):
                yield Trial(key, office["name"], "id, en", True, asked, call, said)
            for name, value in talk.get("refused", {}).items():
                yield Trial(f"{key}:{name}", office["name"], "id, en", False, asked, {name: value}, said)


def hosted() -> Iterator[Trial]:
    """The honest conversations, each with the call that a hosted model wrote."""
    written = json.loads(lzma.decompress(HOSTED.read_bytes()))
    for file in FILES:
        for trial in trials(file):
            if trial.honest and (call := written.get(f"{file.stem}:{trial.id}")):
                yield replace(trial, arguments=call["input"], quotes=call["quotes"])


def half_of(trial: Trial) -> str:
    """The half of a natural conversation: `tuning` for every second one, `reporting` for the others."""
    return ("tuning", "reporting")[int(trial.id.split(":")[1]) % 2]


def tool(office: Mapping[str, Any]) -> ToolInfo:
    """An office's tool, from a letter's folder or as written in the file, without required fields: only those told in a
    conversation are judged."""
    if "letter" in office:
        made = letter(ROOT / office["letter"])
        return made.model_copy(update={"input_schema": {**made.input_schema, "required": []}})
    own = dict(office["tool"])
    name, description = own.pop("name"), own.pop("description")
    schema = {"type": "object", **own, "required": []}
    return ToolInfo(name=name, server=office["name"], official=True, description=description, input_schema=schema)


def letter(folder: Path) -> ToolInfo:
    """The tool of a letter's folder."""
    kind = load(folder)
    return ToolInfo(
        name=kind.tool, server="letters", official=True, description=kind.summary, input_schema=kind.input_schema()
    )
