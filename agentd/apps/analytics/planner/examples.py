"""Questions with correct plans for a model to imitate: shipped ones and those that this office approved.

The planner sees those that share most words; an example with exactly the question's words replaces the model. Nothing
is learned automatically: a person approves each example (`agentd analyze --keep`).
"""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from agentd.agent.text import fold
from agentd.apps.analytics.answer.statements import spoken_of
from agentd.apps.analytics.planner.entries import queries_in
from agentd.apps.analytics.question.periods import timeless
from agentd.apps.analytics.state import PlanStyle
from agentd.apps.analytics.vocabulary import in_full, listed, vocabulary
from hardening.files import stamp

_DAY = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(frozen=True, slots=True)
class Example:
    """A question and its correct plan. `alone`: it isn't a follow-up question."""

    question: str
    plan: dict[str, Any]
    alone: bool = True


class ExampleLibrary:
    """The shipped examples and those in `folder` (`examples.jsonl`, one `{"style", "question", "plan"}` per line).

    The shipped ones use the sample company's tables, so an office with its own database (`own`) omits them. It has
    those in `books` (books.toml, by `agentd books check`), which are SQL only and not shown to a planner.
    """

    def __init__(self, folder: Path | None = None, *, shipped: bool = True, books: Path | None = None) -> None:
        self._books = books
        text = files("agentd.apps.analytics").joinpath("examples.json").read_text(encoding="utf-8")
        self.own = not shipped
        self._shipped = json.loads(text) if shipped else []
        self._file = folder / "examples.jsonl" if folder is not None else None

    def nearest(self, question: str, style: PlanStyle, count: int) -> list[Example]:
        """The `count` examples of a style that share most words with the question, the closest last."""
        return _ranked(question, self._all(style))[:count][::-1]

    def answerable(self, question: str, style: PlanStyle, count: int) -> list[str]:
        """Up to `count` answerable questions, the closest first; never the question itself."""
        others = [each for each in (*self._all(style), *self.proposed(style)) if each.question != question]
        return [each.question for each in _ranked(question, others)[:count]]

    def same(self, question: str, style: PlanStyle) -> Example | None:
        """The latest example with the same words (times aside, if both or neither name one) and no date in its plan."""
        asked = _words(question)
        known = [*self._all(style), *self.proposed(style)]
        found = (each for each in known if each.alone and _words_of_example(each.question) == asked)
        return next((each for each in found if not _DAY.search(json.dumps(each.plan))), None)

    def keep(self, question: str, style: PlanStyle, plan: dict[str, Any], *, alone: bool = False) -> None:
        """Adds an approved answer's plan. Raises OSError."""
        assert self._file is not None, "a library without a folder keeps nothing"
        self._file.parent.mkdir(parents=True, exist_ok=True)
        entry = {"style": style, "question": question, "plan": plan, "alone": alone}
        with self._file.open("a", encoding="utf-8") as out:
            out.write(json.dumps(entry, ensure_ascii=False) + "\n")

    def _all(self, style: PlanStyle) -> Sequence[Example]:
        shipped = [Example(each["question"], each[style]) for each in self._shipped if style in each]
        return [*self._approved(style), *shipped]

    def tables(self) -> list[str]:
        """The tables of books.toml, each with what people call it: `Physician (dokter, doctor)`."""
        said = {
            name: [each.get("label"), *each.get("synonyms", ())] for name, each in self._of_books("tables", {}).items()
        }
        words = {name: ", ".join(filter(None, each)) for name, each in said.items()}
        return [f"{name} ({each})" if each else name for name, each in words.items()]

    def proposed(self, style: PlanStyle) -> list[Example]:
        """The questions of books.toml with the SQL that answered them."""
        found = self._of_books("questions", []) if style == "sql" else []
        plans = ([{"query": each["sql"], "result_key": "RESULT"}] for each in found)
        return [Example(each["ask"], {"sql_queries_plan": plan}) for each, plan in zip(found, plans, strict=True)]

    def _of_books(self, key: str, default: Any) -> Any:
        if self._books is None:
            return default
        try:
            return _content(self._books, stamp(self._books)).get(key, default)
        except (OSError, ValueError):
            return default  # not written yet, or invalid: the data servers report that

    def _approved(self, style: PlanStyle) -> list[Example]:
        if self._file is None or not self._file.is_file():
            return []
        kept = (json.loads(line) for line in self._file.read_text(encoding="utf-8").splitlines() if line.strip())
        return [
            Example(each["question"], each["plan"], each.get("alone", False)) for each in kept if each["style"] == style
        ][::-1]


@lru_cache(maxsize=4)
def _content(books: Path, _stamp: tuple[int, int, int]) -> dict[str, Any]:
    """What books.toml holds, parsed again if it changes: 45 ms for 500 tables. Raises OSError, ValueError."""
    return tomllib.loads(books.read_text(encoding="utf-8"))


def as_asked(plan: dict[str, Any]) -> dict[str, Any]:
    """The plan as shown to a planner: queries and narrative, without what the host derives."""
    if "sql_queries_plan" not in plan:
        return plan
    template, kept = plan.get("response_template", ""), plan["sql_queries_plan"]
    bare = [{"query": each["query"]} for each in kept]
    derived = {each["result_key"] for each in queries_in(bare, "RESULT", template)}
    if {each["result_key"] for each in kept} & {*spoken_of(template)} - derived:
        bare = [{"query": each["query"], "result_key": each["result_key"]} for each in kept]
    return {"sql_queries_plan": bare, "response_template": template}


def _words(question: str) -> tuple[bool, tuple[str, ...]]:
    """(whether the question names a time, its other words in order)."""
    full = in_full(question)
    rest = timeless(full)
    return rest != full, fold(rest)


_words_of_example = lru_cache(maxsize=1024)(_words)
"""Only for examples, so that no other question stays in memory."""


def telling_words(text: str) -> frozenset[str]:
    """The distinctive words of a question, with synonyms unified."""
    known = vocabulary()
    found = (word for word in re.findall(r"[a-z]{3,}", text.casefold()) if word not in listed("telling_nothing"))
    return frozenset(known.alike.get(word, word) for word in found)


def _ranked(question: str, examples: Iterable[Example]) -> list[Example]:
    """The examples, those that share most words with the question first."""
    asked = telling_words(question)
    return sorted(examples, key=lambda example: _likeness(asked, telling_words(example.question)), reverse=True)


def _likeness(asked: frozenset[str], known: frozenset[str]) -> float:
    """The cosine similarity of two sets of words."""
    shared = len(asked & known)
    return shared / math.sqrt((len(asked) or 1) * (len(known) or 1))
