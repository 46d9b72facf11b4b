"""CyVer's verdict on a query for Neo4j, if the extra `cyver` is installed. Runs no query.

It queries the database about parts of the query with `driver.execute_query`; here in read transactions with a timeout.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from servers.text2cypher.graph.backend import Problem


def complaint(driver: Any, query: str, timeout_s: float) -> tuple[Problem, str] | None:
    """The first problem that CyVer finds; None if it finds none or isn't installed."""
    if find_spec("CyVer") is None:
        return None
    from CyVer import PropertiesValidator, SchemaValidator

    asks = _reader(driver, timeout_s)
    for problem, validator in ((Problem.SCHEMA, SchemaValidator), (Problem.PROPERTY, PropertiesValidator)):
        _, found = validator(asks).validate(query)
        if found:
            return problem, str(found[0]["description"])
    return None


def _reader(driver: Any, timeout_s: float) -> Any:
    from neo4j import Driver, Query, RoutingControl

    class Reader(Driver):
        """A read-only proxy of `driver`; CyVer accepts only a neo4j.Driver."""

        _closed = True  # holds no connection of its own

        def __init__(self) -> None:
            """Opens nothing."""

        def execute_query(self, query_: Any, *arguments: Any, **named: Any) -> Any:
            """Runs it in a read transaction."""
            bounded = Query(query_, timeout=timeout_s)
            return driver.execute_query(bounded, *arguments, **named | {"routing_": RoutingControl.READ})

    return Reader()
