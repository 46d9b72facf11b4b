"""Asks a database's questions through the real servers, with a planner that knows each plan. Gold SQL judges."""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
import time
import tomllib
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any, Literal

from agentd.agent.toolset import assemble
from agentd.apps.analytics.nodes.node_context import Ports
from agentd.apps.analytics.planner.examples import ExampleLibrary
from agentd.apps.analytics.question.comparisons import ends_of
from agentd.apps.analytics.question.periods import timeless
from agentd.apps.analytics.run import AnalyticsRun
from agentd.apps.analytics.sql.query import Query
from agentd.apps.analytics.state import AgentState
from agentd.clock import clock_of
from agentd.messages import Caller, ModelReply, ModelRequest, ProviderState
from agentd.plugins import models
from agentd.runs.execution import RunContext
from agentd.runs.records import RunBrief, RunRecord
from agentd.testing import MemoryJournal
from lab.eval.analytics.__main__ import office
from lab.eval.analytics.as_read import faults_of
from lab.eval.analytics.judging import is_right, reads_as
from lab.eval.analytics.questions import TODAY, Question
from lab.eval.books import SAMPLE, build, text_of
from lab.eval.replies import Replies
from servers.common.erp import build as build_sample

HERE = Path(__file__).parent
Plan = dict[str, Any]
SEED = 19


@dataclass(frozen=True)
class Mistake:
    """A typical mistake of hosted models. `spoil` returns the plan with it, or None if the plan has no place for it."""

    name: str
    spoil: Callable[[Plan], Plan | None]


@dataclass(frozen=True)
class Gold:
    """One question with its right answer; `none` means that it has no answer here."""

    ask: str
    sql: str
    says: str
    plan: str = ""
    none: bool = False
    of: str = ""
    """For a stranger's question: its database. Its planner names no table; the search has the question's words only."""
    half: str = ""
    mistake: str = ""
    spoiled: str = ""
    """A wrong plan by another author, and what is wrong with it."""

    def planned(self, query: str = "") -> Plan:
        """A good planner's plan, or the same with another query; without a query where there is no data for it."""
        entry = {"purpose": "", "query": query or self.plan or self.sql, "result_key": "RESULT"}
        return {"sql_queries_plan": [entry] if entry["query"] else [], "response_template": self.says}

    def understood(self) -> Plan:
        """A good planner's first turn, which names the tables."""
        tables = sorted({table for select in Query("", self.sql).selects for table in select.tables})
        words = re.findall(r"[^\W\d_]{4,}", self.ask)[:6]
        return {
            "intent": "question",
            "entities_mentioned": (words if self.of else tables) or [self.ask],
            "requested_metrics": [],
            "query_complexity": "medium" if len(tables) > 1 else "simple",
        }


@dataclass(frozen=True)
class Answered:
    """The result of one plan. `score` is None when nothing was answered; `why` says what is wrong."""

    database: str
    ask: str
    mistake: str
    score: int | None
    wrong: bool
    why: str
    narrative: str
    warnings: list[str] = field(default_factory=list)
    seconds: float = 0.0
    input_tokens: int = 0
    output_tokens: int = 0
    state: AgentState = field(default_factory=AgentState)
    """The workflow's final state."""


class Planner:
    """A model that is given its understanding and plan, and repeats them however often it is asked."""

    provider = "scripted"

    def __init__(self) -> None:
        self.gold = Gold("", "", "")
        self.plan: Plan = {}
        self.asked: ModelRequest | None = None
        """The last request."""

    async def turn(self, request: ModelRequest, on_text: Any = None) -> ModelReply:
        """Return the understanding on attempt 0, otherwise the plan."""
        self.asked = request
        said = self.gold.understood() if request.attempt == 0 else self.plan
        return ModelReply(text=json.dumps(said), provider="scripted", model="scripted")

    def state(self) -> ProviderState:
        return ProviderState(id="scripted", type="scripted", state="ready")

    async def aclose(self) -> None:
        """Nothing to release."""


