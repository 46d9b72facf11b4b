"""The certainty of a figure: intervals for one configuration, paired tests for two. No metric of its own."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist
from typing import Any

CONFIDENCE = 0.95


def interval_of_rate(successes: int, total: int) -> tuple[float, float]:
    """Wilson's 95% interval (1927) for a proportion, in percent."""
    if not total:
        return (0.0, 100.0)
    z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    centre = successes + z * z / 2
    reach = z * sqrt(successes * (total - successes) / total + z * z / 4)
    return (100 * (centre - reach) / (total + z * z), 100 * (centre + reach) / (total + z * z))


def interval_of_mean(values: Sequence[float]) -> tuple[float, float]:
    """Bootstrap interval (percentile, 5,000 resamples, fixed seed) for a mean, in the values' unit."""
    import numpy

    if not values:
        return (0.0, 0.0)
    held = numpy.asarray(values, dtype=float)
    means = numpy.random.default_rng(0).choice(held, (5000, len(held))).mean(axis=1)
    low, high = numpy.percentile(means, [2.5, 97.5])
    return (float(low), float(high))


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values of several tests, corrected for their number (Holm's step-down), in the given order."""
    corrected = [0.0] * len(p_values)
    highest = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=lambda place: p_values[place])):
        highest = max(highest, min((len(p_values) - rank) * p_values[place], 1.0))
        corrected[place] = highest
    return corrected


def compare_paired(first: Sequence[dict[str, Any]], second: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Compares two configurations on the same questions (rows with question_id, pass_at_1, llmetric_q).

    Pass@1 with McNemar's exact test, LLMetric-Q with Wilcoxon's signed-rank test; p-values are two-sided.
    """
    from scipy.stats import binomtest, wilcoxon

    other = {row["question_id"]: row for row in second}
    pairs = [(row, other[row["question_id"]]) for row in first if row["question_id"] in other]
    only_first = sum(bool(a["pass_at_1"]) and not b["pass_at_1"] for a, b in pairs)
    only_second = sum(bool(b["pass_at_1"]) and not a["pass_at_1"] for a, b in pairs)
    differences = [float(b["llmetric_q"]) - float(a["llmetric_q"]) for a, b in pairs]
    decided = only_first + only_second
    moved = any(abs(d) > 1e-9 for d in differences)
    return {
        "questions": len(pairs),
        "only_first_passes": only_first,
        "only_second_passes": only_second,
        "pass_at_1_p": float(binomtest(only_first, decided).pvalue) if decided else 1.0,
        "llmetric_q_difference": sum(differences) / len(differences) if differences else 0.0,
        "llmetric_q_p": float(wilcoxon(differences).pvalue) if moved else 1.0,
    }
