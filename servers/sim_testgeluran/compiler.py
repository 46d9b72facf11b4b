"""A checked operation to one SQLAlchemy SELECT over the catalogue's tables. Pure: runs nothing, writes no SQL text."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import (
    ColumnElement,
    FromClause,
    Select,
    TableClause,
    and_,
    case,
    column,
    false,
    literal,
    not_,
    null,
    or_,
    select,
    table,
)
from sqlalchemy.sql.elements import Label

from servers.common.catalogue import Catalogue, TableInfo, nearest
from servers.sim_testgeluran import expression as tree
from servers.sim_testgeluran.expression import ExpressionError, Node
from servers.sim_testgeluran.functions import AGGREGATES, FUNCTIONS, aggregate, divide, remainder
from servers.sim_testgeluran.plan import Condition, DatabaseOperation, Filters, Join, OrderBy, Scalar, SelectColumn

Element = ColumnElement[Any]
INTEGERS = range(-(2**63), 2**63)


class PlanError(ValueError):
    """The operation can't be compiled; the text names what is wrong and what would be right."""


@dataclass(frozen=True)
class Compiled:
    """The statement and the keys of its rows, in order."""

    statement: Select[Any]
    keys: list[str]


@dataclass(frozen=True)
class _Term:
    """An expression in SQL, and what must be known about it to use it."""

    sql: Element
    bare: frozenset[str] = frozenset()
    """Columns outside any aggregate."""
    aggregated: bool = False
    kind: str = ""
    """"date", "datetime", "number", or nothing known."""


@dataclass
class _Scope:
    """The tables of one operation, and its aliases as they become known."""

    catalogue: Catalogue
    tables: dict[str, TableInfo] = field(default_factory=dict)
    clauses: dict[str, TableClause] = field(default_factory=dict)
    aliases: dict[str, _Term] = field(default_factory=dict)
    labels: dict[str, Label[Any]] = field(default_factory=dict)


def compile_operation(operation: DatabaseOperation, catalogue: Catalogue) -> Compiled:
    """Raises PlanError.

    Selected columns that aren't aggregated are grouped by, said or not, once anything is aggregated or grouped: every
    value in a row is then true of the whole row.
    """
    scope = _Scope(catalogue)
    source = _joined(scope, operation)
    keys = _keys(operation.select_columns)
    for key, chosen in zip(keys, operation.select_columns, strict=True):
        term = _selected(scope, chosen)
        scope.aliases[key] = term
        scope.labels[key] = term.sql.label(key)
    statement: Select[Any] = select(*scope.labels.values()).select_from(source)
    if operation.filters:
        statement = statement.where(_filters(scope, operation.filters, _in_where))
    return Compiled(_ordered(scope, operation, _grouped(scope, operation, statement)), keys)


# -- from ------------------------------------------------------------------------------------------------------------


def _joined(scope: _Scope, operation: DatabaseOperation) -> FromClause:
    source: FromClause = _enter(scope, operation.main_table)
    for join in operation.joins or []:
        known = list(scope.tables.values())
        target = _enter(scope, join.target_table)
        condition = _on(scope, join, known)
        if join.type == "RIGHT":  # written as the LEFT join that it is, seen from the other side
            source = target.outerjoin(source, condition)
        else:
            source = source.join(target, condition, isouter=join.type == "LEFT")
    return source


def _enter(scope: _Scope, name: str) -> TableClause:
    info = scope.catalogue.table(name)
    if info is None:
        raise PlanError(f"Unknown table '{name}'{_perhaps(scope.catalogue.nearest_table(name))}")
    if info.name in scope.tables:
        raise PlanError(f"Table '{info.name}' is joined twice; an operation uses a table once")
    scope.tables[info.name] = info
    scope.clauses[info.name] = table(info.name, *(column(each) for each in info.columns))
    return scope.clauses[info.name]


def _on(scope: _Scope, join: Join, known: list[TableInfo]) -> Element:
    target = list(scope.tables)[-1]
    conditions = []
    for condition in join.on_conditions:
        left = _field(scope, condition.left_table_field, "on clause")
        right = _field(scope, condition.right_table_field, "on clause")
        conditions.append(_compare(condition.operator, left.sql, right.sql))
        touched = {name.split(".")[0] for name in left.bare | right.bare}
        if target not in touched or len(touched) < 2:
            raise PlanError(
                f"The join of '{target}' compares {condition.left_table_field} with {condition.right_table_field}, "
                f"which doesn't tie '{target}' to another table{_known_join(scope, target, known)}"
            )
    if not conditions:
        raise PlanError(f"The join of '{target}' has no on_conditions{_known_join(scope, target, known)}")
    return and_(*conditions)


