"""Reads a graph from a folder of CSV files. Checks it whole before anything is loaded; runs no query.

    nodes.LABEL.csv   one column a property; `_key`, where it is there, is the node's key and no property
    edges.TYPE.csv    from_label, from_key, to_label, to_key (further columns are properties of the relationship)
    keys.csv          optional: label, key; the key's columns joined by `|`
    types.csv         optional: label, property, type

A node's key is what keys.csv says or, without that file, the column, or columns joined by `|`, by which the edges name
the most nodes (unique ones first). Without types.csv a column is INTEGER where its values are all whole numbers, FLOAT
where all are numbers, BOOLEAN where all are true or false, else STRING; a list (`STRING[]` …) is written as JSON. An
empty field is an absent property.
For labels of the shipped curriculum its own keys.csv and types.csv hold where the folder has none.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from dataclasses import dataclass
from itertools import islice, permutations
from pathlib import Path
from typing import Any

from servers.text2cypher.graph.schema import BOOLEAN, FLOAT, INTEGER, LISTS, STRING, GraphSchema

Value = int | float | str | bool | list[Any] | None
KEY_COLUMN = "_key"
CURRICULUM = Path(__file__).parent.parent / "data" / "curriculum"
_NAME = re.compile(r"[^\W\d](?:[\w ]*\w)?")
_ALLOWED = "a letter first, then letters, digits, underscores, blanks inside"
_EDGE_COLUMNS = ("from_label", "from_key", "to_label", "to_key")
_MOST_PARTS = 3  # the most columns of a key
_SAMPLE = 200  # how many of the edges' keys are examined


class GraphFileError(ValueError):
    """A file of the graph folder is wrong; the message says which, on which line, and what to do."""


@dataclass(frozen=True)
class Edge:
    """One relationship, with the keys of its ends."""

    kind: str
    from_label: str
    from_key: str
    to_label: str
    to_key: str
    properties: dict[str, Value]


@dataclass(frozen=True)
class GraphData:
    """A whole graph; `nodes`: label → key → properties."""

    schema: GraphSchema
    nodes: dict[str, dict[str, dict[str, Value]]]
    edges: list[Edge]


def read_graph(folder: Path) -> GraphData:
    """The graph in `folder`. Raises GraphFileError."""
    if not folder.is_dir():
        raise GraphFileError(f"{folder}: no such folder; give the folder that holds nodes.LABEL.csv and edges.TYPE.csv")
    node_files = sorted(folder.glob("nodes.*.csv"))
    if not node_files:
        raise GraphFileError(f"{folder}: holds no nodes.LABEL.csv; the format is described in docs/text2cypher/data.md")
    keys = _read_keys(folder / "keys.csv")
    kinds = _read_types(folder / "types.csv")
    types: dict[str, dict[str, str]] = {}
    nodes: dict[str, dict[str, dict[str, Value]]] = {}
    edge_rows = _read_edge_rows(folder)
    named = _keys_named(edge_rows)
    for file in node_files:
        label = _name_in(file)
        types[label], nodes[label] = _read_nodes(file, keys.get(label), named.get(label, set()), kinds.get(label, {}))
    edges, edge_types = _check_edges(edge_rows, nodes, kinds)
    paths = tuple(dict.fromkeys((e.from_label, e.kind, e.to_label) for e in edges))
    return GraphData(GraphSchema(types, paths, edge_types), nodes, edges)


def _name_in(file: Path) -> str:
    name = file.name.split(".", 1)[1].removesuffix(".csv")
    if not _NAME.fullmatch(name):
        raise GraphFileError(f"{file}: {name!r} is not a name ({_ALLOWED})")
    return name


def _rows(file: Path) -> tuple[list[str], list[tuple[int, dict[str, str]]]]:
    """The header and (line number, row) pairs; every row is as long as the header."""
    try:
        with file.open(encoding="utf-8-sig", newline="") as handle:
            reader = csv.reader(handle, strict=True)
            header = next(reader, [])
            rows = []
            for row in reader:
                if not row:
                    continue
                if len(row) != len(header):
                    raise GraphFileError(
                        f"{file}:{reader.line_num}: {len(row)} fields, not {len(header)} as in the header; "
                        "quote fields that hold commas"
                    )
                rows.append((reader.line_num, dict(zip(header, row, strict=True))))
    except (csv.Error, UnicodeDecodeError) as error:
        raise GraphFileError(f"{file}: not a CSV file in UTF-8 ({error})") from error
    for column, count in Counter(header).items():
        if count > 1 or not _NAME.fullmatch(column):
            raise GraphFileError(
                f"{file}:1: column {column!r} is {'there twice' if count > 1 else f'not a name ({_ALLOWED})'}"
            )
    if not header:
        raise GraphFileError(f"{file}: empty; its first line must name the columns")
    return header, rows


def _read_keys(file: Path) -> dict[str, tuple[str, ...]]:
    if not file.exists():
        return {}
    header, rows = _rows(file)
    if header[:2] != ["label", "key"]:
        raise GraphFileError(f"{file}:1: must have the columns label,key")
    return {row["label"]: tuple(row["key"].split("|")) for _, row in rows}


def _read_types(file: Path) -> dict[str, dict[str, str]]:
    """{label: {property: type}} as declared in types.csv."""
    used = file if file.exists() else CURRICULUM / file.name
    header, rows = _rows(used)
    if header[:3] != ["label", "property", "type"]:
        raise GraphFileError(f"{used}:1: must have the columns label,property,type")
    found: dict[str, dict[str, str]] = {}
    for line, row in rows:
        if row["type"] not in _FORMS:
            raise GraphFileError(f"{used}:{line}: type {row['type']!r} is none of {', '.join(_FORMS)}")
        found.setdefault(row["label"], {})[row["property"]] = row["type"]
    return found


def _read_nodes(
    file: Path, key: tuple[str, ...] | None, named: set[str], kinds: dict[str, str]
) -> tuple[dict[str, str], dict[str, dict[str, Value]]]:
    header, rows = _rows(file)
    types = {column: _type_of(file, column, rows, kinds.get(column)) for column in header if column != KEY_COLUMN}
    columns = (KEY_COLUMN,) if KEY_COLUMN in header else key or _find_key(_name_in(file), header, rows, named)
    missing = set(columns) - set(header)
    if missing:
        raise GraphFileError(f"{file}:1: key column {', '.join(sorted(missing))} is missing")
    nodes: dict[str, dict[str, Value]] = {}
    for line, row in rows:
        name = "|".join(row[column] for column in columns)
        if name in nodes:
            raise GraphFileError(
                f"{file}:{line}: key {name!r} is there twice; keys ({'|'.join(columns)}) must be unique"
            )
        nodes[name] = {column: _value(row[column], kind) for column, kind in types.items()}
    return types, nodes


def _find_key(
    label: str, header: list[str], rows: list[tuple[int, dict[str, str]]], named: set[str]
) -> tuple[str, ...]:
    """The columns that identify a node; `named`: the keys that the edges use for this label."""
    shipped = _read_keys(CURRICULUM / "keys.csv").get(label, ())
    if shipped and set(shipped) <= set(header):
        return shipped
    parts = max((key.count("|") for key in islice(named, _SAMPLE)), default=0) + 1
    candidates = [columns for size in range(1, min(parts, _MOST_PARTS) + 1) for columns in permutations(header, size)]

    def fitness(key: tuple[str, ...]) -> tuple[int, bool]:
        values = {"|".join(row[column] for column in key) for _, row in rows}
        return len(values & named), len(values) == len(rows)

    return max(candidates, key=fitness)


_CODE = re.compile(r"0\d+")
"""A number would lose its zero: 00012."""
_FORMS = {
    INTEGER: (re.compile(r"[+-]?(?:\d{1,18}|[1-8]\d{18}|9[01]\d{17})"), "a whole number"),  # 64 bits
    FLOAT: (re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?"), "a number"),
    BOOLEAN: (re.compile(r"true|false", re.IGNORECASE), "true or false"),
    STRING: (re.compile(r".*", re.DOTALL), "a text"),
    **{kind: (re.compile(r"\[.*\]", re.DOTALL), "a list in JSON") for kind in LISTS.values()},
}


def _type_of(file: Path, column: str, rows: list[tuple[int, dict[str, str]]], kind: str | None = None) -> str:
    filled = [(line, row[column]) for line, row in rows if row[column] != ""]
    if kind is None:
        if any(_CODE.fullmatch(text) for _, text in filled):
            return STRING
        return next(
            (kind for kind, (form, _) in _FORMS.items() if filled and all(form.fullmatch(t) for _, t in filled)), STRING
        )
    form, called = _FORMS[kind]
    for line, text in filled:
        if not form.fullmatch(text):
            raise GraphFileError(f"{file}:{line}: {column} must be {called}, not {text!r}")
    return kind


def _value(text: str, kind: str) -> Value:
    """A CSV field converted to its property's type; None if it is empty."""
    if text == "":
        return None
    if kind == INTEGER:
        return int(text)
    if kind == FLOAT:
        return float(text)
    if kind in LISTS.values():
        return list(json.loads(text))
    return text.lower() == "true" if kind == BOOLEAN else text


