"""Explains how a tool's schema is read, for its author: each field, each mistake. It judges no call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any, get_args

from agentd.application import Mistake
from agentd.apps.letters.evidence.fields.field import form, referenced
from agentd.apps.letters.evidence.fields.shapes import BY_FORMAT, KINDS, TIMES, Shape, bare
from agentd.apps.letters.evidence.reading.persons import CITIZEN
from agentd.apps.letters.languages import phrases
from agentd.errors import Language
from agentd.messages import ToolInfo

KEYS = frozenset(
    f"x-agentd-{name}" for name in "labels kind about roles source sensitive time spellings identity declared".split()
)
_LANGUAGES = frozenset(get_args(Language))
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
        if other != path:
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
    for name, prop in properties.items():
        below = f"{path}.{name}" if path else name
        if not isinstance(prop, Mapping):
            yield Mistake(below, name, "is no schema")
            continue
        reference = prop.get("$ref")
        if reference and not isinstance(referenced(root, str(reference)), Mapping):
            yield Mistake(below, "$ref", f"{reference} leads to no schema here")
        yield from _of_object(root, prop, below, roles)
        if isinstance(items := prop.get("items"), Mapping):
            yield from _of_object(root, items, f"{below}[]", roles)


def _of_keys(schema: Mapping[str, Any], path: str, roles: frozenset[str]) -> Iterator[Mistake]:
    for key in schema:
        if key.startswith("x-agentd-") and key not in KEYS:
            near = get_close_matches(key, KEYS, 1)
            yield Mistake(path, key, f"nothing reads it{f'; {near[0]} was meant?' if near else ''}")
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
    if not isinstance(schema.get("x-agentd-sensitive", False), bool):
        yield Mistake(path, "x-agentd-sensitive", "is true or false")
    about = schema.get("x-agentd-about")
    if about is not None and str(about) not in {*roles, *phrases().relations, *phrases().applicants}:
        why = f"{about!r} is neither in x-agentd-roles nor a relation that languages name"
        yield Mistake(path, "x-agentd-about", why)
    yield from _of_labels(schema.get("x-agentd-labels"), path)
    yield from _of_spellings(schema, path)


def _of_labels(labels: Any, path: str) -> Iterator[Mistake]:
    if isinstance(labels, Mapping):
        if strange := labels.keys() - _LANGUAGES:
            yield Mistake(path, "x-agentd-labels", f"{', '.join(sorted(strange))}: no language of a pack")
        labels = [one for each in labels.values() for one in (each if isinstance(each, list) else [each])]
    listed = [labels] if isinstance(labels, str) else labels
    if listed is not None and not (isinstance(listed, list) and listed and all(isinstance(one, str) for one in listed)):
        yield Mistake(path, "x-agentd-labels", "is a phrase, a list of them, or either by language")


def _of_spellings(schema: Mapping[str, Any], path: str) -> Iterator[Mistake]:
    spellings = schema.get("x-agentd-spellings")
    if not isinstance(spellings, Mapping):
        return
    if strange := spellings.keys() - set(schema.get("enum", ())):
        yield Mistake(path, "x-agentd-spellings", f"{', '.join(sorted(map(str, strange)))}: not in its enum")
    owners: dict[str, str] = {}
    for choice, words in spellings.items():
        for word in words if isinstance(words, list) else ():
            other = owners.setdefault(str(word).casefold(), choice)
            if other != choice:
                yield Mistake(path, "x-agentd-spellings", f"{word!r} means {other} and {choice}: leave it to neither")
