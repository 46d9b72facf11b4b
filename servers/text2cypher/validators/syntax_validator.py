"""Is it Cypher, and does it only read? The rules answer first, then the engine's own parser. Knows no schema."""

from __future__ import annotations

from servers.text2cypher.core.agent_state import ErrorType, ValidationResult
from servers.text2cypher.cypher.guard import NotReadOnlyError
from servers.text2cypher.cypher.records import unknown_variables
from servers.text2cypher.cypher.structure import parse
from servers.text2cypher.cypher.tokens import CypherSyntaxError
from servers.text2cypher.graph.backend import Problem
from servers.text2cypher.linking.language import message
from servers.text2cypher.validators.subject import Subject


class FallbackSyntaxValidator:
    """Rules alone, for when no engine is at hand."""

    name = "syntax"

    def validate_text(self, query: str) -> ValidationResult:
        """Judge a bare text."""
        try:
            structure = parse(query)
        except CypherSyntaxError as error:
            return _bad(str(error), position=error.offset)
        except NotReadOnlyError as error:
            return _bad(str(error), read_only=True)
        for use in unknown_variables(structure):
            return _bad(message("unbound", variable=use.variable, name=use.name))
        return ValidationResult(True, validator=self.name)

    def validate(self, subject: Subject) -> ValidationResult:
        """Judge a subject by its text."""
        return self.validate_text(subject.query)


class SyntaxValidator(FallbackSyntaxValidator):
    """The rules, then the engine."""

    def validate(self, subject: Subject) -> ValidationResult:
        """The rules' verdict, or the engine's when the rules found nothing."""
        verdict = super().validate(subject)
        if verdict.is_valid and (words := subject.refused_for(Problem.SYNTAX)):
            return _bad(words)
        return verdict


def _bad(message: str, **details: object) -> ValidationResult:
    return ValidationResult(False, ErrorType.SYNTAX_ERROR, message, "syntax", dict(details))
