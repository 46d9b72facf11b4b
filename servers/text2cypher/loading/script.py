"""Carries out a loading script: CREATE, MERGE, MATCH, SET, UNWIND, WITH and LOAD CSV statements."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path as File
from typing import Any

from servers.text2cypher.cypher.tokens import CypherSyntaxError, Token, tokenize
from servers.text2cypher.loading.cursor import Cursor, ScriptError, reading
from servers.text2cypher.loading.expressions import Expression, conjuncts, expression, mapping
from servers.text2cypher.loading.run import Change, Loaded, Map, Path, Row, Step

_SKIPPED = ("CONSTRAINT", "INDEX", "FULLTEXT", "UNIQUE", "TEXT", "RANGE", "POINT", "LOOKUP")
Clause = Callable[[Loaded, Row], Iterator[Row]]


def carry_out(script: File) -> Loaded:
    """The graph that the script creates; its CSV files are searched by name near it, never on a network.

    Raises ScriptError, with file and line.
    """
    loaded = Loaded(script.parent)
    try:
        for statement in _read(script.read_text(encoding="utf-8-sig")):
            rows: list[Row] = [{}]
            for clause in statement:
                rows = [made for row in rows for made in clause(loaded, row)]
    except ScriptError as error:
        raise ScriptError(f"{script}: {error}") from error
    except UnicodeDecodeError as error:
        raise ScriptError(f"{script}: not UTF-8; save it as UTF-8") from error
    return loaded


def _read(script: str) -> list[list[Clause]]:
    """The statements in order, without those that only create indexes or constraints. Raises ScriptError."""
    try:
        tokens = tokenize(script)
    except CypherSyntaxError as error:
        raise reading(error, script) from error
    statements: list[list[Token]] = [[]]
    for token in tokens:
        if token.text == ";":
            statements.append([])
        else:
            statements[-1].append(token)
    return [_clauses(Cursor(script, held)) for held in statements if held and not _is_skipped(held)]


def _is_skipped(tokens: list[Token]) -> bool:
    return tokens[0].is_word("DROP") or (tokens[0].is_word("CREATE") and any(t.is_word(*_SKIPPED) for t in tokens[1:3]))


def _clauses(cursor: Cursor) -> list[Clause]:
    found: list[Clause] = []
    readers: dict[str, Callable[[Cursor], Clause]] = {
        "CREATE": lambda c: partial(Loaded.create, paths=_paths(c)),
        "MERGE": _merge,
        "MATCH": _match,
        "SET": lambda c: partial(Loaded.change, changes=_changes(c)),
        "UNWIND": _unwind,
        "LOAD": _load_csv,
        "WITH": _with,
    }
    cursor.skip(":", "AUTO") or cursor.skip("USING", "PERIODIC", "COMMIT")
    while (token := cursor.peek()) is not None and not token.is_word("RETURN"):
        reader = readers.get(token.text.upper())
        if reader is None:
            raise cursor.wrong(f"a loading script may hold {', '.join(readers)}, RETURN")
        cursor.at += 1
        found.append(reader(cursor))
    return found


def _paths(cursor: Cursor) -> list[Path]:
    found = [_path(cursor)]
    while cursor.skip(","):
        found.append(_path(cursor))
    return found


def _path(cursor: Cursor) -> Path:
    if cursor.text(1) == "=":
        cursor.at += 2
    steps = [_node(cursor)]
    while cursor.text() in ("-", "<"):
        incoming = cursor.skip("<")
        cursor.take("-")
        along: str | None = None
        kind: str | None = None
        keys: Map = _nothing
        if cursor.skip("["):
            along = cursor.name() if cursor.text() not in (":", "]") else None
            kind = cursor.name() if cursor.skip(":") else None
            keys = mapping(cursor) if cursor.text() == "{" else _nothing
            cursor.take("]")
        cursor.take("-")
        outgoing = cursor.skip(">")
        forward = None if incoming == outgoing else outgoing
        node = _node(cursor)
        steps.append(Step(node.variable, node.labels, node.keys, kind or "", forward, along, keys))
    return steps


def _nothing(_: Mapping[str, Any]) -> dict[str, Any]:
    return {}


def _node(cursor: Cursor) -> Step:
    cursor.take("(")
    variable = cursor.name() if cursor.text() not in (":", "{", ")") else None
    labels = []
    while cursor.skip(":"):
        labels.append(cursor.name())
    keys = mapping(cursor) if cursor.text() == "{" else _nothing
    cursor.take(")")
    return Step(variable, tuple(labels), keys, None)


def _merge(cursor: Cursor) -> Clause:
    path = _path(cursor)
    created: list[Change] = []
    matched: list[Change] = []
    while cursor.word("ON"):
        cursor.at += 1
        into = created if cursor.take().is_word("CREATE") else matched
        cursor.take("SET")
        into += _changes(cursor)
    return partial(Loaded.merge, path=path, created=created, matched=matched)


def _match(cursor: Cursor) -> Clause:
    paths = _paths(cursor)
    return partial(Loaded.match, paths=paths, tests=conjuncts(cursor) if cursor.skip("WHERE") else [])


def _changes(cursor: Cursor) -> list[Change]:
    found = []
    while True:
        variable = cursor.name()
        name = cursor.name() if cursor.skip(".") else None
        added = cursor.skip("+=")
        if not added:
            cursor.take("=")
        found.append(Change(variable, name, expression(cursor), added))
        if not cursor.skip(","):
            return found


def _unwind(cursor: Cursor) -> Clause:
    items = expression(cursor)
    cursor.take("AS")
    return partial(Loaded.unwind, items=items, variable=cursor.name())


def _load_csv(cursor: Cursor) -> Clause:
    cursor.take("CSV")
    headers = cursor.skip("WITH", "HEADERS")
    cursor.take("FROM")
    source = cursor.take().value
    cursor.take("AS")
    variable = cursor.name()
    delimiter = cursor.take().value if cursor.skip("FIELDTERMINATOR") else ","
    return partial(Loaded.load_csv, source=source, variable=variable, delimiter=delimiter, headers=headers)


def _with(cursor: Cursor) -> Clause:
    names: dict[str, Expression] = {}
    while not cursor.skip("*"):
        begin = cursor.at
        value = expression(cursor)
        name = cursor.name() if cursor.skip("AS") else cursor.tokens[begin].value
        names[name] = value
        if not cursor.skip(","):
            break
    return partial(Loaded.with_, names=names)
