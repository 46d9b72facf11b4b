"""The weighted sums of the metrics, and the weights of the study's published figures."""

from __future__ import annotations


def llmetric_q(
    *, pass_at_1: float, kg_valid: float, jaccard_output: float, jaro_winkler: float, rouge_l: float
) -> float:
    """The score of one question, 0 to 100. All inputs are between 0 and 1."""
    return pass_at_1 * 40 + kg_valid * 20 + jaccard_output * 20 + jaro_winkler * 10 + rouge_l * 10


def jarou(jaro_winkler: float, rouge_l: float) -> float:
    """(Jaro-Winkler + Rouge-L) / 2."""
    return (jaro_winkler + rouge_l) / 2


def llmetric(*, pass_at_1: float, kg_valid: float, jaccard_output: float, jarou: float) -> float:
    """The score of a configuration, 0 to 100; all inputs are percentages."""
    return pass_at_1 * 0.4 + kg_valid * 0.2 + jaccard_output * 0.2 + jarou * 0.2


def llmetric_published(*, pass_at_1: float, kg_valid: float, jaccard_output: float, jarou: float) -> float:
    """The same with the weights of the published tables, for comparison."""
    return pass_at_1 * 0.3 + kg_valid * 0.4 + jaccard_output * 0.2 + jarou * 0.1
