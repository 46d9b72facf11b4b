"""`agentd tools explain` and `check`: how a schema is read, and each of its mistakes where it stands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentd.apps.letters.explain import explained, mistakes
from agentd.cli import main
from agentd.messages import ToolInfo
from servers.certificate.letters.catalogue import Catalogue
from servers.certificate.settings import SHIPPED_LETTERS

SCHEMA: dict[str, Any] = {
    "type": "object",
    "x-agentd-roles": {"seller": {"id": ["penjual"], "en": ["the seller"]}},
    "properties": {
        "seller_name": {"type": "string", "x-agentd-kind": "name", "x-agentd-about": "seller"},
        "plot": {
            "type": "string",
            "x-agentd-labels": {"en": ["plot number", "plot no./code"]},
            "pattern": "^[A-Z]-\\d+$",
        },
    },
    "required": ["plot"],
}


def tool(schema: dict[str, Any]) -> ToolInfo:
    return ToolInfo(name="sell_land", server="land", official=True, description="Sell land.", input_schema=schema)


def changed(**rule: Any) -> ToolInfo:
    return tool({**SCHEMA, "properties": {**SCHEMA["properties"], "more": {"type": "string", **rule}}})


def test_every_field_is_explained_with_where_its_meaning_comes_from() -> None:
    told = list(explained(tool(SCHEMA)))
    assert "plot (required)" in told and "seller_name (optional)" in told
    assert "  kind    name  [x-agentd-kind]" in told
    assert "  about   seller  [x-agentd-about]" in told
    assert "  labels  plot number, plot no./code, plot  [x-agentd-labels]" in told
    assert "  about   the applicant  [x-agentd-about]" in explained(changed(**{"x-agentd-about": "applicant"}))
    assert "more (optional, sensitive)" in explained(changed(**{"x-agentd-sensitive": True}))


def test_a_schema_that_is_read_as_it_was_meant_has_no_mistakes() -> None:
    assert list(mistakes(tool(SCHEMA))) == []


def test_no_letter_that_ships_has_a_mistake() -> None:
    letters = Catalogue((SHIPPED_LETTERS, SHIPPED_LETTERS.parents[1] / "campus" / "letters")).types.values()
    tools = [
        ToolInfo(name=each.tool, server="c", official=True, description=each.summary, input_schema=each.input_schema())
        for each in letters
    ]
    assert len(tools) > 16 and [each.text for one in tools for each in mistakes(one)] == []


@pytest.mark.parametrize(
    ("rule", "key"),
    [
        ({"x-agentd-label": "x"}, "x-agentd-label"),
        ({"x-agentd-kind": "nama"}, "x-agentd-kind"),
        ({"x-agentd-kind": "name", "type": "integer"}, "x-agentd-kind"),
        ({"x-agentd-about": "sellers"}, "x-agentd-about"),
        ({"x-agentd-time": "tomorrow"}, "x-agentd-time"),
        ({"x-agentd-sensitive": "yes"}, "x-agentd-sensitive"),
        ({"x-agentd-labels": 3}, "x-agentd-labels"),
        ({"x-agentd-labels": {"xx": ["a"]}}, "x-agentd-labels"),
        ({"x-agentd-labels": {"en": ["plot number"]}}, "x-agentd-labels"),
        ({"enum": ["a"], "x-agentd-spellings": {"b": ["c"]}}, "x-agentd-spellings"),
        ({"enum": ["a", "b"], "x-agentd-spellings": {"a": ["c"], "b": ["C"]}}, "x-agentd-spellings"),
        ({"x-agentd-labels": []}, "x-agentd-labels"),
        ({"x-agentd-source": "resident"}, "x-agentd-source"),
        ({"x-agentd-source": 3}, "x-agentd-source"),
        ({"x-agentd-identity": "yes"}, "x-agentd-identity"),
        ({"x-agentd-declared": ["kinds.toml"]}, "x-agentd-declared"),
        ({"x-agentd-roles": ["seller"]}, "x-agentd-roles"),
        ({"x-agentd-roles": {"seller": {"xx": ["a"]}}}, "x-agentd-roles"),
        ({"enum": ["a"], "x-agentd-spellings": ["b"]}, "x-agentd-spellings"),
        ({"enum": ["a"], "x-agentd-spellings": {"a": "b"}}, "x-agentd-spellings"),
        ({"pattern": "[A-Z"}, "pattern"),
        ({"anyOf": [{"type": "string", "x-agentd-knd": "name"}, {"type": "null"}]}, "x-agentd-knd"),
        ({"anyOf": [{"$ref": "#/$defs/Nothing"}, {"type": "null"}]}, "$ref"),
        ({"type": "array", "items": {"anyOf": [{"x-agentd-time": "soon"}, {"type": "null"}]}}, "x-agentd-time"),
        ({"$ref": "#/$defs/Nothing"}, "$ref"),
        ({"type": "object", "properties": {"deep": {"type": "string", "x-agentd-knd": "name"}}}, "x-agentd-knd"),
        ({"type": "array", "items": {"type": "object", "required": ["gone"]}}, "required"),
    ],
)
def test_each_mistake_is_named_with_its_field_and_key(rule: dict[str, Any], key: str) -> None:
    found = list(mistakes(changed(**rule)))
    assert [each.key for each in found] == [key]
    assert "more" in f"{found[0].path} {found[0].text}"


def test_words_in_every_language_of_a_pack_are_read() -> None:
    said: dict[str, Any] = {language: ["more"] for language in ("id", "en", "jv", "ar", "zh")}
    assert list(mistakes(changed(**{"x-agentd-labels": said}))) == []


def test_what_is_wrong_behind_a_reference_is_named_with_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    street = {"type": "string", "x-agentd-kind": "jalan"}
    schema = {
        "$defs": {"Address": {"type": "object", "properties": {"street": street}}, "Loop": {"$ref": "#/$defs/Loop"}},
        "properties": {
            "home": {"anyOf": [{"$ref": "#/$defs/Address"}, {"type": "null"}]},
            "x": {"$ref": "#/$defs/Loop"},
        },
    }
    file = tmp_path / "home.json"
    file.write_text(json.dumps(schema, indent=1), encoding="utf-8-sig")
    line = next(at for at, text in enumerate(file.read_text().splitlines(), 1) if '"jalan"' in text)
    assert main(["tools", "check", str(file)]) == 1
    assert f"home: line {line}: home.street: x-agentd-kind: 'jalan' is no kind" in capsys.readouterr().out


def test_two_fields_of_one_name_are_a_mistake_of_an_official_tool_alone(tmp_path: Path) -> None:
    fields = {"name": {"type": "string"}, "full_name": {"type": "string", "title": "Name"}}
    told: dict[str, Any] = {"name": "greet", "description": "Greet.", "inputSchema": {"properties": fields}}
    file = tmp_path / "greet.json"
    file.write_text(json.dumps({"tools": [told]}), encoding="utf-8")
    assert main(["tools", "check", str(file)]) == 0
    told["_meta"] = {"agentd/official": True}
    file.write_text(json.dumps({"tools": [told]}), encoding="utf-8")
    assert main(["tools", "check", str(file)]) == 1


def test_a_file_is_checked_without_a_daemon_and_says_the_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "land.json"
    told = {
        "name": "sell_land",
        "description": "Sell land.",
        "inputSchema": changed(**{"x-agentd-kind": "nama"}).input_schema,
    }
    file.write_text(json.dumps(told, indent=1), encoding="utf-8")
    line = next(at for at, text in enumerate(file.read_text().splitlines(), 1) if '"x-agentd-kind": "nama"' in text)
    assert main(["tools", "check", str(file)]) == 1
    assert f"sell_land: line {line}: more: x-agentd-kind: 'nama' is no kind" in capsys.readouterr().out
    file.write_text(json.dumps(SCHEMA), encoding="utf-8")
    assert main(["tools", "explain", str(file)]) == 0
    assert all(line.strip() for line in capsys.readouterr().out.splitlines()), "a field without notes takes no line"
    assert main(["tools", "check", str(file)]) == 0
    schemaless = '{"name": "a", "description": "b"}'
    for wrong in ("[1]", "{", '"text"', "[]", '{"tools": []}', '{"name": 1}', schemaless, f"[{schemaless}]"):
        file.write_text(wrong, encoding="utf-8")
        assert main(["tools", "check", str(file)]) == 2
    file.write_text('[{"name": "a", "inputSchema": {}},\n{"name": 1, "inputSchema": {}}]', encoding="utf-8")
    assert main(["tools", "check", str(file)]) == 2
    assert main(["tools", "check", str(tmp_path / "none.json")]) == 2
    assert main(["tools", "explain"]) == 2
