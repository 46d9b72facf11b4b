"""The process that holds the embedded engine: builds the graph, gives up its rights, answers queries line by line.

    python -m servers.text2cypher.graph.worker GRAPH_FOLDER DATABASE_FOLDER ROW_CAP TIMEOUT_MS

A request is a JSON line {op: "check"|"run", query}; an answer is a JSON line {ok: true, …} or {ok: false, error}.
The first answer, {ok: true, ready: true}, comes when the graph is loaded and the rights are gone; the parent may
delete the database's folder then, the open database lives on without it. Judges nothing.
"""

from __future__ import annotations

import importlib
import json
import math
import sys
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, TextIO
from uuid import UUID

from servers.text2cypher.graph import lockdown
from servers.text2cypher.graph.build import ENGINE_SIZE, build
from servers.text2cypher.graph.folder import read_graph


def main() -> None:
    """Serve one parent over standard input and output until it hangs up."""
    folder, place, row_cap, timeout_ms = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    lockdown.die_with_parent()
    answers = sys.stdout
    sys.stdout = sys.stderr
    ladybug: Any = importlib.import_module("ladybug")
    path = place / "graph"
    build(ladybug, path, read_graph(folder))
    sealed = lockdown.deny_files(place)
    database = ladybug.Database(str(path), read_only=True, **ENGINE_SIZE)
    connection = ladybug.Connection(database)
    connection.set_query_timeout(timeout_ms)
    connection.execute("RETURN 1").get_all()
    lockdown.limit(files=not sealed)
    _say(answers, {"ok": True, "ready": True})
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = _answer(connection, request, row_cap)
        except RuntimeError as error:
            answer = {"ok": False, "error": str(error)}
        except MemoryError:
            answer = {"ok": False, "error": "Out of memory"}
        _say(answers, answer)


def _answer(connection: Any, request: dict[str, str], row_cap: int) -> dict[str, Any]:
    statement = connection.prepare(request["query"])
    if not statement.is_success():
        return {"ok": False, "error": statement.get_error_message()}
    if request["op"] == "check":
        return {"ok": True}
    result = connection.execute(statement)
    rows: list[list[Any]] = []
    while result.has_next() and len(rows) < row_cap:
        rows.append([_plain(value) for value in result.get_next()])
    return {"ok": True, "columns": result.get_column_names(), "rows": rows, "truncated": result.has_next()}


def _plain(value: Any) -> Any:
    """A JSON value; nodes and relationships become their properties, without the engine's own keys."""
    if isinstance(value, dict):
        names = {str(name).upper() for name in value}
        if {"_NODES", "_RELS"} <= names:
            return {{"_NODES": "nodes", "_RELS": "relationships"}[k.upper()]: _plain(v) for k, v in value.items()}
        element = "_ID" in names
        kept = {k: v for k, v in value.items() if not (element and (v is None or k.upper() in _ENGINE_KEYS))}
        return {str(k).rstrip(): _plain(v) for k, v in kept.items()}  # see engine_names
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, (date, datetime)):
        return value.isoformat()
    if isinstance(value, (timedelta, UUID)):
        return str(value)
    return value.hex() if isinstance(value, (bytes, bytearray)) else value


_ENGINE_KEYS = frozenset({"_ID", "_LABEL", "_SRC", "_DST", "_KEY"})


def _say(answers: TextIO, answer: dict[str, Any]) -> None:
    answers.write(json.dumps(answer, ensure_ascii=True) + "\n")
    answers.flush()


if __name__ == "__main__":
    main()
