"""Expressions of a loading script: parsed from tokens, evaluated for one row of bindings. No patterns, no clauses."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from servers.text2cypher.cypher.tokens import Kind, Token
from servers.text2cypher.loading.cursor import Cursor

Expression = Callable[[Mapping[str, Any]], Any]
"""A function from a row's bindings to a value."""


def _add(a: Any, b: Any) -> Any:
    return f"{a}{b}" if isinstance(a, str) or isinstance(b, str) else a + b


def _unless_null(how: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda a, b: None if a is None or b is None else how(a, b)


_COMPARISONS = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}
_OPERATORS: tuple[dict[str, Callable[[Any, Any], Any]], ...] = (
    {"OR": lambda a, b: a or b},
    {"AND": lambda a, b: a and b},
    {sign: _unless_null(how) for sign, how in _COMPARISONS.items()},
    {"+": _unless_null(_add), "-": _unless_null(operator.sub)},
    {"*": _unless_null(operator.mul), "/": _unless_null(operator.truediv)},
)
"""The operators between two values, from the loosest to the tightest."""
_TEST, _SUM = 2, 3


def expression(cursor: Cursor, level: int = 0) -> Expression:
    """Parses operators of this level of _OPERATORS and of tighter ones. Raises ScriptError."""
    if level == len(_OPERATORS):
        return _single(cursor)
    if level == _TEST and cursor.skip("NOT"):
        denied = expression(cursor, _TEST)
        return lambda row: not denied(row)
    left = expression(cursor, level + 1)
    if level == _TEST and cursor.skip("IS", "NOT", "NULL"):
        return lambda row: left(row) is not None
    if level == _TEST and cursor.skip("IS", "NULL"):
        return lambda row: left(row) is None
    while (how := _OPERATORS[level].get(cursor.text().upper())) is not None:
        cursor.at += 1
        left = _joined(left, expression(cursor, level + 1), how)
    return left


def conjuncts(cursor: Cursor) -> list[tuple[Expression, tuple[str, str] | None, Expression | None]]:
    """A WHERE split at its ANDs: (test, the (variable, name) of a property that it fixes, the required value)."""
    found = []
    while True:
        begin = cursor.at
        test = expression(cursor, _TEST)
        fixed: tuple[str, str] | None = None
        other: Expression | None = None
        if _is_property(cursor, begin) and cursor.tokens[begin + 3].text == "=":
            fixed = (cursor.tokens[begin].value, cursor.tokens[begin + 2].value)
            other = expression(_part(cursor, begin + 4), _SUM)
        found.append((test, fixed, other))
        if cursor.word("OR", "XOR"):
            raise cursor.wrong("only conditions joined by AND are read here")
        if not cursor.skip("AND"):
            return found


def _is_property(cursor: Cursor, at: int) -> bool:
    held = cursor.tokens[at : at + 4]
    return len(held) == 4 and held[0].is_name and held[1].text == "." and held[2].is_name


def _part(cursor: Cursor, begin: int) -> Cursor:
    part = Cursor(cursor.script, cursor.tokens[: cursor.at])
    part.at = begin
    return part


def _joined(left: Expression, right: Expression, how: Callable[[Any, Any], Any]) -> Expression:
    return lambda row: how(left(row), right(row))


def _single(cursor: Cursor) -> Expression:
    found = _primary(cursor)
    while cursor.text() in (".", "["):
        if cursor.take().text == ".":
            found = _property(found, cursor.name())
        else:
            found = _joined(found, expression(cursor), lambda held, place: held[place])
            cursor.take("]")
    return found


def _property(of: Expression, name: str) -> Expression:
    def read(row: Mapping[str, Any]) -> Any:
        held = of(row)
        return held.get(name) if isinstance(held, dict) else getattr(held, "properties", {}).get(name)

    return read


_CONSTANTS = {"TRUE": True, "FALSE": False, "NULL": None}


def _primary(cursor: Cursor) -> Expression:
    token = cursor.take()
    if token.kind in (Kind.STRING, Kind.NUMBER):
        return _constant(_literal(token))
    if token.text in _OPENED:
        return _OPENED[token.text](cursor)
    if not token.is_name:
        raise cursor.wrong("expected a value", -1)
    if token.text.upper() in _CONSTANTS:
        return _constant(_CONSTANTS[token.text.upper()])
    return _call(cursor, token) if cursor.text() == "(" else lambda row: row.get(token.value)


def _constant(value: Any) -> Expression:
    return lambda _: value


def _literal(token: Token) -> Any:
    if token.kind is Kind.STRING:
        return token.value
    return float(token.text) if set(token.text.lower()) & set(".e") else int(token.text)


def _negative(cursor: Cursor) -> Expression:
    inner = _single(cursor)
    return lambda row: -inner(row)


def _whole(cursor: Cursor) -> Expression:
    inner = expression(cursor)
    cursor.take(")")
    return inner


def _list(cursor: Cursor) -> Expression:
    items = _listed(cursor, "]")
    return lambda row: [item(row) for item in items]


def _map(cursor: Cursor) -> Expression:
    cursor.at -= 1
    return mapping(cursor)


_OPENED: dict[str, Callable[[Cursor], Expression]] = {"-": _negative, "(": _whole, "[": _list, "{": _map}


def _listed(cursor: Cursor, closer: str) -> list[Expression]:
    items: list[Expression] = []
    while cursor.text() != closer:
        items.append(expression(cursor))
        if cursor.text() != closer:
            cursor.take(",")
    cursor.take(closer)
    return items


def mapping(cursor: Cursor) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """Parses `{name: value, …}`. Raises ScriptError."""
    cursor.take("{")
    held: dict[str, Expression] = {}
    while cursor.text() != "}":
        name = cursor.name()
        cursor.take(":")
        held[name] = expression(cursor)
        if cursor.text() != "}":
            cursor.take(",")
    cursor.take("}")
    return lambda row: {name: value(row) for name, value in held.items()}


def _number(kind: type) -> Callable[[Any], Any]:
    def convert(text: Any) -> Any:
        try:
            return None if text is None else kind(float(text))
        except (TypeError, ValueError):
            return None

    return convert


def _truth(text: Any) -> Any:
    return text if isinstance(text, bool) else {"true": True, "false": False}.get(str(text).lower())


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "TOINTEGER": _number(int),
    "TOINT": _number(int),
    "TOFLOAT": _number(float),
    "TOBOOLEAN": _truth,
    "TOSTRING": lambda value: None if value is None else str(value),
    "TOLOWER": lambda text: text and text.lower(),
    "TOUPPER": lambda text: text and text.upper(),
    "TRIM": lambda text: text and text.strip(),
    "SPLIT": lambda text, mark: None if text is None else text.split(mark),
    "COALESCE": lambda *values: next((value for value in values if value is not None), None),
    "RANGE": lambda low, high, step=1: list(range(low, high + 1, step)),
    "SIZE": len,
    "DATE": lambda text: text,
    "DATETIME": lambda text: text,
    "LOCALDATETIME": lambda text: text,
}
"""The functions of Cypher that a loading script is likely to call; dates stay texts."""


def _call(cursor: Cursor, name: Token) -> Expression:
    function = _FUNCTIONS.get(name.text.upper())
    if function is None:
        known = ", ".join(word.lower() for word in _FUNCTIONS)
        raise cursor.wrong(f"a script may call {known}", -1)
    cursor.take("(")
    arguments = _listed(cursor, ")")
    return lambda row: function(*(argument(row) for argument in arguments))
