"""Scores generated queries against gold ones, as text and, with a graph, by their results."""

from __future__ import annotations

from typing import Any

from servers.text2cypher.graph.backend import GraphBackend, GraphUnavailableError, QueryError
from servers.text2cypher.metrics.composite_metrics import llmetric_q
from servers.text2cypher.metrics.cypher_metrics import cypher_metrics
from servers.text2cypher.metrics.output_metrics import compare_outputs
from servers.text2cypher.validators.validation_pipeline import ValidationPipeline


class GoldQueryError(ValueError):
    """A gold query fails on the graph, so the question can't be scored."""


class Scorer:
    """Without a backend it scores only the text."""

    def __init__(self, backend: GraphBackend | None = None) -> None:
        self._backend = backend
        self._pipeline = ValidationPipeline(backend) if backend is not None else None

    def score(self, gold: str, generated: str) -> dict[str, Any]:
        """bleu, rouge_l_f1, jaro_winkler, jaccard_cypher.

        With a graph, also pass_at_1, jaccard_output, kg_valid, llmetric_q. Raises GoldQueryError.
        """
        scores: dict[str, Any] = dict(cypher_metrics(gold, generated))
        if self._backend is None or self._pipeline is None:
            return scores
        try:
            expected = self._backend.run(gold).rows
        except QueryError as error:
            raise GoldQueryError(f"gold query does not run: {error}; query: {gold}") from error
        output = compare_outputs(gold, expected, self._rows(generated))
        kg_valid = self._pipeline.kg_valid(generated)
        scores |= {
            "pass_at_1": output.pass_at_1,
            "jaccard_output": output.jaccard_output,
            "kg_valid": kg_valid,
            "llmetric_q": llmetric_q(
                pass_at_1=output.pass_at_1,
                kg_valid=float(kg_valid),
                jaccard_output=output.jaccard_output,
                jaro_winkler=scores["jaro_winkler"],
                rouge_l=scores["rouge_l_f1"],
            ),
        }
        return scores

    def _rows(self, query: str) -> list[list[Any]] | None:
        """None for no query, one that fails, or one that takes the engine down (the gold query just ran)."""
        assert self._backend is not None
        if not query.strip():
            return None
        try:
            return self._backend.run(query).rows
        except (QueryError, GraphUnavailableError):
            return None
