"""Builds SQLAlchemy expressions from a plan's: a closed set of nodes and functions. Parses no text itself."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import and_, case, not_, null, or_

from servers.common.catalogue import nearest
from servers.sim_testgeluran import nodes as tree
from servers.sim_testgeluran.expression import ExpressionError, parse
from servers.sim_testgeluran.functions import AGGREGATES, FUNCTIONS, aggregate, divide, remainder
from servers.sim_testgeluran.nodes import Node
from servers.sim_testgeluran.scope import Element, PlanError, Scope, Term, columns_of, perhaps, resolve
from servers.sim_testgeluran.values import bound, compare, value_of


def field_of(scope: Scope, text: str, clause: str) -> Term:
    node = _parsed(text)
    if not isinstance(node, tree.Field):
        raise PlanError(f"'{text}' is no field; joins compare fields")
    return resolve(scope, node, clause, None)


def expression(scope: Scope, text: str, clause: str, aliases: dict[str, Term] | None = None) -> Term:
    if aliases and text in aliases:
        return aliases[text]
    return _build(scope, _parsed(text), clause, aliases)


def _parsed(text: str) -> Node:
    try:
        return parse(text)
    except ExpressionError as error:
        raise PlanError(str(error)) from None


def _build(scope: Scope, node: Node, clause: str, aliases: dict[str, Term] | None) -> Term:
    """Return the term for a tree. A node without a branch here can't reach SQL."""
    match node:
        case tree.Field():
            return resolve(scope, node, clause, aliases)
        case tree.Number(text):
            number = float(text) if "." in text else int(text)
            return Term(bound(value_of(number, Term(null()), text), scope.dialect))
        case tree.Text(value):
            return Term(bound(value_of(value, Term(null()), "an expression's text"), scope.dialect))
        case tree.Null():
            return Term(null())
        case tree.Star():
            raise PlanError("'*' can only be counted")
        case tree.Call():
            return _call(scope, node, clause, aliases)
    return _combined(scope, node, lambda child: _build(scope, child, clause, aliases))


def _combined(scope: Scope, node: Node, below: Callable[[Node], Term]) -> Term:
    """Return the term for a node made of others."""
    match node:
        case tree.Negative(operand):
            term = below(operand)
            return merge([term], -term.sql, "number")
        case tree.Arithmetic(sign, left, right):
            return _arithmetic(sign, below(left), below(right), scope.dialect)
        case tree.Compare(sign, left, right):
            one, other = below(left), below(right)
            return merge([one, other], compare(sign, one.sql, other.sql))
        case tree.IsNull(operand, negated):
            term = below(operand)
            return merge([term], term.sql.is_not(null()) if negated else term.sql.is_(null()))
        case tree.Not(operand):
            term = below(operand)
            return merge([term], not_(term.sql))
        case tree.Logic(word, operands):
            terms = [below(operand) for operand in operands]
            return merge(terms, (and_ if word == "AND" else or_)(*(term.sql for term in terms)))
        case tree.Case(branches, otherwise):
            pairs = [(below(condition), below(result)) for condition, result in branches]
            last = below(otherwise) if otherwise is not None else Term(null())
            terms = [term for pair in pairs for term in pair] + [last]
            return merge(terms, case(*((test.sql, result.sql) for test, result in pairs), else_=last.sql))
    raise PlanError(f"{type(node).__name__} can't be written as SQL")


def _call(scope: Scope, node: tree.Call, clause: str, aliases: dict[str, Term] | None) -> Term:
    name = node.function
    if name in AGGREGATES:
        return _aggregate_call(scope, node, clause)
    function = FUNCTIONS.get(name)
    if function is None:
        close = nearest(name, [*FUNCTIONS, *AGGREGATES])
        raise PlanError(f"Unknown function '{name}'{perhaps(close)}; there are {', '.join([*AGGREGATES, *FUNCTIONS])}")
    if node.distinct:
        raise PlanError(f"DISTINCT is for aggregates, not for {name}")
    if not function.least <= len(node.arguments) <= function.most:
        wanted = str(function.least) if function.least == function.most else f"{function.least} to {function.most}"
        raise PlanError(f"{name} takes {wanted} arguments, not {len(node.arguments)}")
    terms = [_build(scope, argument, clause, aliases) for argument in node.arguments]
    try:
        sql = function.build(scope.dialect, [term.sql for term in terms])
    except ValueError as error:
        raise PlanError(str(error)) from None
    return merge(terms, sql, function.gives)


def _aggregate_call(scope: Scope, node: tree.Call, clause: str) -> Term:
    if clause in ("where clause", "group statement"):
        raise PlanError(f"{node.function} aggregates, which the {clause} can't; use having")
    if len(node.arguments) != 1:
        raise PlanError(f"{node.function} takes 1 argument, not {len(node.arguments)}")
    if isinstance(node.arguments[0], tree.Star):
        if node.function != "COUNT":
            raise PlanError("'*' can only be counted")
        return Term(aggregate("COUNT", None), aggregated=True, kind="number")
    term = _build(scope, node.arguments[0], clause, None)
    if term.aggregated:
        raise PlanError(f"{node.function} holds another aggregate")
    return aggregated(node.function, term, distinct=node.distinct)


def _arithmetic(sign: str, left: Term, right: Term, dialect: str) -> Term:
    if {left.kind, right.kind} & {"date", "datetime"}:
        # MariaDB subtracts dates as numbers: 2023-03-01 minus 2023-01-15 would be 186.
        raise PlanError(f"Dates take no '{sign}'; for the days between two use DATEDIFF(later, earlier)")
    build: dict[str, Callable[[Element, Element], Element]] = {
        "+": lambda a, b: a + b,
        "-": lambda a, b: a - b,
        "*": lambda a, b: a * b,
        "/": lambda a, b: divide(a, b, dialect),
        "%": remainder,
    }
    return merge([left, right], build[sign](left.sql, right.sql), "number")


def merge(terms: list[Term], sql: Element, kind: str = "") -> Term:
    return Term(sql, columns_of(terms), any(term.aggregated for term in terms), kind)


def aggregated(name: str, term: Term, *, distinct: bool = False) -> Term:
    """Aggregate a term; MIN and MAX keep its type, the others give numbers."""
    kind = term.kind if name in ("MIN", "MAX") else "number"
    return Term(aggregate(name, term.sql, distinct), aggregated=True, kind=kind)
