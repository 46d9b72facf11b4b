"""The questions (questions.toml), each with a perfect planner's understanding and plan. Gold results: gold.json.

Today is 1 March 2023.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from lab.eval.analytics.spec import Query

TODAY = "2023-03-01T02:00:00+00:00"


@dataclass(frozen=True)
class Question:
    """A question. Empty `queries`: it must be asked back or refused. `kind` "empty": the answer says "no data"."""

    kind: str
    text: str
    queries: list[Query] = field(default_factory=list)
    entities: list[str] = field(default_factory=lambda: ["sales", "customer"])
    intent: str = "sales_analysis"
    before: str = ""
    """The question asked before this one in the session."""
    meant: str = ""
    """The choice the user makes when two figures may be meant and the question is asked back."""
    of: str = ""
    """The original question when this one is a paraphrase."""

    @property
    def gold(self) -> str:
        """The question whose results gold.json contains."""
        return self.of or self.text

    @property
    def tables(self) -> set[str]:
        return {name for query in self.queries for name in (query.table, *(table for table, _, _ in query.joins))}

    @property
    def ordered(self) -> bool:
        """Whether the order of rows matters, as in rankings."""
        return self.kind == "ranking"

    def understanding(self) -> dict[str, Any]:
        """The perfect planner's first turn."""
        return {
            "intent": self.intent,
            "entities_mentioned": self.entities,
            "requested_metrics": [alias.lower() for query in self.queries for _, _, alias in query.columns],
            "query_complexity": "medium" if any(query.joins for query in self.queries) else "simple",
        }

    def plan(self, style: str) -> dict[str, Any]:
        """The perfect planner's second turn."""
        names = [
            name
            for query in self.queries
            for name in ([query.key] if query.listed and query.limit != 1 else [c[2] for c in query.columns])
        ]
        template = "Hasil: " + "; ".join(f"{{{name}}}" for name in names) + "."
        if style == "operations":
            return {"operations": [query.operation() for query in self.queries], "response_template": template}
        queries = [
            {"purpose": query.key.lower(), "query": query.sql(), "result_key": query.key} for query in self.queries
        ]
        return {"sql_queries_plan": queries, "response_template": template}


def _read(file: Path) -> list[Question]:
    return [
        Question(**{**each, "queries": [_query(query) for query in each.get("queries", ())]})
        for each in tomllib.loads(file.read_text(encoding="utf-8"))["questions"]
    ]


def _query(written: dict[str, Any]) -> Query:
    """Build a Query, converting TOML's lists to tuples."""
    made = {key: [tuple(each) for each in written.get(key, ())] for key in ("columns", "joins", "where")}
    return Query(**{**written, **made})


def in_own_words(question: Question) -> Question:
    """The question as understood by a planner that names no table: the search gets only the question's words."""
    return replace(question, entities=re.findall(r"[^\W\d_]{4,}", question.text)[:6])


QUESTIONS = _read(Path(__file__).with_name("questions.toml"))


def paraphrases() -> list[Question]:
    """The forty questions of paraphrases.toml, completed with their originals' data."""
    known = {each.text: each for each in QUESTIONS}
    written = tomllib.loads(Path(__file__).with_name("paraphrases.toml").read_text(encoding="utf-8"))["paraphrases"]
    return [replace(known[each["of"]], **each) for each in written]
