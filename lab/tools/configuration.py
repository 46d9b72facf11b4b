"""Renders docs/configuration.md from agentd/config and the apps' sections: keys, bounds, defaults, docstrings.

The hand-written head of the page is in configuration_head.md.
"""

from __future__ import annotations

import ast
import inspect
import types
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, RootModel
from pydantic.fields import FieldInfo

from agentd.apps.channels.section import ChannelEntry
from agentd.config import schema as config_file
from agentd.config import sections

TARGET = Path(__file__).parents[2] / "docs" / "configuration.md"
HEAD = Path(__file__).with_name("configuration_head.md")
SECTIONS: tuple[tuple[str, type[BaseModel]], ...] = (
    ("The file itself", sections.client_file()),
    ("[[providers]]", config_file.ProviderEntry),
    ("[[servers]]", config_file.ServerEntry),
    ("[[tools]]", config_file.ToolSettings),
    ("[agent]", config_file.AgentSettings),
    ("[rpc]", config_file.RpcSettings),
    ("[store]", config_file.StoreSettings),
    ("[letters]", sections.kinds()["letters"]),
    ("[residents]", sections.kinds()["residents"]),
    ("[telemetry]", config_file.TelemetrySettings),
    ("[analytics]", sections.kinds()["analytics"]),
    ("[books]", sections.kinds()["books"]),
    ("[[channels]]", ChannelEntry),
    ("[[profiles]]", config_file.ProfileSettings),
    ("[[examples]]", config_file.ExampleSettings),
)


def render() -> str:
    """The page as Markdown."""
    words = keys_described()
    parts = [HEAD.read_text(encoding="utf-8").rstrip()]
    for title, model in SECTIONS:
        lead = [_lead(inspect.cleandoc(model.__doc__))] if model.__doc__ else []
        rows = [
            _row(field.alias or name, field, words[model.__name__, name]) for name, field in model.model_fields.items()
        ]
        parts.append("\n\n".join([f"## {title}", *lead, "\n".join([*_HEADER, *rows])]))
    return "\n\n".join(parts) + "\n"


def keys_described() -> dict[tuple[str, str], str]:
    """{(class, field): the docstring below the field} for all sections; a field for an app's section: its class's."""
    own = sections.kinds()
    modules = (config_file, *(inspect.getmodule(kind) for kind in own.values()))
    sources = (inspect.getsource(module) for module in dict.fromkeys(modules) if module)
    words = {key: text for source in sources for key, text in described(source).items()}
    return words | {("ClientFile", name): _lead(inspect.getdoc(kind) or "") for name, kind in own.items()}


def described(source: str) -> dict[tuple[str, str], str]:
    """{(class, field): the docstring below the field}."""
    return {
        (found.name, field.target.id): " ".join(below.value.value.split())
        for found in ast.parse(source).body
        if isinstance(found, ast.ClassDef)
        for field, below in zip(found.body, found.body[1:], strict=False)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(below, ast.Expr)
        and isinstance(below.value, ast.Constant)
        and isinstance(below.value.value, str)
    }


_HEADER = ("| key | kind | default | |", "|---|---|---|---|")


def _lead(text: str) -> str:
    """A class's docstring without the leading name of the section."""
    _, _, after = text.partition(": ")
    return after[0].upper() + after[1:] if after else text


def _row(name: str, field: FieldInfo, words: str) -> str:
    bounds = " ".join(_bounds(field))
    kind = _kind(field.annotation) + (f", {bounds}" if bounds else "")
    return f"| `{name}` | {kind} | {_default(field)} | {words} |"


def _kind(annotation: Any) -> str:
    if annotation in _KINDS:
        return _KINDS[annotation]
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Literal:
        return ", ".join(f"`{choice}`" for choice in inner)
    if origin in (types.UnionType, typing.Union):
        return " or ".join(dict.fromkeys(_kind(one) for one in inner if one is not type(None)))
    if origin is list:
        return (
            "tables" if isinstance(inner[0], type) and issubclass(inner[0], BaseModel) else f"list of {_kind(inner[0])}"
        )
    if isinstance(annotation, type) and issubclass(annotation, RootModel):
        return _kind(annotation.model_fields["root"].annotation)
    if origin is dict or (isinstance(annotation, type) and issubclass(annotation, BaseModel)):
        return "table"
    raise TypeError(f"no word for {annotation}; add it to lab/tools/configuration.py")


_KINDS: dict[Any, str] = {str: "text", bool: "true or false", int: "whole number", float: "number"}


def _bounds(field: FieldInfo) -> Iterator[str]:
    for rule in field.metadata:
        for name, sign in (("gt", "over"), ("ge", "from"), ("lt", "under"), ("le", "to")):
            if (value := getattr(rule, name, None)) is not None:
                yield f"{sign} {value}"


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "needed"
    value = field.get_default(call_default_factory=True)
    if value is None or value in ([], {}, "") or isinstance(value, BaseModel):
        return "–"
    return f"`{str(value).lower()}`" if isinstance(value, bool) else f"`{value}`"
