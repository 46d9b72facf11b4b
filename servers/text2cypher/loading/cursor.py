"""A cursor over a loading script's tokens, the loaded objects, and errors with line numbers. Reads no expressions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from servers.text2cypher.cypher.cursor import TokenCursor
from servers.text2cypher.cypher.tokens import CypherSyntaxError, Token


class ScriptError(ValueError):
    """A script that can't be parsed or executed; the message says on which line and what to do."""


@dataclass
class Node:
    """A node being loaded."""

    number: int
    labels: tuple[str, ...]
    properties: dict[str, Any] = field(default_factory=dict)


@dataclass
class Relation:
    """A relationship being loaded."""

    kind: str
    start: Node
    end: Node
    properties: dict[str, Any] = field(default_factory=dict)


class Cursor(TokenCursor):
    """Over the tokens of one statement of a script."""

    def __init__(self, text: str, tokens: list[Token]) -> None:
        super().__init__(tokens)
        self.script = text

    def take(self, expected: str = "") -> Token:
        """The next token, which must be `expected` if that is given. Raises ScriptError."""
        token = self.peek()
        if token is None or (expected and token.text.upper() != expected):
            raise self.wrong(f"expected {expected or 'more'}")
        self.at += 1
        return token

    def name(self) -> str:
        """A plain or backquoted name. Raises ScriptError."""
        token = self.take()
        if not token.is_name:
            raise self.wrong("expected a name", -1)
        return token.value

    def wrong(self, what: str, ahead: int = 0) -> ScriptError:
        """The error for the current position."""
        token = self.peek(ahead) or (self.tokens[-1] if self.tokens else None)
        line = self.script.count("\n", 0, token.start) + 1 if token else 1
        return ScriptError(f"line {line}: {what}, not {token.text!r}" if token else f"line {line}: {what}")


def reading(error: CypherSyntaxError, script: str) -> ScriptError:
    """A tokenizer error with its line."""
    return ScriptError(f"line {script.count(chr(10), 0, error.offset) + 1}: {error}")
