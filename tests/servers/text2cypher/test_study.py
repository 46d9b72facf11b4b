"""The study's committed results are what their rows say, and the page says what they are (issue 8, shows)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from servers.text2cypher.data import load_ground_truth
from servers.text2cypher.experiment.summary import summarise
from servers.text2cypher.graph.embedded import EmbeddedBackend
from servers.text2cypher.metrics.score import Scorer
from servers.text2cypher.report.results import read_records

STUDY = Path(__file__).parents[3] / "docs" / "text2cypher"
RUNS = sorted(folder.name for folder in (STUDY / "results").iterdir())


@pytest.mark.parametrize("run", RUNS)
def test_every_row_is_scored_as_the_scorer_scores_it_today(run: str, backend: EmbeddedBackend) -> None:
    scorer = Scorer(backend)
    frozen = {item.question_id: (item.question, item.cypher) for item in load_ground_truth()}
    for row in read_records(STUDY / "results", run):
        assert frozen[row["question_id"]] == (row["question"], row["ground_truth_query"])
        again = scorer.score(row["ground_truth_query"], row["generated_query"])
        assert {name: row[name] for name in again} == pytest.approx(again), row["question"]


@pytest.mark.parametrize("run", RUNS)
def test_the_page_says_what_the_rows_sum_up_to(run: str) -> None:
    found = summarise(read_records(STUDY / "results", run))
    held = json.loads((STUDY / "results" / run / "summary.json").read_text(encoding="utf-8"))
    assert held == json.loads(json.dumps(found))
    low, high = found["confidence_95"]["pass_at_1_rate"]
    said = f"| {found['questions']} | {found['pass_at_1_rate']} ({low}–{high}) | {found['kg_valid_rate']} |"
    assert any(f"`{run}`" in line and said in line for line in (STUDY / "study.md").read_text("utf-8").splitlines()), (
        said
    )
