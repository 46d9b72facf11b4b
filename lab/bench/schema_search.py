"""How well and how fast the schema search finds tables, on sixty questions written before it.

The questions (schema_questions.jsonl) are by the authors of the glossary: they show that the search knows the words of
this business, not how it does on a stranger's.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any

from lab.bench._timing import median, p95
from servers.graphiti.embedding import Embedder
from servers.graphiti.graph import close_graph, open_graph
from servers.graphiti.schema_search import SchemaSearch
from servers.graphiti.schema_source import SHIPPED, FileSource
from servers.graphiti.session_store import SessionStore, StoreLimits

FIRST = 5
DATA_SETS = 10_000


@cache
def questions() -> list[dict[str, Any]]:
    """The questions, each with `question`, `entities`, and `tables` (any of which is right)."""
    lines = Path(__file__).with_name("schema_questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


async def tables_for(search: SchemaSearch, question: dict[str, Any], form: str) -> list[str]:
    """The tables found. `form` says whether the caller passes extracted entities or the question as it is."""
    entities = question["entities"] if form == "entities" else [question["question"]]
    found = await search.find("EXECUTE_QUERY", entities)
    return [table.name for table in found.tables] if found else []


def is_right(tables: list[str], question: dict[str, Any]) -> bool:
    return bool(set(tables[:FIRST]) & set(question["tables"]))


def run() -> dict[str, Any]:
    """Share (0 to 1) of questions with a right table first or in the first five, and milliseconds per search."""
    return asyncio.run(_run())


async def _run() -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        graph = await open_graph("", Path(folder) / "schema.lbug")

        async def opened() -> Any:
            return graph

        started = time.perf_counter()
        search = SchemaSearch(FileSource(SHIPPED), Embedder(), opened)
        await search.load()
        figures: dict[str, Any] = {"first_load_s": round(time.perf_counter() - started, 2)}
        for form in ("entities", "question"):
            answers, times = [], []
            processor = time.process_time()
            for question in questions():
                started = time.perf_counter()
                answers.append(await tables_for(search, question, form))
                times.append((time.perf_counter() - started) * 1000)
            pairs = list(zip(answers, questions(), strict=True))
            figures[form] = {
                "first": round(sum(is_right(answer[:1], question) for answer, question in pairs) / len(pairs), 3),
                "in_first_five": round(sum(is_right(answer, question) for answer, question in pairs) / len(pairs), 3),
                "cpu_ms": round((time.process_time() - processor) * 1000 / len(times), 1),
                "tables_answered": round(statistics.mean(map(len, answers)), 1),
                "p50_ms": median(times, 1),
                "p95_ms": p95(times),
            }
        await close_graph(graph)
        figures["session_data"] = await _session_data(Path(folder) / "sessions.lbug")
        return figures


async def _session_data(path: Path) -> dict[str, Any]:
    driver = await open_graph("", path)
    store = SessionStore(driver, StoreLimits(total_sets=DATA_SETS + 1))
    rows = [{"customer_name": "PT ABC Corp", "outstanding_amount": number} for number in range(10)]
    stored, handles = [], []
    for number in range(DATA_SETS):
        started = time.perf_counter()
        handle = await store.store(f"session {number % 100}", rows, {})
        stored.append((time.perf_counter() - started) * 1000)
        handles.append(handle)
    retrieved = []
    for handle in handles[:: DATA_SETS // 200]:
        started = time.perf_counter()
        assert await store.retrieve(handle["group_id"], handle["data_handle_id"]) == rows
        retrieved.append((time.perf_counter() - started) * 1000)
    await close_graph(driver)
    return {
        "data_sets": DATA_SETS,
        "store_p50_ms": median(stored),
        "store_last_hundred_p50_ms": median(stored[-100:]),
        "retrieve_p50_ms": median(retrieved),
        "file_mb": round(path.stat().st_size / 2**20, 1),  # noqa: ASYNC240 - nothing else runs
    }