EdgeRows = dict[str, tuple[Path, list[str], list[tuple[int, dict[str, str]]]]]


def _read_edge_rows(folder: Path) -> EdgeRows:
    """Per relationship type: its file, header and rows, with ends not looked up yet."""
    found: EdgeRows = {}
    for file in sorted(folder.glob("edges.*.csv")):
        header, rows = _rows(file)
        if tuple(header[:4]) != _EDGE_COLUMNS:
            raise GraphFileError(f"{file}:1: must begin with the columns {','.join(_EDGE_COLUMNS)}")
        found[_name_in(file)] = (file, header, rows)
    return found


def _keys_named(edge_rows: EdgeRows) -> dict[str, set[str]]:
    named: dict[str, set[str]] = {}
    for _, _, rows in edge_rows.values():
        for _, row in rows:
            named.setdefault(row["from_label"], set()).add(row["from_key"])
            named.setdefault(row["to_label"], set()).add(row["to_key"])
    return named


def _check_edges(
    edge_rows: EdgeRows, nodes: dict[str, dict[str, dict[str, Value]]], kinds: dict[str, dict[str, str]]
) -> tuple[list[Edge], dict[str, dict[str, str]]]:
    edges: list[Edge] = []
    types: dict[str, dict[str, str]] = {}
    for kind, (file, header, rows) in edge_rows.items():
        types[kind] = {column: _type_of(file, column, rows, kinds.get(kind, {}).get(column)) for column in header[4:]}
        for line, row in rows:
            for end in ("from", "to"):
                label, key = row[f"{end}_label"], row[f"{end}_key"]
                if key not in nodes.get(label, {}):
                    raise GraphFileError(
                        f"{file}:{line}: {end}_key {key!r} is no {label} of this graph; add the node or drop the edge"
                    )
            properties = {name: _value(row[name], t) for name, t in types[kind].items()}
            edges.append(Edge(kind, row["from_label"], row["from_key"], row["to_label"], row["to_key"], properties))
    return edges, types
