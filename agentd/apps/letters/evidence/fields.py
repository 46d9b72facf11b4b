"""The fields of an official call: each argument with what its schema says of it. It reads no conversation."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from agentd.agent.text import fold
from agentd.apps.letters.evidence.choices import NO_ENUM, SPELLINGS, Enum
from agentd.apps.letters.evidence.lexicon import LABELS, Lexicon, person

Json = Any
HIDDEN = frozenset({"session_id"})
"""Arguments that the host sets: nobody has to say them."""

ANYBODY = "*"
"""The person of a field about whomever a letter is to serve (`nama_penerima`): anybody but the applicant."""
_RECIPIENT = frozenset({"penerima", "recipient", "beneficiary"})

_ENUMS = {
    "agama": ("Islam", "Kristen", "Katolik", "Hindu", "Buddha", "Konghucu", "Kepercayaan terhadap Tuhan YME"),
    "status_perkawinan": ("Belum Kawin", "Kawin", "Cerai Hidup", "Cerai Mati"),
    "jenis_kelamin": ("Laki-laki", "Perempuan"),
    "kewarganegaraan": ("WNI", "WNA"),
}
_BY_LABEL = {
    **{
        "nik": "nik",
        "kk": "kk",
        "nama": "name",
        "tempat_lahir": "place",
        "tanggal_lahir": "date",
        "rt": "rt",
        "rw": "rw",
    },
    **{"rtrw": "rtrw", "telepon": "phone", "alamat": "address", "alamat_domisili": "address", "alamat_ktp": "address"},
    **{"hubungan": "relation", "alamat_usaha": "address", "penghasilan": "number", "umur": "number", "lahir": "birth"},
}
_BY_FORMAT = {
    **{"nik": "nik", "kk": "kk", "date": "date", "rt": "rt", "rw": "rw", "phone": "phone", "person-name": "name"},
    **{"address": "address"},
}
_FORMAT_LABEL = {
    "nik": "nik",
    "kk": "kk",
    "rt": "rt",
    "rw": "rw",
    "phone": "telepon",
    "person-name": "nama",
    "address": "alamat",
}
_ALIASES = {
    **{"fullname": "nama", "dob": "tanggal_lahir", "ttl": "lahir", "status": "status_perkawinan", "phone": "telepon"},
    **{"tujuan": "keperluan", "purpose": "keperluan", "no_kk": "kk", "alamat_lengkap": "alamat", "reason": "keperluan"},
    **{"domisili": "alamat_domisili", "alamat_sekarang": "alamat_domisili", "alamat_asal": "alamat_ktp"},
}


@dataclass(frozen=True, slots=True)
class Field:
    """One argument. `label` is the name a sentence gives it, `person` whom it is about when not the applicant."""

    path: str
    title: str
    label: str
    kind: str
    value: Json
    person: str | None = None
    enum: Enum = NO_ENUM
    many: bool = False
    free: bool = False
    """The value is the declared default."""
    required: bool = True
    between: tuple[str, ...] = ()
    """The choices that the citizen's words leave open: `cerai` is Cerai Hidup or Cerai Mati."""


@dataclass(frozen=True, slots=True)
class _Shape:
    label: str
    kind: str
    person: str | None
    title: str
    enum: Enum


@dataclass(frozen=True, slots=True)
class Form:
    """A schema, read: the words that name its fields."""

    lexicon: Lexicon
    shapes: Mapping[str, _Shape]
    labels: frozenset[str]
    for_others: bool
    """It has fields for whom the letter serves, beside the applicant's."""


def form(schema: Mapping[str, Json]) -> Form:
    """The form of a tool's input schema; the same schema is read once."""
    return _form(json.dumps(schema, sort_keys=True, ensure_ascii=False, default=str))


@lru_cache(maxsize=32)
def _form(text: str) -> Form:
    schema = json.loads(text)
    common = Lexicon(())
    shapes: dict[str, _Shape] = {}
    names: list[tuple[str, str]] = []
    for path, name, prop in _properties(schema, schema, ""):
        shape = _shape(path, name, prop, common)
        shapes[path] = shape
        if shape.label not in LABELS:
            names += [(phrase, shape.label) for phrase in (" ".join(_split(name)), _bare(shape.title)) if phrase]
    labels = frozenset(shape.label for shape in shapes.values())
    for_others = any(shape.person == ANYBODY for shape in shapes.values())
    return Form(Lexicon(names) if names else common, shapes, labels, for_others)


def fields(schema: Mapping[str, Json], arguments: Mapping[str, Json], read: Form) -> list[Field]:
    """Every value of a call, leaf by leaf, and every required one left out (value None), in the schema's order.

    `read`: the schema's form.
    """
    return list(_walk(schema, schema, arguments, "", "", read, False, True))


