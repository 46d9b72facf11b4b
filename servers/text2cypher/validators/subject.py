"""The query under validation, parsed once by the rules and checked once by the engine. Judges nothing."""

from __future__ import annotations

from functools import cached_property

from servers.text2cypher.cypher.records import Structure
from servers.text2cypher.cypher.structure import parse
from servers.text2cypher.graph.backend import GraphBackend, Problem, QueryError, QueryResult
from servers.text2cypher.graph.schema import GraphSchema


class Subject:
    """`structure` raises CypherSyntaxError or NotReadOnlyError; `refusal` is the engine's error, None if it binds."""

    def __init__(self, query: str, backend: GraphBackend) -> None:
        self.query = query
        self.backend = backend
        self.result: QueryResult | None = None

    @property
    def schema(self) -> GraphSchema:
        """The live schema."""
        return self.backend.schema

    @cached_property
    def structure(self) -> Structure:
        """The parsed query."""
        return parse(self.query)

    @cached_property
    def refusal(self) -> QueryError | None:
        """The engine's error for the query, or None."""
        try:
            self.backend.check(self.query)
        except QueryError as error:
            return error
        return None

    def refused_for(self, problem: Problem) -> str | None:
        """The engine's message if it rejects the query for `problem`."""
        return str(self.refusal) if self.refusal is not None and self.refusal.problem is problem else None

    def labels_of(self, variable: str | None, written: tuple[str, ...] = ()) -> set[str]:
        """The possible labels of a variable: those written there, else those elsewhere in the query, else all."""
        known = set(written) or (self.structure.labels_of(variable) if variable else set())
        return known or set(self.schema.labels)
