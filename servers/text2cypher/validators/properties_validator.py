"""Checks that each property exists on its label and is compared with its own type. Runs nothing."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from servers.text2cypher.core.agent_state import ErrorType, ValidationResult
from servers.text2cypher.cypher.tokens import Kind, Token
from servers.text2cypher.graph.backend import Problem
from servers.text2cypher.graph.schema import FLOAT, INTEGER, STRING
from servers.text2cypher.linking.language import message
from servers.text2cypher.validators.subject import Subject


class PropertiesValidator:
    """Its errors name the label's properties and the most similar one."""

    name = "properties"

    def validate(self, subject: Subject) -> ValidationResult:
        """Reports the first property that the schema doesn't have there, or that is compared with another type."""
        for owner, types, name, literal in _uses(subject):
            if name not in types:
                near = difflib.get_close_matches(name, list(types), n=1, cutoff=0.5)
                elsewhere = [label for label, held in subject.schema.nodes.items() if name in held]
                hint = message("nearest", name=near[0]) if near else ""
                hint += message("elsewhere", name=name, owners=", ".join(elsewhere)) if elsewhere else ""
                known = ", ".join(types) or message("none")
                return self._bad(message("unknown_property", name=name, owner=owner, hint=hint, known=known))
            if literal is not None and (wrong := _wrong_type(types[name], literal)):
                return self._bad(message("wrong_type", name=name, owner=owner, type=types[name], wrong=wrong))
        if words := subject.refused_for(Problem.PROPERTY):
            return self._bad(words)
        return ValidationResult(True, validator=self.name)

    def _bad(self, message: str) -> ValidationResult:
        return ValidationResult(False, ErrorType.PROPERTIES_ERROR, message, self.name)


def _uses(subject: Subject) -> Iterator[tuple[str, dict[str, str], str, Token | None]]:
    """(owner, its property types, the property used, the literal beside it) for every use in the query."""
    structure = subject.structure
    nodes = {node.variable for node in structure.nodes if node.variable}
    edges = {r.variable: r.types for r in structure.relationships if r.variable}
    for node in structure.nodes:
        labels = subject.labels_of(node.variable, node.labels)
        for name, literal in node.keys:
            yield _owner(labels, subject), _of_labels(labels, subject), name, literal
    for relationship in structure.relationships:
        for name, literal in relationship.keys:
            yield _edge_owner(relationship.types), _of_types(relationship.types, subject), name, literal
    for use in structure.properties:
        if use.variable in edges:
            kinds = edges[use.variable]
            yield _edge_owner(kinds), _of_types(kinds, subject), use.name, use.literal
        elif use.variable in nodes:
            labels = subject.labels_of(use.variable)
            yield _owner(labels, subject), _of_labels(labels, subject), use.name, use.literal


def _owner(labels: set[str], subject: Subject) -> str:
    return message("or").join(sorted(labels)) if len(labels) < len(subject.schema.labels) else message("any_node")


def _edge_owner(kinds: tuple[str, ...]) -> str:
    return message("type", names="|".join(kinds)) if kinds else message("any_type")


def _of_labels(labels: set[str], subject: Subject) -> dict[str, str]:
    known = subject.schema.nodes
    return {name: held for label in known if label in labels for name, held in known[label].items()}


def _of_types(kinds: tuple[str, ...], subject: Subject) -> dict[str, str]:
    known = subject.schema.relationship_properties
    return {name: held for kind in kinds or subject.schema.relationships for name, held in known.get(kind, {}).items()}


def _wrong_type(kind: str, literal: Token) -> str | None:
    if kind in (INTEGER, FLOAT) and literal.kind is Kind.STRING:
        return message("no_number", text=literal.text)
    if kind == STRING and literal.kind is Kind.NUMBER:
        return message("no_text", text=literal.text)
    return None
