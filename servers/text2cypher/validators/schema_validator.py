"""Checks that the labels, relationship types and directions exist in the graph. Ignores properties."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from servers.text2cypher.core.agent_state import ErrorType, ValidationResult
from servers.text2cypher.cypher.records import RelationshipPattern
from servers.text2cypher.graph.backend import Problem
from servers.text2cypher.graph.schema import GraphSchema
from servers.text2cypher.linking.language import message
from servers.text2cypher.validators.subject import Subject


class SchemaValidator:
    """Its errors name the most similar name and, for a relationship, its real ends and direction."""

    name = "schema"

    def validate(self, subject: Subject) -> ValidationResult:
        """Reports the first thing in the query that the schema doesn't have."""
        schema = subject.schema
        structure = subject.structure
        labels = [label for node in structure.nodes for label in node.labels]
        for label in [*labels, *(label for _, label, *_ in structure.label_tests)]:
            if label not in schema.nodes:
                return self._bad(_unknown("unknown_label", label, schema.labels))
        for kind in (kind for relationship in structure.relationships for kind in relationship.types):
            if kind not in schema.relationships:
                return self._bad(_unknown("unknown_type", kind, schema.relationships))
        for relationship in structure.relationships:
            if message := self._misplaced(subject, relationship):
                return self._bad(message)
        if words := subject.refused_for(Problem.SCHEMA):
            return self._bad(words)
        return ValidationResult(True, validator=self.name)

    def _bad(self, message: str) -> ValidationResult:
        return ValidationResult(False, ErrorType.SCHEMA_ERROR, message, self.name)

    def _misplaced(self, subject: Subject, relationship: RelationshipPattern) -> str | None:
        """Why no edge of the graph can match this pattern; None if one can."""
        structure = subject.structure
        ends = [structure.nodes[relationship.left], structure.nodes[relationship.right]]
        left, right = (subject.labels_of(end.variable, end.labels) for end in ends)
        kinds = set(relationship.types) or set(subject.schema.relationships)
        paths = [(a, b) for a, kind, b in subject.schema.paths if kind in kinds]
        if relationship.direction == "<-":
            left, right = right, left
        if _fits(paths, left, right, relationship) or (
            relationship.direction == "--" and _fits(paths, right, left, relationship)
        ):
            return None
        named = "|".join(relationship.types) or message("untyped")
        written = f"({_either(left)})-[:{named}]->({_either(right)})"
        if _fits(paths, right, left, relationship):
            return message("reversed", pattern=written, right=f"({_either(right)})-[:{named}]->({_either(left)})")
        return message("no_pattern", pattern=written, instead=_alternatives(subject.schema, left, right, kinds))


def _fits(
    paths: list[tuple[str, str]], left: Iterable[str], right: Iterable[str], relationship: RelationshipPattern
) -> bool:
    if relationship.length is None or relationship.length == (1, 1):
        return any(a in left and b in right for a, b in paths)
    reached = set(left)
    low, high = relationship.length
    for hop in range(1, min(high or 6, 6) + 1):
        reached = {b for a, b in paths if a in reached}
        if hop >= low and reached & set(right):
            return True
    return low == 0 and bool(set(left) & set(right))


def _either(labels: Iterable[str]) -> str:
    listed = sorted(labels)
    return "|".join(listed) if len(listed) <= 3 else "…"


def _alternatives(schema: GraphSchema, left: set[str], right: set[str], kinds: set[str]) -> str:
    between = [(a, k, b) for a, k, b in schema.paths if (a in left and b in right) or (a in right and b in left)]
    if between:
        return message("between", paths=", ".join(_path(p) for p in between[:4]))
    of_kind = [path for path in schema.paths if path[1] in kinds]
    return message("of_type", paths=", ".join(_path(p) for p in of_kind[:4]))


def _path(path: tuple[str, str, str]) -> str:
    return f"(:{path[0]})-[:{path[1]}]->(:{path[2]})"


def _unknown(text: str, name: str, known: list[str]) -> str:
    lower = {k.lower(): k for k in known}
    near = difflib.get_close_matches(name.lower(), list(lower), n=1, cutoff=0.5)
    hint = message("nearest", name=lower[near[0]]) if near else ""
    return message(text, name=name, hint=hint, known=", ".join(known))
