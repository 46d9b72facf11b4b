"""Neo4j as a GraphBackend: EXPLAIN to check, read transactions to run. Never writes.

Use a user with the reader role: read transactions stop writes by Cypher, only the role those by procedures.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

from servers.text2cypher.cypher.guard import ensure_read_only
from servers.text2cypher.cypher.tokens import named
from servers.text2cypher.graph import cyver
from servers.text2cypher.graph.backend import (
    ROW_CAP,
    TIMEOUT_S,
    GraphUnavailableError,
    Problem,
    QueryError,
    QueryResult,
    rules_of_cypher,
)
from servers.text2cypher.graph.schema import BOOLEAN, FLOAT, INTEGER, STRING, GraphSchema

_NODE_PROPERTIES = "CALL db.schema.nodeTypeProperties() YIELD nodeLabels, propertyName, propertyTypes"
_EDGE_PROPERTIES = "CALL db.schema.relTypeProperties() YIELD relType, propertyName, propertyTypes"
_PATHS = "MATCH (a)-[r]->(b) RETURN DISTINCT labels(a)[0], type(r), labels(b)[0]"
_TYPES = {"Long": INTEGER, "Integer": INTEGER, "Double": FLOAT, "Float": FLOAT, "Boolean": BOOLEAN}
_NOTIFICATIONS = {
    "UnknownLabelWarning": Problem.SCHEMA,
    "UnknownRelationshipTypeWarning": Problem.SCHEMA,
    "UnknownPropertyKeyWarning": Problem.PROPERTY,
}


class Neo4jBackend:
    """Uses a neo4j driver (or anything with its `session`)."""

    name = "neo4j"

    def __init__(self, driver: Any, *, row_cap: int = ROW_CAP, timeout_s: float = TIMEOUT_S) -> None:
        self._driver, self._row_cap, self._timeout_s = driver, row_cap, timeout_s

    @classmethod
    def connect(cls, uri: str, user: str, password: str) -> Neo4jBackend:
        """Creates a driver; the first query connects."""
        from neo4j import GraphDatabase

        return cls(GraphDatabase.driver(uri, auth=(user, password) if user else None))

    @cached_property
    def schema(self) -> GraphSchema:
        """The current labels, properties and paths of the database. Raises GraphUnavailableError."""
        nodes: dict[str, dict[str, str]] = {}
        for labels, name, types in self._rows(_NODE_PROPERTIES):
            held = nodes.setdefault(labels[0], {})
            if name:
                held[name] = _type(types)
        edges: dict[str, dict[str, str]] = {}
        for kind, name, types in self._rows(_EDGE_PROPERTIES):
            held = edges.setdefault(kind.strip(":`"), {})
            if name:
                held[name] = _type(types)
        paths = tuple((a, kind, b) for a, kind, b in self._rows(_PATHS))
        return GraphSchema(nodes, paths, edges)

    def check(self, query: str) -> None:
        """Runs EXPLAIN; the planner's warnings about unknown names count as errors, as do CyVer's."""
        with rules_of_cypher():
            ensure_read_only(query)
        for notification in self._read(lambda tx: tx.run("EXPLAIN " + query).consume().notifications) or []:
            code = str(notification.get("code", "")).rpartition(".")[2]
            if code in _NOTIFICATIONS:
                raise QueryError(_NOTIFICATIONS[code], str(notification.get("description", code)))
        if found := cyver.complaint(self._driver, query, self._timeout_s):
            raise QueryError(*found)

    def run(self, query: str) -> QueryResult:
        """Runs the query in a read transaction with a timeout."""
        with rules_of_cypher():
            ensure_read_only(query)

        def work(transaction: Any) -> QueryResult:
            result = transaction.run(query)
            columns = list(result.keys())
            rows: list[list[Any]] = []
            for record in result:
                if len(rows) == self._row_cap:
                    return QueryResult(columns, rows, truncated=True)
                rows.append([_plain(value) for value in record.values()])
            return QueryResult(columns, rows)

        return self._read(work)  # type: ignore[no-any-return]

    def texts(self, label: str, name: str, most: int) -> list[str]:
        """Reads from the database, ignoring the limit on rows."""
        held = f"n.{named(name)}"
        query = f"MATCH (n:{named(label)}) WHERE {held} IS NOT NULL RETURN {held} LIMIT {most}"
        return [str(row[0]) for row in self._rows(query)]

    def bounds(self, label: str, name: str) -> tuple[float, float] | None:
        """Queries the database."""
        held = f"n.{named(name)}"
        low, high = self._rows(f"MATCH (n:{named(label)}) RETURN min({held}), max({held})")[0]
        return None if low is None else (low, high)

    def close(self) -> None:
        """Closes the driver."""
        self._driver.close()

    def _rows(self, query: str) -> list[list[Any]]:
        rows: list[list[Any]] = self._read(lambda tx: [record.values() for record in tx.run(query)])
        return rows

    def _read(self, work: Any) -> Any:
        from neo4j import unit_of_work
        from neo4j.exceptions import AuthError, ClientError, DriverError, Neo4jError

        try:
            with self._driver.session(default_access_mode="READ") as session:
                return session.execute_read(unit_of_work(timeout=self._timeout_s)(work))
        except AuthError as error:
            raise GraphUnavailableError("Neo4j refuses the user; check NEO4J_USER and NEO4J_PASSWORD") from error
        except ClientError as error:
            problem = Problem.SYNTAX if "SyntaxError" in str(error.code) else Problem.EXECUTION
            raise QueryError(problem, str(error.message)) from error
        except (DriverError, Neo4jError, OSError) as error:
            raise GraphUnavailableError(f"Neo4j can't be reached ({type(error).__name__}); check NEO4J_URI") from error


def _type(names: Iterable[str] | None) -> str:
    return next((_TYPES[name] for name in names or () if name in _TYPES), STRING)


def _plain(value: Any) -> Any:
    """A JSON value; nodes and relationships become their properties, a path its nodes and relationships."""
    if hasattr(value, "nodes") and hasattr(value, "relationships"):
        return {"nodes": [_plain(n) for n in value.nodes], "relationships": [_plain(r) for r in value.relationships]}
    if hasattr(value, "element_id"):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, (bytes, bytearray)):
        return value.hex()
    return value if isinstance(value, (str, int, float, bool)) or value is None else str(value)
