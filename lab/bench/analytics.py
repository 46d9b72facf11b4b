"""Measures the time of a question to the books without the model's, over MariaDB, with a model that answers at once.

Issue 19: at most 60 ms a question at the median. The scripted planner knows every plan; the data
servers are real processes.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from pathlib import Path
from typing import Any

from lab.bench._timing import median, p95
from lab.eval.analytics.__main__ import STYLES, ask, office
from lab.eval.analytics.questions import QUESTIONS
from tests.mariadb import load_erp, mariadb

ROUNDS = 3
QUESTIONS_ASKED = 20


def run() -> dict[str, Any]:
    """Milliseconds per question for each style: wall clock and this process's CPU (not the servers'); right answers."""
    with tempfile.TemporaryDirectory() as folder, mariadb() as server:
        load_erp(server)
        return asyncio.run(_run(Path(folder), server.url()))


async def _run(folder: Path, url: str) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    asked = [question for question in QUESTIONS if not question.before][:QUESTIONS_ASKED]
    async with office(folder, DATABASE_URL=url) as (_, host):
        for style in STYLES:
            await ask(asked[0], style, None, host)  # the first question loads the schema
            before = time.process_time()
            answers = [await ask(each, style, None, host) for _ in range(ROUNDS) for each in asked]
            cpu = time.process_time() - before
            taken = [1000 * answer["seconds"] for answer in answers]
            figures[style] = {
                "question_p50_ms": median(taken, 1),
                "question_p95_ms": p95(taken),
                "cpu_mean_ms": round(1000 * cpu / len(taken), 1),
                "questions": len(taken),
                "right": sum(answer["right"] for answer in answers),
            }
    return figures