def _known_join(scope: _Scope, target: str, known: list[TableInfo]) -> str:
    """The foreign key that would tie the table to those before it."""
    here = scope.tables[target]
    pairs = [(here, other) for other in known] + [(other, here) for other in known]
    for child, parent in pairs:
        for key in child.foreign_keys:
            if key.referred_table == parent.name:
                return f"; the schema has {child.name}.{key.columns[0]} = {parent.name}.{key.referred_columns[0]}"
    return ""


# -- select ----------------------------------------------------------------------------------------------------------


def _keys(columns: list[SelectColumn]) -> list[str]:
    """The alias; else the column's own name, with its table's when two columns share it."""
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


def _selected(scope: _Scope, chosen: SelectColumn) -> _Term:
    if chosen.field_name.strip() == "*":
        if chosen.aggregation != "COUNT":
            raise PlanError("'*' can only be counted; name the columns")
        return _Term(aggregate("COUNT", None), aggregated=True, kind="number")
    term = _expression(scope, chosen.field_name, "field list")
    if not chosen.aggregation:
        return term
    if term.aggregated:
        raise PlanError(f"'{chosen.field_name}' is aggregated already; leave out its aggregation")
    return _aggregated(chosen.aggregation, term)


# -- where and having ------------------------------------------------------------------------------------------------

Operand = Callable[[_Scope, str], _Term]


def _in_where(scope: _Scope, text: str) -> _Term:
    term = _expression(scope, text, "where clause", scope.aliases)
    if term.aggregated:
        raise PlanError(f"'{text}' is aggregated, so it belongs into having, not into filters")
    return term


def _in_having(scope: _Scope, text: str) -> _Term:
    return _expression(scope, text, "having clause", scope.aliases)


def _filters(scope: _Scope, filters: Filters, operand: Operand, depth: int = 0) -> Element:
    if depth > 10:
        raise PlanError("Conditions are nested more than 10 deep")
    parts = [
        _filters(scope, part, operand, depth + 1)
        if isinstance(part, Filters)
        else _condition(part, operand(scope, part.field_or_expression))
        for part in filters.conditions
    ]
    if not parts:
        return literal(1) == literal(1)
    return and_(*parts) if filters.logical_operator == "AND" else or_(*parts)


def _condition(condition: Condition, term: _Term) -> Element:
    operator, value, name = condition.operator, condition.value, condition.field_or_expression
    if operator in ("IS NULL", "IS NOT NULL"):
        if value is not None:
            raise PlanError(f"{operator} takes no value ('{name}')")
        return term.sql.is_(null()) if operator == "IS NULL" else term.sql.is_not(null())
    if operator in ("IN", "NOT IN", "BETWEEN", "NOT BETWEEN"):
        if not isinstance(value, list):
            raise PlanError(f"{operator} takes a list ('{name}')")
        return _among(operator, term, [_value(each, term, name) for each in value], name)
    if isinstance(value, list):
        raise PlanError(f"'{operator}' takes one value, not a list ('{name}'); use IN or BETWEEN")
    if value is None:
        if operator in ("=", "!=", "<>"):
            return term.sql.is_(null()) if operator == "=" else term.sql.is_not(null())
        raise PlanError(f"'{operator}' needs a value ('{name}'); use IS NULL for what is missing")
    if operator in ("LIKE", "NOT LIKE"):
        pattern = str(_value(value, _Term(term.sql), name))
        return term.sql.like(pattern) if operator == "LIKE" else term.sql.not_like(pattern)
    return _compare(operator, term.sql, literal(_value(value, term, name)))


def _among(operator: str, term: _Term, values: list[Any], name: str) -> Element:
    if any(value is None for value in values):
        raise PlanError(f"{operator} compares with null, which nothing equals ('{name}'); use IS NULL beside it")
    if operator.endswith("IN"):
        if not values:
            return false() if operator == "IN" else not_(false())
        return term.sql.in_(values) if operator == "IN" else term.sql.not_in(values)
    if len(values) != 2:
        raise PlanError(f"{operator} takes two values ('{name}')")
    between = term.sql.between(literal(values[0]), literal(values[1]))
    return between if operator == "BETWEEN" else not_(between)


