"""Compiles a validated operation to one SQLAlchemy SELECT on the catalogue's tables. No I/O; writes no SQL text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import FromClause, Select, TableClause, and_, column, select, table

from servers.common.catalogue import Catalogue, Table
from servers.sim_testgeluran.conditions import condition_of, in_having, in_where, texts_of
from servers.sim_testgeluran.functions import aggregate
from servers.sim_testgeluran.plan import DatabaseOperation, Join, OrderBy, SelectColumn
from servers.sim_testgeluran.scope import Element, PlanError, Scope, Term, columns_of, perhaps
from servers.sim_testgeluran.terms import aggregated, expression, field_of
from servers.sim_testgeluran.values import compare


@dataclass(frozen=True)
class Compiled:
    """The statement, and the keys of its rows in order."""

    statement: Select[Any]
    keys: list[str]


def compile_operation(operation: DatabaseOperation, catalogue: Catalogue) -> Compiled:
    """Compile an operation. Raises PlanError.

    If anything is aggregated or grouped, selected columns without aggregation are grouped by, even if not requested, so
    that every value in a row applies to the whole row.
    """
    scope = Scope(catalogue)
    source = _tables_joined(scope, operation)
    keys = _keys(operation.select_columns)
    for key, chosen in zip(keys, operation.select_columns, strict=True):
        term = _selected(scope, chosen)
        scope.aliases[key] = term
        scope.labels[key] = term.sql.label(key)
    statement: Select[Any] = select(*scope.labels.values()).select_from(source)
    if operation.filters:
        statement = statement.where(condition_of(scope, operation.filters, in_where))
    return Compiled(_ordered(scope, operation, _grouped(scope, operation, statement)), keys)


def _tables_joined(scope: Scope, operation: DatabaseOperation) -> FromClause:
    """The FROM clause; enters its tables into the scope."""
    source: FromClause = _enter(scope, operation.main_table)
    for join in operation.joins or []:
        known = list(scope.tables.values())
        target = _enter(scope, join.target_table)
        condition = _join_condition(scope, join, target.name, known)
        if join.type == "RIGHT":  # as the equivalent LEFT join with the sides swapped
            source = target.outerjoin(source, condition)
        else:
            source = source.join(target, condition, isouter=join.type == "LEFT")
    return source


def _enter(scope: Scope, name: str) -> TableClause:
    info = scope.catalogue.table(name)
    if info is None:
        raise PlanError(f"Unknown table '{name}'{perhaps(scope.catalogue.nearest_table(name))}")
    if info.name in scope.tables:
        raise PlanError(f"Table '{info.name}' is joined twice; an operation uses a table once")
    scope.tables[info.name] = info
    scope.clauses[info.name] = table(info.name, *(column(each.name) for each in info.columns))
    return scope.clauses[info.name]


def _join_condition(scope: Scope, join: Join, target: str, known: list[Table]) -> Element:
    """What stands after ON. Raises PlanError unless each condition compares the target with another table.

    `known`: the tables before it, for the hint of a foreign key.
    """
    conditions = []
    for condition in join.on_conditions:
        left = field_of(scope, condition.left_table_field, "on clause")
        right = field_of(scope, condition.right_table_field, "on clause")
        conditions.append(compare(condition.operator, left.sql, right.sql))
        touched = {name.split(".")[0] for name in left.bare | right.bare}
        if target not in touched or len(touched) < 2:
            raise PlanError(
                f"The join of '{target}' compares {condition.left_table_field} with {condition.right_table_field}, "
                f"which doesn't tie '{target}' to another table{_known_join(scope, target, known)}"
            )
    if not conditions:
        raise PlanError(f"The join of '{target}' has no on_conditions{_known_join(scope, target, known)}")
    return and_(*conditions)


def _known_join(scope: Scope, target: str, known: list[Table]) -> str:
    """Return a hint with the foreign key that would join the table to the previous ones."""
    here = scope.tables[target]
    pairs = [(here, other) for other in known] + [(other, here) for other in known]
    for child, parent in pairs:
        for key in child.foreign_keys:
            if key.referred_table == parent.name:
                return f"; the schema has {child.name}.{key.columns[0]} = {parent.name}.{key.referred_columns[0]}"
    return ""


def _keys(columns: list[SelectColumn]) -> list[str]:
    """Return the result's keys: the alias, else the column's name, with its table's if two columns share it."""
    plain = [_bare_name(each.field_name) for each in columns]
    keys = []
    for each, name in zip(columns, plain, strict=True):
        if each.alias:
            keys.append(each.alias)
        elif each.aggregation:
            keys.append(f"{each.aggregation}({each.field_name})"[:64])
        else:
            keys.append((each.field_name if plain.count(name) > 1 else name)[:64])
    for key in keys:
        if keys.count(key) > 1:
            raise PlanError(f"Two columns are called '{key}'; give one another alias")
        if any(ord(character) < 32 for character in key) or key != key.strip():
            raise PlanError(f"The alias {key!r} begins or ends with a space or holds a control character")
    return keys


