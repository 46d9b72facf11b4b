"""Questions with their right plans, for a model to imitate: the shipped ones and those this office approved.

The nearest by shared words are shown. Nothing is learned by itself: a person approves each (`agentd analyze --keep`).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from agentd.apps.analytics.plan_entries import queries_in
from agentd.apps.analytics.state import PlanStyle
from agentd.apps.analytics.statements import spoken_of
from agentd.apps.analytics.vocabulary import vocabulary


@dataclass(frozen=True, slots=True)
class Example:
    """One question and its plan; `understanding` and `plan` are what the model should write."""

    question: str
    plan: dict[str, Any]


class ExampleLibrary:
    """The shipped examples and those in `folder` (`examples.jsonl`, one `{"style", "question", "plan"}` a line).

    The shipped ones name the sample company's tables: an office with a database of its own (`own`) leaves them out.
    """

    def __init__(self, folder: Path | None = None, *, shipped: bool = True) -> None:
        text = files("agentd.apps.analytics").joinpath("examples.json").read_text(encoding="utf-8")
        self.own = not shipped
        self._shipped = json.loads(text) if shipped else []
        self._file = folder / "examples.jsonl" if folder is not None else None

    def nearest(self, question: str, style: PlanStyle, count: int) -> list[Example]:
        """The `count` examples of that style that share most words with the question, the nearest last."""
        asked = telling_words(question)
        ranked = sorted(
            self._all(style), key=lambda example: _likeness(asked, telling_words(example.question)), reverse=True
        )
        return list(reversed(ranked[:count]))

    def keep(self, question: str, style: PlanStyle, plan: dict[str, Any]) -> None:
        """Add an approved answer's plan. Raises OSError."""
        assert self._file is not None, "a library without a folder keeps nothing"
        self._file.parent.mkdir(parents=True, exist_ok=True)
        line = json.dumps({"style": style, "question": question, "plan": plan}, ensure_ascii=False)
        with self._file.open("a", encoding="utf-8") as out:
            out.write(line + "\n")

    def _all(self, style: PlanStyle) -> Sequence[Example]:
        shipped = [Example(each["question"], each[style]) for each in self._shipped if style in each]
        return [*self._approved(style), *shipped]

    def _approved(self, style: PlanStyle) -> list[Example]:
        if self._file is None or not self._file.is_file():
            return []
        kept = (json.loads(line) for line in self._file.read_text(encoding="utf-8").splitlines() if line.strip())
        return [Example(each["question"], each["plan"]) for each in kept if each["style"] == style]


def as_asked(plan: dict[str, Any]) -> dict[str, Any]:
    """The plan as a planner is shown it: the queries and the narrative, without what the host derives from them."""
    if "sql_queries_plan" not in plan:
        return plan
    template, kept = plan.get("response_template", ""), plan["sql_queries_plan"]
    bare = [{"query": each["query"]} for each in kept]
    derived = {each["result_key"] for each in queries_in(bare, "RESULT", template)}
    if {each["result_key"] for each in kept} & {*spoken_of(template)} - derived:
        bare = [{"query": each["query"], "result_key": each["result_key"]} for each in kept]
    return {"sql_queries_plan": bare, "response_template": template}


def telling_words(text: str) -> frozenset[str]:
    """The words of a question that tell it from others, synonyms as one."""
    known = vocabulary()
    found = (word for word in re.findall(r"[a-z]{3,}", text.casefold()) if word not in known.telling_nothing)
    return frozenset(known.alike.get(word, word) for word in found)


def _likeness(asked: frozenset[str], known: frozenset[str]) -> float:
    """Shared words over the root of both sizes (the cosine of two sets)."""
    shared = len(asked & known)
    return shared / math.sqrt((len(asked) or 1) * (len(known) or 1))
