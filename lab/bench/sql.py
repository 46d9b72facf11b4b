"""Measures the SQL server's path: rows to JSON against the bare driver, memory under a million rows, the guard's time.

Issue 6: rows to JSON ≥ 0.8 of the bare driver's rows a second, memory flat for 10⁶ rows, guard ≤ 1 ms a statement.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import statistics
import time
from functools import partial
from pathlib import Path
from typing import Any

import aiomysql
import orjson

from lab.bench._timing import peak_mib, timed_ms
from servers.common.database import Database
from servers.mysql import guard
from servers.mysql.scan import split
from tests.mariadb import PASSWORD, MariaDB, mariadb

ROWS = 10_000
ROUNDS = 15
STATEMENTS = Path(__file__).parents[2] / "tests" / "servers" / "mysql" / "statements.json"
QUERY = (
    "SELECT seq AS id, CONCAT('INV-', seq) AS doc, DATE'2023-01-15' + INTERVAL seq % 300 DAY AS due, "
    "CAST(seq * 1000.25 AS DECIMAL(18,4)) AS value, CAST(seq AS DECIMAL(18,4)) AS paid, "
    "IF(seq % 7, 'IDR', NULL) AS currency "
)


def run() -> dict[str, Any]:
    """The figures, in the units that their names say: rows per second, a ratio, MiB, milliseconds."""
    with mariadb() as server:
        figures = asyncio.run(_rows(server))
    return {**figures, **_guard()}


async def _rows(server: MariaDB) -> dict[str, Any]:
    server.execute(
        f"CREATE TABLE rows_{ROWS} ENGINE=InnoDB AS {QUERY} FROM seq_1_to_{ROWS}",
        f"CREATE TABLE rows_million ENGINE=InnoDB AS {QUERY} FROM seq_1_to_1000000",
    )
    database = Database(server.url("reader"))
    await database.fetch("SELECT 1")
    # Alternate and take the median of the pairs, so that a busy moment of the machine affects both.
    pairs = [(await _bare(server), await _ours(database)) for _ in range(ROUNDS)]
    before = peak_mib()
    cut = await database.fetch("SELECT * FROM rows_million", max_rows=1000)
    assert len(cut.rows) == 1000
    await database.fetch("SELECT COUNT(*), SUM(value) FROM rows_million")
    return {
        "sql_rows_per_second_driver": round(statistics.median(bare for bare, _ in pairs)),
        "sql_rows_per_second_json": round(statistics.median(ours for _, ours in pairs)),
        "sql_rows_ratio": round(statistics.median(ours / bare for bare, ours in pairs), 3),
        "sql_memory_growth_million_rows_mib": round(peak_mib() - before, 2),
    }


async def _bare(server: MariaDB) -> float:
    """Rows per second of aiomysql alone, streamed, without conversion: the baseline."""
    connection = await aiomysql.connect(
        host="127.0.0.1", port=server.port, user="reader", password=PASSWORD, db=server.database
    )
    try:
        async with connection.cursor(aiomysql.SSCursor) as cursor:
            started = time.perf_counter()
            await cursor.execute(f"SELECT * FROM rows_{ROWS}")
            count = 0
            while page := await cursor.fetchmany(1000):
                count += len(page)
            return count / (time.perf_counter() - started)
    finally:
        connection.close()


async def _ours(database: Database) -> float:
    """Rows per second from the statement to the bytes of JSON."""
    started = time.perf_counter()
    rows = await database.fetch(f"SELECT * FROM rows_{ROWS}", max_rows=ROWS)
    assert len(rows.rows) == ROWS, rows.cut
    orjson.dumps(rows.records())
    return len(rows.rows) / (time.perf_counter() - started)


def _guard() -> dict[str, Any]:
    cases = json.loads(STATEMENTS.read_text(encoding="utf-8"))
    fastest: list[float] = []
    for dialect, _, sql in cases["honest"] + cases["hostile"]:
        kind = "sqlite" if dialect == "sqlite" else "mysql"
        fastest.append(min(timed_ms(partial(_judge, sql, kind), 5)))
    return {"sql_guard_mean_ms": round(statistics.mean(fastest), 3), "sql_guard_slowest_ms": round(max(fastest), 3)}


def _judge(sql: str, kind: Any) -> None:
    for statement in split(sql, kind):
        with contextlib.suppress(guard.RefusedError):
            guard.check(statement, kind, ("erp",))
