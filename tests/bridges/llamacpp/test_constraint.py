"""What the embedded model is held to: the engine ignores a grammar it can't compile, so none such may reach it."""

from __future__ import annotations

import json

import pytest
from llguidance import LLMatcher

from agentd.errors import ProviderFailure
from bridges.llamacpp import constraint


@pytest.mark.parametrize(
    "field",
    [
        {"type": "string"},
        {"type": "string", "pattern": "^[0-9]{16}$"},
        {"type": "string", "pattern": "^(?=.*x)y"},
        {"type": "string", "format": "nik"},
        {"type": "array", "uniqueItems": True},
        {"oneOf": [{"type": "string"}, {"type": "string", "maxLength": 3}]},
        {"$ref": "#/nowhere"},
    ],
)
def test_every_schema_becomes_a_grammar_that_compiles(field: dict[str, object]) -> None:
    grammar = constraint.from_schema({"type": "object", "properties": {"nik": field}, "required": ["nik"]})
    assert LLMatcher.validate_grammar(grammar) == ""


def test_only_the_unsupported_expression_is_given_up() -> None:
    properties = {"a": {"type": "string", "pattern": "^(?=x)y"}, "pattern": {"type": "integer"}}
    grammar = constraint.from_schema({"type": "object", "properties": properties, "required": ["a", "pattern"]})
    schema = json.loads(grammar.partition("%json ")[2])
    assert schema["properties"] == {"a": {"type": "string"}, "pattern": {"type": "integer"}}


def test_what_is_for_hosted_models_is_not_offered_to_the_embedded_one() -> None:
    properties = {"input": {"type": "object"}, "quotes": {"type": "object", "x-agentd-hosted": True}}
    branch = {"type": "object", "properties": properties, "required": ["input", "quotes"]}
    grammar = constraint.from_schema({"anyOf": [branch]})
    schema = json.loads(grammar.partition("%json ")[2])
    assert schema["anyOf"][0]["properties"] == {"input": {"type": "object"}}
    assert schema["anyOf"][0]["required"] == ["input"]


def test_a_grammar_that_does_not_compile_is_refused_with_the_reason() -> None:
    with pytest.raises(ProviderFailure) as caught:
        constraint.from_grammar("start: /[0-9/")
    assert caught.value.kind == "bad_request"
    assert "regex" in caught.value.message


def test_a_lark_grammar_gets_the_engines_header_once() -> None:
    assert constraint.from_grammar('start: "a"') == '%llguidance {}\nstart: "a"'
    assert constraint.from_grammar('%llguidance {}\nstart: "a"') == '%llguidance {}\nstart: "a"'
