"""The interface of all graph engines, and its data types. Names no engine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol

from servers.text2cypher.cypher.functions import UnsupportedError
from servers.text2cypher.cypher.guard import NotReadOnlyError
from servers.text2cypher.cypher.tokens import CypherSyntaxError
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
    """The engine rejected or couldn't finish a query."""

    def __init__(self, problem: Problem, message: str) -> None:
        super().__init__(message)
        self.problem = problem


@contextmanager
def rules_of_cypher() -> Iterator[None]:
    """Raises QueryError for what the rules find wrong with a query before the engine sees it."""
    try:
        yield
    except NotReadOnlyError as error:
        raise QueryError(Problem.EXECUTION, str(error)) from error
    except (CypherSyntaxError, UnsupportedError) as error:
        raise QueryError(Problem.SYNTAX, str(error)) from error


class GraphUnavailableError(Exception):
    """The engine itself can't be reached or started; not a fault of the query."""


@dataclass(frozen=True)
class QueryResult:
    """`rows`: lists of JSON values in the order of `columns`; `truncated`: more rows matched than the limit."""

    columns: list[str]
    rows: list[list[Any]]
    truncated: bool = False


class GraphBackend(Protocol):
    """An engine with one graph, which it only reads."""

    name: str

    @property
    def schema(self) -> GraphSchema:
        """The live schema."""

    def check(self, query: str) -> None:
        """Parse and bind without running. Raises QueryError."""

    def run(self, query: str) -> QueryResult:
        """Run the query with limits on time and rows. Raises QueryError, GraphUnavailableError."""

    def texts(self, label: str, name: str, most: int) -> list[str]:
        """The stored values of one text property, including repetitions, at most `most`."""

    def bounds(self, label: str, name: str) -> tuple[float, float] | None:
        """The smallest and largest stored number of one property; None if there is none. Raises QueryError."""

    def close(self) -> None:
        """Release processes and connections; may be called twice."""
