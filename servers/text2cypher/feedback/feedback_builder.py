"""Fills the first error's template: what is wrong, where, what is valid, which filter found nothing."""

from __future__ import annotations

from pathlib import Path

from servers.text2cypher.core.agent_state import ErrorType, ValidationResult
from servers.text2cypher.cypher.facts import QueryFacts
from servers.text2cypher.cypher.tokens import CypherSyntaxError, Kind, Token, named
from servers.text2cypher.graph.backend import GraphBackend, QueryError
from servers.text2cypher.linking.language import message
from servers.text2cypher.linking.values import Place, ValueIndex

TEMPLATES = Path(__file__).parent / "templates"


class FeedbackBuilder:
    """Feedback for one graph."""

    def __init__(self, backend: GraphBackend, values: ValueIndex) -> None:
        self._backend, self._values = backend, values
        self._templates = {kind: (TEMPLATES / f"{kind.value}.txt").read_text(encoding="utf-8") for kind in ErrorType}

    def build_feedback(self, validation_results: list[ValidationResult], query: str = "") -> str:
        """The Indonesian text for the next turn; empty if nothing is wrong."""
        wrong = next((result for result in validation_results if not result.is_valid), None)
        if wrong is None:
            return ""
        assert wrong.error_type is not None
        filled = self._templates[wrong.error_type].replace("{error_message}", wrong.error_message or "")
        for field, text in self._fields(wrong, query).items():
            filled = filled.replace(f"{{{field}}}", text)
        return "\n".join(line for line in filled.splitlines() if line.strip()) + "\n" + message("write_again")

    def _fields(self, wrong: ValidationResult, query: str) -> dict[str, str]:
        schema = self._backend.schema
        if wrong.error_type is ErrorType.SCHEMA_ERROR:
            return {
                "valid_labels": ", ".join(schema.labels),
                "valid_relationships": "\n".join(f"(:{a})-[:{kind}]->(:{b})" for a, kind, b in schema.paths),
            }
        if wrong.error_type is ErrorType.PROPERTIES_ERROR:
            return {"valid_properties": "\n".join(f"{label}: {', '.join(t)}" for label, t in schema.nodes.items())}
        if wrong.error_type is ErrorType.EMPTY_RESULT:
            cause, nearest = self._why_empty(query)
            return {"empty_cause": cause, "nearest_values": nearest}
        return {}

    def _why_empty(self, query: str) -> tuple[str, str]:
        """The filter that finds nothing by itself, and the most similar stored values."""
        try:
            filters = _filters(query)
        except (CypherSyntaxError, ValueError):
            return "", ""
        for label, name, literal in filters:
            if self._finds(label, name, literal):
                continue
            place = Place(label, name)
            near = self._values.nearest(place, literal.value) if literal.kind is Kind.STRING else []
            listed = message("near_values", label=label, name=name, values=", ".join(near)) if near else ""
            return message("no_value", label=label, name=name, value=literal.text), listed
        if filters:
            return message("not_together"), ""
        return message("no_match"), ""

    def _finds(self, label: str, name: str, literal: Token) -> bool:
        query = f"MATCH (n:{named(label)}) WHERE n.{named(name)} = {literal.text} RETURN 1 LIMIT 1"
        try:
            return bool(self._backend.run(query).rows)
        except QueryError:
            return True


def _filters(query: str) -> list[tuple[str, str, Token]]:
    """(label, property, literal) for every comparison with a literal. Raises CypherSyntaxError or NotReadOnlyError."""
    facts = QueryFacts.of(query)
    tests = [(facts.structure.labels_of(variable), name, literal) for variable, name, literal in facts.property_tests]
    return [(label, name, literal) for labels, name, literal in tests if literal for label in sorted(labels)]
