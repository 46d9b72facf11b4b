"""Measures how long a plan of operations takes to become SQL, and that SQL's cost against SQL written by hand.

Issue 6: plan compile ≤ 2 ms. The plan is the contracts' example; both run on the embedded ERP and answer the same rows.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy.dialects import mysql

from lab.bench._timing import awaited_ms, median, p95, timed_ms
from servers.common.catalogue import Catalogue
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
            compiled += timed_ms(partial(_compiled, payload, catalogue))

    async def by_plan() -> None:
        assert len((await executor.run([DETAILS]))["results"][DETAILS["operation_id"]]["data"]) == 3

    async def by_hand() -> None:
        assert len((await database.fetch(BY_HAND)).rows) == 3

    executed, written = await _interleaved(by_plan, by_hand)
    return {
        "compile_p50_ms": median(compiled),
        "compile_p95_ms": p95(compiled, 2),
        "execute_p50_ms": median(executed),
        "by_hand_p50_ms": median(written),
        "ratio": round(median(executed, 4) / median(written, 4), 2),
    }


def _compiled(payload: dict[str, Any], catalogue: Catalogue) -> str:
    operation = DatabaseOperation.model_validate(payload)
    return str(compile_operation(operation, catalogue).statement.compile(dialect=mysql.dialect()))


async def _interleaved(*ways: Callable[[], Awaitable[None]]) -> list[list[float]]:
    """Time the ways alternately, so that a busy machine slows all alike."""
    rounds = [[(await awaited_ms(way))[0] for way in ways] for _ in range(ROUNDS // 3)]
    return [list(taken) for taken in zip(*rounds, strict=True)]
