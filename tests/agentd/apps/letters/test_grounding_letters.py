"""Grounding against the schemas of the letters that ship, in whole sessions: issue 5, "Grounding"."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from agentd.apps.letters.evidence.fields.field import form
from agentd.apps.letters.evidence.reading.lexicon import LABELS
from agentd.apps.letters.policies.grounding import ungrounded
from agentd.messages import ToolInfo
from servers.certificate.letters import lettertype
from servers.certificate.settings import SHIPPED_LETTERS
from tests.agentd.apps.letters.letters import call

LETTERS = SHIPPED_LETTERS
ROWS = tomllib.loads(Path(__file__).with_name("grounding_letters.toml").read_text(encoding="utf-8"))["case"]


@cache
def tool(key: str) -> ToolInfo:
    letter = lettertype.load(LETTERS / key)
    return ToolInfo(name=letter.tool, server="certificate", official=True, input_schema=letter.input_schema())


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['letter']}: {row['said'][-1][:40]}")
def test_a_session_comes_to_its_letter(row: dict[str, Any]) -> None:
    judged = ungrounded(call(row["call"], *row["said"], tool=tool(row["letter"])))
    assert [field.path for field in judged] == row.get("missing", [])


@pytest.mark.parametrize("folder", sorted(path.parent.name for path in LETTERS.glob("*/letter.toml")))
def test_every_field_of_a_letter_has_words_that_name_it(folder: str) -> None:
    read = form(tool(folder).input_schema)
    named = set(LABELS) | {label for path in read.shapes if (label := read.lexicon.label(path.replace("_", " ")))}
    unnamed = [path for path, shape in read.shapes.items() if shape.label not in named]
    assert unnamed == []
