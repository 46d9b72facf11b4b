"""How the cost of one thing grows with how much there is of another: sessions, turns, tools, servers, rows.

A turn is `Agent.run` of a daemon without the wire, with a scripted model that answers at once. Each point is a process
of its own; the median of its turns counts.

- sessions: a turn and Session.list, with so many sessions in the store
- history: the next turn of a session that has had so many
- tools: a turn with so many tools offered by one server
- servers: a turn with so many servers, and the seconds until all of them are up
- rows: an SQL answer of so many rows, from the statement to the bytes of JSON
"""

from __future__ import annotations

import sqlite3
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import closing
from pathlib import Path
from typing import Any

from agentd.access import LOCAL
from agentd.daemon import Daemon
from agentd.messages import AgentOptions
from lab.bench._timing import awaited_ms, in_a_process, median, print_json
from lab.bench.steps import CONFIG, FINAL, daemon

PICTURE = Path(__file__).parents[2] / "docs" / "growth.svg"
SIZES = {
    "sessions": (10, 100, 1_000, 10_000, 100_000),
    "history": (1, 10, 40, 160, 640),
    "tools": (1, 5, 20, 80, 320),
    "servers": (1, 2, 4, 8),
    "rows": (10, 100, 1_000, 10_000, 100_000),
}
TOOLS = """\
[[servers]]
name = "many"
command = "python3"
args = ["-m", "lab.bench._many_tools", "{size}"]
workdir = "{root}"
"""


def run() -> dict[str, Any]:
    """Measure every point, write the picture, and return one row per curve."""
    rows = []
    for curve, sizes in SIZES.items():
        print(f"  {curve} …", file=sys.stderr, flush=True)
        for size in sizes:
            points = in_a_process("growth", curve, str(size))
            rows += [{"of": curve, "size": size, "what": what, "costs": value} for what, value in points]
    PICTURE.write_text(drawn(rows), encoding="utf-8")
    return {"curves": by_curve(rows), "picture": PICTURE.name}


def by_curve(points: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row per growing thing and cost; a cell lists `size: cost` pairs."""
    cells: dict[tuple[str, str], list[str]] = {}
    for point in points:
        cells.setdefault((point["of"], point["what"]), []).append(f"{point['size']:,}: {point['costs']:g}")
    return [{"of": of, "what": what, "at each size": "; ".join(cell)} for (of, what), cell in cells.items()]


def drawn(rows: list[dict[str, Any]]) -> str:
    """The curves as SVG: one panel each, sizes on a logarithmic axis."""
    import io

    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context({"svg.hashsalt": "agentd", "svg.fonttype": "none", "font.size": 8}):
        figure = Figure(figsize=(13, 2.9), layout="constrained")
        panels = figure.subplots(1, len(SIZES))
        for axes, (curve, sizes) in zip(panels, SIZES.items(), strict=True):
            points = [row for row in rows if row["of"] == curve]
            for what in dict.fromkeys(row["what"] for row in points):
                line = [(row["size"], row["costs"]) for row in points if row["what"] == what]
                axes.plot(*zip(*line, strict=True), marker="o", markersize=3, label=what)
            axes.set_xscale("log")
            axes.set_xticks(sizes, [f"{size // 1000}k" if size >= 1000 else str(size) for size in sizes])
            axes.minorticks_off()
            axes.set_ylim(bottom=0)
            axes.set_title(curve, loc="left", fontsize=9)
            axes.spines[["top", "right"]].set_visible(False)
            axes.grid(alpha=0.25)
            axes.legend(frameon=False, fontsize=7)
        svg = io.StringIO()
        figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": None})
    return "\n".join(line.rstrip() for line in svg.getvalue().splitlines()) + "\n"


Points = list[tuple[str, float]]


async def _sessions(size: int) -> Points:
    """Session.list and a turn (Issue 4: the same at 10⁵ sessions as at ten)."""
    async with daemon(FINAL) as made:
        await _ask(made)
        _fill(made.settings.state / "agentd.db", size)
        await made.sessions.list(LOCAL)
        listed = await _each(lambda: made.sessions.list(LOCAL))
        return [("turn, ms", await _turn(made)), ("Session.list, ms", listed)]


async def _history(size: int) -> Points:
    async with daemon(FINAL) as made:
        for _ in range(size):
            await _ask(made, session_id="long")
        return [("turn, ms", await _each(lambda: _ask(made, session_id="long"), times=20))]


async def _tools(size: int) -> Points:
    return await _served(CONFIG.partition("[[servers]]")[0] + TOOLS.format(size=size, root=Path(__file__).parents[2]))


async def _servers(size: int) -> Points:
    head, _, entry = CONFIG.partition("[[servers]]")
    many = "".join("[[servers]]" + entry.replace('"time"', f'"time{number}"', 1) for number in range(size))
    began = time.perf_counter()
    return await _served(head + many, lambda: time.perf_counter() - began)


async def _served(config: str, up_s: Callable[[], float] | None = None) -> Points:
    async with daemon(FINAL, settings=config) as made:
        up = round(up_s(), 3) if up_s else None
        await _ask(made)
        turn = await _turn(made)
    return [("turn, ms", turn), *([("all up, s", up)] if up is not None else [])]


async def _rows(size: int) -> Points:
    import orjson

    from servers.common.database import Database

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rows.db"
        sqlite3.connect(file).close()
        database = Database(f"sqlite+aiosqlite:///{file}")
        numbers = f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {size}) "
        query = numbers + "SELECT i AS id, 'INV-' || i AS doc, i * 1000.25 AS value FROM n"

        async def answer() -> None:
            rows = await database.fetch(query, max_rows=size)
            orjson.dumps(rows.records())
            assert len(rows.rows) == size, rows.cut

        return [("ms", await _each(answer, times=7))]


async def _ask(made: Daemon, session_id: str | None = None) -> None:
    await made.runs.run("Halo", AgentOptions(session_id=session_id), LOCAL)


async def _turn(made: Daemon) -> float:
    return await _each(lambda: _ask(made))


async def _each(act: Callable[[], Awaitable[Any]], times: int = 60) -> float:
    return median(await awaited_ms(act, times), 3)


_COPIED = {
    "session_id": "'copy-' || n",
    "run_id": "'copy-' || n",
    "created_at": "'2020-01-01T00:00:00.000+00:00'",
    "updated_at": "'2020-01-01T00:00:00.000+00:00'",
}


def _fill(file: Path, wanted: int) -> None:
    """Insert copies of one session, its turn and its run, with new ids and an earlier time."""
    with closing(sqlite3.connect(file)) as db, db:
        for table in ("sessions", "runs", "turns"):
            columns = [row[1] for row in db.execute(f"PRAGMA table_info(agentd_{table})")]
            values = [_COPIED.get(column, column) for column in columns]
            db.execute(
                f"WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {wanted}) "
                f"INSERT INTO agentd_{table} ({', '.join(columns)}) SELECT {', '.join(values)} FROM numbers, "
                f"(SELECT * FROM agentd_{table} LIMIT 1)"
            )


CURVES: dict[str, Callable[[int], Coroutine[Any, Any, Points]]] = {
    "sessions": _sessions,
    "history": _history,
    "tools": _tools,
    "servers": _servers,
    "rows": _rows,
}


if __name__ == "__main__":
    print_json(CURVES[sys.argv[1]](int(sys.argv[2])))
