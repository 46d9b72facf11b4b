"""The fields of an official call: each argument with its schema's information. Doesn't read the conversation."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from dataclasses import field as dataclass_field
from dataclasses import fields as dataclass_fields
from functools import lru_cache
from typing import Any, NamedTuple

from agentd.agent.text import fold
from agentd.apps.letters.evidence.fields.named import Names
from agentd.apps.letters.evidence.fields.shapes import ANYBODY, Roles, Shape, roles, shape
from agentd.apps.letters.evidence.normalisers import choices
from agentd.apps.letters.evidence.normalisers.phrasebook import Phrase
from agentd.apps.letters.evidence.reading.lexicon import RELATIONS, SELF, Lexicon
from agentd.apps.letters.evidence.reading.persons import CITIZEN

Json = Any
HIDDEN = frozenset({"session_id"})
"""Arguments that the host sets and nobody has to say."""
_DATED = frozenset({"date", "time"})
LONGEST = 2000
"""The most characters of a value that can be proven."""
SENSES = "x-agentd-senses"
"""Key at the top of a schema: {path: meaning} for fields whose schema says nothing (see described.py)."""
DEEPEST = 8
"""The greatest depth of nested objects that is searched for fields."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field(Shape):
    """One argument: the property that it fills, with its value."""

    path: str
    value: Json
    many: bool = False
    free: bool = False
    """The value is the declared default."""
    required: bool = True
    key: str = ""
    """Its path in the schema: `anak[].nama`."""
    between: tuple[str, ...] = ()
    """The choices among which the citizen's words are ambiguous: `cerai` is Cerai Hidup or Cerai Mati."""
    said: bool = False
    """The citizen said the value, but it is unclear of which field: the agent asks back."""
    doubtful: bool = False
    """The citizen may have meant this field or another one: to be confirmed."""
    read: bool = False
    """A choice or boolean that a model inferred from other words of the citizen."""
    whose: tuple[str, str] = ("", "")
    """For a NIK that is somebody else's: (that person, the citizen's word for them)."""
    past: bool = False
    """The field's date is in the past."""
    spoken: tuple[str, ...] = dataclass_field(init=False, default=(), compare=False)
    """Its value's words, folded."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "spoken", fold(str(self.value)[: LONGEST + 1]))

    def own_title(self, language: str) -> str:
        """The tool's label for the field in a language; empty if it declares none."""
        return next(iter(self.labels.get(language) or self.labels.get("", ())), "")


@dataclass(frozen=True, slots=True)
class Form:
    """A parsed schema: its fields and the words for them."""

    lexicon: Lexicon
    shapes: Mapping[str, Shape]
    labels: frozenset[str]
    roles: Roles
    names: Names
    """The words by which the fields are named in a dialogue."""
    ahead: bool
    """The tool is about the future, e.g. a booking, so that statements about future plans count."""
    for_others: bool
    """It has fields for the person whom the letter serves, in addition to the applicant's."""
    of_others: bool
    """It names other people but not the citizen, so its fields don't say whose a birthday is."""


class Tool(NamedTuple):
    """The words for a tool: its name, the vocabulary of its subject, and the phrases that ask for it."""

    name: str
    vocabulary: frozenset[str]
    asking: frozenset[Phrase]


NO_TOOL = Tool("", frozenset(), frozenset())


def form(schema: Mapping[str, Json]) -> Form:
    """The form of a tool's input schema, cached per schema."""
    return _form(json.dumps(schema, sort_keys=True, ensure_ascii=False, default=str))


@lru_cache(maxsize=32)
def _form(text: str) -> Form:
    schema = json.loads(text)
    known = roles(schema)
    people = {known.person(role): words for role, words in known.words.items()}
    spoken = {
        who: tuple(word for word in (*words, *RELATIONS.get(who, ())) if word not in SELF)
        for who, words in people.items()
    }
    people.pop(CITIZEN, None)
    common = Lexicon((), people)
    about = str(schema.get("x-agentd-about") or "")
    shapes: dict[str, Shape] = {}
    senses = schema.get(SENSES)
    for path, prop, role in _properties(schema, schema, "", about):
        sense = str(senses.get(path, "")) if isinstance(senses, Mapping) else ""
        shapes[path] = shape(path, prop, common, known, role, sense)
    if not any(one.label == "nama" and one.person is None for one in shapes.values()):
        for path, one in shapes.items():
            if one.person == ANYBODY:
                shapes[path] = replace(one, person=None, label=f"field:{path}")
    names = [(said, one.label) for one in shapes.values() for said in (one.declared() if one.common else one.named())]
    ahead = any(one.time != "past" and (one.kind in _DATED or one.time) for one in shapes.values())
    for_others = any(one.person == ANYBODY for one in shapes.values())
    named = {one.person for one in shapes.values() if one.label == "nama"}
    return Form(
        Lexicon(names, people),
        shapes,
        frozenset(one.label for one in shapes.values()),
        known,
        Names(shapes, spoken),
        ahead,
        for_others,
        bool(named) and named.isdisjoint((None, CITIZEN, ANYBODY)),
    )


