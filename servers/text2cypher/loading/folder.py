"""Writes a loaded graph as a folder of CSV files for graph/folder.py. Determines types; runs nothing."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from servers.text2cypher.graph.folder import KEY_COLUMN
from servers.text2cypher.graph.schema import BOOLEAN, FLOAT, INTEGER, LISTS, STRING
from servers.text2cypher.loading.cursor import Node, Relation, ScriptError
from servers.text2cypher.loading.run import Loaded

_KINDS: dict[type, str] = {bool: BOOLEAN, int: INTEGER, float: FLOAT}


def write(graph: Loaded, folder: Path) -> list[str]:
    """Writes everything to `folder`, which must not contain a graph yet; returns notes for the user.

    Raises ScriptError.
    """
    if any(folder.glob("nodes.*.csv")):
        raise ScriptError(f"{folder}: holds a graph already; name another folder")
    if not graph.nodes:
        raise ScriptError("the script makes no node")
    if nameless := sum(not node.labels for node in graph.nodes):
        raise ScriptError(f"{nameless} nodes have no label; give each one")
    folder.mkdir(parents=True, exist_ok=True)
    types: list[tuple[str, str, str]] = []
    several = 0
    by_label: dict[str, list[Node]] = {}
    for node in graph.nodes:
        by_label.setdefault(node.labels[0], []).append(node)
        several += len(node.labels) > 1
    for label, nodes in by_label.items():
        names = _names(nodes)
        types += [(label, name, _type(nodes, name)) for name in names]
        rows = [[node.number, *(_text(node.properties.get(name)) for name in names)] for node in nodes]
        _write(folder / f"nodes.{label}.csv", [KEY_COLUMN, *names], rows)
    by_kind: dict[str, list[Relation]] = {}
    for relation in graph.relations:
        by_kind.setdefault(relation.kind, []).append(relation)
    for kind, relations in by_kind.items():
        names = _names(relations)
        types += [(kind, name, _type(relations, name)) for name in names]
        rows = [
            [r.start.labels[0], r.start.number, r.end.labels[0], r.end.number]
            + [_text(r.properties.get(name)) for name in names]
            for r in relations
        ]
        _write(folder / f"edges.{kind}.csv", ["from_label", "from_key", "to_label", "to_key", *names], rows)
    _write(folder / "types.csv", ["label", "property", "type"], types)
    return [f"{several} nodes have several labels; each is kept under its first"] if several else []


def _names(held: Sequence[Node | Relation]) -> list[str]:
    return list(dict.fromkeys(name for one in held for name in one.properties))


def _type(held: Iterable[Node | Relation], name: str) -> str:
    kinds = {_kind(one.properties[name]) for one in held if name in one.properties}
    if kinds == {INTEGER, FLOAT}:
        return FLOAT
    return kinds.pop() if len(kinds) == 1 else STRING


def _kind(value: Any) -> str:
    if isinstance(value, list):
        kinds = {_kind(item) for item in value}
        only = kinds.pop() if len(kinds) == 1 else STRING
        return LISTS.get(only, LISTS[STRING])
    return _KINDS.get(type(value), STRING)


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, (bool, list, dict)):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


def _write(file: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    with file.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
