"""The figures of a record, and the page that shows them with every failed conversation's transcript."""

from __future__ import annotations

import os
import statistics
from collections.abc import Sequence
from typing import Any, get_args

import jinja2

from lab.eval.letters.judge import invented_values
from lab.eval.letters.runner import Held, Record
from lab.eval.letters.script import Category, Conversation

Pairs = Sequence[tuple[Conversation, Held]]


def figures(scripts: Sequence[Conversation], record: Record) -> dict[str, Any]:
    """All figures. Seconds are wall-clock time of the measuring machine; turns are citizen messages per letter."""
    pairs = record.of(scripts)
    wanted = [(script, held) for script, held in pairs if script.letter]
    whole = [(script, held) for script, held in wanted if script.category == "complete"]
    return {
        "conversations": len(scripts),
        "run": len(pairs),
        "passed": sum(held.verdict.passed for _, held in pairs),
        "letters_issued": sum(len(held.letters) for _, held in pairs),
        "letters_with_an_invented_value": sum(
            bool(invented_values(letter, script)) for script, held in pairs for letter in held.letters
        ),
        "false_claims_of_a_letter": sum(len(held.verdict.false_claims) for _, held in pairs),
        "letters_wanted": _right(wanted),
        "complete_in_one_turn": _right(whole),
        "turns_to_the_right_letter": _spread([len(held.turns) for _, held in wanted if held.verdict.passed]),
        "seconds_a_turn": _spread([turn.seconds for _, held in pairs for turn in held.turns]),
        "load": _spread([held.load for _, held in pairs if held.load is not None]),
        "cores": os.cpu_count(),
        "categories": {
            category: _of_category([pair for pair in pairs if pair[0].category == category], category, scripts)
            for category in get_args(Category)
        },
    }


def _right(wanted: Pairs) -> dict[str, Any]:
    right = sum(held.verdict.passed for _, held in wanted)
    return {"run": len(wanted), "right": right, "share": round(right / len(wanted), 3) if wanted else None}


def _of_category(pairs: Pairs, category: str, scripts: Sequence[Conversation]) -> dict[str, Any]:
    return {
        "conversations": sum(script.category == category for script in scripts),
        "run": len(pairs),
        "passed": sum(held.verdict.passed for _, held in pairs),
        "invented": sum(bool(held.verdict.invented) for _, held in pairs),
        "false_claims": sum(bool(held.verdict.false_claims) for _, held in pairs),
        "turns": _spread([len(held.turns) for _, held in pairs]),
        "seconds_a_turn": _spread([turn.seconds for _, held in pairs for turn in held.turns]),
    }


def _spread(values: Sequence[float]) -> dict[str, float] | None:
    if not values:
        return None
    ordered = sorted(values)
    last = ordered[min(len(ordered) - 1, int(len(ordered) * 0.9))]
    return {"median": round(statistics.median(ordered), 1), "p90": round(last, 1), "most": round(ordered[-1], 1)}


def page(scripts: Sequence[Conversation], record: Record) -> str:
    """The HTML report: figures, categories, failures first, then the rest."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("lab.eval.letters", "."), autoescape=True, undefined=jinja2.StrictUndefined
    )
    pairs = record.of(scripts)
    return environment.get_template("report.html.jinja").render(
        figures=figures(scripts, record),
        failed=[pair for pair in pairs if not pair[1].verdict.passed],
        passed=[pair for pair in pairs if pair[1].verdict.passed],
        not_run=[script for script in scripts if script.id not in {held.id for _, held in pairs}],
        record=record,
    )