def properties(schema: Mapping[str, Json]) -> dict[str, Mapping[str, Json]]:
    """{path: schema} for every leaf, with the paths that forms use."""
    return {path: prop for path, prop, _ in _properties(schema, schema, "", "")}


def fields(schema: Mapping[str, Json], arguments: Mapping[str, Json], read: Form) -> list[Field]:
    """Every value of a call, leaf by leaf, and every missing required one (value None), in schema order.

    `read`: the schema's form.
    """
    return list(_walk(schema, schema, arguments, _At(), read))


class _At(NamedTuple):
    """The position of a value in a call: its path, its schema path, whether it is in a list, whether it is required."""

    path: str = ""
    pattern: str = ""
    many: bool = False
    required: bool = True

    def property(self, name: str, *, required: bool) -> _At:
        dot = "." if self.path else ""
        return _At(f"{self.path}{dot}{name}", f"{self.pattern}{dot}{name}", self.many, required)

    def item(self, index: int) -> _At:
        return _At(f"{self.path}.{index}", f"{self.pattern}[]", True, self.required)


def _walk(root: Mapping[str, Json], schema: Mapping[str, Json], value: Json, at: _At, read: Form) -> Iterator[Field]:
    schema = resolved(root, schema)
    preset = schema.get("default")
    default = "default" in schema and type(preset) is type(value) and bool(preset == value)
    if isinstance(value, Mapping) and not default:
        properties = schema.get("properties", {})
        needed = schema.get("required", ())
        for name in [*properties, *(key for key in value if key not in properties)]:
            if (not at.path and name in HIDDEN) or (name not in value and name not in needed):
                continue
            inner = value.get(name)
            if name not in needed and (inner is None or inner == ""):
                continue
            yield from _walk(root, properties.get(name, {}), inner, at.property(name, required=name in needed), read)
    elif isinstance(value, list) and not default:
        for index, item in enumerate(value):
            yield from _walk(root, schema.get("items", {}), item, at.item(index), read)
    elif at.path:
        known = read.shapes.get(at.pattern) or shape(at.pattern, schema, read.lexicon, read.roles)
        default = default or (preset is not None and preset == choices.canonical(str(value), known.enum))
        yield Field(
            **{own.name: getattr(known, own.name) for own in dataclass_fields(known)},
            path=at.path,
            value=value,
            many=at.many,
            free=default and value is not None,
            required=at.required,
            key=at.pattern,
            past=known.gone_by,
        )


def _properties(
    root: Mapping[str, Json], schema: Mapping[str, Json], path: str, role: str
) -> Iterator[tuple[str, Mapping[str, Json], str]]:
    """(path, property, surrounding role) of every leaf, down to `DEEPEST` levels (a schema may contain itself)."""
    if path.count(".") >= DEEPEST:
        return
    properties = schema.get("properties")
    for name, prop in properties.items() if isinstance(properties, Mapping) else ():
        inner = resolved(root, prop)
        below = f"{path}.{name}" if path else name
        about = str(inner.get("x-agentd-about") or role)
        if inner.get("properties"):
            yield from _properties(root, inner, below, about)
        elif "items" in inner:
            item = resolved(root, inner["items"])
            about = str(item.get("x-agentd-about") or about)
            if item.get("properties"):
                yield from _properties(root, item, f"{below}[]", about)
            else:
                yield f"{below}[]", {**item, "title": inner.get("title", item.get("title", ""))}, about
        else:
            yield below, inner, about


def referenced(root: Mapping[str, Json], reference: str) -> Json:
    """The value that a `$ref` points to; None if there is none."""
    return at_path(root, reference.removeprefix("#/").split("/"))


def at_path(value: Json, path: Iterable[str]) -> Json:
    """What stands in a JSON value behind these names and places in lists; None if nothing does."""
    for part in path:
        known = dict(enumerate(value)) if isinstance(value, list) else value if isinstance(value, Mapping) else {}
        value = known.get(int(part) if isinstance(value, list) and part.isdecimal() else part)
    return value


def resolved(root: Mapping[str, Json], schema: Json) -> Mapping[str, Json]:
    """A schema with its `$ref` resolved, and `anyOf` or `oneOf` with null replaced by the other branch."""
    if not isinstance(schema, Mapping):
        return {}
    if isinstance(reference := schema.get("$ref"), str):
        target = referenced(root, reference)
        target = target if isinstance(target, Mapping) else {}
        schema = {**target, **{key: value for key, value in schema.items() if key != "$ref"}}
    for key in ("anyOf", "oneOf"):
        branches = [
            branch for branch in schema.get(key, ()) if isinstance(branch, Mapping) and branch.get("type") != "null"
        ]
        if len(branches) == 1:
            schema = {**resolved(root, branches[0]), **{name: value for name, value in schema.items() if name != key}}
    return dict(schema)
