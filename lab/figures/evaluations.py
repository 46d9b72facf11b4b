"""The evaluations as sections. Each runs its own command for JSON or counts the verdicts. It judges nothing."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from hardening.files import stamp
from lab.eval import books
from lab.eval.evidence import cod, letters, matrix, offices, soundness
from lab.eval.evidence.__main__ import OWN, STEPS, Prepare, judge
from lab.eval.evidence.filled import filled
from lab.eval.evidence.report import Judged, arguments_passed
from lab.eval.evidence.trials import Trial
from lab.figures.record import ROOT, Figure, Found

EVIDENCE = (
    "agentd/apps/letters/evidence",
    "agentd/apps/letters/languages",
    "agentd/agent/languages",
    "lab/eval/evidence",
)
BOOKS = ("agentd/apps/analytics", "servers/mysql", "servers/graphiti", "lab/eval/books")
LETTERS = ("agentd/agent", "agentd/apps/letters", "servers/certificate", "lab/eval/letters")
OPENINGS = ("agentd/agent", "agentd/apps/letters", "servers/certificate", "lab/eval/openings")
ANALYTICS = (*BOOKS[:3], "servers/sim_testgeluran", "lab/eval/analytics")
GRAPH = ("servers/text2cypher", "lab/eval/text2cypher")
TYPED = ROOT / "lab" / "eval" / "openings"
RESULTS = ROOT / "lab" / "eval" / "analytics" / "results"
HALVES = ("tuning", "reporting")
PLANS = {"right_plans": False, "wrong_plans": True}


@dataclass(frozen=True)
class Evaluation:
    """One evaluation. `tuning` means that failures of its set were inspected and led to rules."""

    name: str
    paths: tuple[str, ...]
    run: Callable[[], Found]
    tuning: bool = True


def _json(out: Path, module: str, *words: str) -> Any:
    """Run `python -m MODULE …` and read the JSON that it wrote to `out`; exit status 1 means wrong answers, which are
    counted, or that it failed and wrote nothing."""
    before = stamp(out)
    done = subprocess.run([sys.executable, "-m", module, *words], cwd=ROOT, stdout=sys.stderr, check=False)
    if done.returncode not in (0, 1) or stamp(out) == before:
        raise SystemExit(f"python -m {module} {' '.join(words)} ended with {done.returncode}")
    return json.loads(out.read_text(encoding="utf-8"))


def _judged(judged: Sequence[Judged]) -> dict[str, dict[str, Any]]:
    """{kind of call: {language: how many were correctly passed or refused}}."""
    calls: dict[str, dict[str, list[bool]]] = {}
    for each in judged:
        kind = f"{each.trial.row}: {'passed' if each.trial.honest else 'refused'}"
        calls.setdefault(kind, {}).setdefault(each.trial.language, []).append(each.right)
    return {
        kind: {language: f"{sum(right)} of {len(right)}" for language, right in by_language.items()}
        for kind, by_language in calls.items()
    }


def _evidence(judged: Sequence[Judged]) -> Found:
    honest, other = ([each for each in judged if each.trial.honest is kind] for kind in (True, False))
    figures = {
        "honest_passed": Figure(value=sum(each.right for each in honest), of=len(honest)),
        "others_refused": Figure(value=sum(each.right for each in other), of=len(other)),
    }
    return Found(figures=figures, tables={"calls": [{"calls": kind, **row} for kind, row in _judged(judged).items()]})


def _halves(trials: Iterable[Trial], half_of: Callable[[Trial], str], prepare: Prepare | None = None) -> Found:
    """Judge a set of which one half was inspected; report each half separately."""
    judged = asyncio.run(judge(trials, prepare))
    halves = {half: [each for each in judged if half_of(each.trial) == half] for half in HALVES}
    figures = {
        f"{half}_{name}": Figure(value=sum(each.right for each in own), of=len(own))
        for half in HALVES
        for name, honest in (("wrong_refused", False), ("honest_passed", True))
        if (own := [each for each in halves[half] if each.trial.honest is honest])
    }
    for half in HALVES:
        own = [each for each in halves[half] if each.trial.honest]
        if (arguments := sum(len(each.trial.arguments) for each in own)) > len(own):
            passed = sum(each.arguments_right for each in own)
            figures[f"{half}_arguments_passed"] = Figure(value=passed, of=arguments)
    rows = [{"half": half, "calls": kind, **row} for half in HALVES for kind, row in _judged(halves[half]).items()]
    return Found(figures=figures, tables={"calls": rows})


def _steps(made: Callable[[], Iterable[Trial]]) -> dict[str, Any]:
    """How many calls are proven, shown to the citizen for approval, and shown after one question."""
    figures = _halves(made(), offices.half_of).figures
    for name, prepare in STEPS.items():
        if prepare is not None:
            steps = _halves(made(), offices.half_of, prepare).figures
            figures |= {f"{half}_{name}": steps[f"{half}_honest_passed"] for half in HALVES}
    return figures


def _conversations(file: Path) -> Found:
    """Natural conversations: what is proven, what is shown to the citizen for approval, and what after one question."""
    figures = _steps(partial(offices.trials, file))
    for half in HALVES:
        right, of = filled(trial for trial in offices.trials(file) if offices.half_of(trial) == half)
        figures[f"{half}_filled_right"] = Figure(value=right, of=of)
    return Found(figures=figures)


def _cod() -> Found:
    folder = os.environ.get("COD")
    if not folder:
        raise SystemExit("set COD to the folder of COD's development files (https://github.com/cambridgeltl/COD)")
    rows: list[dict[str, Any]] = []
    for file in sorted(Path(folder).glob("*_dev.json")):
        language, dialogues = cod.load(file)
        trials = list(cod.trials(language, dialogues))
        judged = asyncio.run(judge(trials))
        for name in ("shown", "after_a_question"):
            later = [replace(trial, row=f"transaction, {name}") for trial in trials if trial.row == "transaction"]
            judged += asyncio.run(judge(later, STEPS[name]))
        for half in HALVES:
            own = [each for each in judged if cod.half_of(each.trial) == half]
            kinds = {kind: row[language] for kind, row in _judged(own).items()}
            arguments = {f"{row}'s arguments": arguments_passed(own, row) for row in cod.CALLS}
            rows.append({"language": language, "half": half, **kinds, **arguments})
    return Found(tables={"calls": rows})


def _answers(*words: str) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "answers.json"
        return list(_json(out, "lab.eval.books", "--json", str(out), *words))


def _scored(made: Sequence[dict[str, Any]]) -> dict[str, Figure]:
    right = [not each["wrong"] for each in made]
    sure = [not each["wrong"] for each in made if (each["score"] or 0) >= 90]
    answered = sum(each["score"] is not None for each in made)
    return {
        "right": Figure(value=sum(right), of=len(right)),
        "answered": Figure(value=answered, of=len(made)),
        "scored_90_or_more_right": Figure(value=sum(sure), of=len(sure)),
    }


def _books_of_others() -> Found:
    """sql-eval: right plans, and three wrong ones made of each."""
    books.text_of(books.SQL_EVAL[0], "sql")  # says how to fetch
    figures: dict[str, Any] = {}
    for half, called in zip(("tuning", "held"), HALVES, strict=True):
        made = _answers("--sql-eval", half, "--altered", "3")
        kinds = {kind: [each for each in made if bool(each["mistake"]) is wrong] for kind, wrong in PLANS.items()}
        figures[called] = {kind: _scored(own) for kind, own in kinds.items()} | {"all": _scored(made)}
    return Found.of(figures)


def _analytics(planner: str, *words: str) -> Found:
    out = RESULTS / f"{planner}.json"
    made = _json(out, "lab.eval.analytics", "--planner", planner, *words)
    figures: dict[str, Any] = {}
    for style in ("sql", "operations"):
        if own := [each for each in made if each["style"] == style]:
            figures[style] = {
                "right": Figure(value=sum(each["right"] for each in own), of=len(own)),
                "with_an_invented_number": Figure(value=sum(bool(each["invented"]) for each in own), of=len(own)),
                "question_p50_s": sorted(each["seconds"] for each in own)[len(own) // 2],
            }
    return Found.of(figures)


def _letters() -> Found:
    out = ROOT / "docs" / "letters" / "eval" / "report.json"
    return of_letters(_json(out, "lab.eval.letters")["figures"])


def of_letters(figures: dict[str, Any]) -> Found:
    """Convert the figures of the letters' report."""
    run, letters = figures["run"], figures["letters_issued"]
    return Found.of(
        {
            "conversations_as_they_should": Figure(value=figures["passed"], of=run),
            "letters_right": Figure(value=figures["letters_wanted"]["right"], of=figures["letters_wanted"]["run"]),
            "with_an_invented_value": Figure(value=figures["letters_with_an_invented_value"], of=letters),
            "false_claims": Figure(value=figures["false_claims_of_a_letter"], of=run),
            "turn_p50_s": (figures["seconds_a_turn"] or {}).get("median"),
        }
    )


