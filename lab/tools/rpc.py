"""Renders docs/rpc.md and docs/rpc/ (one page per group of methods) from the document that
`rpc.discover` answers.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from lab.tools import openrpc

DOCS = Path(__file__).parents[2] / "docs"
TARGET = DOCS / "rpc.md"
GROUPS = {
    "Agent": ("Agent", "Events"),
    "Session": ("Session",),
    "Request": ("Request", "Correction"),
    "Residents": ("Residents", "Letters"),
    "Data": ("Analytics", "Graph"),
    "System": ("Tools", "Models", "Config", "System", "rpc"),
    "Shapes": (),
}
"""{page: method prefixes}; the last page has a run's shapes and those that several pages share."""
HEAD = """\
# Methods

Every JSON-RPC method, rendered from [openrpc.json](openrpc.json), which `rpc.discover` answers. Where they are called,
who may, and how events arrive is in [the wire](wire.md). Params go by name, or by position in the tables' order.
A param that may be null may be left out, too.

Every method may also answer with the errors of JSON-RPC itself (-32700 to -32600, -32603), with `unauthorized` (-32012)
and with those of [all methods](#errors).

| method | what it does |
|---|---|
"""
Json = dict[str, Any]


def render() -> str:
    document = _document()
    rows = [
        f"| [{method['name']}](rpc/{_page(method).lower()}.md#{_anchor(method['name'])}) | {_cell(method['summary'])} |"
        for method in document["methods"]
    ]
    return HEAD + "\n".join(rows) + "\n\n" + _errors(document["components"]["errors"], _common()) + "\n"


@dataclass(frozen=True, slots=True)
class GroupPage:
    """One page of docs/rpc/: its methods and the shapes defined there."""

    name: str

    @property
    def TARGET(self) -> Path:
        """The file to write."""
        return DOCS / "rpc" / f"{self.name.lower()}.md"

    def render(self) -> str:
        methods = [method for method in _document()["methods"] if _page(method) == self.name]
        schemas = _document()["components"]["schemas"]
        homes = _homes()
        parts = [f"# {self.name}", "Part of [the methods](../rpc.md), where the errors' codes stand."]
        parts += [_method(method, _common()) for method in methods]
        parts += [_shape(name, schemas[name]) for name in schemas if homes[name] == self.name]
        return _linked("\n\n".join(parts) + "\n", self.name, homes)


PAGES = tuple(map(GroupPage, GROUPS))


@cache
def _document() -> Json:
    document: Json = json.loads(openrpc.render())
    return document


def _common() -> set[str]:
    """The names of the errors that every method can return."""
    return set.intersection(*({_name(error) for error in method["errors"]} for method in _document()["methods"]))


def _page(method: Json) -> str:
    group = method["name"].partition(".")[0]
    return next(page for page, groups in GROUPS.items() if group in groups)


@cache
def _homes() -> Mapping[str, str]:
    """{shape: the page that defines it}."""
    schemas = _document()["components"]["schemas"]
    needed: dict[str, set[str]] = {name: set() for name in schemas}

    def visit(part: Any, page: str) -> None:
        for name in _references(part):
            if page not in needed[name]:
                needed[name].add(page)
                visit(schemas[name], page)

    for method in _document()["methods"]:
        visit([method["params"], method["result"]], _page(method))
    run, *_, shared = GROUPS
    return {name: shared if len(pages) > 1 or run in pages else pages.pop() for name, pages in needed.items()}


def _references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        if isinstance(reference := part.get("$ref"), str):
            yield reference.rpartition("/")[2]
        for each in part.values():
            yield from _references(each)
    elif isinstance(part, list):
        for each in part:
            yield from _references(each)


def _linked(text: str, page: str, homes: Mapping[str, str]) -> str:
    """The text with links to shapes on other pages pointing there."""
    for name, home in homes.items():
        if home != page:
            text = text.replace(f"[{name}](#{name.lower()})", f"[{name}]({home.lower()}.md#{name.lower()})")
    return text


def _anchor(name: str) -> str:
    """A heading's anchor, as mkdocs and GitHub generate it."""
    return name.lower().replace(".", "")


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
    return f"| `{param['name']}` | {_kind(param['schema'])}{needed} | {_description(param, param['schema'])} |"


def _shape(name: str, schema: Json) -> str:
    lines = [f"## {name}", ""]
    if text := schema.get("description"):
        lines += [" ".join(text.split()), ""]
    if fields := schema.get("properties"):
        lines += ["| field | kind | |", "|---|---|---|"]
        lines += [
            f"| `{field}` | {_kind(rule)}{_or_null(rule)} | {_description(rule, rule)} |"
            for field, rule in fields.items()
        ]
    return "\n".join(lines).rstrip()


def _errors(errors: Json, common: set[str]) -> str:
    lines = ["## Errors", "", "| type | code | message | |", "|---|---|---|---|"]
    for name, error in errors.items():
        everywhere = "all methods" if name in common else ""
        lines.append(f"| `{name}` | {error['code']} | {_cell(error['message'])} | {everywhere} |")
    return "\n".join(lines)


def _kind(schema: Json) -> str:
    """A JSON Schema type in words; null is left out of a union."""
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


def _or_null(schema: Json) -> str:
    return " or null" if {"type": "null"} in schema.get("anyOf", []) else ""


def _bounds(schema: Json) -> Iterator[str]:
    for key, sign in (("minimum", "≥"), ("exclusiveMinimum", ">"), ("maximum", "≤")):
        if key in schema:
            yield f"{sign} {schema[key]}"


def _description(*parts: Json) -> str:
    """The first description in these schemas or in their alternatives; empty if none has one."""
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
