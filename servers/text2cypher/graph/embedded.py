"""The embedded engine as a GraphBackend: one sandboxed worker process, restarted if a query kills it."""

from __future__ import annotations

import json
import os
import re
import selectors
import subprocess
import sys
import tempfile
import threading
import time
from itertools import islice
from pathlib import Path
from typing import Any

from servers.text2cypher.cypher.parts import column_names
from servers.text2cypher.cypher.rewrite import for_embedded
from servers.text2cypher.graph.backend import (
    ROW_CAP,
    TIMEOUT_S,
    GraphUnavailableError,
    Problem,
    QueryError,
    QueryResult,
    rules_of_cypher,
)
from servers.text2cypher.graph.engine_names import EngineNames
from servers.text2cypher.graph.folder import GraphData, read_graph
from servers.text2cypher.graph.schema import GraphSchema
from servers.text2cypher.linking.language import message

START_S = 60.0
GRACE_S = 2.0
DYING_S = 60.0  # freeing a killed engine's memory may take long
ANSWER_BYTES = 64 << 20
_MESSAGES = (
    (re.compile(r"^Parser exception: (.*)", re.DOTALL), Problem.SYNTAX),
    (re.compile(r"Table (\S+) does not exist"), Problem.SCHEMA),
    (re.compile(r"Cannot find property"), Problem.PROPERTY),
    (re.compile(r"^(Binder|Catalog) exception"), Problem.SYNTAX),
)
_OUT_OF_MEMORY = re.compile(r"bad_alloc|out of memory|unable to allocate memory", re.IGNORECASE)


class EmbeddedBackend:
    """Ladybug (the maintained fork of Kuzu) with the graph in `folder`. Used by one thread at a time."""

    name = "ladybug"

    def __init__(self, folder: Path, *, row_cap: int = ROW_CAP, timeout_s: float = TIMEOUT_S) -> None:
        self._folder, self._row_cap, self._timeout_s = folder, row_cap, timeout_s
        self._data = read_graph(folder)
        self._names = EngineNames.of(self._data.schema)
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: Any = None

    @property
    def schema(self) -> GraphSchema:
        """The schema in the folder's files."""
        return self._data.schema

    @property
    def data(self) -> GraphData:
        """The nodes and edges as read."""
        return self._data

    def check(self, query: str) -> None:
        """Parses and binds in the engine. Raises QueryError."""
        self._ask("check", query)

    def run(self, query: str) -> QueryResult:
        """Runs the query. Raises QueryError (also for a timeout) and GraphUnavailableError."""
        answer = self._ask("run", query)
        written = column_names(query)
        columns = written if len(written) == len(answer["columns"]) else answer["columns"]
        return QueryResult(columns, answer["rows"], answer["truncated"])

    def texts(self, label: str, name: str, most: int) -> list[str]:
        """The values in the folder's files; the engine isn't queried."""
        held = (properties[name] for properties in self._data.nodes[label].values())
        return [str(value) for value in islice((value for value in held if value is not None), most)]

    def bounds(self, label: str, name: str) -> tuple[float, float] | None:
        """The bounds in the folder's files."""
        values = (properties[name] for properties in self._data.nodes[label].values())
        held = [value for value in values if isinstance(value, (int, float))]
        return (min(held), max(held)) if held else None

    def close(self) -> None:
        """Stops the worker."""
        with self._lock:
            self._stop()

    # -- the worker

    def _ask(self, op: str, query: str) -> dict[str, Any]:
        with rules_of_cypher():
            dialect = self._names.in_query(for_embedded(query))
        with self._lock:
            answer = self._exchange({"op": op, "query": dialect})
        if not answer["ok"]:
            raise self._as_query_error(answer["error"])
        return answer

    def _exchange(self, request: dict[str, str]) -> dict[str, Any]:
        process = self._started()
        assert process.stdin is not None
        try:
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
            return self._read(process, self._timeout_s + GRACE_S)
        except TimeoutError as error:
            self._stop()
            raise QueryError(Problem.EXECUTION, message("out_of_time", seconds=self._timeout_s)) from error
        except (BrokenPipeError, EOFError) as error:
            self._stop()
            raise QueryError(Problem.EXECUTION, message("out_of_memory")) from error

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self._stop()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the worker
        with tempfile.TemporaryDirectory(prefix="text2cypher-") as place:
            command = [sys.executable, "-W", "ignore", "-m", "servers.text2cypher.graph.worker"]
            limits = [str(self._row_cap), str(int(self._timeout_s * 1000))]
            self._process = subprocess.Popen(
                [*command, str(self._folder.resolve()), place, *limits],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                env={"PATH": os.environ.get("PATH", ""), "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
            )
            try:
                self._read(self._process, START_S)
            except (TimeoutError, EOFError) as error:
                self._errors.seek(0)
                tail = self._errors.read()[-500:].decode(errors="replace").strip().rpartition("\n")[2]
                self._stop()
                why = tail or "no answer"
                raise GraphUnavailableError(f"the graph engine did not start for {self._folder}: {why}") from error
        return self._process

    def _read(self, process: subprocess.Popen[bytes], seconds: float) -> dict[str, Any]:
        """Reads one line of answer. Raises TimeoutError, EOFError."""
        assert process.stdout is not None
        end = time.monotonic() + seconds
        held = bytearray()
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while not held.endswith(b"\n"):
                if not selector.select(max(end - time.monotonic(), 0)):
                    raise TimeoutError
                piece = os.read(process.stdout.fileno(), 1 << 20)
                held += piece
                if not piece or len(held) > ANSWER_BYTES:
                    raise EOFError
        answer: dict[str, Any] = json.loads(held)
        return answer

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait(timeout=DYING_S)
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()
        if self._errors is not None:
            self._errors.close()
            self._errors = None

    def _as_query_error(self, error: str) -> QueryError:
        if "Interrupted" in error:
            return QueryError(Problem.EXECUTION, message("out_of_time", seconds=self._timeout_s))
        if _OUT_OF_MEMORY.search(error):
            return QueryError(Problem.EXECUTION, message("out_of_memory"))
        problem = next((problem for pattern, problem in _MESSAGES if pattern.search(error)), Problem.EXECUTION)
        return QueryError(problem, " ".join(error.split()))