def read(name: str) -> tuple[list[Gold], str, str]:
    """The questions of `NAME.toml`, its date of today, and its currency."""
    if name == SAMPLE:
        return [], TODAY, "IDR"
    content = tomllib.loads(text_of(name, "toml"))
    return [Gold(**each) for each in content["questions"]], content["today"], content["currency"]


def half_of(name: str, file: str, half: str) -> list[Gold]:
    """One database's questions of sql-eval, of Spider, or of a file beside this one; `half` is tuning or held.

    Where the file names no half, the question's hash decides.
    """
    if file in ("sql-eval", "spider"):
        return [gold for gold in read(name)[0] if _by_hash(gold.ask) == half]
    content = tomllib.loads((HERE / f"{file}.toml").read_text(encoding="utf-8"))
    golds = [Gold(**{"half": _by_hash(each["ask"]), **each}) for each in content["questions"]]
    return [gold for gold in golds if gold.of == name and gold.half == half]


def _by_hash(ask: str) -> str:
    return "held" if hashlib.sha256(ask.encode()).digest()[0] % 2 else "tuning"


async def asked_all(
    name: str,
    folder: Path,
    mistakes: Sequence[Mistake | None],
    *,
    half: tuple[str, str] | None = None,
    prompts: dict[str, str] | None = None,
    embedded: slice | Literal["replayed"] | None = None,
) -> list[Answered]:
    """Ask every question (or those of a file's `half`) with the right plan (None) or with each applicable mistake.

    Questions of spoiled.toml also use their own spoiled plan. With `prompts`, only its questions are asked, and it
    receives each one's last prompt as Markdown. `embedded` selects questions, in a fixed order, that the shipped model
    plans; for others than the first, only totals are printed. Its replies to a tuning half are recorded; "replayed"
    repeats them.
    """
    questions, today, currency = read(name)
    questions = half_of(name, *half) if half else [each for each in questions if not prompts or each.ask in prompts]
    own = name != SAMPLE
    built = build(name, folder / "own.db") if own else build_sample(folder / "own.db")
    planner = Planner()
    made = []
    address = {"DATABASE_URL": f"sqlite+aiosqlite:///{built}"} if own else {}
    questions = Random(SEED).sample(questions, len(questions))[embedded] if isinstance(embedded, slice) else questions
    async with office(folder, **address, AGENTD_CLOCK=today) as (settings, host):
        model = models(settings)[0] if isinstance(embedded, slice) else planner
        if half and half[1] == "tuning" and embedded:
            model = Replies(HERE / f"{half[0]}-replies.json", model if isinstance(embedded, slice) else None)
        run = AnalyticsRun(
            Ports(model, lambda: host, lambda _: assemble(host.catalogue(), None), clock_of(today)),
            examples=ExampleLibrary(shipped=not own),
            currency=currency,
        )
        for gold in questions:
            rows = _rows(built, gold)
            for mistake in _own(gold, mistakes):
                plan = gold.planned() if mistake is None else mistake.spoil(gold.planned())
                if plan is None:
                    continue
                planner.gold, planner.plan = gold, plan
                if isinstance(model, Replies):
                    model.ask(gold.ask)
                began = time.perf_counter()
                journal = MemoryJournal()
                answer = await _asked(run, gold.ask, today, journal)
                judged = _judged(name, gold, rows, answer, mistake.name if mistake else "")
                judged = replace(judged, state=_ended(gold.ask, journal))
                made.append(replace(judged, seconds=time.perf_counter() - began, **answer.get("usage", {})))
                if isinstance(embedded, slice):
                    hidden = embedded.start or (half is not None and half[1] == "held")
                    print(_shown(made, "" if hidden else gold.ask), flush=True)
                if prompts and planner.asked is not None:
                    told = (f"**{m.role}**\n\n```\n{m.content}\n```" for m in planner.asked.messages)
                    prompts[gold.ask] = "\n\n".join(told)
        if embedded == "replayed":
            print(f"{name}: {model}")
        await model.aclose()
    return made


