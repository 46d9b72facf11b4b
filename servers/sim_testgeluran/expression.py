"""Parses a plan's expressions to sqlglot's trees, or an error with its position. Knows neither tables nor SQL.

The grammar is sqlglot's, the tokens are only these: names (letters, digits, _, or anything in `backticks`), numbers,
'texts', brackets, arithmetic, comparisons and the words below. So there is no comment and no second statement, and a
call is its name with its arguments. terms.py refuses every node that isn't in its list, such as a subquery.
"""

from __future__ import annotations

import re
from typing import ClassVar

from sqlglot import exp
from sqlglot.errors import ParseError
from sqlglot.parser import Parser
from sqlglot.tokenizer_core import Token, TokenType
from sqlglot.tokens import Tokenizer

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<name>[^\W\d]\w*|(?<=\.)\w+)
    | (?P<number>\d+(?:\.\d+)?(?![\w.]))
    | '(?P<text>(?:[^'\\]|'')*)'
    | `(?P<quoted>[^`]+)`
    | (?P<sign><=|>=|<>|!=|==|[-+*/%(),.=<>])
    )""",
    re.VERBOSE,
)
_KINDS = {"number": TokenType.NUMBER, "text": TokenType.STRING, "name": TokenType.VAR, "quoted": TokenType.IDENTIFIER}
_SIGNS = {**Tokenizer.SINGLE_TOKENS, **Tokenizer.KEYWORDS}
_WORDS = {word: getattr(TokenType, word) for word in "CASE WHEN THEN ELSE END AND OR NOT IS NULL DISTINCT".split()}


class ExpressionError(ValueError):
    """The text is not a valid expression; the message says what is wrong and where."""


class _Parser(Parser):
    """sqlglot's, without a meaning for any function; % binds like *."""

    FUNCTIONS: ClassVar = {}
    FUNCTION_PARSERS: ClassVar = {}
    NO_PAREN_FUNCTIONS: ClassVar = {}
    NO_PAREN_FUNCTION_PARSERS: ClassVar = {"CASE": Parser.NO_PAREN_FUNCTION_PARSERS["CASE"]}
    TERM: ClassVar = {kind: node for kind, node in Parser.TERM.items() if kind != TokenType.MOD}
    FACTOR: ClassVar = {**Parser.FACTOR, TokenType.MOD: exp.Mod}


def parse(text: str) -> exp.Expr:
    """Parse an expression. Raises ExpressionError."""
    try:
        found = _Parser().parse(_tokens(text), text)
    except ParseError as error:
        fault = error.errors[0]
        raise _unexpected(text, str(fault["highlight"]), int(fault["col"] or 0)) from None
    except RecursionError:
        raise ExpressionError("The expression is nested too deeply.") from None
    if len(found) != 1 or found[0] is None:
        raise _unexpected(text, "", len(text))
    return found[0]


def _tokens(text: str) -> list[Token]:
    tokens, position = [], 0
    while text[position:].strip():
        match = _TOKEN.match(text, position)
        if match is None:
            at = position + len(text[position:]) - len(text[position:].lstrip())
            raise _unexpected(text, text[at], at)
        kind = match.lastgroup or ""
        found, at, position = match[kind], match.start(kind), match.end()
        known = _KINDS.get(kind) or _SIGNS[found]
        known = _WORDS.get(found.upper(), known) if kind == "name" else known
        tokens.append(Token(known, found.replace("''", "'") if kind == "text" else found, 1, at, at, position - 1))
    return tokens


def _unexpected(text: str, found: str, at: int) -> ExpressionError:
    shown = text if len(text) <= 80 else text[:77] + "…"
    where = f"'{found}' at position {at + 1}" if found else "the end"
    return ExpressionError(f"Can't read the expression '{shown}': unexpected {where}.")
