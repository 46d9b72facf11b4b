"""Neo4j at its port: read sessions only, EXPLAIN before running, plain values (issue 8, engines). Never run live."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from neo4j import RoutingControl
from neo4j.exceptions import AuthError, ClientError, ServiceUnavailable

from servers.text2cypher.graph.backend import GraphUnavailableError, Problem, QueryError
from servers.text2cypher.graph.embedded import EmbeddedBackend
from servers.text2cypher.graph.neo4j_backend import Neo4jBackend
from servers.text2cypher.graph.open import open_backend

pytestmark = pytest.mark.slow  # the driver takes a second to import


class Record:
    def __init__(self, *held: Any) -> None:
        self._held = list(held)

    def values(self) -> list[Any]:
        return self._held


class Result:
    def __init__(self, columns: list[str], rows: list[Record], notifications: list[dict[str, Any]]) -> None:
        self._columns, self._rows, self.notifications = columns, rows, notifications

    def keys(self) -> list[str]:
        return self._columns

    def __iter__(self) -> Any:
        return iter(self._rows)

    def consume(self) -> Result:
        return self


class Driver:
    """What the backend uses of a driver; `answer` gives a Result or raises for a query."""

    def __init__(self, answer: Callable[[str], Result]) -> None:
        self._answer = answer
        self.modes: list[str] = []
        self.timeouts: list[float | None] = []
        self.queries: list[str] = []

    def session(self, *, default_access_mode: str) -> Driver:
        self.modes.append(default_access_mode)
        return self

    def __enter__(self) -> Driver:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def execute_read(self, work: Callable[[Any], Any]) -> Any:
        self.timeouts.append(getattr(work, "timeout", None))  # as the driver reads what unit_of_work sets
        return work(self)

    def run(self, query: str) -> Result:
        self.queries.append(query)
        return self._answer(query)

    def close(self) -> None:
        self.modes.append("closed")


class Node(dict[str, Any]):
    element_id = "4:x:1"


def _error(kind: type[ClientError], code: str) -> ClientError:
    error = kind("no")
    error._neo4j_code = code  # type: ignore[attr-defined]
    return error


def test_queries_run_in_read_sessions_and_rows_are_cut() -> None:
    driver = Driver(lambda _: Result(["n"], [Record(Node(nama="A")), Record([1, None]), Record(2)], []))
    result = Neo4jBackend(driver, row_cap=2).run("MATCH (n) RETURN n")
    assert (result.columns, result.rows, result.truncated) == (["n"], [[{"nama": "A"}], [[1, None]]], True)
    assert driver.modes == ["READ"]


def test_a_write_never_reaches_the_driver() -> None:
    driver = Driver(lambda _: Result([], [], []))
    with pytest.raises(QueryError):
        Neo4jBackend(driver).run("MATCH (n) DETACH DELETE n")
    assert driver.queries == []


def test_the_planners_warnings_are_errors() -> None:
    warned = [{"code": "Neo.ClientNotification.Statement.UnknownLabelWarning", "description": "no label Foo"}]
    driver = Driver(lambda _: Result([], [], warned))
    with pytest.raises(QueryError, match="no label Foo") as refused:
        Neo4jBackend(driver).check("MATCH (n:Foo) RETURN n")
    assert refused.value.problem is Problem.SCHEMA and driver.queries[0].startswith("EXPLAIN ")


def test_a_path_that_the_graph_lacks_is_refused_by_cyver_in_read_transactions() -> None:
    asked: list[Any] = []

    class Asked(Driver):
        def execute_query(self, query: Any, **named: Any) -> Any:
            asked.append((query.timeout, named["routing_"]))
            there = "->" not in query.text
            return [{"path_exists": there}], Result([], [], []), []

    backend = Neo4jBackend(Asked(lambda _: Result([], [], [])), timeout_s=3)
    with pytest.raises(QueryError, match="opposite direction") as refused:
        backend.check("MATCH (m:MK)-[:PART_OF]->(t:topic) RETURN m.nama")
    assert refused.value.problem is Problem.SCHEMA
    assert asked and set(asked) == {(3, RoutingControl.READ)}


def test_without_cyver_the_planner_alone_judges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("servers.text2cypher.graph.cyver.find_spec", lambda _: None)
    Neo4jBackend(Driver(lambda _: Result([], [], []))).check("MATCH (m:MK)-[:PART_OF]->(t:topic) RETURN m.nama")


def test_the_schema_is_the_databases_own() -> None:
    def answer(query: str) -> Result:
        if "nodeType" in query:
            return Result([], [Record(["MK"], "sks", ["Long"]), Record(["MK"], "nama", ["String"])], [])
        if "relType" in query:
            return Result([], [Record(":`PREREQUISITE`", None, None)], [])
        return Result([], [Record("MK", "PREREQUISITE", "MK")], [])

    schema = Neo4jBackend(Driver(answer)).schema
    assert schema.nodes == {"MK": {"sks": "INTEGER", "nama": "STRING"}}
    assert schema.paths == (("MK", "PREREQUISITE", "MK"),)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (_error(AuthError, "Neo.ClientError.Security.Unauthorized"), GraphUnavailableError),
        (ServiceUnavailable("down"), GraphUnavailableError),
        (_error(ClientError, "Neo.ClientError.Statement.SyntaxError"), QueryError),
    ],
)
def test_errors_say_whether_the_query_or_the_database_is_to_blame(error: Exception, expected: type[Exception]) -> None:
    def answer(_: str) -> Result:
        raise error

    with pytest.raises(expected):
        Neo4jBackend(Driver(answer)).run("MATCH (n) RETURN n")


def test_the_environment_chooses_the_engine() -> None:
    remote = open_backend(None, {"NEO4J_URI": "bolt://127.0.0.1:1", "NEO4J_PASSWORD": "x"})
    assert isinstance(remote, Neo4jBackend)
    remote.close()
    embedded = open_backend(None, {})
    assert isinstance(embedded, EmbeddedBackend)
    embedded.close()


def test_stored_texts_are_read_past_the_cap_on_rows() -> None:
    driver = Driver(lambda _: Result([], [Record("A"), Record("B"), Record("A")], []))
    assert Neo4jBackend(driver, row_cap=1).texts("Big Shop", "name", 50) == ["A", "B", "A"]
    assert driver.queries == ["MATCH (n:`Big Shop`) WHERE n.name IS NOT NULL RETURN n.name LIMIT 50"]


def test_every_read_has_the_time_that_a_query_may_take() -> None:
    driver = Driver(lambda _: Result(["n"], [Record(1, 2)], []))
    backend = Neo4jBackend(driver, timeout_s=3)
    backend.run("MATCH (n) RETURN n")
    backend.check("MATCH (n) RETURN n")
    backend.texts("MK", "nama", 5)
    backend.bounds("MK", "sks")
    assert driver.timeouts and set(driver.timeouts) == {3}
    assert set(driver.modes) == {"READ"}


def test_no_more_rows_are_taken_from_the_driver_than_one_past_the_cap() -> None:
    class Endless(Result):
        taken = 0

        def __iter__(self) -> Any:
            while True:
                self.taken += 1
                yield Record(self.taken)

    rows = Endless(["n"], [], [])
    result = Neo4jBackend(Driver(lambda _: rows), row_cap=3).run("MATCH (n) RETURN n")
    assert (result.rows, result.truncated, rows.taken) == ([[1], [2], [3]], True, 4)


def test_the_smallest_and_the_largest_number_are_asked_of_the_database() -> None:
    driver = Driver(lambda query: Result([], [Record(1998, 2012) if "year" in query else Record(None, None)], []))
    backend = Neo4jBackend(driver)
    assert (backend.bounds("Big Shop", "opening year"), backend.bounds("Big Shop", "size")) == ((1998, 2012), None)
    assert driver.queries[0] == "MATCH (n:`Big Shop`) RETURN min(n.`opening year`), max(n.`opening year`)"
