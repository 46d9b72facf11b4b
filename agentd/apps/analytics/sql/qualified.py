"""Writes a planned query's columns with their tables, as the schema has them. It judges nothing and runs nothing."""

from __future__ import annotations

from typing import Any

from sqlglot import MappingSchema, exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.resolver import Resolver
from sqlglot.optimizer.scope import traverse_scope

from agentd.apps.analytics.schema import Schema
from agentd.apps.analytics.sql.edits import inserted
from agentd.apps.analytics.sql.query import Query
from agentd.apps.analytics.sql.tree import quoted


def qualified(query: Query, schema: Schema) -> str:
    """Its text with the source of each column that only one of its sources can have; unchanged if it can't be read."""
    found = query.tree
    written = {each.name for each in query.all(exp.Column)}
    read = {each.name: schema.by_name.get(each.name.casefold()) for each in query.all(exp.Table)}
    names = {name: {each.casefold() for each in table.names} for name, table in read.items() if table}
    columns: dict[str, Any] = {
        table: dict.fromkeys((name for name in written if name.casefold() in of), "TEXT") for table, of in names.items()
    }
    known, places = MappingSchema(columns, normalize=False), dict[int, str]()
    try:
        scopes = traverse_scope(found) if found is not None and names else []
        for scope in scopes:  # a subquery's before the one around it, which lists the subquery's columns once more
            resolver = Resolver(scope, known)
            for column in scope.columns:
                if not column.table and (table := resolver.get_table(column)) is not None:
                    places.setdefault(column.this.meta["start"], f"{quoted(table.name)}.")
    except SqlglotError:
        return query.text
    return inserted(query.text, places)
