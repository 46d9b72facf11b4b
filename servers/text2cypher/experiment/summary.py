"""Summarises one configuration's records: rates with intervals, the loop's metrics, tokens, cost. Reads no file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from servers.text2cypher.experiment.records import Record, to_state
from servers.text2cypher.metrics import agentic_metrics, llmetric, llmetric_published
from servers.text2cypher.metrics.composite_metrics import jarou
from servers.text2cypher.metrics.statistics import compare_paired, holm, interval_of_mean, interval_of_rate

_TEXT = ("bleu", "rouge_l_f1", "jaro_winkler", "jaccard_cypher")


def summarise(records: Sequence[Record], price_in: float = 0.0, price_out: float = 0.0) -> dict[str, Any]:
    """The study's keys (pass_at_1_rate, kg_valid_rate, llmetric in percent, agentic_metrics) and further ones.

    Prices are per million tokens.
    """
    total = len(records)
    passed = sum(bool(record["pass_at_1"]) for record in records)
    valid = sum(bool(record["kg_valid"]) for record in records)
    parts = {
        "pass_at_1": _percent(passed, total),
        "kg_valid": _percent(valid, total),
        "jaccard_output": 100 * _mean([record["jaccard_output"] for record in records]),
        "jarou": 100 * _mean([jarou(record["jaro_winkler"], record["rouge_l_f1"]) for record in records]),
    }
    loop = agentic_metrics([to_state(record) for record in records])
    tokens_in = sum(record["prompt_tokens"] for record in records)
    tokens_out = sum(record["completion_tokens"] for record in records)
    return {
        "questions": total,
        "pass_at_1_rate": round(parts["pass_at_1"], 2),
        "kg_valid_rate": round(parts["kg_valid"], 2),
        "jaccard_output_avg": round(parts["jaccard_output"], 2),
        "jarou_avg": round(parts["jarou"], 2),
        "llmetric": round(llmetric(**parts), 2),
        "llmetric_published": round(llmetric_published(**parts), 2),
        **{f"{name}_avg": round(100 * _mean([record[name] for record in records]), 2) for name in _TEXT},
        "confidence_95": _intervals(records, passed, valid, loop),
        "agentic_metrics": loop,
        "by_complexity": _split(records, "complexity"),
        "by_hops": _split(records, "hops"),
        "by_sublevel": _split(records, "sublevel"),
        "failed_calls": sum(bool(record["error"]) for record in records),
        "tokens": {"prompt": tokens_in, "completion": tokens_out},
        "cost": round((tokens_in * price_in + tokens_out * price_out) / 1e6, 6),
    }


def compare_all(by_name: dict[str, Sequence[Record]]) -> list[dict[str, Any]]:
    """Compares the best configuration (by Pass@1, then LLMetric-Q) with each other one, paired by question.

    The `…_holm` values are corrected for the number of comparisons.
    """
    if len(by_name) < 2:
        return []

    def quality(name: str) -> tuple[int, float]:
        held = by_name[name]
        return sum(bool(r["pass_at_1"]) for r in held), sum(float(r["llmetric_q"]) for r in held)

    best = max(by_name, key=quality)
    found = [
        {"first": other, "second": best, **compare_paired(by_name[other], by_name[best])}
        for other in by_name
        if other != best
    ]
    for name in ("pass_at_1_p", "llmetric_q_p"):
        for comparison, corrected in zip(found, holm([c[name] for c in found]), strict=True):
            comparison[f"{name}_holm"] = corrected
    return found


def _intervals(records: Sequence[Record], passed: int, valid: int, loop: dict[str, Any]) -> dict[str, Any]:
    """The intervals by the figures' names and in their units; a rate over nothing has none.

    LLMetric is the mean of LLMetric-Q, so its interval is that of a mean.
    """
    total = len(records)

    def mean(values: Sequence[float], unit: float = 1.0) -> list[float]:
        return _rounded(interval_of_mean([unit * float(value) for value in values]))

    def share(part: float, whole: int) -> list[float]:
        return [round(bound / 100, 4) for bound in interval_of_rate(round(part * whole), whole)]

    failed_first = loop["initially_failed"]
    recovered = loop["error_recovery_by_type"].items()
    return {
        "pass_at_1_rate": _rounded(interval_of_rate(passed, total)),
        "kg_valid_rate": _rounded(interval_of_rate(valid, total)),
        "jaccard_output_avg": mean([record["jaccard_output"] for record in records], 100),
        "llmetric": mean([record["llmetric_q"] for record in records]),
        **{f"{name}_avg": mean([record[name] for record in records], 100) for name in _TEXT},
        "avg_iterations": mean([record["total_iterations"] for record in records]),
        "first_attempt_success_rate": share(loop["first_attempt_success_rate"], total),
        "recovery_rate": share(loop["recovery_rate"], failed_first) if failed_first else None,
        "error_recovery_by_type": {kind: share(rate, loop["errors_by_type"][kind]) for kind, rate in recovered},
    }


def _split(records: Sequence[Record], key: str) -> dict[str, dict[str, float]]:
    found: dict[str, list[Record]] = {}
    for record in records:
        if record.get(key):
            found.setdefault(record[key], []).append(record)
    return {
        name: {
            "questions": len(held),
            "pass_at_1_rate": round(_percent(sum(bool(r["pass_at_1"]) for r in held), len(held)), 2),
            "kg_valid_rate": round(_percent(sum(bool(r["kg_valid"]) for r in held), len(held)), 2),
            "avg_iterations": round(_mean([r["total_iterations"] for r in held]), 3),
        }
        for name, held in found.items()
    }


def _mean(values: Sequence[float]) -> float:
    return sum(float(value) for value in values) / len(values) if values else 0.0


def _percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 0.0


def _rounded(interval: tuple[float, float]) -> list[float]:
    return [round(bound, 2) for bound in interval]