def _walk(
    root: Mapping[str, Json],
    schema: Mapping[str, Json],
    value: Json,
    path: str,
    pattern: str,
    read: Form,
    many: bool,
    required: bool,
) -> Iterator[Field]:
    schema = _resolved(root, schema)
    default = "default" in schema and _equal(schema["default"], value)
    if isinstance(value, Mapping) and not default:
        properties = schema.get("properties", {})
        needed = schema.get("required", ())
        for name in [*properties, *(key for key in value if key not in properties)]:
            if (not path and name in HIDDEN) or (name not in value and name not in needed):
                continue
            inner = value.get(name)
            if inner is None and name not in needed:
                continue
            below = f"{path}.{name}" if path else name
            shape = f"{pattern}.{name}" if pattern else name
            yield from _walk(root, properties.get(name, {}), inner, below, shape, read, many, name in needed)
    elif isinstance(value, list) and not default:
        for index, item in enumerate(value):
            yield from _walk(
                root, schema.get("items", {}), item, f"{path}.{index}", f"{pattern}[]", read, True, required
            )
    elif path:
        known = read.shapes.get(pattern)
        if known is None:
            known = _shape(pattern, pattern.rsplit(".", 1)[-1].removesuffix("[]"), schema, read.lexicon)
        yield Field(
            path,
            known.title,
            known.label,
            known.kind,
            value,
            known.person,
            known.enum,
            many,
            default and value is not None,
            required,
        )


def _properties(
    root: Mapping[str, Json], schema: Mapping[str, Json], path: str
) -> Iterator[tuple[str, str, Mapping[str, Json]]]:
    for name, prop in schema.get("properties", {}).items():
        inner = _resolved(root, prop)
        below = f"{path}.{name}" if path else name
        if inner.get("properties"):
            yield from _properties(root, inner, below)
        elif "items" in inner:
            item = _resolved(root, inner["items"])
            if item.get("properties"):
                yield from _properties(root, item, f"{below}[]")
            else:
                yield f"{below}[]", name, {**item, "title": inner.get("title", item.get("title", ""))}
        else:
            yield below, name, inner


def _resolved(root: Mapping[str, Json], schema: Json) -> Mapping[str, Json]:
    """A schema without its `$ref`, and of `anyOf` with null the other branch."""
    if not isinstance(schema, Mapping):
        return {}
    if isinstance(reference := schema.get("$ref"), str):
        target: Json = root
        for part in reference.removeprefix("#/").split("/"):
            target = target.get(part, {}) if isinstance(target, Mapping) else {}
        target = target if isinstance(target, Mapping) else {}
        schema = {**target, **{key: value for key, value in schema.items() if key != "$ref"}}
    for key in ("anyOf", "oneOf"):
        branches = [
            branch for branch in schema.get(key, ()) if isinstance(branch, Mapping) and branch.get("type") != "null"
        ]
        if len(branches) == 1:
            schema = {**_resolved(root, branches[0]), **{name: value for name, value in schema.items() if name != key}}
    return dict(schema)


def _shape(path: str, name: str, prop: Mapping[str, Json], lexicon: Lexicon) -> _Shape:
    words = _split(name)
    title = str(prop.get("title") or " ".join(words))
    parents = [word for part in path.replace("[]", "").split(".")[:-1] for word in _split(part)]
    about = ANYBODY if _RECIPIENT.intersection(words) else person([*parents, *words]) or person(list(fold(title)))
    label = _label(words, parents, title, about, prop, lexicon) or f"field:{path}"
    enum = _enum(prop, label)
    kinds = prop.get("type")
    types = set(kinds) if isinstance(kinds, list) else {kinds}
    if enum.values:
        kind = "choice"
    elif "boolean" in types:
        kind = "boolean"
    elif prop.get("format") in _BY_FORMAT:
        kind = _BY_FORMAT[prop["format"]]
    elif label in _BY_LABEL:
        kind = _BY_LABEL[label]
    elif types & {"integer", "number"}:
        kind = "number"
    else:
        kind = "date" if {"tanggal", "tgl", "date"} & set(words) else "text"
    if kind == "date" and label == "lahir":
        label = "tanggal_lahir"
    if label.startswith("field:") and kind == "name":
        label = "nama" if about else label
    return _Shape(label, kind, about, title, enum)


def _label(
    words: Sequence[str],
    parents: Sequence[str],
    title: str,
    about: str | None,
    prop: Mapping[str, Json],
    lexicon: Lexicon,
) -> str | None:
    own = [word for word in words if person([word]) != about or about is None]
    own = [word for word in own if word not in ("kandung", "kepala", "keluarga", *_RECIPIENT)] if about else own
    for phrase in (_bare(title), " ".join(words), " ".join(own), " ".join([*parents, *words])):
        found = _ALIASES.get(phrase.replace(" ", "_")) or lexicon.label(phrase)
        if found is not None and not found.startswith("x:"):
            if found == "alamat" and {"ktp", "domisili", "usaha"} & {*parents, *words}:
                return f"alamat_{({'ktp', 'domisili', 'usaha'} & {*parents, *words}).pop()}"
            return found
    if {"alamat", "address"} & {*words, *parents} and not about:
        for which in ("ktp", "domisili", "usaha"):
            if which in words or which in parents or which in fold(title):
                return f"alamat_{which}"
    if len(words) == 1 or about:
        return _FORMAT_LABEL.get(str(prop.get("format")))
    return "nik" if "nik" in words else None


def _enum(prop: Mapping[str, Json], label: str) -> Enum:
    values = tuple(str(value) for value in prop.get("enum", ()) if value is not None)
    spellings = prop.get(SPELLINGS)
    if not values or not isinstance(spellings, Mapping):
        return Enum(values or _ENUMS.get(label, ()))
    return Enum(values, tuple(tuple(map(str, spellings.get(value, ()))) for value in values))


def _bare(title: str) -> str:
    return " ".join(fold(re.sub(r"\([^)]*\)", " ", title)))


def _split(name: str) -> list[str]:
    return [word.casefold() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+", name)]


def _equal(left: Json, right: Json) -> bool:
    return type(left) is type(right) and bool(left == right)
