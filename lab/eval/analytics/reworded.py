"""`python -m lab.eval.analytics.reworded`: the forty questions in other words beside their originals. Totals only.

--planner perfect   the planner knows the plan and names no table: periods, schema search and guards
--planner embedded  the model that ships, on a fixed sample (--sample 12); the originals' answers are those that
                    `lab.eval.analytics --planner embedded` has stored: run it before, on the same code

No answer is printed or kept one by one: questions whose failures nobody has looked at stay a test.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
from collections.abc import Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from agentd.observability import logging as logs
from agentd.plugins import models
from lab.eval.analytics.__main__ import RESULTS, ask, office
from lab.eval.analytics.questions import QUESTIONS, Question, in_own_words, paraphrases
from servers.text2cypher.metrics.statistics import interval_of_rate

SEED = 19


def sample(count: int) -> dict[str, list[Question]]:
    """A fixed sample of `count` paraphrases and their originals."""
    known = {each.text: each for each in QUESTIONS}
    reworded = Random(SEED).sample(paraphrases(), count)
    return {"originals": [known[each.of] for each in reworded], "paraphrases": reworded}


def totals(made: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Counts, 95 % intervals in percent, and seconds."""
    right, data = sum(each["right"] for each in made), [each for each in made if each["needs_data"]]
    sure = [each for each in made if (each["score"] or 0) >= 90 and each["narrative"]]
    return {
        "asked": len(made),
        "right": right,
        "right_interval": [round(bound, 1) for bound in interval_of_rate(right, len(made))],
        "need_data": len(data),
        "tables_found": sum(each["tables_found"] for each in data),
        "scored_90": len(sure),
        "scored_90_wrong": sum(not each["right"] for each in sure),
        "seconds_p50": round(statistics.median(each["seconds"] for each in made), 2),
        "seconds_longest": round(max(each["seconds"] for each in made), 2),
    }


async def main() -> int:
    """Ask, print the totals, and store them in results/reworded.json."""
    parser = argparse.ArgumentParser(prog="lab.eval.analytics.reworded", description=__doc__)
    parser.add_argument("--planner", choices=("perfect", "embedded"), default="perfect")
    parser.add_argument("--sample", type=int, default=len(paraphrases()), help="so many of each")
    given = parser.parse_args()
    logs.configure("critical")
    made: dict[str, list[dict[str, Any]]] = {"originals": [], "paraphrases": []}
    stored = {each["question"]: each for each in json.loads((RESULTS / "embedded.json").read_text())}
    with TemporaryDirectory() as scratch:
        async with office(Path(scratch)) as (settings, host):
            perfect = given.planner == "perfect"
            planner = None if perfect else models(settings)[0]
            try:
                for pair in zip(*sample(given.sample).values(), strict=True):
                    for name, question in zip(made, pair, strict=True):
                        if perfect or name == "paraphrases":
                            answer = await ask(in_own_words(question) if perfect else question, "sql", planner, host)
                        else:
                            answer = {"score": None, **stored[question.text]}
                        made[name].append({**answer, "needs_data": bool(question.queries)})
                    _keep(given.planner, made)
                    print(f"{len(made[name])} of {given.sample} pairs", flush=True)
            finally:
                if planner is not None:
                    await planner.aclose()
    print(json.dumps(_keep(given.planner, made), indent=1))
    return 0


def _keep(planner: str, made: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """Store the totals so far beside the other planner's, because a slow model may be stopped early; return them."""
    kept = RESULTS / "reworded.json"
    figures = json.loads(kept.read_text()) if kept.is_file() else {}
    figures[planner] = {name: totals(answers) for name, answers in made.items() if answers}
    kept.write_text(json.dumps(figures, indent=1) + "\n")
    return dict(figures[planner])


if __name__ == "__main__":
    raise SystemExit(asyncio.run(main()))
