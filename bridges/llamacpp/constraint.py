"""Converts a JSON Schema or a grammar to the embedded engine's form. The loop's parser, not this module, reads answers.

The engine silently ignores a grammar that it cannot compile and then writes freely. So each grammar is compiled here
first, and a schema that the compiler doesn't support is loosened step by step until it compiles.
"""

from __future__ import annotations

import json
from typing import Any

from agentd.errors import ProviderFailure

_HEADER = "%llguidance {}\n"
_GUIDANCE = {
    "whitespace_flexible": False,  # compact JSON: 22 instead of 37 tokens for a typical action
    "item_separator": ",",
    "key_separator": ":",
    "coerce_one_of": True,
    "lenient": True,
}
_HOSTED = "x-agentd-hosted"
_HELD = "x-agentd-held"
ANY_OBJECT: dict[str, Any] = {"type": "object"}


def from_schema(schema: dict[str, Any]) -> str:
    """Return a grammar of compact JSON that fits `schema`, or the nearest one that compiles.

    If it doesn't compile (look-ahead in a regular expression), all patterns are dropped; if that fails too, any object
    fits. Properties marked for hosted models only are left out.
    """
    own = _own(schema)
    steps = (own, _without(own, "pattern"), ANY_OBJECT)
    grammars = (f"{_HEADER}start: %json {json.dumps({'x-guidance': _GUIDANCE, **step})}" for step in steps)
    return next(grammar for grammar in grammars if not _problem(grammar))


def only_text(schema: dict[str, Any]) -> str | None:
    """Return the only text that fits the schema, as compact JSON; None if the model has a choice."""
    wanted = schema.get(_HELD) or _only(_own(schema))
    return None if wanted is None else json.dumps(wanted, ensure_ascii=False, separators=(",", ":"))


def _only(schema: Any) -> Any:
    """Return the only value that fits a schema of branches, objects and constants; None if several fit."""
    if "const" in schema:
        return schema["const"]
    for options in (schema.get("enum"), schema.get("anyOf")):
        if options is not None and len(options) == 1:
            return options[0] if options is schema.get("enum") else _only(options[0])
    properties = schema.get("properties")
    closed = schema.get("type") == "object" and schema.get("additionalProperties") is False
    if properties is None or not closed or set(properties) - set(schema.get("required", ())):
        return None
    values = {name: _only(rule) for name, rule in properties.items()}
    return None if None in values.values() else values


def from_grammar(grammar: str) -> str:
    """Return the grammar with the engine's header. Raises ProviderFailure `bad_request` with the compiler's message."""
    text = grammar if grammar.lstrip().startswith("%llguidance") else _HEADER + grammar
    if problem := _problem(text):
        raise ProviderFailure("bad_request", f"grammar: {problem}")
    return text


def _without(node: Any, key: str) -> Any:
    """Remove a keyword from the schema; a property of that name stays, since its value is a schema, not a string."""
    if isinstance(node, dict):
        return {k: _without(v, key) for k, v in node.items() if k != key or not isinstance(v, str)}
    if isinstance(node, list):
        return [_without(item, key) for item in node]
    return node


def _own(node: Any) -> Any:
    """Remove the properties marked for hosted models only."""
    if isinstance(node, dict):
        kept = {k: _own(v) for k, v in node.items() if not (isinstance(v, dict) and v.get(_HOSTED) is True)}
        properties, required = kept.get("properties"), kept.get("required")
        if isinstance(properties, dict) and isinstance(required, list):
            kept["required"] = [name for name in required if name in properties]
        return kept
    return [_own(item) for item in node] if isinstance(node, list) else node


def _problem(grammar: str) -> str:
    from llguidance import LLMatcher

    return str(LLMatcher.validate_grammar(grammar)).partition("\n")[0]
