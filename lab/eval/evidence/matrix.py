"""The field matrix as trials: 65 fields of six offices, each in every mood in which a citizen may state it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from agentd.messages import ToolInfo
from lab.eval.evidence.trials import Trial, session

FILE = Path(__file__).with_suffix(".toml")
_SAYS = "x-agentd-"
"""Prefix of the attributes that agentd adds to a field's plain JSON Schema."""


def trials(*, bare: bool = False, file: Path = FILE) -> Iterator[Trial]:
    """Each field in each mood and language. `bare` keeps names, types and descriptions only, like a foreign server."""
    data = tomllib.loads(file.read_text(encoding="utf-8"))
    tools = {name: _tool(name, rule, data["field"], bare=bare) for name, rule in data["tool"].items()}
    for field in data["field"]:
        for language, moods in data["mood"].items():
            for mood, lines in moods.items():
                for at, line in enumerate([*field[language].get(mood, ()), *lines]):
                    key = f"{field['tool']}.{field['name']}:{mood}:{at}"
                    yield from _trials(key, mood, language, line, tools[field["tool"]], field)


def _trials(key: str, mood: str, language: str, line: str, tool: ToolInfo, field: Mapping[str, Any]) -> Iterator[Trial]:
    words = field[language]
    texts = {name: text for name, text in words.items() if isinstance(text, str)}
    said = session(*(_sentence(part.format(**texts)) for part in line.split(" | ")))
    honest = mood in ("honest", "corrected") or mood == field.get("time")
    value = words.get("argument", words["value"])
    yield Trial(key, mood, language, honest, tool, {field["name"]: value}, said)
    if mood == "corrected":
        other = words.get("other_argument", words["other"])
        yield Trial(key, "before the correction", language, False, tool, {field["name"]: other}, said)


def _sentence(text: str) -> str:
    start = 3 if text.startswith("A: ") else 0
    return text[:start] + text[start : start + 1].upper() + text[start + 1 :]


def _tool(name: str, rule: Mapping[str, Any], fields: list[Mapping[str, Any]], *, bare: bool) -> ToolInfo:
    properties = {each["name"]: _property(each, bare=bare) for each in fields if each["tool"] == name}
    own = {key: value for key, value in rule.items() if key.startswith(_SAYS) and not bare}
    schema = {"type": "object", "properties": properties, **own}
    return ToolInfo(name=rule["name"], server=name, official=True, description=rule["description"], input_schema=schema)


def _property(field: Mapping[str, Any], *, bare: bool) -> dict[str, Any]:
    schema = {"type": "string", **field.get("schema", {})}
    if bare:
        return {key: value for key, value in schema.items() if not key.startswith(_SAYS) and key != "title"}
    labels = {language: [field[language]["label"], *field[language].get("labels", ())] for language in ("id", "en")}
    time = {f"{_SAYS}time": field["time"]} if "time" in field else {}
    return {"title": field["en"]["label"].capitalize(), f"{_SAYS}labels": labels, **time, **schema}
