"""Writes a planned query's columns with their tables, as the schema has them. It judges nothing and runs nothing."""

from __future__ import annotations

from typing import Any

from sqlglot import MappingSchema, exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.resolver import Resolver
from sqlglot.optimizer.scope import traverse_scope

from agentd.apps.analytics.schema import Schema
from agentd.apps.analytics.sql.edits import replaced
from agentd.apps.analytics.sql.query import Query
from agentd.apps.analytics.sql.tree import quoted


def qualified(query: Query, schema: Schema) -> str:
    """Its text with the source of each column that only one of its sources can have; unchanged if it can't be read."""
    query = Query(query.key, _spelled(query, schema))
    found = query.tree
    read = {each.name: schema.by_name.get(each.name.casefold()) for each in query.all(exp.Table)}
    columns: dict[str, Any] = {name: dict.fromkeys(table.names, "TEXT") for name, table in read.items() if table}
    known, places = MappingSchema(columns, normalize=False), dict[int, str]()
    try:
        scopes = traverse_scope(found) if found is not None and columns else []
        for scope in scopes:  # a subquery's before the one around it, which lists the subquery's columns once more
            resolver = Resolver(scope, known)
            for column in scope.columns:
                if not column.table and (table := resolver.get_table(column)) is not None:
                    places.setdefault(column.this.meta["start"], f"{quoted(table.name)}.")
    except SqlglotError:
        return query.text
    return replaced(query.text, [(start, start, source) for start, source in places.items()])


def _spelled(query: Query, schema: Schema) -> str:
    """Its text with tables and columns in the schema's capitals, which every check compares with."""
    read = [table for each in query.all(exp.Table) if (table := schema.by_name.get(each.name.casefold()))]
    names = {name.casefold(): name for table in read for name in (table.name, *table.names)}
    own = {each.alias.casefold() for each in query.all(exp.Alias, exp.Table, exp.CTE, exp.Subquery)}
    parts = (part for each in query.all(exp.Table, exp.Column) for part in each.parts if part.meta)
    written = ((part, names[of]) for part in parts if (of := part.name.casefold()) in names.keys() - own)
    starts = ((part.meta["start"] + part.args["quoted"], name) for part, name in written)
    return replaced(query.text, [(start, start + len(name), name) for start, name in starts])