def _value(value: Scalar, term: _Term, name: str) -> Any:
    """A value that both databases can hold; dates in the one ISO form that also compares rightly as text."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int) and value not in INTEGERS:
        raise PlanError(f"{value} is beyond 64 bits ('{name}')")
    if isinstance(value, float) and not math.isfinite(value):
        raise PlanError(f"{value} is no number to compare with ('{name}')")
    if not isinstance(value, str):
        return value
    if not value.isprintable() and ("\x00" in value or any("\ud800" <= each <= "\udfff" for each in value)):
        raise PlanError(f"The value for '{name}' holds characters that are no text")
    if term.kind == "number":
        return _number(value, name)
    return _iso(value, term.kind, name) if term.kind else value


def _number(text: str, name: str) -> int | float:
    """SQLite would never find a number greater than a text, MariaDB would take most texts for 0."""
    try:
        number = int(text) if re.fullmatch(r"\s*[-+]?\d{1,18}\s*", text) else float(Decimal(text.strip()))
    except (ArithmeticError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise PlanError(f"'{text}' is no number to compare with '{name}'")
    return number


def _iso(text: str, kind: str, name: str) -> str:
    try:
        if kind == "date" and len(text) <= 10:
            return date.fromisoformat(text).isoformat()
        moment = datetime.fromisoformat(text).replace(tzinfo=None)
    except ValueError:
        raise PlanError(f"'{text}' is no date for '{name}'; write it as 2023-01-31") from None
    if kind == "date" and moment.time() == moment.min.time():
        return moment.date().isoformat()
    return moment.isoformat(sep=" ")


# -- group by, having, order by --------------------------------------------------------------------------------------


def _grouped(scope: _Scope, operation: DatabaseOperation, statement: Select[Any]) -> Select[Any]:
    groups = [_expression(scope, each, "group statement", scope.aliases) for each in operation.group_by or []]
    for text, term in zip(operation.group_by or [], groups, strict=True):
        if term.aggregated:
            raise PlanError(f"group_by names '{text}', which is aggregated")
    having = None
    if operation.having and operation.having.conditions:
        having = _filters(scope, operation.having, _in_having)
    aggregated = any(term.aggregated for term in scope.aliases.values()) or _aggregates(scope, operation)
    if not groups and not aggregated:
        return statement if having is None else statement.where(having)
    plain = [term for term in scope.aliases.values() if not term.aggregated and term.bare]
    allowed = _columns([*groups, *plain])
    for key, term in scope.aliases.items():
        if term.aggregated:
            _check_grouped(term, allowed, key)
    for text in _texts(operation.having):
        _check_grouped(_in_having(scope, text), allowed, text)
    for order in operation.order_by_clauses or []:
        if order.field_or_expression not in scope.aliases:
            _check_grouped(_order_term(scope, order), allowed, order.field_or_expression)
    statement = statement.group_by(*(term.sql for term in [*groups, *plain]))
    return statement if having is None else statement.having(having)


def _aggregates(scope: _Scope, operation: DatabaseOperation) -> bool:
    """Whether having or order by aggregates though nothing selected does."""
    texts = [*_texts(operation.having), *(each.field_or_expression for each in operation.order_by_clauses or [])]
    return any(_expression(scope, text, "order clause", scope.aliases).aggregated for text in texts)


def _texts(filters: Filters | None) -> Iterable[str]:
    for part in filters.conditions if filters else []:
        if isinstance(part, Filters):
            yield from _texts(part)
        else:
            yield part.field_or_expression


def _columns(terms: list[_Term]) -> frozenset[str]:
    return frozenset().union(*(term.bare for term in terms))


def _check_grouped(term: _Term, allowed: frozenset[str], name: str) -> None:
    if stray := sorted(term.bare - allowed):
        raise PlanError(f"'{name}' uses {stray[0]}, which is neither aggregated nor in group_by")


def _ordered(scope: _Scope, operation: DatabaseOperation, statement: Select[Any]) -> Select[Any]:
    for order in operation.order_by_clauses or []:
        label = scope.labels.get(order.field_or_expression)
        element: Element = label if label is not None else _order_term(scope, order).sql
        statement = statement.order_by(element.desc() if order.direction == "DESC" else element.asc())
    if operation.limit is not None:
        statement = statement.limit(operation.limit)
    if operation.offset:
        # Neither database has an offset without a limit; SQLAlchemy writes the largest one.
        statement = statement.offset(operation.offset)
    return statement


def _order_term(scope: _Scope, order: OrderBy) -> _Term:
    return _expression(scope, order.field_or_expression, "order clause", scope.aliases)


# -- expressions -----------------------------------------------------------------------------------------------------


def _field(scope: _Scope, text: str, clause: str) -> _Term:
    node = _parsed(text)
    if not isinstance(node, tree.Field):
        raise PlanError(f"'{text}' is no field; joins compare fields")
    return _resolve(scope, node, clause, None)


def _expression(scope: _Scope, text: str, clause: str, aliases: dict[str, _Term] | None = None) -> _Term:
    if aliases and text in aliases:
        return aliases[text]
    return _build(scope, _parsed(text), clause, aliases)


def _parsed(text: str) -> Node:
    try:
        return tree.parse(text)
    except ExpressionError as error:
        raise PlanError(str(error)) from None


def _resolve(scope: _Scope, node: tree.Field, clause: str, aliases: dict[str, _Term] | None) -> _Term:
    candidates = list(scope.tables.values())
    if node.table:
        candidates = [info for info in candidates if info.name.lower() == node.table.lower()]
        if not candidates:
            raise PlanError(_unknown_table_of(scope, node, clause))
    holders = [info for info in candidates if node.name.lower() in info.folded]
    if len(holders) > 1:
        choices = " or ".join(f"{info.name}.{info.folded[node.name.lower()]}" for info in holders)
        raise PlanError(f"Column '{node.name}' in '{clause}' is ambiguous; write {choices}")
    if not holders:
        if aliases and not node.table and node.name in aliases:
            return aliases[node.name]
        raise PlanError(_unknown_column(scope, node, clause, candidates, aliases or {}))
    info = holders[0]
    name = info.folded[node.name.lower()]
    sql = scope.clauses[info.name].c[name]
    return _Term(sql, frozenset({f"{info.name}.{name}"}), kind=info.columns[name].kind)


def _unknown_table_of(scope: _Scope, node: tree.Field, clause: str) -> str:
    asked = scope.catalogue.table(node.table or "")
    if asked is not None:
        return f"Unknown column '{node}' in '{clause}': '{asked.name}' is not joined; add it to joins"
    close = nearest(node.table or "", scope.tables) or scope.catalogue.nearest_table(node.table or "")
    return f"Unknown column '{node}' in '{clause}': there is no table '{node.table}'{_perhaps(close)}"


def _unknown_column(
    scope: _Scope, node: tree.Field, clause: str, tables: list[TableInfo], aliases: dict[str, _Term]
) -> str:
    names = {name: f"{info.name}.{name}" for info in tables for name in info.columns}
    close = nearest(node.name, [*names, *aliases])
    if close is None and (others := scope.catalogue.tables_with(node.name)):
        return f"Unknown column '{node}' in '{clause}'; {', '.join(others[:3])} has one of that name"
    return f"Unknown column '{node}' in '{clause}'{_perhaps(names.get(close, close) if close else None)}"


def _perhaps(name: str | None) -> str:
    return f"; did you mean '{name}'?" if name else ""


def _build(scope: _Scope, node: Node, clause: str, aliases: dict[str, _Term] | None) -> _Term:
    """The term for a tree. One branch a kind of node; anything that isn't here doesn't exist in SQL either."""

    def below(child: Node) -> _Term:
        return _build(scope, child, clause, aliases)

    match node:
        case tree.Field():
            return _resolve(scope, node, clause, aliases)
        case tree.Number(text):
            number = float(text) if "." in text else int(text)
            return _Term(literal(_value(number, _Term(null()), text)))
        case tree.Text(value):
            return _Term(literal(_value(value, _Term(null()), "an expression's text")))
        case tree.Null():
            return _Term(null())
        case tree.Star():
            raise PlanError("'*' can only be counted")
        case tree.Call():
            return _call(scope, node, clause, aliases)
        case tree.Negative(operand):
            term = below(operand)
            return _merge([term], -term.sql, "number")
        case tree.Arithmetic(sign, left, right):
            return _arithmetic(sign, below(left), below(right))
        case tree.Compare(sign, left, right):
            one, other = below(left), below(right)
            return _merge([one, other], _compare(sign, one.sql, other.sql))
        case tree.IsNull(operand, negated):
            term = below(operand)
            return _merge([term], term.sql.is_not(null()) if negated else term.sql.is_(null()))
        case tree.Not(operand):
            term = below(operand)
            return _merge([term], not_(term.sql))
        case tree.Logic(word, operands):
            terms = [below(operand) for operand in operands]
            return _merge(terms, (and_ if word == "AND" else or_)(*(term.sql for term in terms)))
        case tree.Case(branches, otherwise):
            pairs = [(below(condition), below(result)) for condition, result in branches]
            last = below(otherwise) if otherwise is not None else _Term(null())
            terms = [term for pair in pairs for term in pair] + [last]
            return _merge(terms, case(*((test.sql, result.sql) for test, result in pairs), else_=last.sql))


def _call(scope: _Scope, node: tree.Call, clause: str, aliases: dict[str, _Term] | None) -> _Term:
    name = node.function
    if name in AGGREGATES:
        return _aggregate_call(scope, node, clause)
    function = FUNCTIONS.get(name)
    if function is None:
        close = nearest(name, [*FUNCTIONS, *AGGREGATES])
        raise PlanError(f"Unknown function '{name}'{_perhaps(close)}; there are {', '.join([*AGGREGATES, *FUNCTIONS])}")
    if node.distinct:
        raise PlanError(f"DISTINCT is for aggregates, not for {name}")
    if not function.least <= len(node.arguments) <= function.most:
        wanted = str(function.least) if function.least == function.most else f"{function.least} to {function.most}"
        raise PlanError(f"{name} takes {wanted} arguments, not {len(node.arguments)}")
    terms = [_build(scope, argument, clause, aliases) for argument in node.arguments]
    try:
        sql = function.build("sqlite" if scope.catalogue.dialect == "sqlite" else "mysql", [term.sql for term in terms])
    except ValueError as error:
        raise PlanError(str(error)) from None
    return _merge(terms, sql, function.gives)


def _aggregate_call(scope: _Scope, node: tree.Call, clause: str) -> _Term:
    if clause in ("where clause", "group statement"):
        raise PlanError(f"{node.function} aggregates, which the {clause} can't; use having")
    if len(node.arguments) != 1:
        raise PlanError(f"{node.function} takes 1 argument, not {len(node.arguments)}")
    if isinstance(node.arguments[0], tree.Star):
        if node.function != "COUNT":
            raise PlanError("'*' can only be counted")
        return _Term(aggregate("COUNT", None), aggregated=True, kind="number")
    term = _build(scope, node.arguments[0], clause, None)
    if term.aggregated:
        raise PlanError(f"{node.function} holds another aggregate")
    return _aggregated(node.function, term, distinct=node.distinct)


def _arithmetic(sign: str, left: _Term, right: _Term) -> _Term:
    if {left.kind, right.kind} & {"date", "datetime"}:
        # MariaDB subtracts dates as numbers: 2023-03-01 minus 2023-01-15 would be 186.
        raise PlanError(f"Dates take no '{sign}'; for the days between two use DATEDIFF(later, earlier)")
    build: dict[str, Callable[[Element, Element], Element]] = {
        "+": lambda a, b: a + b,
        "-": lambda a, b: a - b,
        "*": lambda a, b: a * b,
        "/": divide,
        "%": remainder,
    }
    return _merge([left, right], build[sign](left.sql, right.sql), "number")


def _merge(terms: list[_Term], sql: Element, kind: str = "") -> _Term:
    return _Term(sql, _columns(terms), any(term.aggregated for term in terms), kind)


def _aggregated(name: str, term: _Term, *, distinct: bool = False) -> _Term:
    """MIN and MAX give what they take, the others numbers."""
    kind = term.kind if name in ("MIN", "MAX") else "number"
    return _Term(aggregate(name, term.sql, distinct), aggregated=True, kind=kind)


def _compare(sign: str, left: Element, right: Element) -> Element:
    compared: dict[str, Callable[[], Element]] = {
        "=": lambda: left == right,
        "!=": lambda: left != right,
        "<>": lambda: left != right,
        ">": lambda: left > right,
        ">=": lambda: left >= right,
        "<": lambda: left < right,
        "<=": lambda: left <= right,
    }
    return compared[sign]()
