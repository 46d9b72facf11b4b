"""The port every graph engine stands behind, and what crosses it. No engine is named here."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol

from servers.text2cypher.graph.schema import GraphSchema

ROW_CAP = 10_000
TIMEOUT_S = 5.0


class Problem(Enum):
    """What an engine found wrong with a query."""

    SYNTAX = "syntax"
    SCHEMA = "schema"
    PROPERTY = "property"
    EXECUTION = "execution"


class QueryError(Exception):
    """The engine refused or couldn't finish a query."""

    def __init__(self, problem: Problem, message: str) -> None:
        super().__init__(message)
        self.problem = problem


class GraphUnavailableError(Exception):
    """The engine itself can't be reached or started; no query is to blame."""


@dataclass(frozen=True)
class QueryResult:
    """`rows` as lists of JSON values in the order of `columns`; `truncated` when more rows than the cap matched."""

    columns: list[str]
    rows: list[list[Any]]
    truncated: bool = False


class GraphBackend(Protocol):
    """An engine that holds one graph and only reads it."""

    name: str
    can_run: bool

    @property
    def schema(self) -> GraphSchema:
        """The live schema."""

    def check(self, query: str) -> None:
        """Parse and bind without running. Raises QueryError."""

    def run(self, query: str) -> QueryResult:
        """Run it, bounded in time and rows. Raises QueryError, GraphUnavailableError."""

    def texts(self, label: str, name: str, most: int) -> list[str]:
        """The stored values of one text property, a value as often as it is stored, at most `most`."""

    def bounds(self, label: str, name: str) -> tuple[float, float] | None:
        """The smallest and the largest stored number of one property; None where there is none. Raises QueryError."""

    def close(self) -> None:
        """Let go of processes and connections; safe to call twice."""