def _bare_name(text: str) -> str:
    return text.rpartition(".")[2] if text.replace(".", "").replace("_", "").isalnum() else text


def _selected(scope: Scope, chosen: SelectColumn) -> Term:
    if chosen.field_name.strip() == "*":
        if chosen.aggregation != "COUNT":
            raise PlanError("'*' can only be counted; name the columns")
        return Term(aggregate("COUNT", None), aggregated=True, kind="number")
    term = expression(scope, chosen.field_name, "field list")
    if not chosen.aggregation:
        return term
    if term.aggregated:
        raise PlanError(f"'{chosen.field_name}' is aggregated already; leave out its aggregation")
    return aggregated(chosen.aggregation, term)


def _grouped(scope: Scope, operation: DatabaseOperation, statement: Select[Any]) -> Select[Any]:
    groups = [expression(scope, each, "group statement", scope.aliases) for each in operation.group_by or []]
    for text, term in zip(operation.group_by or [], groups, strict=True):
        if term.aggregated:
            raise PlanError(f"group_by names '{text}', which is aggregated")
    having = None
    if operation.having and operation.having.conditions:
        having = condition_of(scope, operation.having, in_having)
    aggregated = any(term.aggregated for term in scope.aliases.values()) or _aggregates(scope, operation)
    if not groups and not aggregated:
        return statement if having is None else statement.where(having)
    plain = [term for term in scope.aliases.values() if not term.aggregated and term.bare]
    allowed = columns_of([*groups, *plain])
    for key, term in scope.aliases.items():
        if term.aggregated:
            _check_grouped(term, allowed, key)
    for text in texts_of(operation.having):
        _check_grouped(in_having(scope, text), allowed, text)
    for order in operation.order_by_clauses or []:
        if order.field_or_expression not in scope.aliases:
            _check_grouped(_order_term(scope, order), allowed, order.field_or_expression)
    statement = statement.group_by(*(term.sql for term in [*groups, *plain]))
    return statement if having is None else statement.having(having)


def _aggregates(scope: Scope, operation: DatabaseOperation) -> bool:
    """Return whether having or order by aggregates although no selected column does."""
    texts = [*texts_of(operation.having), *(each.field_or_expression for each in operation.order_by_clauses or [])]
    return any(expression(scope, text, "order clause", scope.aliases).aggregated for text in texts)


def _check_grouped(term: Term, allowed: frozenset[str], name: str) -> None:
    if stray := sorted(term.bare - allowed):
        raise PlanError(f"'{name}' uses {stray[0]}, which is neither aggregated nor in group_by")


def _ordered(scope: Scope, operation: DatabaseOperation, statement: Select[Any]) -> Select[Any]:
    for order in operation.order_by_clauses or []:
        label = scope.labels.get(order.field_or_expression)
        element: Element = label if label is not None else _order_term(scope, order).sql
        # NULL sorts lowest in MariaDB and SQLite; do the same elsewhere, or a ranking would begin with it.
        falling = order.direction == "DESC"
        placed = element.desc() if falling else element.asc()
        if scope.dialect == "postgres":
            placed = placed.nulls_last() if falling else placed.nulls_first()
        statement = statement.order_by(placed)
    if operation.limit is not None:
        statement = statement.limit(operation.limit)
    if operation.offset:
        # MySQL and SQLite have no OFFSET without LIMIT; SQLAlchemy then writes the largest limit.
        statement = statement.offset(operation.offset)
    return statement


def _order_term(scope: Scope, order: OrderBy) -> Term:
    return expression(scope, order.field_or_expression, "order clause", scope.aliases)
