"""Asks one provider a set's questions and stores a record of each; can be resumed. Computes no totals."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from lab.eval.text2cypher.same import says_the_same
from lab.eval.text2cypher.sets import Question, QuestionSet
from lab.eval.text2cypher.ties import as_well
from lab.eval.text2cypher.wrong import wrong_queries
from servers.text2cypher.config import Aids, Settings
from servers.text2cypher.core.agent_loop import AgentLoop, Model
from servers.text2cypher.core.agent_state import AgentState
from servers.text2cypher.core.answer import ask
from servers.text2cypher.core.llm_client import Completion, Constraint, Message
from servers.text2cypher.core.workbench import Workbench
from servers.text2cypher.graph.backend import QueryError
from servers.text2cypher.graph.embedded import EmbeddedBackend
from servers.text2cypher.metrics.output_metrics import compare_outputs


@dataclass(frozen=True)
class Record:
    """One question asked once. `doubts`: kind → count; `wrong`: how the query was made wrong, if it was.

    `same`: passed, or both results say the same of the same things although one shows more columns. `tied`: the same as
    what gold could have returned as well (ties.py); these are also `same`.
    """

    id: str
    half: str
    kind: str
    wrong: str
    passed: bool
    valid: bool
    certain: bool
    confidence: float
    doubts: dict[str, int] = field(default_factory=dict)
    untouched: bool = True
    seconds: float = 0.0
    same: bool = False
    tied: bool = False


class Writes:
    """A test model that writes one fixed query for any request."""

    def __init__(self, constraint: Constraint = "none") -> None:
        self.query, self.constraint = "", constraint

    def complete(
        self, messages: list[Message], *, grammar: str | None = None, temperature: float | None = None
    ) -> Completion:
        """The fixed query in `<cypher>` tags."""
        return Completion(f"<cypher>{self.query}</cypher>", 0, 0)


class _Kept(AgentLoop):
    """Keeps the last state, which holds the kinds of doubts."""

    state: AgentState | None = None

    def run(self, *arguments: Any, **named: Any) -> AgentState:
        self.state = super().run(*arguments, **named)
        return self.state


class Asking:
    """Asks over one set's graph. `questions` are those whose gold query runs on this engine and finds something."""

    def __init__(self, held: QuestionSet, aids: Aids | None = None) -> None:
        self.backend = EmbeddedBackend(held.graph)
        self.bench = Workbench(self.backend, held.examples, held.graph)
        self.settings = Settings(aids=aids or Aids())
        self.dropped: Counter[str] = Counter()
        self._gold: dict[str, list[list[Any]]] = {}
        self.questions = [question for question in held.questions if self._is_answered(question)]

    def _is_answered(self, question: Question) -> bool:
        if not self.bench.pipeline.kg_valid(question.cypher):
            self.dropped["not of this graph's schema, or not of this engine"] += 1
            return False
        rows = self._rows(question.cypher)
        if rows is None or not any(cell not in (None, []) for row in rows for cell in row):
            self.dropped["does not run here" if rows is None else "empty here"] += 1
            return False
        self._gold[question.id] = rows
        return True

    def _rows(self, query: str) -> list[list[Any]] | None:
        try:
            return self.backend.run(query).rows
        except QueryError:
            return None

    def gold(self, question: Question) -> Record:
        """Ask with a model that writes the gold query."""
        return self._written(question, question.cypher, "")

    def other(self, question: Question) -> Record:
        """Ask with a model that writes another model's query for this question."""
        return self._written(question, question.other, "")

    def wrong(self, question: Question, seed: int) -> Iterator[Record]:
        """Ask once for each wrong query that is valid and says something else than gold."""
        others = [other for other in self.questions if other.cypher != question.cypher]
        for what, query in wrong_queries(question, others, self.backend.schema, seed):
            rows = self._rows(query)
            if (
                rows is not None
                and not self._judged(question, rows)[1]
                and self.bench.pipeline.validate(query).is_valid
            ):
                yield self._written(question, query, what)

    def first(self, question: Question) -> Record:
        """Ask without a model: uses the first reading; no answer where no reading covers the question."""
        return self.ask(question, Writes("grammar"))

    def _written(self, question: Question, query: str, wrong: str) -> Record:
        model = Writes()
        model.query = query
        return self.ask(question, model, wrong, query)

    def ask(self, question: Question, model: Model, wrong: str = "", written: str | None = None) -> Record:
        """Ask with the given model. Raises LLMError."""
        loop = _Kept(self.bench, model, settings=self.settings)
        started = time.monotonic()
        found = ask(self.bench, loop, question.question)
        seconds = time.monotonic() - started
        rows = self._rows(found["cypher"]) if found["cypher"] else None
        passed, same, tied = self._judged(question, rows or [])
        doubts = Counter(doubt.kind for doubt in loop.state.doubts) if loop.state is not None else Counter(["refused"])
        return Record(
            question.id,
            question.half,
            question.kind,
            wrong,
            passed,
            found["status"] != "failed",
            found["status"] == "success",
            found["confidence"],
            dict(doubts),
            written is None or found["cypher"] == written,
            round(seconds, 3),
            same,
            tied,
        )

    def _judged(self, question: Question, rows: list[list[Any]]) -> tuple[bool, bool, bool]:
        """Record's (passed, same, tied)."""
        gold, held = question.cypher, self._gold[question.id]
        passed = bool(compare_outputs(gold, held, rows).pass_at_1)
        if passed or says_the_same(gold, held, rows):
            return passed, True, False
        other = as_well(gold, rows, self._rows) if rows else None
        tied = other is not None and (
            bool(compare_outputs(gold, other, rows).pass_at_1) or says_the_same(gold, other, rows)
        )
        return False, tied, tied

    def close(self) -> None:
        """Close the graph engine."""
        self.backend.close()


def kept(file: Path, ids: list[str], asked: Callable[[str], list[Record]]) -> list[Record]:
    """The records of `ids`. Those in `file` are reused; each new one is appended at once."""
    done: dict[str, list[Record]] = {}
    if file.exists():
        for line in file.read_text(encoding="utf-8").splitlines():
            record = Record(**json.loads(line))
            done.setdefault(record.id, []).append(record)
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as handle:
        for one in ids:
            if one not in done:
                done[one] = asked(one)
                handle.write("".join(json.dumps(asdict(record)) + "\n" for record in done[one]))
                handle.flush()
    return [record for one in ids for record in done[one]]
