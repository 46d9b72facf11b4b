"""docs/rpc.md from docs/openrpc.json, which is what the daemon serves (tests/agentd/rpc/test_openrpc.py)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[2] / "docs"
TARGET = DOCS / "rpc.md"
SOURCE = DOCS / "openrpc.json"
HEAD = """\
# Methods

Every JSON-RPC method, rendered from [openrpc.json](openrpc.json), which `rpc.discover` answers. Where they are called,
who may, and how events arrive is in [the wire](wire.md). Params go by name, or by position in the tables' order.

Every method may also answer with the errors of JSON-RPC itself (-32700 to -32600, -32603), with `unauthorized` (-32012)
and with those of [all methods](#errors).
"""
Json = dict[str, Any]


def render() -> str:
    """The page."""
    document: Json = json.loads(SOURCE.read_text(encoding="utf-8"))
    components = document["components"]
    common = set.intersection(*({_name(error) for error in method["errors"]} for method in document["methods"]))
    methods = [_method(method, common) for method in document["methods"]]
    shapes = [_shape(name, schema) for name, schema in components["schemas"].items()]
    parts = [HEAD.rstrip(), *methods, "## Shapes", *shapes, _errors(components["errors"], common)]
    return "\n\n".join(parts) + "\n"


def _method(method: Json, common: set[str]) -> str:
    lines = [f"## {method['name']}", "", method["summary"], "", f"For: {', '.join(method['x-scopes'])}.", ""]
    if method["params"]:
        lines += ["| parameter | kind | |", "|---|---|---|"]
        lines += [_param(param) for param in method["params"]]
    else:
        lines += ["No parameters."]
    lines += ["", f"Result: {_kind(method['result']['schema'])}."]
    if own := [name for name in map(_name, method["errors"]) if name not in common]:
        lines += ["", f"Errors: {', '.join(f'`{name}`' for name in own)}."]
    for example in method.get("examples", [])[:1]:
        params = {param["name"]: param["value"] for param in example["params"]}
        asked = {"jsonrpc": "2.0", "id": 1, "method": method["name"], **({"params": params} if params else {})}
        answered = {"jsonrpc": "2.0", "id": 1, "result": example["result"]["value"]}
        lines += ["", "```json", _json(asked), _json(answered), "```"]
    return "\n".join(lines)


def _param(param: Json) -> str:
    needed = ", needed" if param.get("required") else ""
    return f"| `{param['name']}` | {_kind(param['schema'])}{needed} | {_words(param, param['schema'])} |"


def _shape(name: str, schema: Json) -> str:
    lines = [f"### {name}", ""]
    if text := schema.get("description"):
        lines += [" ".join(text.split()), ""]
    if fields := schema.get("properties"):
        lines += ["| field | kind | |", "|---|---|---|"]
        lines += [f"| `{field}` | {_kind(rule)} | {_words(rule, rule)} |" for field, rule in fields.items()]
    return "\n".join(lines).rstrip()


def _errors(errors: Json, common: set[str]) -> str:
    lines = ["## Errors", "", "| type | code | message | |", "|---|---|---|---|"]
    for name, error in errors.items():
        everywhere = "all methods" if name in common else ""
        lines.append(f"| `{name}` | {error['code']} | {_cell(error['message'])} | {everywhere} |")
    return "\n".join(lines)


def _kind(schema: Json) -> str:
    """One kind in words; what a union allows beside null."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "enum" in schema or "const" in schema:
        return " or ".join(f"`{choice}`" for choice in schema.get("enum", [schema.get("const")]))
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_kind(one) for one in schema["anyOf"] if one.get("type") != "null"))
    kind = schema.get("type", "any JSON")
    if isinstance(kind, list):
        return " or ".join(one for one in kind if one != "null")
    if kind == "array":
        return f"list of {_kind(schema['items'])}" if schema.get("items") else "list"
    return str(kind) + "".join(f" {bound}" for bound in _bounds(schema))


def _bounds(schema: Json) -> Iterator[str]:
    for key, sign in (("minimum", "≥"), ("exclusiveMinimum", ">"), ("maximum", "≤")):
        if key in schema:
            yield f"{sign} {schema[key]}"


def _words(*parts: Json) -> str:
    for one in parts:
        for place in (one, *one.get("anyOf", [])):
            if text := place.get("description"):
                return _cell(text)
    return ""


def _name(error: Json) -> str:
    return str(error["$ref"].rpartition("/")[2])


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)
