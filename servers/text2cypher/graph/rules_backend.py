"""A graph without an engine: its schema can check queries, but nothing runs them. The fallback."""

from __future__ import annotations

from servers.text2cypher.cypher.structure import parse
from servers.text2cypher.graph.backend import GraphUnavailableError, QueryResult, rules_of_cypher
from servers.text2cypher.graph.schema import GraphSchema


class RulesBackend:
    """Checks by rules; `can_run` is False."""

    name = "rules"
    can_run = False

    def __init__(self, schema: GraphSchema) -> None:
        self._schema = schema

    @property
    def schema(self) -> GraphSchema:
        """The given schema."""
        return self._schema

    def check(self, query: str) -> None:
        """Raises QueryError if the rules can't parse the query."""
        with rules_of_cypher():
            parse(query)

    def run(self, query: str) -> QueryResult:  # noqa: ARG002 - the port's signature
        """Always raises GraphUnavailableError."""
        raise GraphUnavailableError("no graph engine: install ladybug, or set NEO4J_URI")

    def texts(self, label: str, name: str, most: int) -> list[str]:  # noqa: ARG002 - the port's signature
        """Returns an empty list, because nothing is stored."""
        return []

    def bounds(self, label: str, name: str) -> tuple[float, float] | None:  # noqa: ARG002 - the port's signature
        """Returns None, because nothing is stored."""
        return None

    def close(self) -> None:
        """Does nothing."""
