"""`python -m lab.eval.analytics`: ask every question of the evaluation, in both styles, and keep the answers.

--planner perfect   a scripted planner that is always right: proves the machinery, must be 100 %
--planner embedded  the model that ships: measures it (slow; --minutes takes a part, parts add up)
--planner replayed  what the model replied when it was asked last, said again: measures the checks alone, and keeps none
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from agentd import config
from agentd.agent.toolset import assemble
from agentd.apps.analytics.nodes.node_context import Ports
from agentd.apps.analytics.run import AnalyticsRun
from agentd.clock import clock_of
from agentd.messages import Caller
from agentd.observability import logging as logs
from agentd.plugins import TOOL_HOSTS, models, plugin
from agentd.runs.execution import RunContext
from agentd.runs.records import RunBrief, RunRecord
from agentd.testing import MemoryJournal, ScriptedModel
from lab.eval.analytics.as_read import faults_of
from lab.eval.analytics.judging import invented, is_right
from lab.eval.analytics.questions import QUESTIONS, TODAY, Question
from lab.eval.replies import Replies
from servers.common.erp import build

HERE = Path(__file__).parent
GOLD = HERE / "gold.json"
RESULTS = HERE / "results"
STYLES = ("sql", "operations")
SERVERS = {
    "mysql_mcp_server": "mysql",
    "sim_testgeluran_server": "sim_testgeluran",
    "graphiti_server": "graphiti",
    "placeholder_mcp_server": "placeholder",
}
CONFIG = """default_provider = "llamacpp"
prompt_template = "{{custom_instruction}} {{language_guidance}} {{tool_guidance}}"

[[providers]]
id = "llamacpp"
type = "llamacpp"
models = ["qwen2.5-coder-1.5b-instruct-q4_k_m"]
timeout_s = 300.0