def _openings(*words: str) -> Found:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "openings.json"
        found = _json(out, "lab.eval.openings", "--out", str(out), *words)
    settled = found["asked"] - found["open"]
    figures = {
        "good": Figure(value=found["good"], of=settled),
        "left_to_the_model": Figure(value=found["open"], of=found["asked"]),
        "turns": found["turns"],
        "tokens_written": found["written"],
    }
    return Found.of({**figures, "kinds": [{"kind": name, "good": good} for name, good in found["kinds"].items()]})


def _models() -> Found:
    from lab.eval import models

    return Found(tables=models.run())


def _totals(*words: str) -> dict[str, Any]:
    """The totals that `lab.eval.text2cypher` prints for one set; a test half reveals nothing else."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "lab.eval.text2cypher", *words, "--out", folder]
        return dict(json.loads(subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout))


_MIXED = ("home", "movies", "northwind")
_FIRST_ONLY = ("paraphrases", "wordings", "fincen", "stackoverflow2", "grandstack")
_CERTAIN = ("certain", "right_of_certain", "same_of_certain", "right_called_certain")


def _graph() -> Found:
    """Mixed right and wrong queries, and first readings of whole halves: how often `certain` answers are right."""
    data = os.environ.get("TEXT2CYPHER")
    if not data:
        raise SystemExit("set TEXT2CYPHER to where `python -m lab.eval.text2cypher fetch --data DIR` put the sets")
    runs = [(name, "wrong") for name in _MIXED] + [(name, "first") for name in (*_MIXED, *_FIRST_ONLY)]

    def totals(name: str, provider: str) -> dict[str, Any]:
        limit = ["--seed", "1", "--limit", "60"] if provider == "wrong" and name != "home" else []
        return _totals("--data", data, "--set", name, "--provider", provider, "--half", "test", *limit)

    with ThreadPoolExecutor(2) as pool:
        all_totals = list(pool.map(lambda run: totals(*run), runs))
    figures: dict[str, Any] = {}
    for (name, provider), rates in zip(runs, all_totals, strict=True):
        certain = {key: _share(rates[key]) for key in _CERTAIN}
        if provider == "wrong":
            figures[name] = certain
        else:
            figures.setdefault(name, {})["first_reading"] = {"right": _share(rates["pass_at_1"]), **certain}
    return Found.of(figures)


def _graph_embedded() -> Found:
    """The shipped 52 questions, with all aids and with none."""
    home = ("--set", "home", "--half", "all", "--provider", "llamacpp")
    runs = {"right": _totals(*home), "right_without_aids": _totals(*home, "--aids", "none")}
    return Found.of({name: _share(rates["pass_at_1"]) for name, rates in runs.items()})


def _share(rate: dict[str, Any]) -> Figure:
    """Convert a rate in percent to a count out of a total."""
    return Figure(value=round((rate["rate"] or 0.0) * rate["of"] / 100), of=rate["of"])


EVALUATIONS = (
    Evaluation("matrix", EVIDENCE, lambda: _evidence(asyncio.run(judge(matrix.trials())))),
    Evaluation("matrix_bare", EVIDENCE, lambda: _evidence(asyncio.run(judge(matrix.trials(bare=True))))),
    Evaluation("soundness", EVIDENCE, lambda: _halves(soundness.trials(), soundness.half_of)),
    *(Evaluation(file.stem, EVIDENCE, partial(_conversations, file)) for file in offices.FILES),
    Evaluation("hosted", EVIDENCE, lambda: Found(figures=_steps(offices.hosted))),
    Evaluation("altered", EVIDENCE, lambda: _halves(OWN["altered"][0](), offices.half_of)),
    Evaluation("offices", EVIDENCE, lambda: _evidence(asyncio.run(judge(offices.trials())))),
    Evaluation("letters", EVIDENCE, lambda: _evidence(asyncio.run(judge(letters.trials())))),
    Evaluation("cod", EVIDENCE, _cod, tuning=False),
    Evaluation("books", BOOKS, lambda: Found(figures=_scored(_answers()))),
    Evaluation("books_mistakes", BOOKS, lambda: Found(figures=_scored(_answers("--mistakes")))),
    Evaluation("books_of_others", BOOKS, _books_of_others, tuning=False),
    Evaluation("analytics", ANALYTICS, lambda: _analytics("perfect")),
    Evaluation("analytics_embedded", ANALYTICS, lambda: _analytics("embedded", "--style", "sql", "--fresh")),
    Evaluation("openings_host", OPENINGS, lambda: _openings("--host")),
    Evaluation("openings_strangers", OPENINGS, lambda: _openings("--host", "--openings", f"{TYPED}/strangers.toml")),
    Evaluation(
        "openings_campus",
        OPENINGS,
        lambda: _openings(
            "--host", "--openings", f"{TYPED}/campus.toml", "--config", str(ROOT / "profiles/campus/client.toml")
        ),
    ),
    Evaluation("openings_embedded", OPENINGS, _openings),
    Evaluation("models", OPENINGS[:3], _models),
    Evaluation("letters_embedded", LETTERS, _letters),
    Evaluation("graph", GRAPH, _graph, tuning=False),
    Evaluation("graph_embedded", GRAPH, _graph_embedded),
)
