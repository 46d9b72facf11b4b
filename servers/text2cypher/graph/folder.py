"""Reads a graph from a folder of CSV files. Checks it whole before anything is loaded; runs no query.

    nodes.LABEL.csv   one column a property
    edges.TYPE.csv    from_label, from_key, to_label, to_key (further columns are properties of the relationship)
    keys.csv          optional: label, key; the key's columns joined by `|`

A node's key is what keys.csv says or, without that file, `kode` where the label has it, else that of `MK|nama`,
`MK|nama|deskripsi` and the single columns by which the edges name the most nodes (unique ones first).
A column whose values are all whole numbers is INTEGER, all numbers FLOAT, true/false BOOLEAN, else STRING; an empty
field is an absent property.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from servers.text2cypher.graph.schema import BOOLEAN, FLOAT, INTEGER, STRING, GraphSchema

Value = int | float | str | bool | None
CURRICULUM = Path(__file__).parent.parent / "data" / "curriculum"
_NAME = re.compile(r"[^\W\d]\w*")
_EDGE_COLUMNS = ("from_label", "from_key", "to_label", "to_key")
_KNOWN_KEYS = (("kode",), ("MK", "nama"), ("MK", "nama", "deskripsi"))
# Identifiers whose digits are a name, not a quantity.
_ALWAYS_TEXT = frozenset({"kode", "nama", "deskripsi"})
_ALWAYS_INTEGER = frozenset({"sks", "semester"})


class GraphFileError(ValueError):
    """A file of the graph folder is wrong; the message says which, on which line, and what to do."""


@dataclass(frozen=True)
class Edge:
    """One relationship, by the keys of its ends."""

    kind: str
    from_label: str
    from_key: str
    to_label: str
    to_key: str
    properties: dict[str, Value]


@dataclass(frozen=True)
class GraphData:
    """A whole graph: `nodes` label → key → properties."""

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
    types: dict[str, dict[str, str]] = {}
    nodes: dict[str, dict[str, dict[str, Value]]] = {}
    edge_rows = _read_edge_rows(folder)
    named = _keys_named(edge_rows)
    for file in node_files:
        label = _name_in(file)
        types[label], nodes[label] = _read_nodes(file, keys.get(label), named.get(label, set()))
    edges, edge_types = _check_edges(edge_rows, nodes)
    paths = tuple(dict.fromkeys((e.from_label, e.kind, e.to_label) for e in edges))
    return GraphData(GraphSchema(types, paths, edge_types), nodes, edges)


def _name_in(file: Path) -> str:
    name = file.name.split(".", 1)[1].removesuffix(".csv")
    if not _NAME.fullmatch(name):
        raise GraphFileError(f"{file}: {name!r} is not a name (letters, digits, underscore)")
    return name


def _rows(file: Path) -> tuple[list[str], list[tuple[int, dict[str, str]]]]:
    """The header and (line number, row) pairs; every row as long as the header."""
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
            raise GraphFileError(f"{file}:1: column {column!r} is {'there twice' if count > 1 else 'not a name'}")
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


def _read_nodes(
    file: Path, key: tuple[str, ...] | None, named: set[str]
) -> tuple[dict[str, str], dict[str, dict[str, Value]]]:
    header, rows = _rows(file)
    types = {column: _type_of(file, column, rows) for column in header}
    columns = key or _find_key(header, rows, named)
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
        nodes[name] = {column: _value(row[column], types[column]) for column in header}
    return types, nodes


def _find_key(header: list[str], rows: list[tuple[int, dict[str, str]]], named: set[str]) -> tuple[str, ...]:
    """The columns that identify a node; `named` are the keys the edges use for this label."""
    if "kode" in header:
        return ("kode",)
    known = [key for key in _KNOWN_KEYS if set(key) <= set(header)]
    candidates: list[tuple[str, ...]] = [*known, *((column,) for column in header)]

    def fitness(key: tuple[str, ...]) -> tuple[int, bool]:
        values = {"|".join(row[column] for column in key) for _, row in rows}
        return len(values & named), len(values) == len(rows)

    return max(candidates, key=fitness)


def _type_of(file: Path, column: str, rows: list[tuple[int, dict[str, str]]]) -> str:
    filled = [(line, row[column]) for line, row in rows if row[column] != ""]
    if column in _ALWAYS_TEXT:
        return STRING
    if column in _ALWAYS_INTEGER:
        for line, text in filled:
            if not re.fullmatch(r"[+-]?\d+", text):
                raise GraphFileError(f"{file}:{line}: {column} must be a whole number, not {text!r}")
        return INTEGER
    texts = [text for _, text in filled]
    if texts and all(re.fullmatch(r"[+-]?\d{1,18}", text) for text in texts):
        return INTEGER
    if texts and all(re.fullmatch(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?", text) for text in texts):
        return FLOAT
    if texts and all(text.lower() in ("true", "false") for text in texts):
        return BOOLEAN
    return STRING


def _value(text: str, kind: str) -> Value:
    if text == "":
        return None
    if kind == INTEGER:
        return int(text)
    if kind == FLOAT:
        return float(text)
    return text.lower() == "true" if kind == BOOLEAN else text


EdgeRows = dict[str, tuple[Path, list[str], list[tuple[int, dict[str, str]]]]]


def _read_edge_rows(folder: Path) -> EdgeRows:
    """Per relationship type: its file, header and rows, ends not looked up yet."""
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
    edge_rows: EdgeRows, nodes: dict[str, dict[str, dict[str, Value]]]
) -> tuple[list[Edge], dict[str, dict[str, str]]]:
    edges: list[Edge] = []
    types: dict[str, dict[str, str]] = {}
    for kind, (file, header, rows) in edge_rows.items():
        types[kind] = {column: _type_of(file, column, rows) for column in header[4:]}
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
