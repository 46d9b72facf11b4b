"""Metrics equal values worked out by hand from their definitions (seed 004 §3.5, issue 8)."""

from __future__ import annotations

from typing import Any

import pytest

from servers.text2cypher.core.agent_state import AgentState, AgentStatus, Attempt, ErrorType, ValidationResult
from servers.text2cypher.graph.embedded import EmbeddedBackend
from servers.text2cypher.metrics import (
    agentic_metrics,
    bleu,
    compare_outputs,
    jaccard_cypher,
    jaro_winkler,
    llmetric,
    llmetric_published,
    llmetric_q,
    rouge_l_f1,
)
from servers.text2cypher.metrics.cypher_metrics import spaced
from servers.text2cypher.metrics.score import Scorer
from servers.text2cypher.metrics.statistics import compare_paired, holm, interval_of_mean, interval_of_rate


def test_signs_stand_apart() -> None:
    assert spaced("MATCH (a:MK)-[:X*1..]->(b{n:'x'})  RETURN a.nama,b") == (
        "MATCH ( a : MK ) - [ : X * 1 . . ] -> ( b { n : 'x' } ) RETURN a . nama , b"
    )


@pytest.mark.slow
def test_text_metrics_equal_values_by_hand() -> None:
    assert bleu("a b c d e", "a b c d f") == pytest.approx((4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25)
    assert rouge_l_f1("MATCH (n) RETURN n.nama", "MATCH (n) RETURN n.kode") == 0.8
    assert jaro_winkler("MARTHA", "MARHTA") == pytest.approx(0.9611, abs=1e-4)
    assert jaro_winkler("match (n) return n", "MATCH (n) RETURN n") == 1.0
    assert jaccard_cypher("MATCH (m:MK) RETURN m.nama", "match (m:MK) return m.kode") == pytest.approx(4 / 6)
    assert jaccard_cypher("", "") == 1.0


UNORDERED = "MATCH (m) RETURN m.a, m.b"
ORDERED = "MATCH (m) RETURN m.a ORDER BY m.a"


@pytest.mark.parametrize(
    ("gold_query", "gold", "generated", "passed", "jaccard"),
    [
        (UNORDERED, [], [], 1, 1.0),
        (UNORDERED, [[1]], None, 0, 0.0),
        (UNORDERED, [[1, "a"], [2, "b"]], [["b", 2.0], ["a", 1]], 1, 1.0),
        (UNORDERED, [[1], [2]], [[2], [1], [3]], 0, 2 / 3),
        (UNORDERED, [["a"], ["a"]], [["a"]], 0, 0.5),
        (UNORDERED, [[1, "a"]], [[1, "a", "x"]], 0, 2 / 3),
        (UNORDERED, [["x", ["p", "q"]]], [["x", ["q", "p"]]], 1, 1.0),
        (UNORDERED, [[True]], [[1]], 0, 0.0),
        (ORDERED, [[1], [2]], [[2], [1]], 0, 0.0),
        (ORDERED, [[1], [2]], [[1], [2]], 1, 1.0),
    ],
)
def test_outputs_compare_as_defined(
    gold_query: str, gold: list[list[Any]], generated: list[list[Any]] | None, passed: int, jaccard: float
) -> None:
    score = compare_outputs(gold_query, gold, generated)
    assert (score.pass_at_1, score.jaccard_output) == (passed, pytest.approx(jaccard))


def test_composites_follow_the_seeds_formulas() -> None:
    """Seed 004 §3.5.4."""
    assert llmetric_q(pass_at_1=1, kg_valid=1, jaccard_output=0.5, jaro_winkler=0.9, rouge_l=0.7) == pytest.approx(86)
    assert llmetric(pass_at_1=65, kg_valid=75, jaccard_output=70, jarou=80) == pytest.approx(26 + 15 + 14 + 16)
    assert llmetric_published(pass_at_1=65, kg_valid=75, jaccard_output=70, jarou=80) == pytest.approx(71.5)


def _state(number: int, *errors: ErrorType | None) -> AgentState:
    state = AgentState(question_id=str(number))
    for place, error in enumerate(errors, 1):
        state.add_attempt(Attempt(place, "q", [ValidationResult(error is None, error, None, "x")]))
    state.status = AgentStatus.SUCCESS if errors[-1] is None else AgentStatus.FAILED
    return state


def test_what_the_loop_brought_is_counted() -> None:
    """Seed 004 §3.5.3."""
    syntax, empty = ErrorType.SYNTAX_ERROR, ErrorType.EMPTY_RESULT
    found = agentic_metrics(
        [_state(1, None), _state(2, syntax, None), _state(3, syntax, empty, empty), _state(4, None)]
    )
    assert found["avg_iterations"] == pytest.approx(7 / 4)
    assert found["first_attempt_success_rate"] == 0.5
    assert found["recovery_rate"] == 0.5
    assert found["error_recovery_by_type"] == {"syntax_error": 0.5, "empty_result": 0.0}
    assert agentic_metrics([])["recovery_rate"] == 0.0


def test_a_question_the_model_never_answered_is_no_failed_first_attempt() -> None:
    silent = AgentState(question_id="9", status=AgentStatus.FAILED, error="no answer")
    found = agentic_metrics([_state(1, ErrorType.SYNTAX_ERROR, None), silent])
    assert (found["initially_failed"], found["recovery_rate"]) == (1, 1.0)
    assert found["first_attempt_success_rate"] == 0.0


@pytest.mark.slow
def test_intervals_and_paired_tests() -> None:
    low, high = interval_of_rate(18, 52)
    assert (low, high) == (pytest.approx(23.2, abs=0.5), pytest.approx(48.2, abs=0.5))
    assert interval_of_mean([5.0] * 10) == (5.0, 5.0)
    first = [{"question_id": str(n), "pass_at_1": 0, "llmetric_q": 30} for n in range(10)]
    second = [{"question_id": str(n), "pass_at_1": int(n < 8), "llmetric_q": 90 if n < 8 else 30} for n in range(10)]
    found = compare_paired(first, second)
    assert (found["only_first_passes"], found["only_second_passes"]) == (0, 8)
    assert found["pass_at_1_p"] == pytest.approx(2 / 2**8)


def test_several_comparisons_are_corrected_for_their_number() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_a_pair_is_scored_on_the_graph(backend: EmbeddedBackend) -> None:
    scorer = Scorer(backend)
    gold = "MATCH (m:MK {nama: 'Skripsi'}) RETURN m.sks"
    same = scorer.score(gold, "MATCH (x:MK) WHERE x.nama = 'Skripsi' RETURN x.sks AS bobot")
    assert (same["pass_at_1"], same["jaccard_output"], same["kg_valid"]) == (1, 1.0, True)
    wrong = scorer.score(gold, "MATCH (x:Mata) RETURN x")
    assert (wrong["pass_at_1"], wrong["jaccard_output"], wrong["kg_valid"]) == (0, 0.0, False)
    assert scorer.score(gold, gold)["llmetric_q"] == pytest.approx(100)
