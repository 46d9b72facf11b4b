"""Measures how long a plan of operations takes to become SQL, and that SQL's cost against SQL written by hand.

Issue 6: plan compile ≤ 2 ms. The plan is the contracts' example; both run on the embedded ERP and answer the same rows.
"""

from __future__ import annotations

import asyncio
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from sqlalchemy.dialects import mysql

from servers.common.database import Database
from servers.common.erp import build
from servers.sim_testgeluran.compiler import compile_operation
from servers.sim_testgeluran.executor import Executor
from servers.sim_testgeluran.plan import DatabaseOperation
from tests.servers.sim_testgeluran.seed import DETAILS, SUMMARY

ROUNDS = 300
BY_HAND = (
    "SELECT mastercustomer.Name AS `Customer Name`, arbook.DocNo AS `Invoice Number`, "
    "arbook.DocValueLocal - arbook.PaymentValueLocal AS Outstanding FROM arbook "
    "INNER JOIN mastercustomer ON arbook.CustomerCode = mastercustomer.Code "
    "WHERE arbook.DocValueLocal - arbook.PaymentValueLocal > 0 ORDER BY Outstanding DESC LIMIT 50"
)


def run() -> dict[str, Any]:
    """Milliseconds: `compile` is from the wire's JSON to SQL text, `execute` the whole operation, `by_hand` its SQL."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_run(build(Path(folder) / "erp.db")))


async def _run(path: Path) -> dict[str, Any]:
    database = Database(f"sqlite+aiosqlite:///{path}")
    executor = Executor(database)
    catalogue = await executor.catalogue()
    compiled: list[float] = []
    for _ in range(ROUNDS):
        for payload in (SUMMARY, DETAILS):
            started = time.perf_counter()
            operation = DatabaseOperation.model_validate(payload)
            str(compile_operation(operation, catalogue).statement.compile(dialect=mysql.dialect()))
            compiled.append((time.perf_counter() - started) * 1000)

    async def by_plan() -> None:
        assert len((await executor.run([DETAILS]))["results"][DETAILS["operation_id"]]["data"]) == 3

    async def by_hand() -> None:
        assert len((await database.fetch(BY_HAND)).rows) == 3

    executed, written = await _interleaved(by_plan, by_hand)
    return {
        "compile_p50_ms": round(statistics.median(compiled), 2),
        "compile_p95_ms": round(sorted(compiled)[int(len(compiled) * 0.95)], 2),
        "execute_p50_ms": round(statistics.median(executed), 2),
        "by_hand_p50_ms": round(statistics.median(written), 2),
        "ratio": round(statistics.median(executed) / statistics.median(written), 2),
    }


async def _interleaved(*ways: Callable[[], Awaitable[None]]) -> list[list[float]]:
    """Time the ways alternately, so that a busy machine slows all alike."""
    times: list[list[float]] = [[] for _ in ways]
    for _ in range(ROUNDS // 3):
        for way, taken in zip(ways, times, strict=True):
            started = time.perf_counter()
            await way()
            taken.append((time.perf_counter() - started) * 1000)
    return times
