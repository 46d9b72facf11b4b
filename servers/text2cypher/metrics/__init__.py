"""Measures queries, results and runs of the loop. Pure functions over text, rows and states."""

from servers.text2cypher.metrics.agentic_metrics import agentic_metrics
from servers.text2cypher.metrics.composite_metrics import llmetric, llmetric_published, llmetric_q
from servers.text2cypher.metrics.cypher_metrics import bleu, cypher_metrics, jaccard_cypher, jaro_winkler, rouge_l_f1
from servers.text2cypher.metrics.output_metrics import OutputScore, compare_outputs

__all__ = [
    "OutputScore",
    "agentic_metrics",
    "bleu",
    "compare_outputs",
    "cypher_metrics",
    "jaccard_cypher",
    "jaro_winkler",
    "llmetric",
    "llmetric_published",
    "llmetric_q",
    "rouge_l_f1",
]
