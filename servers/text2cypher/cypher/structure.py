"""What a query speaks of: its clauses, node and relationship patterns, property uses. Rules, not a full grammar.

It reads the part of Cypher that questions need (MATCH … WHERE … WITH … UNWIND … RETURN …, EXISTS and COUNT
subqueries) and names what it can't read. It finds misspelt keywords, open brackets and unknown variables, so that
a query can be judged where no engine is at hand.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass, field

from servers.text2cypher.cypher.guard import ensure_read_only
from servers.text2cypher.cypher.tokens import CypherSyntaxError, Kind, Token

CLAUSES = ("MATCH", "OPTIONAL", "WHERE", "WITH", "UNWIND", "RETURN", "ORDER", "SKIP", "LIMIT", "UNION")
OPENERS = {"(": ")", "[": "]", "{": "}"}
EXPRESSION_WORDS = frozenset(
    """
    AND OR XOR NOT IN IS NULL TRUE FALSE AS DISTINCT STARTS ENDS WITH CONTAINS BY ASC DESC ASCENDING
    DESCENDING CASE WHEN THEN ELSE END EXISTS COUNT COLLECT ALL ANY NONE SINGLE MATCH WHERE OPTIONAL RETURN
    ORDER SKIP LIMIT UNWIND UNION
    """.split()
)


@dataclass(frozen=True)
class NodePattern:
    """`(variable:labels {properties})`; `keys` are (property, literal token or None). Offsets into the query."""

    variable: str | None
    labels: tuple[str, ...]
    keys: tuple[tuple[str, Token | None], ...]
    start: int
    end: int
    where: tuple[int, int] | None = None  # an inline WHERE: offsets of the word and of its end


@dataclass(frozen=True)
class RelationshipPattern:
    """`left` and `right` index into Structure.nodes; direction is `->`, `<-` or `--`."""

    variable: str | None
    types: tuple[str, ...]
    left: int
    right: int
    direction: str
    length: tuple[int, int | None] | None  # None: exactly one hop
    keys: tuple[tuple[str, Token | None], ...]
    start: int
    end: int
    bracket: tuple[int, int] | None  # offsets inside [ ], None when there is none
    match: int  # the MATCH it belongs to; -1 for a pattern inside an expression


@dataclass(frozen=True)
class PropertyUse:
    """`variable.name`, with the literal it is compared to when there is one beside it."""

    variable: str
    name: str
    start: int
    literal: Token | None = None


@dataclass
class Structure:
    """Everything the rules need to know about one query."""

    tokens: list[Token]
    nodes: list[NodePattern] = field(default_factory=list)
    relationships: list[RelationshipPattern] = field(default_factory=list)
    properties: list[PropertyUse] = field(default_factory=list)
    clauses: list[tuple[str, int]] = field(default_factory=list)  # keyword, offset
    match_ends: list[tuple[int, int, bool]] = field(default_factory=list)  # pattern end, WHERE offset or -1, optional
    bound: set[str] = field(default_factory=set)
    aliases: set[str] = field(default_factory=set)
    label_tests: list[tuple[str, str, int, int]] = field(default_factory=list)  # WHERE n:L

    def labels_of(self, variable: str | None) -> set[str]:
        """The labels a variable is written with anywhere in the query."""
        written = {label for node in self.nodes if node.variable == variable for label in node.labels}
        return written | {label for name, label, _, _ in self.label_tests if name == variable}


def parse(query: str) -> Structure:
    """The structure of one reading query. Raises CypherSyntaxError or guard.NotReadOnlyError."""
    tokens = ensure_read_only(query)
    _check_brackets(tokens)
    reader = _Reader(tokens)
    reader.read()
    return reader.structure


def _check_brackets(tokens: list[Token]) -> None:
    stack: list[Token] = []
    for token in tokens:
        if token.kind is not Kind.PUNCTUATION:
            continue
        if token.text in OPENERS:
            stack.append(token)
        elif token.text in OPENERS.values() and (not stack or OPENERS[stack.pop().text] != token.text):
            raise CypherSyntaxError(f"tanda {token.text} di posisi {token.start} tidak punya pasangan", token.start)
    if stack:
        raise CypherSyntaxError(f"tanda {stack[-1].text} di posisi {stack[-1].start} tidak ditutup", stack[-1].start)


class _Reader:
    """A cursor over the tokens that fills a Structure."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.at = 0
        self.structure = Structure(tokens)

    # -- the cursor

    def peek(self, ahead: int = 0) -> Token | None:
        place = self.at + ahead
        return self.tokens[place] if place < len(self.tokens) else None

    def text(self, ahead: int = 0) -> str:
        token = self.peek(ahead)
        return token.text if token else ""

    def word(self, *words: str, ahead: int = 0) -> bool:
        token = self.peek(ahead)
        return token is not None and token.is_word(*words)

    def take(self, expected: str = "") -> Token:
        token = self.peek()
        if token is None:
            raise CypherSyntaxError(f"query berakhir terlalu cepat; kurang {expected or 'lanjutan'}", self._end())
        if expected and token.text.upper() != expected:
            raise CypherSyntaxError(f"seharusnya {expected}, bukan {token.text} di posisi {token.start}", token.start)
        self.at += 1
        return token

    def _end(self) -> int:
        return self.tokens[-1].end if self.tokens else 0

    # -- clauses

    def read(self) -> None:
        last = ""
        while (token := self.peek()) is not None:
            last = self.clause(token, last)
        if last != "RETURN":
            raise CypherSyntaxError(
                "query tidak diakhiri RETURN: tambahkan RETURN dengan kolom yang ditanyakan", self._end()
            )

    def clause(self, token: Token, last: str) -> str:
        """Reads one clause; returns its keyword, or `RETURN` kept through ORDER BY, SKIP and LIMIT."""
        word = token.text.upper() if token.kind is Kind.NAME else token.text
        if word not in CLAUSES:
            raise CypherSyntaxError(self._unknown_clause(token), token.start)
        if not last and word not in ("MATCH", "OPTIONAL", "UNWIND", "WITH", "RETURN"):
            raise CypherSyntaxError(f"query tidak boleh dimulai dengan {word}; mulai dengan MATCH", token.start)
        if last == "RETURN" and word not in ("ORDER", "SKIP", "LIMIT", "UNION"):
            raise CypherSyntaxError(f"{word} tidak boleh mengikuti RETURN (posisi {token.start})", token.start)
        self.structure.clauses.append((word, token.start))
        self.at += 1
        if word in ("MATCH", "OPTIONAL"):
            self.match(optional=word == "OPTIONAL")
            return "MATCH"
        if word == "UNION":
            if last != "RETURN":
                raise CypherSyntaxError("UNION harus mengikuti RETURN", token.start)
            if self.word("ALL"):
                self.at += 1
            return ""
        if word == "ORDER":
            self.take("BY")
        self.expression(token, word)
        return last if word in ("ORDER", "SKIP", "LIMIT", "WHERE") else word

    def _unknown_clause(self, token: Token) -> str:
        near = difflib.get_close_matches(token.text.upper(), CLAUSES, n=1, cutoff=0.6)
        hint = f"; mungkin maksudnya {near[0]}" if near else "; di sini seharusnya ada klausa seperti MATCH atau RETURN"
        return f"{token.text!r} di posisi {token.start} bukan klausa Cypher{hint}"

    def match(self, *, optional: bool) -> None:
        if optional:
            self.take("MATCH")
        number = len(self.structure.match_ends)
        self.structure.match_ends.append((0, -1, optional))
        while True:
            self.pattern(number)
            if self.text() != ",":
                break
            self.at += 1
        where = self.peek()
        place = where.start if where is not None and where.is_word("WHERE") else -1
        self.structure.match_ends[number] = (self.tokens[self.at - 1].end, place, optional)

    def expression(self, opener: Token, clause: str) -> None:
        """Everything up to the next clause at this depth: property uses, nested patterns, aliases."""
        begin = self.at
        depth = 0
        while (token := self.peek()) is not None:
            if depth == 0 and self._starts_clause(token):
                break
            if depth == 0 and (token.is_word("MATCH", "OPTIONAL", "UNWIND", "RETURN")):
                break
            depth += (token.text in OPENERS) - (token.text in OPENERS.values())
            depth = max(depth + self.atom(token, clause), 0)
        if self.at == begin:
            raise CypherSyntaxError(f"{clause} di posisi {opener.start} tidak berisi apa pun", opener.start)
        last = self.tokens[self.at - 1]
        if last.text in {",", "=", "<", ">", "<>", "<=", ">=", ".", "|", "+", "*"} - (
            {"*"} if self.at - begin == 1 else set()
        ):
            raise CypherSyntaxError(f"{clause} terputus setelah {last.text} di posisi {last.start}", last.end)

    def _starts_clause(self, token: Token) -> bool:
        if not token.is_word(*CLAUSES):
            return False
        before = self.tokens[self.at - 1]
        if before.text in (".", ":") or before.is_word("AS"):
            return False
        return not (token.is_word("WITH") and before.is_word("STARTS", "ENDS"))

    def atom(self, token: Token, clause: str) -> int:
        """Consumes one piece of an expression. Returns what it changed of the depth beyond the token itself."""
        if token.is_word("EXISTS", "COUNT", "COLLECT") and self.text(1) == "{":
            self.at += 2
            self.subquery()
            return 0
        if token.text == "(" and self._is_pattern():
            self.pattern(-1)
            return -1
        if token.is_name and self.text(1) == "." and (name := self.peek(2)) is not None and name.is_name:
            if self.text(-1) != ".":
                literal = self._literal_after(3) or self._literal_before()
                self.structure.properties.append(PropertyUse(token.value, name.value, token.start, literal))
            self.at += 3
            return 0
        if token.is_name and self.text(1) == ":" and self._is_label_test():
            label = self.peek(2)
            assert label is not None
            self.structure.label_tests.append((token.value, label.value, token.start, label.end))
            self.at += 3
            return 0
        if token.is_word("AS") and (alias := self.peek(1)) is not None and alias.is_name:
            self.structure.aliases.add(alias.value)
            self.at += 2
            return 0
        if token.kind is Kind.NAME and self.text(1) != "(" and clause != "LIMIT":
            self._note_variable(token)
        self.at += 1
        return 0

    def _is_label_test(self) -> bool:
        """`n:L` in an expression; in a map (`{n: 1}`) the name follows a brace or a comma inside braces."""
        before = self.tokens[self.at - 1]
        label = self.peek(2)
        if label is None or not label.is_name or before.text == "{":
            return False
        opened = [t.text for t in self.tokens[: self.at] if t.text in "{}"]
        return opened.count("{") == opened.count("}")

    def _note_variable(self, token: Token) -> None:
        following = self.peek(1)
        if following is not None and following.is_word("IN") and self.text(-1) in ("[", "("):
            self.structure.aliases.add(token.value)  # list comprehension, any(x IN …)

    def _literal_after(self, ahead: int) -> Token | None:
        operator = self.peek(ahead)
        value = self.peek(ahead + 1)
        if operator is None or value is None:
            return None
        if operator.text in ("=", "<>", "<", ">", "<=", ">=", "=~") or operator.is_word("CONTAINS"):
            return value if value.kind in (Kind.STRING, Kind.NUMBER) else None
        if operator.is_word("STARTS", "ENDS"):
            value = self.peek(ahead + 2)
            return value if value is not None and value.kind in (Kind.STRING, Kind.NUMBER) else None
        if operator.is_word("IN") and value.text == "[":
            value = self.peek(ahead + 2)
            return value if value is not None and value.kind in (Kind.STRING, Kind.NUMBER) else None
        return None

    def _literal_before(self) -> Token | None:
        if self.at >= 2 and self.text(-1) in ("=", "<>", "<", ">", "<=", ">="):
            value = self.tokens[self.at - 2]
            return value if value.kind in (Kind.STRING, Kind.NUMBER) else None
        return None

    def subquery(self) -> None:
        """Inside EXISTS { … }: a whole query, or a bare pattern with an optional WHERE."""
        if self.word("MATCH", "OPTIONAL"):
            while self.text() != "}":
                token = self.take()
                word = token.text.upper()
                if word in ("MATCH", "OPTIONAL"):
                    self.match(optional=word == "OPTIONAL")
                elif word in CLAUSES:
                    self._inner_expression(word)
                else:
                    raise CypherSyntaxError(self._unknown_clause(token), token.start)
        else:
            self.pattern(-1)
            if self.word("WHERE"):
                self.at += 1
                self._inner_expression("WHERE")
        self.take("}")

    def _inner_expression(self, clause: str) -> None:
        depth = 0
        while (token := self.peek()) is not None:
            if depth == 0 and (token.text == "}" or self._starts_clause(token)):
                return
            depth += (token.text in OPENERS) - (token.text in OPENERS.values())
            depth = max(depth + self.atom(token, clause), 0)

    # -- patterns

    def _is_pattern(self) -> bool:
        """A parenthesis in an expression that opens a node of a path: `(a)-[`, `(a)--`, `(a)<-`."""
        before = self.tokens[self.at - 1] if self.at else None
        if before is not None and before.kind is Kind.NAME and not before.is_word(*EXPRESSION_WORDS, "SHORTESTPATH"):
            depth_call = not before.is_word("NOT", "AND", "OR", "WHERE", "EXISTS", "SIZE")
            if depth_call:
                return False
        depth = 0
        for place in range(self.at, len(self.tokens)):
            text = self.tokens[place].text
            depth += (text == "(") - (text == ")")
            if depth == 0:
                rest = [t.text for t in self.tokens[place + 1 : place + 3]]
                return rest in (["-", "["], ["-", "-"], ["<", "-"])
        return False

    def pattern(self, match: int) -> None:
        """`[p =] (a)-[r:T]->(b)…`, also inside shortestPath( … )."""
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
        opener = self.take("(")
        variable = None
        if (token := self.peek()) is not None and token.is_name and not token.is_word("WHERE"):
            variable = self.take().value
        labels = self.labels()
        keys = self.keys() if self.text() == "{" else ()
        where = None
        if self.word("WHERE"):
            begin = self.take().start
            self._until_parenthesis()
            where = (begin, self.tokens[self.at - 1].end)
        closer = self.take(")")
        if variable is not None:
            self.structure.bound.add(variable)
        self.structure.nodes.append(NodePattern(variable, labels, keys, opener.start, closer.end, where))
        return len(self.structure.nodes) - 1

    def _until_parenthesis(self) -> None:
        depth = 0
        while (token := self.peek()) is not None:
            if depth == 0 and token.text == ")":
                return
            depth += (token.text in OPENERS) - (token.text in OPENERS.values())
            depth = max(depth + self.atom(token, "WHERE"), 0)

    def labels(self) -> tuple[str, ...]:
        found: list[str] = []
        while self.text() in (":", "|", "&"):
            self.at += 1
            if self.text() == ":":
                self.at += 1
            name = self.take()
            if not name.is_name:
                raise CypherSyntaxError(
                    f"setelah titik dua harus ada nama, bukan {name.text} (posisi {name.start})", name.start
                )
            found.append(name.value)
        return tuple(found)

    def keys(self) -> tuple[tuple[str, Token | None], ...]:
        self.take("{")
        found: list[tuple[str, Token | None]] = []
        while self.text() != "}":
            name = self.take()
            if not name.is_name:
                raise CypherSyntaxError(f"{name.text} di posisi {name.start} bukan nama properti", name.start)
            self.take(":")
            value = self.peek()
            following = self.text(1)
            literal = value is not None and value.kind in (Kind.STRING, Kind.NUMBER) and following in (",", "}")
            found.append((name.value, value if literal else None))
            depth = 0
            while (token := self.peek()) is not None and (depth or token.text not in (",", "}")):
                depth += (token.text in OPENERS) - (token.text in OPENERS.values())
                depth = max(depth + self.atom(token, "MATCH"), 0)
            if self.text() == ",":
                self.at += 1
        self.take("}")
        return tuple(found)

    def relationship(self, left: int, match: int) -> int:
        start = self.tokens[self.at].start
        incoming = self.text() == "<"
        if incoming:
            self.at += 1
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
            closer = self.take("]")
            bracket = (inside, closer.start)
        self.take("-")
        outgoing = self.text() == ">"
        if outgoing:
            self.at += 1
        end = self.tokens[self.at - 1].end
        right = self.node()
        direction = "--" if incoming == outgoing else ("<-" if incoming else "->")
        self.structure.relationships.append(
            RelationshipPattern(variable, types, left, right, direction, length, keys, start, end, bracket, match)
        )
        return right

    def length(self) -> tuple[int, int | None] | None:
        if self.text() != "*":
            return None
        self.at += 1
        low = self._hops()
        if self.text() != "..":
            return (1, None) if low is None else (low, low)
        self.at += 1
        return (1 if low is None else low, self._hops())

    def _hops(self) -> int | None:
        token = self.peek()
        if token is None or token.kind is not Kind.NUMBER:
            return None
        self.at += 1
        if not token.text.isdecimal():
            raise CypherSyntaxError(
                f"panjang jalur {token.text} di posisi {token.start} bukan bilangan bulat", token.start
            )
        return int(token.text)


def unknown_variables(structure: Structure) -> Iterator[PropertyUse]:
    """Property uses whose variable is bound nowhere in the query."""
    for use in structure.properties:
        if (
            use.variable not in structure.bound
            and use.variable not in structure.aliases
            and not _is_unwound(structure, use)
        ):
            yield use


def _is_unwound(structure: Structure, use: PropertyUse) -> bool:
    return any(
        a.is_word("AS") and b.value == use.variable
        for a, b in zip(structure.tokens, structure.tokens[1:], strict=False)
    )
