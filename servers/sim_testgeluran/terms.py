"""Builds SQLAlchemy expressions from a plan's: a closed set of nodes and functions. Parses no text itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sqlalchemy import and_, case, not_, null, or_
from sqlglot import exp

from servers.common.catalogue import nearest
from servers.sim_testgeluran.expression import ExpressionError, parse
from servers.sim_testgeluran.functions import AGGREGATES, FUNCTIONS, aggregate, divide, remainder
from servers.sim_testgeluran.scope import Element, PlanError, Scope, Term, columns_of, perhaps, resolve
from servers.sim_testgeluran.values import bound, compare, value_of

Below = Callable[[exp.Expr], Term]
"""Returns the term for a node inside another."""
_COMPARED: Mapping[type[exp.Expr], str] = {
    exp.EQ: "=", exp.NEQ: "!=", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=",
}  # fmt: skip
_RECKONED: Mapping[type[exp.Expr], Callable[[Element, Element, str], Element]] = {
    exp.Add: lambda left, right, _: left + right,
    exp.Sub: lambda left, right, _: left - right,
    exp.Mul: lambda left, right, _: left * right,
    exp.Div: divide,
    exp.Mod: lambda left, right, _: remainder(left, right),
}
"""Arithmetic on (left, right, the database's kind)."""
_CONDITIONS = (*_COMPARED, exp.Is, exp.Not, exp.And, exp.Or)
_CONSTANT = "CURRENT_DATE"
"""A function that is called without brackets."""


def field_of(scope: Scope, text: str, clause: str) -> Term:
    node = _parsed(scope, text)
    if not isinstance(node, exp.Column):
        raise PlanError(f"'{text}' is no field; joins compare fields")
    return resolve(scope, node, clause, None)


def expression(scope: Scope, text: str, clause: str, aliases: dict[str, Term] | None = None) -> Term:
    if aliases and text in aliases:
        return aliases[text]
    return _value(_parsed(scope, text), lambda node: _build(scope, node, clause, aliases))


def _parsed(scope: Scope, text: str) -> exp.Expr:
    """Return the tree of an expression, or of a column's name as it is, whatever it is made of: `Unit Price`, `1st`."""
    table, _, name = text.rpartition(".")
    for of, called in (("", text), (table, name)):
        if any(each.column(called) for each in scope.tables.values() if of in ("", each.name)):
            return exp.column(called, of or None, quoted=True)
    try:
        return parse(text)
    except ExpressionError as error:
        raise PlanError(str(error)) from None


def _build(scope: Scope, node: exp.Expr, clause: str, aliases: dict[str, Term] | None) -> Term:
    """Return the term for a tree. A node without a branch here can't reach SQL."""
    match node:
        case exp.Column() if node.name.upper() == _CONSTANT and not node.this.args["quoted"]:
            return _call(scope, exp.Anonymous(this=_CONSTANT), clause, aliases)
        case exp.Column() if not node.args.get("db"):
            return resolve(scope, node, clause, aliases)
        case exp.Literal(is_string=True):
            return Term(bound(value_of(node.name, Term(null()), "an expression's text"), scope.dialect))
        case exp.Literal():
            number = float(node.name) if "." in node.name else int(node.name)
            return Term(bound(value_of(number, Term(null()), node.name), scope.dialect))
        case exp.Null():
            return Term(null())
        case exp.Star():
            raise PlanError("'*' can only be counted")
        case exp.Anonymous():
            return _call(scope, node, clause, aliases)
    return _combined(scope, node, lambda child: _build(scope, child, clause, aliases))


def _combined(scope: Scope, node: exp.Expr, below: Below) -> Term:
    """Return the term for a node made of others."""
    match node:
        case exp.Paren():
            return below(node.this)
        case exp.Neg():
            term = _value(node.this, below)
            return merge([term], -term.sql, "number")
        case exp.Is(expression=exp.Null()):
            term = _value(node.this, below)
            return merge([term], term.sql.is_(null()))
        case exp.Not():
            term = _truth(node.this, below)
            return merge([term], not_(term.sql))
        case exp.And() | exp.Or():
            terms = [_truth(side, below) for side in (node.this, node.expression)]
            return merge(terms, (and_ if isinstance(node, exp.And) else or_)(*(term.sql for term in terms)))
        case exp.Case(this=None):
            pairs = [(_truth(each.this, below), _value(each.args["true"], below)) for each in node.args["ifs"]]
            last = _value(otherwise, below) if (otherwise := node.args.get("default")) else Term(null())
            terms = [term for pair in pairs for term in pair] + [last]
            return merge(terms, case(*((test.sql, result.sql) for test, result in pairs), else_=last.sql))
    if type(node) not in {*_COMPARED, *_RECKONED}:
        raise PlanError(f"An expression takes no {node.key}: '{str(node.sql())[:60]}'")
    left, right = _value(node.this, below), _value(node.expression, below)
    if reckon := _RECKONED.get(type(node)):
        if {left.kind, right.kind} & {"date", "datetime"}:
            # MariaDB subtracts dates as numbers: 2023-03-01 minus 2023-01-15 would be 186.
            days = "for the days between two use DATEDIFF(later, earlier)"
            raise PlanError(f"Dates take no arithmetic: '{str(node.sql())[:60]}'; {days}")
        return merge([left, right], reckon(left.sql, right.sql, scope.dialect), "number")
    return merge([left, right], compare(_COMPARED[type(node)], left.sql, right.sql))


def _value(node: exp.Expr, below: Below) -> Term:
    if isinstance(node.unnest(), _CONDITIONS):
        raise PlanError(f"A condition stands for a value: '{str(node.sql())[:60]}'")
    return below(node)


def _truth(node: exp.Expr, below: Below) -> Term:
    if not isinstance(node.unnest(), _CONDITIONS):
        raise PlanError(f"A value stands for a condition: '{str(node.sql())[:60]}'")
    return below(node)


def _call(scope: Scope, node: exp.Anonymous, clause: str, aliases: dict[str, Term] | None) -> Term:
    name, arguments = node.name.upper(), list(node.expressions)
    if name in AGGREGATES:
        return _aggregate_call(scope, name, arguments, clause)
    function = FUNCTIONS.get(name)
    if function is None:
        close = nearest(name, [*FUNCTIONS, *AGGREGATES])
        raise PlanError(f"Unknown function '{name}'{perhaps(close)}; there are {', '.join([*AGGREGATES, *FUNCTIONS])}")
    if arguments and isinstance(arguments[0], exp.Distinct):
        raise PlanError(f"DISTINCT is for aggregates, not for {name}")
    if not function.least <= len(arguments) <= function.most:
        wanted = str(function.least) if function.least == function.most else f"{function.least} to {function.most}"
        raise PlanError(f"{name} takes {wanted} arguments, not {len(arguments)}")

    def below(argument: exp.Expr) -> Term:
        return _build(scope, argument, clause, aliases)

    reads = [_truth if name == "IF" and place == 0 else _value for place in range(len(arguments))]
    terms = [read(argument, below) for read, argument in zip(reads, arguments, strict=True)]
    try:
        sql = function.build(scope.dialect, [term.sql for term in terms])
    except ValueError as error:
        raise PlanError(str(error)) from None
    return merge(terms, sql, function.gives)


def _aggregate_call(scope: Scope, name: str, arguments: list[exp.Expr], clause: str) -> Term:
    if clause in ("where clause", "group statement"):
        raise PlanError(f"{name} aggregates, which the {clause} can't; use having")
    distinct = bool(arguments) and isinstance(arguments[0], exp.Distinct)
    arguments = list(arguments[0].expressions) if distinct else arguments
    if len(arguments) != 1:
        raise PlanError(f"{name} takes 1 argument, not {len(arguments)}")
    if arguments[0] == exp.Star():
        if name != "COUNT":
            raise PlanError("'*' can only be counted")
        return Term(aggregate("COUNT", None), aggregated=True, kind="number")
    term = _value(arguments[0], lambda argument: _build(scope, argument, clause, None))
    if term.aggregated:
        raise PlanError(f"{name} holds another aggregate")
    return aggregated(name, term, distinct=distinct)


def merge(terms: list[Term], sql: Element, kind: str = "") -> Term:
    return Term(sql, columns_of(terms), any(term.aggregated for term in terms), kind)


def aggregated(name: str, term: Term, *, distinct: bool = False) -> Term:
    """Aggregate a term; MIN and MAX keep its type, the others give numbers."""
    kind = term.kind if name in ("MIN", "MAX") else "number"
    return Term(aggregate(name, term.sql, distinct), aggregated=True, kind=kind)
