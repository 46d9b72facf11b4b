"""Parses a plan's expressions to a tree, or an error with its position. Knows neither tables nor SQL.

    expression := term (("+" | "-") term)*          term := factor (("*" | "/" | "%") factor)*
    factor     := "-" factor | number | 'text' | column | call | case | "(" expression ")"
    column     := name ["." name]                   name := letters, digits, _ — or anything in `backticks`
    call       := name "(" ["DISTINCT"] [expression ("," expression)* | "*"] ")"
    case       := "CASE" ("WHEN" condition "THEN" expression)+ ["ELSE" expression] "END"
    condition  := and-ed and or-ed comparisons (= != <> < <= > >=, IS [NOT] NULL), NOT, parentheses

Nothing else can reach the database: no subquery, no comment, no second statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from servers.sim_testgeluran.nodes import (
    CONDITIONS,
    Arithmetic,
    Call,
    Case,
    Compare,
    Field,
    IsNull,
    Logic,
    Negative,
    Node,
    Not,
    Null,
    Number,
    Star,
    Text,
)

MAX_DEPTH = 40

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<number>\d+(?:\.\d+)?(?![\w.]))
    | (?P<text>'(?:[^'\\]|'')*')
    | (?P<name>(?:[^\W\d]\w*|`[^`]+`)(?:\.(?:\w+|`[^`]+`))?)
    | (?P<sign><=|>=|<>|!=|==|[-+*/%(),=<>])
    )""",
    re.VERBOSE,
)
_KEYWORDS = {"CASE", "WHEN", "THEN", "ELSE", "END", "AND", "OR", "NOT", "IS", "NULL", "DISTINCT"}
_CONSTANTS = {"CURRENT_DATE"}
_COMPARISONS = {"=": "=", "==": "=", "!=": "!=", "<>": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


class ExpressionError(ValueError):
    """The text is not a valid expression; the message says what is wrong and where."""


def parse(text: str) -> Node:
    """Parse an expression. Raises ExpressionError."""
    parser = _Parser(text)
    node = parser.expression()
    parser.end()
    return node


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    at: int

    @property
    def keyword(self) -> str:
        return self.text.upper() if self.kind == "name" else ""


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = _tokens(text)
        self._position = 0
        self._depth = 0

    def expression(self) -> Node:
        """Parse a value: arithmetic, not a condition."""
        return self._value(self._any())

    def end(self) -> None:
        if self._here.kind != "end":
            raise self._unexpected()

    # From the loosest to the tightest binding. One descent parses conditions and arithmetic, so that a parenthesis
    # needs no second attempt; `_value` and `_truth` then check which of both is allowed.

    def _any(self) -> Node:
        nodes = [self._all()]
        while self._take_word("OR"):
            nodes.append(self._all())
        return nodes[0] if len(nodes) == 1 else Logic("OR", tuple(self._truth(node) for node in nodes))

    def _all(self) -> Node:
        nodes = [self._test()]
        while self._take_word("AND"):
            nodes.append(self._test())
        return nodes[0] if len(nodes) == 1 else Logic("AND", tuple(self._truth(node) for node in nodes))

    def _test(self) -> Node:
        if self._take_word("NOT"):
            with self._deeper():
                return Not(self._truth(self._test()))
        left = self._sum()
        if self._take_word("IS"):
            negated = self._take_word("NOT")
            self._expect_word("NULL")
            return IsNull(self._value(left), negated)
        if sign := self._take_sign(*_COMPARISONS):
            return Compare(_COMPARISONS[sign], self._value(left), self._value(self._sum()))
        return left

    def _sum(self) -> Node:
        node = self._product()
        while sign := self._take_sign("+", "-"):
            node = Arithmetic(sign, self._value(node), self._value(self._product()))
        return node

    def _product(self) -> Node:
        node = self._factor()
        while sign := self._take_sign("*", "/", "%"):
            node = Arithmetic(sign, self._value(node), self._value(self._factor()))
        return node

    def _factor(self) -> Node:
        with self._deeper():
            if self._take_sign("-"):
                return Negative(self._value(self._factor()))
            if self._take_sign("("):
                node = self._any()
                self._expect_sign(")")
                return node
            return self._operand()

    def _operand(self) -> Node:
        token = self._here
        if token.kind not in ("number", "text", "name") or token.keyword in _KEYWORDS - {"CASE", "NULL"}:
            raise self._unexpected()
        self._position += 1
        if token.kind == "number":
            return Number(token.text)
        if token.kind == "text":
            return Text(token.text[1:-1].replace("''", "'"))
        if token.keyword == "CASE":
            return self._case()
        if token.keyword == "NULL":
            return Null()
        if self._take_sign("("):
            return self._call(token)
        if token.keyword in _CONSTANTS:
            return Call(token.keyword, ())
        return _field(token.text)

    def _call(self, name: _Token) -> Call:
        if not name.text.replace("_", "").isalnum():
            raise ExpressionError(f"'{name.text}' is no function's name (position {name.at + 1}).")
        distinct = self._take_word("DISTINCT")
        if self._take_sign("*"):
            self._expect_sign(")")
            return Call(name.keyword, (Star(),), distinct)
        if self._take_sign(")"):
            return Call(name.keyword, (), distinct)
        first = self._any()
        arguments = [self._truth(first) if name.keyword == "IF" else self._value(first)]
        while self._take_sign(","):
            arguments.append(self.expression())
        self._expect_sign(")")
        return Call(name.keyword, tuple(arguments), distinct)

    def _case(self) -> Case:
        branches = []
        while self._take_word("WHEN"):
            condition = self._truth(self._any())
            self._expect_word("THEN")
            branches.append((condition, self.expression()))
        if not branches:
            raise self._unexpected("WHEN")
        otherwise = self.expression() if self._take_word("ELSE") else None
        self._expect_word("END")
        return Case(tuple(branches), otherwise)

    @contextmanager
    def _deeper(self) -> Iterator[None]:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ExpressionError(f"The expression is nested more than {MAX_DEPTH} deep.")
        yield
        self._depth -= 1

    def _value(self, node: Node) -> Node:
        if isinstance(node, CONDITIONS):
            raise ExpressionError(f"Can't read the expression '{_short(self._text)}': a condition stands for a value.")
        return node

    def _truth(self, node: Node) -> Node:
        if not isinstance(node, CONDITIONS):
            raise ExpressionError(f"Can't read the expression '{_short(self._text)}': a value stands for a condition.")
        return node

    @property
    def _here(self) -> _Token:
        return self._tokens[self._position]

    def _take_sign(self, *signs: str) -> str:
        token = self._here
        if token.kind == "sign" and token.text in signs:
            self._position += 1
            return token.text
        return ""

    def _take_word(self, word: str) -> bool:
        if self._here.keyword != word:
            return False
        self._position += 1
        return True

    def _expect_sign(self, sign: str) -> None:
        if not self._take_sign(sign):
            raise self._unexpected(f"'{sign}'")

    def _expect_word(self, word: str) -> None:
        if not self._take_word(word):
            raise self._unexpected(word)

    def _unexpected(self, wanted: str = "") -> ExpressionError:
        token = self._here
        found = f"'{token.text}' at position {token.at + 1}" if token.kind != "end" else "the end"
        expected = f", expected {wanted}" if wanted else ""
        return ExpressionError(f"Can't read the expression '{_short(self._text)}': unexpected {found}{expected}.")


def _tokens(text: str) -> list[_Token]:
    tokens, position = [], 0
    while text[position:].strip():
        match = _TOKEN.match(text, position)
        if match is None:
            at = position + len(text[position:]) - len(text[position:].lstrip())
            raise ExpressionError(
                f"Can't read the expression '{_short(text)}': unexpected '{text[at]}' at position {at + 1}."
            )
        kind = match.lastgroup or ""
        tokens.append(_Token(kind, match[kind], match.start(kind)))
        position = match.end()
    return [*tokens, _Token("end", "", len(text))]


def _field(text: str) -> Field:
    parts = re.findall(r"`([^`]+)`|([^.`]+)", text)
    names = [quoted or bare for quoted, bare in parts]
    return Field(names[0], names[1]) if len(names) == 2 else Field(None, names[0])


def _short(text: str) -> str:
    return text if len(text) <= 80 else text[:77] + "…"
