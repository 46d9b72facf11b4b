"""The graph that a loading script builds in memory; its clauses as CREATE, MERGE, MATCH and SET mean them."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path as File
from typing import Any
from urllib.parse import urlsplit

from servers.text2cypher.loading.cursor import Node, Relation, ScriptError
from servers.text2cypher.loading.expressions import Expression

Row = dict[str, Any]
Map = Callable[[Mapping[str, Any]], dict[str, Any]]
"""A function from a row's bindings to properties."""
Test = tuple[Expression, tuple[str, str] | None, Expression | None]
"""A condition, the (variable, name) of a property that it fixes, the required value."""


@dataclass(frozen=True)
class Step:
    """A node of a path; `kind`, `forward` and `along` describe the relationship before it (None for the first node)."""

    variable: str | None
    labels: tuple[str, ...]
    keys: Map
    kind: str | None = None
    forward: bool | None = True  # None: either way
    along: str | None = None
    along_keys: Map = lambda _: {}


Path = list[Step]


@dataclass(frozen=True)
class Change:
    """`variable.name = value`; without a name a whole map, which is added (`+=`) or replaces all properties."""

    variable: str
    name: str | None
    value: Expression
    added: bool = False


class Loaded:
    """The nodes and relationships so far. The method of a clause yields the rows that it makes of one row."""

    def __init__(self, folder: File) -> None:
        self._folder = folder
        self.nodes: list[Node] = []
        self.relations: list[Relation] = []
        self._by_value: dict[tuple[str, str], dict[Any, list[Node]]] = {}
        self._by_label: dict[str, list[Node]] = {}
        self._around: dict[int, list[Relation]] = {}

    # -- clauses

    def create(self, row: Row, paths: list[Path]) -> Iterator[Row]:
        made = dict(row)
        for path in paths:
            self._make(path, made)
        yield made

    def merge(self, row: Row, path: Path, created: list[Change], matched: list[Change]) -> Iterator[Row]:
        found = list(self._walk(path, row, []))
        if found:
            for held in found:
                self._change(matched, held)
                yield held
            return
        made = dict(row)
        self._make(path, made)
        self._change(created, made)
        yield made

    def match(self, row: Row, paths: list[Path], tests: list[Test]) -> Iterator[Row]:
        rows = [row]
        for path in paths:
            rows = [found for held in rows for found in self._walk(path, held, tests)]
        yield from (found for found in rows if all(test(found) for test, _, _ in tests))

    def change(self, row: Row, changes: list[Change]) -> Iterator[Row]:
        self._change(changes, row)
        yield row

    def unwind(self, row: Row, items: Expression, variable: str) -> Iterator[Row]:
        yield from ({**row, variable: item} for item in items(row) or ())

    def with_(self, row: Row, names: dict[str, Expression]) -> Iterator[Row]:
        """`names` is empty for `*`: everything is kept."""
        yield {name: value(row) for name, value in names.items()} or row

    def load_csv(self, row: Row, source: str, variable: str, delimiter: str, *, headers: bool) -> Iterator[Row]:
        name = urlsplit(source).path.rpartition("/")[2]
        places = [self._folder / name, *self._folder.glob(f"*/{name}"), *self._folder.parent.glob(f"*/{name}")]
        file = next((place for place in places if place.is_file()), None)
        if file is None:
            raise ScriptError(f"LOAD CSV {source}: put {name} beside the script; nothing is fetched")
        with file.open(encoding="utf-8-sig", newline="") as handle:
            if headers:
                for held in csv.DictReader(handle, delimiter=delimiter):
                    yield {**row, variable: {k: v or None for k, v in held.items() if k}}
            else:
                yield from ({**row, variable: held} for held in csv.reader(handle, delimiter=delimiter))

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

    def _walk(self, path: Path, row: Row, tests: list[Test]) -> Iterator[Row]:
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

    def _candidates(self, step: Step, row: Row, tests: list[Test]) -> Iterator[Node]:
        bound = row.get(step.variable) if step.variable else None
        if isinstance(bound, Node):
            yield bound
            return
        fixed = dict(step.keys(row))
        for _, named, other in tests:
            if named and other and named[0] == step.variable and (value := other(row)) is not None:
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
