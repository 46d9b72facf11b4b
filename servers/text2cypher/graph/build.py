"""Builds the embedded engine's database from a graph: one table per label and relationship type. Runs no query.

Rows are loaded with COPY from CSV files beside the database before the worker gives up file access: inserting 60,000
one by one takes minutes. A table with a list of texts is filled row by row, because the engine's CSV can't quote a text
inside a list.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from servers.text2cypher.graph.engine_names import EngineNames
from servers.text2cypher.graph.folder import Edge, GraphData, Value
from servers.text2cypher.graph.schema import BOOLEAN, FLOAT, INTEGER, LISTS, STRING

KEY = "_key"
ENGINE_SIZE = {"buffer_pool_size": 512 << 20, "max_db_size": 2 << 30, "max_num_threads": 1}
"""By default the engine reserves 8 TB of address space, which a memory limit would reject."""
_TYPES = {INTEGER: "INT64", FLOAT: "DOUBLE", STRING: "STRING", BOOLEAN: "BOOLEAN"}
_TYPES |= {kind: f"{_TYPES[item]}[]" for item, kind in LISTS.items()}
_COPYS_OWN = frozenset({"from", "to"})
"""COPY's names for the ends of a relationship; a property with such a name would be taken for them."""
_FORM = "header=false, auto_detect=false, parallel=false, delim=',', quote='\"', escape='\"'"


def build(engine: Any, path: Path, graph: GraphData) -> None:
    """Creates the database file at `path`; CSV files are written beside it."""
    # no checkpoints: after each of 400 statements they take most of a minute
    database = engine.Database(str(path), **ENGINE_SIZE, auto_checkpoint=False)
    connection = engine.Connection(database)
    called = EngineNames.of(graph.schema)
    for number, (own, held) in enumerate(graph.schema.nodes.items()):
        label, types = called.labels.get(own, own), _renamed(held, called)
        connection.execute(f"CREATE NODE TABLE `{label}`(`{KEY}` STRING{_columns(types)}, PRIMARY KEY(`{KEY}`))")
        rows = ([key, *(values[name] for name in held)] for key, values in graph.nodes[own].items())
        if _has_texts(types):
            names = ", ".join(f"`{name}`: $p{place}" for place, name in enumerate([KEY, *types]))
            _insert(connection, f"CREATE (:`{label}` {{{names}}})", rows)
        else:
            _copy(connection, f"`{label}`", path.with_name(f"nodes{number}.csv"), rows)
    _build_edges(connection, path, graph, called)
    connection.close()
    database.close()


def _build_edges(connection: Any, path: Path, graph: GraphData, called: EngineNames) -> None:
    by_ends: dict[tuple[str, str, str], list[Edge]] = {}
    for edge in graph.edges:
        by_ends.setdefault((edge.kind, edge.from_label, edge.to_label), []).append(edge)
    labels = {label: called.labels.get(label, label) for label in graph.schema.labels}
    tables = {kind: called.kinds.get(kind, kind) for kind in graph.schema.relationships}
    columns = {kind: graph.schema.relationship_properties.get(kind, {}) for kind in tables}
    for own, kind in tables.items():
        ends = ", ".join(f"FROM `{labels[a]}` TO `{labels[b]}`" for a, b in graph.schema.ends(own))
        connection.execute(f"CREATE REL TABLE `{kind}`({ends}{_columns(_renamed(columns[own], called))})")
    for number, ((own, *ends_of), edges) in enumerate(by_ends.items()):
        kind, types, (start, end) = tables[own], _renamed(columns[own], called), map(labels.__getitem__, ends_of)
        rows = ([edge.from_key, edge.to_key, *(edge.properties[name] for name in columns[own])] for edge in edges)
        if _has_texts(types) or _COPYS_OWN & {name.lower() for name in types}:
            names = ", ".join(f"`{name}`: $p{place}" for place, name in enumerate(types, 2))
            pattern = f"MATCH (a:`{start}` {{`{KEY}`: $p0}}), (b:`{end}` {{`{KEY}`: $p1}})"
            _insert(connection, f"{pattern} CREATE (a)-[:`{kind}` {{{names}}}]->(b)", rows)
        else:
            _copy(connection, f"`{kind}`", path.with_name(f"edges{number}.csv"), rows, f"from='{start}', to='{end}', ")


def _renamed(types: dict[str, str], called: EngineNames) -> dict[str, str]:
    return {called.properties.get(name, name): kind for name, kind in types.items()}


def _columns(types: dict[str, str]) -> str:
    return "".join(f", `{name}` {_TYPES[kind]}" for name, kind in types.items())


def _has_texts(types: dict[str, str]) -> bool:
    return LISTS[STRING] in types.values()


def _insert(connection: Any, statement: str, rows: Iterable[Sequence[Value]]) -> None:
    connection.execute("BEGIN TRANSACTION")
    for row in rows:
        connection.execute(statement, {f"p{place}": value for place, value in enumerate(row)})
    connection.execute("COMMIT")


def _copy(connection: Any, table: str, file: Path, rows: Iterable[Sequence[Value]], ends: str = "") -> None:
    with file.open("w", encoding="utf-8", newline="") as handle:
        for row in rows:
            handle.write(",".join(map(_written, row)) + "\n")
    if file.stat().st_size:
        connection.execute(f"COPY {table} FROM '{file}' ({ends}{_FORM})")
    file.unlink()


def _written(value: Value) -> str:
    """One CSV field; empty for a missing property."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return '"[' + ",".join(map(_written, value)) + ']"'
    return '"' + value.replace('"', '""') + '"' if isinstance(value, str) else repr(value)
