"""Checks whether a query runs and finds anything; two validators, because an empty result isn't a broken query."""

from __future__ import annotations

from servers.text2cypher.core.agent_state import ErrorType, ValidationResult
from servers.text2cypher.graph.backend import GraphUnavailableError, QueryError
from servers.text2cypher.linking.language import message
from servers.text2cypher.validators.subject import Subject


class ExecutionValidator:
    """Runs the query within the engine's limits and stores the result on the subject."""

    name = "execution"

    def validate(self, subject: Subject) -> ValidationResult:
        """The engine's error, if any."""
        try:
            subject.result = subject.backend.run(subject.query)
        except (QueryError, GraphUnavailableError) as error:
            return ValidationResult(False, ErrorType.EXECUTION_ERROR, str(error), self.name)
        return ValidationResult(True, validator=self.name)


class ResultValidator:
    """Rejects results without rows or with only null or empty values."""

    name = "result"

    def validate(self, subject: Subject) -> ValidationResult:
        """Requires ExecutionValidator to have run."""
        rows = subject.result.rows if subject.result is not None else []
        if any(value is not None and value != [] for row in rows for value in row):
            return ValidationResult(True, validator=self.name)
        return ValidationResult(False, ErrorType.EMPTY_RESULT, message("no_rows"), self.name)
