"""The tables of one operation, and the meaning of names in it. Builds no expressions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import ColumnElement, TableClause
from sqlalchemy.sql.elements import Label
from sqlglot import exp

from servers.common.catalogue import Catalogue, Table, nearest

Element = ColumnElement[Any]


class PlanError(ValueError):
    """The operation can't be compiled; the text says what is wrong and what would be right."""


@dataclass(frozen=True)
class Term:
    """An SQL expression, with the properties needed to use it."""

    sql: Element
    bare: frozenset[str] = frozenset()
    """Columns outside any aggregate."""
    aggregated: bool = False
    kind: str = ""
    """"date", "datetime", "number", or "" if unknown."""


@dataclass
class Scope:
    """The tables of one operation, and its aliases as they become known."""

    catalogue: Catalogue
    tables: dict[str, Table] = field(default_factory=dict)
    clauses: dict[str, TableClause] = field(default_factory=dict)
    aliases: dict[str, Term] = field(default_factory=dict)
    labels: dict[str, Label[Any]] = field(default_factory=dict)

    @property
    def dialect(self) -> str:
        """The database's kind: "mysql", "postgres" or "sqlite"."""
        return self.catalogue.dialect


def perhaps(name: str | None) -> str:
    return f"; did you mean '{name}'?" if name else ""


def resolve(scope: Scope, node: exp.Column, clause: str, aliases: dict[str, Term] | None) -> Term:
    candidates = list(scope.tables.values())
    if node.table:
        candidates = [info for info in candidates if info.name.lower() == node.table.lower()]
        if not candidates:
            raise PlanError(_unknown_table_of(scope, node, clause))
    holders = [(info, column) for info in candidates if (column := info.column(node.name))]
    if len(holders) > 1:
        choices = " or ".join(f"{info.name}.{column.name}" for info, column in holders)
        raise PlanError(f"Column '{node.name}' in '{clause}' is ambiguous; write {choices}")
    if not holders:
        if aliases and not node.table and node.name in aliases:
            return aliases[node.name]
        raise PlanError(_unknown_column(scope, node, clause, candidates, aliases or {}))
    [(info, column)] = holders
    sql = scope.clauses[info.name].c[column.name]
    return Term(sql, frozenset({f"{info.name}.{column.name}"}), kind=column.holds)


def _unknown_table_of(scope: Scope, node: exp.Column, clause: str) -> str:
    asked = scope.catalogue.table(node.table or "")
    if asked is not None:
        return f"Unknown column '{_written(node)}' in '{clause}': '{asked.name}' is not joined; add it to joins"
    close = nearest(node.table or "", scope.tables) or scope.catalogue.nearest_table(node.table or "")
    return f"Unknown column '{_written(node)}' in '{clause}': there is no table '{node.table}'{perhaps(close)}"


def _unknown_column(scope: Scope, node: exp.Column, clause: str, tables: list[Table], aliases: dict[str, Term]) -> str:
    names = {each.name: f"{info.name}.{each.name}" for info in tables for each in info.columns}
    close = nearest(node.name, [*names, *aliases])
    if close is None and (others := scope.catalogue.tables_with(node.name)):
        return f"Unknown column '{_written(node)}' in '{clause}'; {', '.join(others[:3])} has one of that name"
    return f"Unknown column '{_written(node)}' in '{clause}'{perhaps(names.get(close, close) if close else None)}"


def _written(node: exp.Column) -> str:
    return f"{node.table}.{node.name}" if node.table else node.name


def columns_of(terms: list[Term]) -> frozenset[str]:
    return frozenset().union(*(term.bare for term in terms))
