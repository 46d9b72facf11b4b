"""Converts a plan's filters and having to SQLAlchemy conditions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date, timedelta

from sqlalchemy import and_, false, literal, not_, null, or_

from servers.sim_testgeluran.plan import Condition, Filters, Scalar
from servers.sim_testgeluran.scope import Element, PlanError, Scope, Term
from servers.sim_testgeluran.terms import expression
from servers.sim_testgeluran.values import bound, compare, value_of

Operand = Callable[[Scope, str], Term]


def in_where(scope: Scope, text: str) -> Term:
    term = expression(scope, text, "where clause", scope.aliases)
    if term.aggregated:
        raise PlanError(f"'{text}' is aggregated, so it belongs into having, not into filters")
    return term


def in_having(scope: Scope, text: str) -> Term:
    return expression(scope, text, "having clause", scope.aliases)


def condition_of(scope: Scope, filters: Filters, operand: Operand, depth: int = 0) -> Element:
    if depth > 10:
        raise PlanError("Conditions are nested more than 10 deep")
    parts = [
        condition_of(scope, part, operand, depth + 1)
        if isinstance(part, Filters)
        else _condition(scope, part, operand(scope, part.field_or_expression))
        for part in filters.conditions
    ]
    if not parts:
        return literal(1) == literal(1)
    return and_(*parts) if filters.logical_operator == "AND" else or_(*parts)


def _condition(scope: Scope, condition: Condition, term: Term) -> Element:
    operator, value, name = condition.operator, condition.value, condition.field_or_expression
    if operator in ("IS NULL", "IS NOT NULL"):
        if value is not None:
            raise PlanError(f"{operator} takes no value ('{name}')")
        return term.sql.is_(null()) if operator == "IS NULL" else term.sql.is_not(null())
    if operator in ("IN", "NOT IN", "BETWEEN", "NOT BETWEEN"):
        if not isinstance(value, list):
            raise PlanError(f"{operator} takes a list ('{name}')")
        return _among(scope, operator, term, value, name)
    if isinstance(value, list):
        raise PlanError(f"'{operator}' takes one value, not a list ('{name}'); use IN or BETWEEN")
    if value is None:
        if operator in ("=", "!=", "<>"):
            return term.sql.is_(null()) if operator == "=" else term.sql.is_not(null())
        raise PlanError(f"'{operator}' needs a value ('{name}'); use IS NULL for what is missing")
    if term.kind == "datetime" and operator in DAYS and isinstance(value, str) and (day := _day(value)):
        return compare(DAYS[operator], term.sql, _given(scope, (day + timedelta(days=1)).isoformat(), term, name))
    if operator in ("LIKE", "NOT LIKE"):
        pattern = str(value_of(value, Term(term.sql), name))
        # Only PostgreSQL's LIKE is case-sensitive.
        like = term.sql.ilike(pattern) if scope.dialect == "postgres" else term.sql.like(pattern)
        return like if operator == "LIKE" else not_(like)
    return compare(operator, term.sql, _given(scope, value, term, name))


DAYS = {"<=": "<", ">": ">="}
"""Comparisons of a time with a day become comparisons with the next midnight: "at most 31 January" is all that day."""


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if len(text) == 10 else None
    except ValueError:
        return None


def _given(scope: Scope, value: Scalar, term: Term, name: str) -> Element:
    """Return the value to compare with; PostgreSQL compares a BOOLEAN only with a BOOLEAN."""
    if isinstance(value, bool) and scope.dialect == "postgres" and term.kind != "number":
        return literal(value)
    return bound(value_of(value, term, name), scope.dialect)


def _among(scope: Scope, operator: str, term: Term, given: list[Scalar], name: str) -> Element:
    if any(value is None for value in given):
        raise PlanError(f"{operator} compares with null, which nothing equals ('{name}'); use IS NULL beside it")
    values = [_given(scope, each, term, name) for each in given]
    if operator.endswith("IN"):
        if not values:
            return false() if operator == "IN" else not_(false())
        return term.sql.in_(values) if operator == "IN" else term.sql.not_in(values)
    if len(values) != 2:
        raise PlanError(f"{operator} takes two values ('{name}')")
    if term.kind == "datetime" and isinstance(given[1], str) and (last := _day(given[1])):
        values[1] = bound(f"{last} 23:59:59.999999", scope.dialect)
    between = term.sql.between(values[0], values[1])
    return between if operator == "BETWEEN" else not_(between)


def texts_of(filters: Filters | None) -> Iterable[str]:
    for part in filters.conditions if filters else []:
        if isinstance(part, Filters):
            yield from texts_of(part)
        else:
            yield part.field_or_expression