def _shown(made: Sequence[Answered], ask: str) -> str:
    """The last result; without `ask` only the totals so far, because unseen and held questions must stay unseen."""
    if ask:
        return f"{'✗' if made[-1].wrong else '✓'} {made[-1].score} {made[-1].seconds:.1f} s  {ask}"
    sure = sum(each.wrong and (each.score or 0) >= 90 for each in made)
    return f"{len(made)} asked, {sum(not each.wrong for each in made)} right, {sure} wrong with 90 points or more"


def _own(gold: Gold, mistakes: Sequence[Mistake | None]) -> list[Mistake | None]:
    return [*mistakes, *([Mistake(gold.mistake, lambda _: gold.planned(gold.spoiled))] if gold.spoiled else [])]


async def _asked(run: AnalyticsRun, ask: str, today: str, journal: MemoryJournal) -> dict[str, Any]:
    caller = Caller(id="eval", scopes=frozenset({"admin"}))
    brief = RunBrief({"plan_style": "sql"}, caller)
    row = RunRecord("eval", "eval", caller.id, "analytics", ask, brief, "running", today)
    result = await run.execute(RunContext(row, journal, lambda *_: None))
    return result.outcome


def _ended(ask: str, journal: MemoryJournal) -> AgentState:
    state = AgentState(user_query=ask)
    for record in journal.records.values():
        state |= record["changes"]
    return state


def _rows(file: Path, gold: Gold) -> list[list[Any]]:
    if gold.none:
        return []
    with closing(sqlite3.connect(file)) as database:
        return [list(row) for row in database.execute(gold.sql)]


def _judged(name: str, gold: Gold, rows: list[list[Any]], answer: dict[str, Any], mistake: str) -> Answered:
    """Judge one answer. An untrue answer is wrong; with the right plan, so is no answer."""
    words = answer.get("final_narrative") or ""
    why = ""
    if gold.none:
        why = "it answers what has no answer" if words else ""
    elif not words:
        error = answer.get("error") or {}
        why = "" if mistake else f"no answer: {error.get('user_message')} {error.get('technical_details_for_log')}"
    else:
        question = Question("share" if "{SHARE" in gold.says else "ranking" if _in_order(gold) else "simple", gold.ask)
        right = is_right(question, answer, [rows]) or (question.kind == "share" and _tells(words, rows))
        faults = faults_of(question, words, [] if "{SHARE" in gold.says else [_told(rows)])
        faults = [fault for fault in faults if not _claimed_rightly(fault, gold)]
        why = "; ".join([*([] if right else ["other values"]), *faults])
    score = answer.get("quality_score") if words else None
    return Answered(name, gold.ask, mistake, score, bool(why), why, words, answer.get("warnings_for_display") or [])


def _tells(words: str, rows: list[list[Any]]) -> bool:
    """Whether the words state the share, when gold has only that and the plan may have fetched part and whole."""
    told = re.findall(r"\d(?:[\d.,]*\d)?", words)
    return [len(row) for row in rows] == [1] and any(reads_as(each, float(rows[0][0])) for each in told)


def _in_order(gold: Gold) -> bool:
    """Whether row order matters: only some rows are requested, or the question names an extreme."""
    return "ORDER BY" in gold.sql and ("LIMIT" in gold.sql or bool(ends_of(timeless(gold.ask))))


def _claimed_rightly(fault: str, gold: Gold) -> bool:
    """Whether a comparison is in the right narrative, or may come from a computed statement in it."""
    word = fault.partition("`")[2].rstrip("`")
    return bool(word) and (word in gold.says.casefold() or "{COMPARE" in gold.says)


def _told(rows: list[list[Any]]) -> list[list[Any]]:
    """The rows without dates, which narratives may write in any way."""
    return [[value for value in row if not re.match(r"\d{4}-\d\d-\d\d", str(value))] for row in rows]
