"""The study's committed results are what their rows say, and the page says what they are (issue 8, shows)."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from servers.text2cypher.data import load_ground_truth
from servers.text2cypher.experiment.summary import summarise
from servers.text2cypher.graph.embedded import EmbeddedBackend
from servers.text2cypher.metrics.score import Scorer
from servers.text2cypher.metrics.statistics import compare_paired
from servers.text2cypher.report.results import read_records, read_summary

STUDY = Path(__file__).parents[3] / "docs" / "text2cypher"
UNPACKED = TemporaryDirectory()
with tarfile.open(STUDY / "results.tar.xz") as packed:
    packed.extractall(UNPACKED.name, filter="data")
RESULTS = Path(UNPACKED.name) / "results"
RUNS = sorted(file.parent.relative_to(RESULTS).as_posix() for file in RESULTS.glob("*/*/agentic_results.csv"))
WHOLE = "all/Few-Shot_Nodes+Paths"
"""All aids, in the configuration that each aid is left out of."""
ABLATION = [run for run in RUNS if run.endswith("/Few-Shot_Nodes+Paths") and not run.startswith("all")]


def records(run: str) -> list[dict[str, Any]]:
    folder, _, name = run.partition("/")
    return read_records(RESULTS / folder, name)


def rows_of_the_page() -> list[list[str]]:
    lines = (STUDY / "study.md").read_text(encoding="utf-8").splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| `")]


def test_every_configuration_of_the_study_is_there() -> None:
    assert len([run for run in RUNS if run.startswith("all/")]) == 9
    assert len(ABLATION) == 7


@pytest.mark.parametrize("run", RUNS)
def test_every_row_is_scored_as_the_scorer_scores_it_today(run: str, backend: EmbeddedBackend) -> None:
    scorer = Scorer(backend)
    frozen = {item.question_id: (item.question, item.cypher) for item in load_ground_truth()}
    held = records(run)
    assert [row["question_id"] for row in held] == sorted(frozen, key=int)
    for row in held:
        assert frozen[row["question_id"]] == (row["question"], row["ground_truth_query"])
        again = scorer.score(row["ground_truth_query"], row["generated_query"])
        assert {name: row[name] for name in again} == pytest.approx(again), row["question"]


@pytest.mark.parametrize("run", RUNS)
def test_the_page_says_what_the_rows_sum_up_to(run: str) -> None:
    folder, _, name = run.partition("/")
    found = json.loads(json.dumps(summarise(records(run))))
    assert read_summary(RESULTS / folder)["configurations"][name] == found
    (said,) = [cells[2:] for cells in rows_of_the_page() if cells[:2] == [f"`{folder}`", name]]
    low, high = found["confidence_95"]["pass_at_1_rate"]
    loop = found["agentic_metrics"]
    tried = loop["initially_failed"]
    expected = [
        f"{found['pass_at_1_rate']} ({low}–{high})",
        f"{found['kg_valid_rate']}",
        f"{found['jaccard_output_avg']}",
        f"{found['llmetric']}",
        f"{found['llmetric_published']}",
        f"{loop['avg_iterations']:.2f}",
        f"{loop['first_attempt_success_rate']:.2f}",
        f"{round(loop['recovery_rate'] * tried)} of {tried}" if tried else "–",
    ]
    assert said[: len(expected)] == expected
    timings = RESULTS / folder / name / "timings.json"
    if timings.exists():
        assert said[-1] == f"{median(json.loads(timings.read_text()).values()):.1f}"


@pytest.mark.slow  # scipy.stats takes two seconds to import
@pytest.mark.parametrize("run", ABLATION)
def test_the_page_says_what_an_aid_brings(run: str) -> None:
    found = compare_paired(records(run), records(WHOLE))
    expected = [
        str(found["only_first_passes"]),
        str(found["only_second_passes"]),
        f"{found['pass_at_1_p']:.2g}",
        f"{found['llmetric_q_difference']:+.2f}",
        f"{found['llmetric_q_p']:.2g}",
    ]
    assert [f"`{run.partition('/')[0]}`", *expected] in rows_of_the_page()
