"""Measures the graph's path: validating a query, running it in the embedded engine, linking a question, its grammar.

Issue 8: validation ≤ 5 ms a query, embedded execution ≤ 20 ms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from lab.bench._timing import median, timed_ms
from servers.text2cypher.core.workbench import Workbench
from servers.text2cypher.data import load_examples, load_ground_truth
from servers.text2cypher.graph.embedded import EmbeddedBackend
from servers.text2cypher.graph.folder import CURRICULUM

ROUNDS = 3


def run() -> dict[str, float]:
    """Milliseconds: median and worst over the 52 questions, each the best of ROUNDS."""
    backend = EmbeddedBackend(CURRICULUM)
    try:
        bench = Workbench(backend, load_examples())
        items = load_ground_truth()
        bench.linker.link(items[0].question)
        queries = [item.cypher for item in items]
        questions = [item.question for item in items]
        return {
            **timed("cypher_validate", bench.pipeline.kg_valid, queries),
            **timed("cypher_execute", backend.run, queries),
            **timed("cypher_link", bench.linker.link, questions),
            **timed(
                "cypher_grammar",
                lambda text: bench.schema_grammar(thinking=False, hints=bench.linker.link(text)),
                questions,
            ),
        }
    finally:
        backend.close()


def timed(name: str, work: Callable[[str], Any], inputs: Iterable[str]) -> dict[str, float]:
    """Time `work` on each input, best of ROUNDS: {name_ms: the median, name_worst_ms: the worst}."""
    best = [min(timed_ms(partial(work, text), ROUNDS)) for text in inputs]
    return {f"{name}_ms": median(best), f"{name}_worst_ms": round(max(best), 2)}
