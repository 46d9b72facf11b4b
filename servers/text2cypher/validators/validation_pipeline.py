"""Runs the validators in order and stops at the first error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from servers.text2cypher.core.agent_state import ValidationResult
from servers.text2cypher.graph.backend import GraphBackend, QueryResult
from servers.text2cypher.validators.execution_validator import ExecutionValidator, ResultValidator
from servers.text2cypher.validators.properties_validator import PropertiesValidator
from servers.text2cypher.validators.schema_validator import SchemaValidator
from servers.text2cypher.validators.subject import Subject
from servers.text2cypher.validators.syntax_validator import SyntaxValidator


class Validator(Protocol):
    """One check of a query."""

    name: str

    def validate(self, subject: Subject) -> ValidationResult:
        """The verdict."""


@dataclass(frozen=True)
class PipelineResult:
    """The verdicts up to the first error; `result` if the query was run."""

    query: str
    validation_results: list[ValidationResult]
    result: QueryResult | None

    @property
    def is_valid(self) -> bool:
        """True if no validator found an error."""
        return all(verdict.is_valid for verdict in self.validation_results)

    def as_dict(self) -> dict[str, object]:
        """The wire form: {query, is_valid, validation}."""
        return {
            "query": self.query,
            "is_valid": self.is_valid,
            "validation": [verdict.as_dict() for verdict in self.validation_results],
        }


class ValidationPipeline:
    """Validates with one backend."""

    def __init__(self, backend: GraphBackend) -> None:
        self.backend = backend
        self._static: list[Validator] = [SyntaxValidator(), SchemaValidator(), PropertiesValidator()]
        self._running: list[Validator] = [ExecutionValidator(), ResultValidator()]

    def validate(self, query: str) -> PipelineResult:
        """Runs all validators, including execution and result."""
        return self._judge(query, [*self._static, *self._running])

    def kg_valid(self, query: str) -> bool:
        """True if syntax, schema and properties are valid: the study's KG valid."""
        return self._judge(query, self._static).is_valid

    def _judge(self, query: str, validators: list[Validator]) -> PipelineResult:
        subject = Subject(query, self.backend)
        verdicts: list[ValidationResult] = []
        for validator in validators:
            verdicts.append(validator.validate(subject))
            if not verdicts[-1].is_valid:
                break
        return PipelineResult(query, verdicts, subject.result)
