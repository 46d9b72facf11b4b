"""`python -m lab.eval.books`: forty questions to Chinook and forty to Northwind through the real servers.

A scripted planner writes the right plan for each: nothing of ours may spoil it, so all must be right (exit status 1
otherwise). `--mistakes` has the planner make each mistake of lab/eval/books/mistakes.py in every plan instead: what is
answered then must be true all the same, and what is scored 90 or more may be wrong once in twenty at most.
`--strangers` asks a half of the sixty informal questions of strangers.toml, `--voices` of the 72 of voices.toml,
`--spoiled` of spoiled.toml, each with its right plan and a spoiled one, `--pitfalls tuning` the 114 of pitfalls.toml
in the same way to Chinook, Northwind and sql-eval's databases, `--sql-eval` of that public set (fetched by
`python -m lab.eval.books.sql_eval`), with `--altered N` also N wrong plans made of each right one by one change,
`--spider` of Spider's development set with the queries of five models (`python -m lab.eval.books.spider`); of `held`
only totals are printed. `--voices tuning --replayed` says again what the model that ships replied when
`--embedded` asked it last.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from agentd.observability import logging as logs
from lab.eval.books import DATABASES, SAMPLE, SPIDER, SQL_EVAL, altered
from lab.eval.books.asking import Answered, Mistake, asked_all
from lab.eval.books.mistakes import MISTAKES

SETS = ("strangers", "spoiled", "voices", "pitfalls", "sql-eval", "spider")
CAPTURED = "Berapa total penjualan Januari 2021?"


async def main() -> int:
    """Ask, print failures and totals. Return 1 when a right plan was spoiled or wrong answers look certain."""
    parser = argparse.ArgumentParser(prog="lab.eval.books", description=__doc__)
    parser.add_argument(
        "--database", choices=(*DATABASES, SAMPLE, *SQL_EVAL, *SPIDER), action="append", help="one alone"
    )
    parser.add_argument("--mistakes", action="store_true", help="with a mistake in every plan")
    parser.add_argument("--mistake", choices=MISTAKES, action="append", help="these alone")
    for each in SETS:
        parser.add_argument(f"--{each}", choices=("tuning", "held"), default="", help=f"a half of {each} instead")
    parser.add_argument("--altered", type=int, default=0, metavar="N", help="of sql-eval: N wrong plans made of each")
    parser.add_argument(
        "--embedded", type=int, default=0, metavar="N", help="N of each, planned by the model that ships"
    )
    parser.add_argument("--replayed", action="store_true", help="planned by what the model replied; asks no model")
    parser.add_argument("--others", action="store_true", help="N others that it was never asked before; totals alone")
    parser.add_argument("--json", type=Path, help="write every answer there, too")
    parser.add_argument("--prompt", type=Path, help="write there what a planner is asked for one question, and stop")
    given = parser.parse_args()
    logs.configure("critical")
    chosen = given.mistake or (list(MISTAKES) if given.mistakes else [])
    if given.prompt:
        given.prompt.write_text(await _prompt(), encoding="utf-8")
        return 0
    made: list[Answered] = []
    first = given.embedded if given.others else 0
    replayed: Literal["replayed"] | None = "replayed" if given.replayed else None
    embedded = slice(first, first + given.embedded) if given.embedded else replayed
    half = next(((each, half) for each in SETS if (half := getattr(given, each.replace("-", "_")))), None)
    of_set = {"sql-eval": SQL_EVAL, "spider": SPIDER, "pitfalls": (*SQL_EVAL, *DATABASES)}
    of = of_set.get(half[0], (*DATABASES, SAMPLE)) if half else DATABASES
    for name in given.database or of:
        with TemporaryDirectory() as folder:
            mistakes: list[Mistake | None] = [MISTAKES[each] for each in chosen] or ([] if given.spider else [None])
            mistakes += altered.mistakes(name, given.altered) if given.altered else []
            made += await asked_all(name, Path(folder), mistakes, half=half, embedded=embedded)
    for one in made if not given.others and (half is None or half[1] != "held") else ():
        if one.wrong:
            print(f"✗ {one.score} {one.database}: {one.ask} [{one.mistake or 'right plan'}] {one.why}")
    if given.json:
        kept = [{key: value for key, value in each.__dict__.items() if key != "state"} for each in made]
        given.json.write_text(json.dumps(kept, ensure_ascii=False, indent=1) + "\n")
    if given.spoiled or given.pitfalls or given.altered:
        print("right plans: ", end="")
        _totals([each for each in made if not each.mistake], strict=True)
        return _totals([each for each in made if each.mistake], strict=False)
    return _totals(made, strict=not (chosen or given.embedded or given.replayed or given.spider))


async def _prompt() -> str:
    prompts = {CAPTURED: ""}
    with TemporaryDirectory() as folder:
        await asked_all("chinook", Path(folder), [None], prompts=prompts)
    head = f'Captured for "{CAPTURED}" to Chinook by `python -m lab.eval.books --prompt`.'
    return f"# What the planner is asked\n\n{head}\n\n{prompts[CAPTURED]}\n"


def _totals(made: list[Answered], *, strict: bool) -> int:
    wrong = [each for each in made if each.wrong]
    answered = [each for each in made if each.score is not None]
    sure = [each for each in answered if (each.score or 0) >= 90]
    sure_wrong = [each for each in sure if each.wrong]
    print(f"{len(made) - len(wrong)} of {len(made)} right; {len(answered)} answered, {len(made) - len(answered)} not")
    print(f"scored 90 or more: {len(sure)}, of which wrong {len(sure_wrong)}")
    return int(bool(wrong) if strict else 20 * len(sure_wrong) > len(wrong))


if __name__ == "__main__":
    raise SystemExit(asyncio.run(main()))
