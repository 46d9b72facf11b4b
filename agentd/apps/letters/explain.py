"""Explains how a tool's schema is read, for its author: each field, each mistake. It judges no call."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from agentd.agent.languages import languages
from agentd.application import Mistake
from agentd.apps.letters.evidence.fields.field import DEEPEST, form, referenced, resolved
from agentd.apps.letters.evidence.fields.shapes import BY_FORMAT, KINDS, TIMES, Shape, bare
from agentd.apps.letters.evidence.reading.persons import CITIZEN
from agentd.apps.letters.languages import phrases
from agentd.messages import ToolInfo

KEYS = frozenset(
    f"x-agentd-{name}" for name in "labels kind about roles source sensitive time spellings identity declared".split()
)
_Phrases = str | Annotated[list[str], Field(min_length=1)]
_ByLanguage = _Phrases | dict[str, _Phrases]
_SHAPES: dict[str, tuple[TypeAdapter[Any], str]] = {
    "x-agentd-labels": (TypeAdapter(_ByLanguage | None), "is a phrase, a list of them, or either by language"),
    "x-agentd-roles": (TypeAdapter(dict[str, _ByLanguage] | None), "is each role's words, by language"),
    "x-agentd-spellings": (TypeAdapter(dict[str, list[str]] | None), "is a list of spellings for each choice"),
    "x-agentd-source": (
        TypeAdapter(Annotated[str, Field(pattern=r"^((resident|family)\.[a-z_]+|family)$")] | None),
        "is resident.COLUMN, family or family.COLUMN",
    ),
    "x-agentd-sensitive": (TypeAdapter(bool | None), "is true or false"),
    "x-agentd-identity": (TypeAdapter(bool | None), "is true or false"),
    "x-agentd-declared": (TypeAdapter(str | None), "is a text"),
    "pattern": (TypeAdapter(re.Pattern[str] | None), "is no regular expression"),
}
"""{key: (the values that are read, what to say of any other)}."""
_WHOLE = frozenset({"integer", "number", "boolean"})
_TEXT_KINDS = frozenset({"name", "place", "address", "date", "time", "phone", "email", "nik", "kk"})


def explained(tool: ToolInfo) -> Iterator[str]:
    """One line a field: its kind, person, time and labels, and the source of each."""
    required = tool.input_schema.get("required", ())
    for path, shape in form(tool.input_schema).shapes.items():
        needed = "required" if path.split(".")[0].removesuffix("[]") in required else "optional"
        yield f"{path} ({needed}{', sensitive' if shape.sensitive else ''})"
        choices = f": {', '.join(shape.enum.values)}" if shape.enum.values else ""
        yield f"  kind    {shape.kind}{_from(shape, 'kind')}{choices}"
        about = "the applicant" if shape.person in (None, CITIZEN) else shape.person
        yield f"  about   {about}{_from(shape, 'about')}"
        if shape.time:
            yield f"  time    {shape.time}{_from(shape, 'time')}"
        yield f"  labels  {', '.join(_labels(shape))}{_from(shape, 'labels')}"


def _from(shape: Shape, what: str) -> str:
    origin = shape.came_from.get(what)
    return f"  [{origin}]" if origin else ""


def _labels(shape: Shape) -> Iterable[str]:
    common = phrases().labels.get(shape.label, ()) if not shape.labels else ()
    near = (word for sense in shape.senses for word in phrases().senses[sense])
    meant = near if shape.came_from.get("kind", "").startswith("embeddings") else ()
    first: dict[str, str] = {}
    for name in (*shape.named(), *common, *meant):
        first.setdefault(bare(name), name)  # `no. HP/WA` once, not also as `no hp wa`
    return filter(None, first.values())


def mistakes(tool: ToolInfo) -> Iterator[Mistake]:
    """Everything in a tool's schema that is not read, is read differently than meant, or is ambiguous."""
    schema = tool.input_schema
    if tool.official and not tool.description.strip():
        yield Mistake("", "description", "an official tool says in one sentence what it does: claims are judged by it")
    declared = schema.get("x-agentd-roles", {})
    roles = frozenset(declared) if isinstance(declared, Mapping) else frozenset()
    yield from _of_object(schema, schema, "", roles)
    called: dict[tuple[str, str | None, bool], str] = {}
    for path, shape in form(schema).shapes.items():
        known = {shape.label, *(phrase.casefold() for each in shape.labels.values() for phrase in each)}
        names = {(phrase, shape.person, shape.kind == "date") for phrase in known}  # `lost on`: a day, or the bus
        other = next((called[name] for name in names if name in called), path)
        called |= dict.fromkeys(names, path)
        if other != path and tool.official:
            yield Mistake(path, "x-agentd-labels", f"called the same as {other}: nobody can tell them apart")


