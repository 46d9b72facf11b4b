"""Executes a loading script in memory, with the semantics of CREATE, MERGE, MATCH and SET."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path as File
from typing import Any
from urllib.parse import urlsplit

from servers.text2cypher.loading.cursor import Node, Relation, ScriptError
from servers.text2cypher.loading.script import (
    Change,
    Clause,
    Create,
    LoadCsv,
    Match,
    Merge,
    Path,
    Set,
    Step,
    Unwind,
    With,
    read,
)

Row = dict[str, Any]


def carry_out(script: File) -> Loaded:
    """The graph that the script creates; its CSV files are searched by name near it, never on a network.

    Raises ScriptError, with file and line.
    """
    loaded = Loaded(script.parent)
    try:
        for statement in read(script.read_text(encoding="utf-8-sig")):
            rows: list[Row] = [{}]
            for clause in statement:
                rows = list(loaded.apply(clause, rows))
    except ScriptError as error:
        raise ScriptError(f"{script}: {error}") from error
    except UnicodeDecodeError as error:
        raise ScriptError(f"{script}: not UTF-8; save it as UTF-8") from error
    return loaded


class Loaded:
    """The nodes and relationships so far."""

    def __init__(self, folder: File) -> None:
        self._folder = folder
        self.nodes: list[Node] = []
        self.relations: list[Relation] = []
        self._by_value: dict[tuple[str, str], dict[Any, list[Node]]] = {}
        self._by_label: dict[str, list[Node]] = {}
        self._around: dict[int, list[Relation]] = {}

    @cached_property
    def _acts(self) -> dict[type, Callable[[Any, Row], Iterator[Row]]]:
        return {
            Create: self._create,
            Merge: self._merge,
            Match: self._match,
            Set: self._set,
            Unwind: self._unwind,
            LoadCsv: self._load_csv,
            With: self._with,
        }

    def apply(self, clause: Clause, rows: list[Row]) -> Iterator[Row]:
        """The rows after the clause."""
        for row in rows:
            yield from self._acts[type(clause)](clause, row)

    # -- clauses

    def _create(self, clause: Create, row: Row) -> Iterator[Row]:
        made = dict(row)
        for path in clause.paths:
            self._make(path, made)
        yield made

    def _merge(self, clause: Merge, row: Row) -> Iterator[Row]:
        found = list(self._walk(clause.path, row, []))
        if found:
            for matched in found:
                self._change(clause.matched, matched)
                yield matched
            return
        made = dict(row)
        self._make(clause.path, made)
        self._change(clause.created, made)
        yield made

    def _match(self, clause: Match, row: Row) -> Iterator[Row]:
        rows = [row]
        for path in clause.paths:
            rows = [found for held in rows for found in self._walk(path, held, clause.tests)]
        yield from (found for found in rows if all(test(found) for test, _, _ in clause.tests))

    def _set(self, clause: Set, row: Row) -> Iterator[Row]:
        self._change(clause.changes, row)
        yield row

    def _unwind(self, clause: Unwind, row: Row) -> Iterator[Row]:
        yield from ({**row, clause.variable: item} for item in clause.items(row) or ())

    def _with(self, clause: With, row: Row) -> Iterator[Row]:
        yield {name: value(row) for name, value in clause.names.items()} or row

    def _load_csv(self, clause: LoadCsv, row: Row) -> Iterator[Row]:
        name = urlsplit(clause.source).path.rpartition("/")[2]
        places = [self._folder / name, *self._folder.glob(f"*/{name}"), *self._folder.parent.glob(f"*/{name}")]
        file = next((place for place in places if place.is_file()), None)
        if file is None:
            raise ScriptError(f"LOAD CSV {clause.source}: put {name} beside the script; nothing is fetched")
        with file.open(encoding="utf-8-sig", newline="") as handle:
            if clause.headers:
                for held in csv.DictReader(handle, delimiter=clause.delimiter):
                    yield {**row, clause.variable: {k: v or None for k, v in held.items() if k}}
            else:
                yield from ({**row, clause.variable: held} for held in csv.reader(handle, delimiter=clause.delimiter))

    # -- nodes and relationships

    def _make(self, path: Path, row: Row) -> None:
        """Creates the unbound parts of the path and binds them."""
        before: Node | None = None
        for step in path:
            node = row.get(step.variable) if step.variable else None
            if node is None:
                node = Node(len(self.nodes), step.labels)
                self.nodes.append(node)
                for label in step.labels:
                    self._by_label.setdefault(label, []).append(node)
                self._put(node, step.keys(row))
                if step.variable:
                    row[step.variable] = node
            if before is not None:
                start, end = (node, before) if step.forward is False else (before, node)
                relation = Relation(step.kind or "", start, end)
                relation.properties |= {k: v for k, v in step.along_keys(row).items() if v is not None}
                self.relations.append(relation)
                for at in (start, end):
                    self._around.setdefault(at.number, []).append(relation)
                if step.along:
                    row[step.along] = relation
            before = node

    def _put(self, node: Node, values: dict[str, Any]) -> None:
        for name, value in values.items():
            if value is None:
                node.properties.pop(name, None)
                continue
            node.properties[name] = value
            for label in node.labels:
                index = self._by_value.get((label, name))
                if index is not None:
                    index.setdefault(_key(value), []).append(node)

    def _change(self, changes: list[Change], row: Row) -> None:
        for change in changes:
            held, value = row.get(change.variable), change.value(row)
            if not isinstance(held, (Node, Relation)):
                raise ScriptError(f"SET {change.variable}: no node or relationship of that name")
            values = {change.name: value} if change.name else dict(getattr(value, "properties", value) or {})
            if not change.name and not change.added:
                held.properties.clear()
            if isinstance(held, Node):
                self._put(held, values)
            else:
                held.properties |= {name: v for name, v in values.items() if v is not None}

    # -- matching

    def _walk(self, path: Path, row: Row, tests: list[Any]) -> Iterator[Row]:
        for first in self._candidates(path[0], row, tests):
            yield from self._onward(path, 1, first, {**row, **_bound(path[0].variable, first)})

    def _onward(self, path: Path, place: int, at: Node, row: Row) -> Iterator[Row]:
        if place == len(path):
            yield row
            return
        step = path[place]
        for relation in self._around.get(at.number, ()):
            other = relation.end if relation.start is at else relation.start
            ways = {True: relation.start is at, False: relation.end is at, None: True}
            if (
                not ways[step.forward]
                or step.kind not in ("", relation.kind)
                or not _holds(relation, step.along_keys(row))
            ):
                continue
            bound = row.get(step.variable) if step.variable else None
            if (bound is not None and bound is not other) or not _fits(other, step, row):
                continue
            yield from self._onward(
                path, place + 1, other, {**row, **_bound(step.variable, other), **_bound(step.along, relation)}
            )

    def _candidates(self, step: Step, row: Row, tests: list[Any]) -> Iterator[Node]:
        bound = row.get(step.variable) if step.variable else None
        if isinstance(bound, Node):
            yield bound
            return
        fixed = dict(step.keys(row))
        for _, named, other in tests:
            if named is not None and named[0] == step.variable and (value := other(row)) is not None:
                fixed.setdefault(named[1], value)
        held: list[Node] = self._by_label.get(step.labels[0], []) if step.labels else self.nodes
        if step.labels and fixed:
            name, value = next(iter(fixed.items()))
            held = self._index(step.labels[0], name).get(_key(value), [])
        yield from _once(held, step, row)

    def _index(self, label: str, name: str) -> dict[Any, list[Node]]:
        """Nodes of a label by a property's value; may include nodes whose value has changed since."""
        if (label, name) not in self._by_value:
            index: dict[Any, list[Node]] = {}
            for node in self._by_label.get(label, []):
                if name in node.properties:
                    index.setdefault(_key(node.properties[name]), []).append(node)
            self._by_value[label, name] = index
        return self._by_value[label, name]


def _once(nodes: list[Node], step: Step, row: Row) -> Iterator[Node]:
    seen: set[int] = set()
    for node in list(nodes):
        if node.number not in seen and _fits(node, step, row):
            seen.add(node.number)
            yield node


def _bound(variable: str | None, held: Node | Relation) -> Row:
    return {variable: held} if variable else {}


def _fits(node: Node, step: Step, row: Row) -> bool:
    return set(step.labels) <= set(node.labels) and _holds(node, step.keys(row))


def _holds(held: Node | Relation, keys: dict[str, Any]) -> bool:
    return all(held.properties.get(name) == value for name, value in keys.items())


def _key(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
