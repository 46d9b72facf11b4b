"""Reads node and relationship patterns of a query into a Structure. A subclass reads the expressions in them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from servers.text2cypher.cypher.brackets import OPENERS
from servers.text2cypher.cypher.cursor import TokenCursor
from servers.text2cypher.cypher.records import NodePattern, RelationshipPattern, Structure
from servers.text2cypher.cypher.tokens import CypherSyntaxError, Kind, Token
from servers.text2cypher.linking.language import message


class PatternReader(TokenCursor, ABC):
    """A cursor over the tokens that fills a Structure."""

    def __init__(self, tokens: list[Token]) -> None:
        super().__init__(tokens)
        self.structure = Structure(tokens)

    @abstractmethod
    def atom(self, token: Token, clause: str) -> int:
        """Consumes one piece of an expression; returns the change of depth beyond the token itself."""

    def take(self, expected: str = "") -> Token:
        """The next token; `expected`, in upper case, if that is given. Raises CypherSyntaxError."""
        token = self.peek()
        if token is None:
            raise CypherSyntaxError(message("ends_early", expected=expected or message("more")), self._end())
        if expected and token.text.upper() != expected:
            raise CypherSyntaxError(
                message("expected", expected=expected, text=token.text, at=token.start), token.start
            )
        self.at += 1
        return token

    def _end(self) -> int:
        return self.tokens[-1].end if self.tokens else 0

    def pattern(self, match: int) -> None:
        """Reads `[p =] (a)-[r:T]->(b)…`, also inside shortestPath( … )."""
        token = self.peek()
        if token is not None and token.is_name and self.text(1) == "=":
            self.structure.bound.add(token.value)
            self.at += 2
        wrapped = self.word("SHORTESTPATH", "ALLSHORTESTPATHS") and self.text(1) == "("
        if wrapped:
            self.at += 2
        left = self.node()
        while self.text() in ("-", "<"):
            left = self.relationship(left, match)
        if wrapped:
            self.take(")")

    def node(self) -> int:
        """Reads `(a:Label {key: value} WHERE …)` and returns its index in `structure.nodes`."""
        opener = self.take("(")
        variable = None
        if (token := self.peek()) is not None and token.is_name and not token.is_word("WHERE"):
            variable = self.take().value
        labels = self.labels()
        keys = self.keys() if self.text() == "{" else ()
        where = None
        if self.word("WHERE"):
            begin = self.take().start
            self.until(lambda token: token.text == ")", "WHERE")
            where = (begin, self.tokens[self.at - 1].end)
        closer = self.take(")")
        if variable is not None:
            self.structure.bound.add(variable)
        self.structure.nodes.append(NodePattern(variable, labels, keys, opener.start, closer.end, where))
        return len(self.structure.nodes) - 1

    def until(self, ends: Callable[[Token], bool], clause: str) -> None:
        """Consumes pieces of an expression up to the first token outside brackets for which `ends` holds."""
        depth = 0
        while (token := self.peek()) is not None and (depth or not ends(token)):
            depth += (token.text in OPENERS) - (token.text in OPENERS.values())
            depth = max(depth + self.atom(token, clause), 0)

    def labels(self) -> tuple[str, ...]:
        found: list[str] = []
        while self.text() in (":", "|", "&"):
            self.at += 1
            self.skip(":")
            self._refuse("!", message("no_denied_type"))
            name = self.take()
            if not name.is_name:
                raise CypherSyntaxError(message("no_name", text=name.text, at=name.start), name.start)
            found.append(name.value)
        return tuple(found)

    def keys(self) -> tuple[tuple[str, Token | None], ...]:
        self.take("{")
        found: list[tuple[str, Token | None]] = []
        while self.text() != "}":
            name = self.take()
            if not name.is_name:
                raise CypherSyntaxError(message("no_property_name", text=name.text, at=name.start), name.start)
            self.take(":")
            value = self.peek()
            following = self.text(1)
            literal = value is not None and value.kind in (Kind.STRING, Kind.NUMBER) and following in (",", "}")
            found.append((name.value, value if literal else None))
            self.until(lambda token: token.text in (",", "}"), "MATCH")
            self.skip(",")
        self.take("}")
        return tuple(found)

    def relationship(self, left: int, match: int) -> int:
        start = self.tokens[self.at].start
        incoming = self.skip("<")
        self.take("-")
        variable: str | None = None
        types: tuple[str, ...] = ()
        length: tuple[int, int | None] | None = None
        keys: tuple[tuple[str, Token | None], ...] = ()
        bracket: tuple[int, int] | None = None
        if self.text() == "[":
            inside = self.take().end
            if (token := self.peek()) is not None and token.is_name:
                variable = self.take().value
                self.structure.bound.add(variable)
            types = self.labels()
            length = self.length()
            keys = self.keys() if self.text() == "{" else ()
            self._refuse("WHERE", message("where_inside"))
            closer = self.take("]")
            bracket = (inside, closer.start)
        self.take("-")
        outgoing = self.skip(">")
        end = self.tokens[self.at - 1].end
        for text in ("{", "+", "*"):
            self._refuse(text, message("length_behind"))
        right = self.node()
        direction = "--" if incoming == outgoing else ("<-" if incoming else "->")
        self.structure.relationships.append(
            RelationshipPattern(variable, types, left, right, direction, length, keys, start, end, bracket, match)
        )
        return right

    def _refuse(self, text: str, instead: str) -> None:
        """Raises an error that says what to write instead of Neo4j 5 syntax at this position."""
        token = self.peek()
        if token is not None and token.text.upper() == text:
            raise CypherSyntaxError(instead, token.start)

    def length(self) -> tuple[int, int | None] | None:
        """Read `*`, `*2`, `*1..3` or `*2..`: (fewest, most or None for any number); None if there is none."""
        if not self.skip("*"):
            return None
        low = self._hops()
        if not self.skip(".."):
            return (1, None) if low is None else (low, low)
        return (1 if low is None else low, self._hops())

    def _hops(self) -> int | None:
        token = self.peek()
        if token is None or token.kind is not Kind.NUMBER:
            return None
        self.at += 1
        if not token.text.isdecimal():
            raise CypherSyntaxError(message("no_length", text=token.text, at=token.start), token.start)
        return int(token.text)