def _of_object(
    root: Mapping[str, Any], schema: Mapping[str, Any], path: str, roles: frozenset[str]
) -> Iterator[Mistake]:
    yield from _of_keys(schema, path, roles)
    properties = schema.get("properties", {})
    if not isinstance(properties, Mapping):
        yield Mistake(path, "properties", "is no object")
        return
    for name in schema.get("required", ()):
        if name not in properties:
            yield Mistake(path, "required", f"`{name}` is required and is no property")
    for name, prop in properties.items() if path.count(".") < DEEPEST else ():
        below = f"{path}.{name}" if path else name
        if not isinstance(prop, Mapping):
            yield Mistake(below, name, "is no schema")
            continue
        for reference in (each.get("$ref") for each in (prop, *prop.get("anyOf", ())) if isinstance(each, Mapping)):
            if reference and not isinstance(referenced(root, str(reference)), Mapping):
                yield Mistake(below, "$ref", f"{reference} leads to no schema here")
        inner = resolved(root, prop)
        yield from _of_object(root, inner, below, roles)
        if items := resolved(root, inner.get("items")):
            yield from _of_object(root, items, f"{below}[]", roles)


def _of_keys(schema: Mapping[str, Any], path: str, roles: frozenset[str]) -> Iterator[Mistake]:
    for key in schema:
        if key.startswith("x-agentd-") and key not in KEYS:
            near = get_close_matches(key, KEYS, 1)
            yield Mistake(path, key, f"nothing reads it{f'; {near[0]} was meant?' if near else ''}")
    yield from _of_types(schema, path)
    kind, kinds = schema.get("x-agentd-kind"), schema.get("type")
    types = set(map(str, kinds if isinstance(kinds, list) else [kinds]))
    if kind is not None and str(kind) not in KINDS:
        yield Mistake(path, "x-agentd-kind", f"{kind!r} is no kind; there are: {', '.join(sorted(KINDS))}")
    elif str(kind) in _TEXT_KINDS and types & _WHOLE:
        yield Mistake(path, "x-agentd-kind", f"a {kind} is text, but the type is {kinds}")
    elif kind is not None and BY_FORMAT.get(str(schema.get("format")), str(kind)) != str(kind):
        yield Mistake(path, "x-agentd-kind", f"is {kind}, but the format is {schema['format']}: the kind counts")
    elif kind not in (None, "choice") and schema.get("enum"):
        yield Mistake(path, "x-agentd-kind", f"is {kind}, but there is an enum: its choices count")
    if str(schema.get("x-agentd-time", "now")) not in TIMES:
        yield Mistake(path, "x-agentd-time", f"says {schema['x-agentd-time']!r}; there are: {', '.join(sorted(TIMES))}")
    about = schema.get("x-agentd-about")
    if about is not None and str(about) not in {*roles, *phrases().relations, *phrases().applicants}:
        why = f"{about!r} is neither in x-agentd-roles nor a relation that languages name"
        yield Mistake(path, "x-agentd-about", why)
    yield from _of_spellings(schema, path)


def _of_types(schema: Mapping[str, Any], path: str) -> Iterator[Mistake]:
    """Values of a type or form that nothing reads, and words in languages without a pack."""
    for key, (shape, what) in _SHAPES.items():
        try:
            shape.validate_python(schema.get(key), strict=True)
        except ValidationError:
            yield Mistake(path, key, what)
    roles = schema.get("x-agentd-roles")
    for key, said in (
        ("x-agentd-labels", schema.get("x-agentd-labels")),
        *(("x-agentd-roles", each) for each in (roles.values() if isinstance(roles, Mapping) else ())),
    ):
        if isinstance(said, Mapping) and (strange := set(map(str, said)) - languages().keys()):
            yield Mistake(path, key, f"{', '.join(sorted(strange))}: no language of a pack")


def _of_spellings(schema: Mapping[str, Any], path: str) -> Iterator[Mistake]:
    spellings = schema.get("x-agentd-spellings")
    if not isinstance(spellings, Mapping):
        return
    if strange := spellings.keys() - set(map(str, schema.get("enum", ()))):
        yield Mistake(path, "x-agentd-spellings", f"{', '.join(sorted(map(str, strange)))}: not in its enum")
    owners: dict[str, str] = {}
    for choice, words in spellings.items():
        for word in words if isinstance(words, list) else ():
            other = owners.setdefault(str(word).casefold(), choice)
            if other != choice:
                yield Mistake(path, "x-agentd-spellings", f"{word!r} means {other} and {choice}: leave it to neither")