""" + "\n".join(
    f'[[servers]]\nname = "{name}"\ncommand = "python3"\nargs = ["-m", "servers.{module}"]\n'
    for name, module in SERVERS.items()
)


def gold(erp: Path) -> dict[str, list[list[list[Any]]]]:
    """The gold results, computed by SQLite: {question: [rows of a query]}. gold.json is written from them."""
    with closing(sqlite3.connect(erp)) as database:
        return {
            question.text: [[list(row) for row in database.execute(query.sql())] for query in question.queries]
            for question in QUESTIONS
        }


@asynccontextmanager
async def office(folder: Path, **env: str) -> AsyncIterator[tuple[Any, Any]]:
    """Start the data servers with `env` added to their environment; yield the settings and the tool host."""
    file = folder / "client.toml"
    file.write_text(CONFIG)
    settings = config.load(file, state=str(folder / "state"), environ={**os.environ, "AGENTD_CLOCK": TODAY})
    settings.state.mkdir(parents=True, exist_ok=True)
    servers = [
        each.model_copy(update={"env": {**each.env, "AGENTD_CLOCK": TODAY, "PYTHONPATH": str(Path.cwd()), **env}})
        for each in settings.servers
    ]
    async with plugin(TOOL_HOSTS, "mcp")(servers) as host:
        await host.ready()
        yield settings, host


async def ask(question: Question, style: str, model: Any, host: Any) -> dict[str, Any]:
    """Ask one question; return how it was answered and judged, and what it cost. With None as the model
    the planner is perfect: it knows the question and returns its understanding, then its plan."""

    async def past(_: str) -> list[RunRecord]:
        before = RunRecord("before", "eval", "eval", "analytics", question.before, RunBrief(), "completed", "")
        return [before] if question.before else []

    if isinstance(model, Replies):
        model.ask(f"{style}: {question.text}")
    planner = model or ScriptedModel.of(question.understanding(), question.plan(style))
    run = AnalyticsRun(
        Ports(planner, lambda: host, lambda _: assemble(host.catalogue(), None), clock_of(TODAY)), past=past
    )
    asked = Caller(id="eval", scopes=frozenset({"admin"}))
    brief = RunBrief({"plan_style": style}, asked)
    row = RunRecord("eval", "eval", asked.id, "analytics", question.text, brief, "running", "2023-03-01")
    journal = MemoryJournal()
    began = time.perf_counter()
    result = await run.execute(RunContext(row, journal, lambda *_: None))
    if question.meant and question.meant in ((result.outcome.get("clarification") or {}).get("choices") or []):
        chosen = RunContext(replace(row, prompt=question.meant), MemoryJournal(), lambda *_: None)
        if isinstance(model, Replies):
            model.ask(f"{style}: {question.meant}")
        result = await run.execute(chosen)
    seconds = time.perf_counter() - began
    answer = result.outcome
    error = answer.get("error") or (
        {"error_source_node": "run", "user_message": str(result.error)} if result.error else {}
    )
    expected = json.loads(GOLD.read_text())[question.gold]
    faults = faults_of(question, answer["final_narrative"], expected) if answer.get("final_narrative") else []
    return {
        "kind": question.kind,
        "question": question.text,
        "style": style,
        "right": is_right(question, answer, expected) and not faults,
        "faults": faults,
        "invented": invented(question, answer),
        "error_node": error.get("error_source_node"),
        "details": error.get("technical_details_for_log"),
        "status": answer.get("validation_status"),
        "narrative": answer.get("final_narrative"),
        "plan": answer.get("plan"),
        "seconds": round(seconds, 3),
        "turns": result.attempts,
        "score": answer.get("quality_score"),
        "tables_found": question.tables <= _tables_told(answer),
        **answer.get("usage", {}),
    }


def _tables_told(answer: dict[str, Any]) -> set[str]:
    """The tables that the schema search gave to the planner."""
    calls = answer.get("mcp_tool_call_history") or []
    told = [call["response_payload"] or {} for call in calls if call["server_name"] == "graphiti_server"]
    return {table["table_name"] for each in told for table in each.get("relevant_tables") or []}


async def main() -> int:
    """Ask and write the results. Return 1 when the perfect planner was not perfect."""
    parser = argparse.ArgumentParser(prog="eval.analytics", description=__doc__)
    parser.add_argument("--planner", choices=("perfect", "embedded", "replayed"), default="perfect")
    parser.add_argument("--style", choices=STYLES, help="one style alone")
    parser.add_argument("--minutes", type=float, default=60.0, help="stop asking after this time")
    parser.add_argument("--fresh", action="store_true", help="ask again what an earlier run of the model answered")
    parser.add_argument("--write-gold", action="store_true", help="write gold.json from the seed ERP and stop")
    given = parser.parse_args()
    kept = RESULTS / f"{given.planner}.json"
    logs.configure("error")
    with TemporaryDirectory() as scratch:
        if given.write_gold:
            lines = gold(build(Path(scratch) / "erp.db"))
            GOLD.write_text(json.dumps(lines, ensure_ascii=False, indent=1) + "\n")
            return 0
        done = {} if given.planner != "embedded" or given.fresh else _read(kept)
        until = time.monotonic() + 60 * given.minutes
        async with office(Path(scratch)) as (settings, host):
            replies = _replies(given.planner, settings)
            try:
                for question in _order(given.planner):
                    for style in (given.style,) if given.style else STYLES:
                        if time.monotonic() > until or (question.text, style) in done:
                            continue
                        made = await ask(question, style, replies, host)
                        done[question.text, style] = made
                        verdict = ("✓" if made["right"] else "✗") + ("!" if made["invented"] else " ")
                        print(f"{verdict} {style:10} {made['seconds']:6.2f} s  {question.text}", flush=True)
                        if given.planner != "replayed":
                            _save(kept, done)
            finally:
                if replies is not None:
                    await replies.aclose()
    return _totals(replies, list(done.values()))


def _replies(name: str, settings: Any) -> Replies | None:
    if name == "perfect":
        return None
    return Replies(RESULTS / "replies.json", models(settings)[0] if name == "embedded" else None)


def _totals(replies: Replies | None, made: list[dict[str, Any]]) -> int:
    """Print the totals; return 1 if the perfect planner was wrong anywhere."""
    for kind in dict.fromkeys(each["kind"] for each in made):
        of_kind = [each["right"] for each in made if each["kind"] == kind]
        print(f"{kind}: {sum(of_kind)} of {len(of_kind)}")
    right = sum(each["right"] for each in made)
    sure = [each["right"] for each in made if (each["score"] or 0) >= 90 and each["narrative"]]
    print(f"{right} of {len(made)} right; with 90 points or more {len(sure)}, of which {sum(sure)} right")
    if replies is not None:
        print(replies)
    return 1 if replies is None and right < len(made) else 0


def _order(planner: str) -> list[Question]:
    """In file order for the perfect planner; else in a fixed random order, so that any part is a fair sample."""
    return list(QUESTIONS) if planner == "perfect" else Random(7).sample(QUESTIONS, len(QUESTIONS))


def _read(kept: Path) -> dict[tuple[str, str], dict[str, Any]]:
    made = json.loads(kept.read_text()) if kept.is_file() else []
    return {(each["question"], each["style"]): each for each in made}


def _save(kept: Path, done: dict[tuple[str, str], dict[str, Any]]) -> None:
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps(list(done.values()), ensure_ascii=False, indent=1) + "\n")


if __name__ == "__main__":
    raise SystemExit(asyncio.run(main()))
