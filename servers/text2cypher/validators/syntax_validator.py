"""Checks that a text is Cypher and only reads: first the rules, then the engine's parser. Knows no schema."""

from __future__ import annotations

from servers.text2cypher.core.agent_state import ErrorType, ValidationResult
from servers.text2cypher.cypher.guard import NotReadOnlyError
from servers.text2cypher.cypher.records import unknown_variables
from servers.text2cypher.cypher.tokens import CypherSyntaxError
from servers.text2cypher.graph.backend import Problem
from servers.text2cypher.linking.language import message
from servers.text2cypher.validators.subject import Subject


class FallbackSyntaxValidator:
    """Uses only the rules, if there is no engine."""

    name = "syntax"

    def validate(self, subject: Subject) -> ValidationResult:
        """Checks a subject by its text."""
        try:
            structure = subject.structure
        except (CypherSyntaxError, NotReadOnlyError) as error:
            return _bad(str(error))
        for use in unknown_variables(structure):
            return _bad(message("unbound", variable=use.variable, name=use.name))
        return ValidationResult(True, validator=self.name)


class SyntaxValidator(FallbackSyntaxValidator):
    """Uses the rules, then the engine."""

    def validate(self, subject: Subject) -> ValidationResult:
        """The rules' verdict, or the engine's if the rules found nothing."""
        verdict = super().validate(subject)
        if verdict.is_valid and (words := subject.refused_for(Problem.SYNTAX)):
            return _bad(words)
        return verdict


def _bad(message: str) -> ValidationResult:
    return ValidationResult(False, ErrorType.SYNTAX_ERROR, message, "syntax")
