"""Runs a batch of operations one after another, each with its own result. Doesn't know their format or SQL."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Any, NotRequired

from pydantic import ValidationError
from sqlalchemy.exc import SQLAlchemyError
from typing_extensions import TypedDict

from servers.common.catalogue import Catalogue, catalogue_of
from servers.common.database import Database, DatabaseError, UnavailableError
from servers.common.phrases import phrases
from servers.common.server import with_values
from servers.sim_testgeluran.compiler import Compiled, compile_operation
from servers.sim_testgeluran.plan import DatabaseOperation, explain
from servers.sim_testgeluran.scope import PlanError

SAID = phrases("servers.sim_testgeluran")
MAX_OPERATIONS = 50
MAX_ROWS = 1000
TIMEOUT_SECONDS = 30.0
CALLED = {"sqlite": "SQLite", "mysql": "MySQL", "postgres": "PostgreSQL"}
FRESH_SECONDS = 10.0
"""An unknown name is looked up again if the catalogue is older than this."""


class OperationResult(TypedDict):
    """One operation's outcome: `data` (rows as objects) on success, `error` otherwise, with the database's `cause` if
    the plan is not at fault."""

    status: str
    data: NotRequired[list[dict[str, Any]]]
    error: NotRequired[str]
    cause: NotRequired[str]
    truncated: NotRequired[bool]
    notice: NotRequired[str]


class PlanResult(TypedDict):
    """The batch: `results` by operation_id, or `error` when nothing could be run."""

    success: bool
    results: NotRequired[dict[str, OperationResult]]
    error: NotRequired[str]


class Executor:
    """One database and its catalogue, which is read at first use."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._catalogue: Catalogue | None = None
        self._read_at = 0.0
        self._reading = asyncio.Lock()

    async def catalogue(self, *, newer_than: float = 0.0) -> Catalogue:
        """Return the tables, read again if they were read before the monotonic `newer_than`. Raises DatabaseError."""
        async with self._reading:
            if self._catalogue is None or self._read_at < newer_than:
                started = time.monotonic()
                self._catalogue = await catalogue_of(self._database, timeout_seconds=TIMEOUT_SECONDS)
                self._read_at = started
            return self._catalogue

    async def run(self, operations: Sequence[object]) -> PlanResult:
        """Run all operations; a failed one doesn't stop the others. An unreachable database fails the batch."""
        if not operations:
            return {"success": False, "error": SAID["no_operation"]}
        if len(operations) > MAX_OPERATIONS:
            return {"success": False, "error": SAID["too_many"].format(most=MAX_OPERATIONS)}
        results: dict[str, OperationResult] = {}
        down: UnavailableError | None = None
        for number, operation in enumerate(operations, 1):
            key = _key(operation, number, results)
            if down is not None:
                results[key] = _failed(self._unreachable(down))
                continue
            try:
                results[key] = await self._run_one(operation, repeated=key != _asked_key(operation, number))
            except UnavailableError as error:
                if not results:
                    return {"success": False, "error": self._unreachable(error)}
                down = error
                results[key] = _failed(self._unreachable(error))
        return {"success": True, "results": results}

    async def _run_one(self, raw: object, *, repeated: bool) -> OperationResult:
        """Run one operation; all failures are its own result, except UnavailableError, which is raised."""
        if repeated:
            return _failed("operation_id is used by an earlier operation of this plan; give each its own")
        try:
            operation = DatabaseOperation.model_validate(raw)
            compiled = await self._compile(operation)
            single = (operation.expected_result_format or "").startswith("single")
            rows = await self._database.fetch(
                compiled.statement, max_rows=1 if single else MAX_ROWS, timeout_seconds=TIMEOUT_SECONDS
            )
        except ValidationError as error:
            return _failed(explain(error))
        except UnavailableError:
            raise
        except DatabaseError as error:
            return {**_failed(str(error)), **with_values(cause=error.cause)}
        except PlanError as error:
            return _failed(str(error))
        except (SQLAlchemyError, UnicodeError, RecursionError) as error:
            return _failed(f"the operation can't be written as a query ({type(error).__name__})")
        data = [dict(zip(compiled.keys, row, strict=True)) for row in rows.rows]
        result: OperationResult = {"status": "success", "data": data}
        if rows.cut:
            result["truncated"] = True
        cut = "There are more rows; single_value gives the first." if rows.cut and single else rows.cut
        if notice := " ".join(filter(None, (self._database.notice, cut))):
            result["notice"] = notice
        return result

    async def _compile(self, operation: DatabaseOperation) -> Compiled:
        """Compile an operation; if that fails, read the catalogue again, since an unknown name may be new."""
        catalogue = await self.catalogue()
        try:
            return compile_operation(operation, catalogue)
        except PlanError:
            newer = await self.catalogue(newer_than=time.monotonic() - FRESH_SECONDS)
            if newer is catalogue:
                raise
            return compile_operation(operation, newer)

    def _unreachable(self, error: UnavailableError) -> str:
        return f"Gagal terhubung ke database {CALLED[self._database.kind]}: {error.reason}."


def _failed(text: str) -> OperationResult:
    return {"status": "error", "error": f"ORM Execution Failed: {text}"}


def _asked_key(operation: object, number: int) -> str:
    given = operation.get("operation_id") if isinstance(operation, dict) else None
    return given if isinstance(given, str) and given else f"operation_{number}"


def _key(operation: object, number: int, taken: dict[str, OperationResult]) -> str:
    """Return the operation's id; a repeated one gets a number, so that no result replaces another."""
    asked = key = _asked_key(operation, number)
    while key in taken:
        key = f"{asked} ({number})"
        number += 1
    return key
