"""The query under judgement, read once by the rules and once by the engine for all validators. Judges nothing."""

from __future__ import annotations

from functools import cached_property

from servers.text2cypher.cypher.records import Structure
from servers.text2cypher.cypher.structure import parse
from servers.text2cypher.graph.backend import GraphBackend, Problem, QueryError, QueryResult
from servers.text2cypher.graph.schema import GraphSchema


class Subject:
    """`structure` raises CypherSyntaxError or NotReadOnlyError; `refusal` is the engine's, None when it binds."""

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
        """What the query speaks of."""
        return parse(self.query)

    @cached_property
    def refusal(self) -> QueryError | None:
        """Why the engine would not bind the query."""
        try:
            self.backend.check(self.query)
        except QueryError as error:
            return error
        return None

    def refused_for(self, problem: Problem) -> str | None:
        """The engine's words when it refuses the query for `problem`."""
        return str(self.refusal) if self.refusal is not None and self.refusal.problem is problem else None

    def labels_of(self, variable: str | None, written: tuple[str, ...] = ()) -> set[str]:
        """The labels a variable can have: those written, else those written elsewhere, else every one."""
        known = set(written) or (self.structure.labels_of(variable) if variable else set())
        return known or set(self.schema.labels)
