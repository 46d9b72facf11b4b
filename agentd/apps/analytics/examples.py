"""Questions with their right plans, for a model to imitate: the shipped ones and those this office approved.

The nearest in kind and topic are shown. Nothing is learned by itself: a person approves each (`agentd analyze --keep`).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from agentd.agent.languages import words
from agentd.apps.analytics.limits import asked_for
from agentd.apps.analytics.periods import timeless
from agentd.apps.analytics.plan_entries import queries_in
from agentd.apps.analytics.state import PlanStyle
from agentd.apps.analytics.statements import spoken_of
from agentd.apps.analytics.vocabulary import finder, topics_of, vocabulary, without_topics
from agentd.apps.analytics.wording import ends_of

_KINDS = ("how_many", "averages", "totals", "lists", "compares", "by_today", "shares", "joined")
"""What a question asks for; each is a key of the vocabulary."""


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
        """The `count` examples of that style most like the question in what is asked of what, the nearest last."""
        asked = traits(question)
        ranked = sorted(
            self._all(style), key=lambda example: _likeness(asked, _of_known(example.question)), reverse=True
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


def traits(question: str) -> frozenset[str]:
    """What a question is about, synonyms and both languages as one, and what it asks for."""
    asked = timeless(question)
    small = {*words().detection, *words().fillers, *vocabulary().neutral}
    kinds = [f"#{kind}" for kind in _KINDS if finder(kind).search(asked)]
    kinds += [f"#{end}" for ends, _ in ends_of(asked) for end in ends]
    kinds += [kind for kind, is_so in (("#period", asked != question), ("#some", asked_for(question))) if is_so]
    rare = {*re.findall(r"[^\W\d_]{4,}", without_topics(asked.casefold()))} - small
    return topics_of(asked) | {*kinds, *(f"#{word}" for word in rare)}


_of_known = lru_cache(maxsize=1024)(traits)


def _likeness(asked: frozenset[str], known: frozenset[str]) -> float:
    """Shared traits over the root of both sizes (the cosine of two sets); a kind, or a word of no pack, weighs as much
    as two topics."""

    def size(of: frozenset[str]) -> int:
        return sum(1 + each.startswith("#") for each in of)

    return size(asked & known) / math.sqrt((size(asked) or 1) * (size(known) or 1))
