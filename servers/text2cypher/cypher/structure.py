"""The structure of a query: its clauses, node and relationship patterns, property uses. Rules, not a full grammar.

It parses the part of Cypher that questions need (MATCH … WHERE … WITH … UNWIND … RETURN …, EXISTS and COUNT subqueries)
and reports what it can't parse. It finds misspelt keywords, open brackets and unknown variables, so that a query can be
checked without an engine.
"""

from __future__ import annotations

import difflib

from servers.text2cypher.cypher.brackets import OPENERS, closing
from servers.text2cypher.cypher.guard import ensure_read_only
from servers.text2cypher.cypher.patterns import PatternReader
from servers.text2cypher.cypher.records import PropertyUse, Structure
from servers.text2cypher.cypher.tokens import CypherSyntaxError, Kind, Token
from servers.text2cypher.linking.language import message

CLAUSES = ("MATCH", "OPTIONAL", "WHERE", "WITH", "UNWIND", "RETURN", "ORDER", "SKIP", "LIMIT", "UNION")
_OPENING = ("MATCH", "OPTIONAL", "UNWIND", "RETURN")
_COMPARISONS = ("=", "<>", "<", ">", "<=", ">=")
EXPRESSION_WORDS = frozenset(
    """
    AND OR XOR NOT IN IS NULL TRUE FALSE AS DISTINCT STARTS ENDS WITH CONTAINS BY ASC DESC ASCENDING
    DESCENDING CASE WHEN THEN ELSE END EXISTS COUNT COLLECT ALL ANY NONE SINGLE MATCH WHERE OPTIONAL RETURN
    ORDER SKIP LIMIT UNWIND UNION
    """.split()
)


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
            raise CypherSyntaxError(message("unopened", text=token.text, at=token.start), token.start)
    if stack:
        raise CypherSyntaxError(message("unclosed", text=stack[-1].text, at=stack[-1].start), stack[-1].start)


class _Reader(PatternReader):
    """Reads clauses and the expressions in them."""

    def read(self) -> None:
        last = ""
        while (token := self.peek()) is not None:
            last = self.clause(token, last)
        if last != "RETURN":
            raise CypherSyntaxError(message("no_return"), self._end())

    def clause(self, token: Token, last: str) -> str:
        """Reads one clause; returns its keyword, or `RETURN` for ORDER BY, SKIP and LIMIT after it."""
        word = token.text.upper() if token.kind is Kind.NAME else token.text
        if word not in CLAUSES:
            raise CypherSyntaxError(self._unknown_clause(token), token.start)
        if not last and word not in ("MATCH", "OPTIONAL", "UNWIND", "WITH", "RETURN"):
            raise CypherSyntaxError(message("bad_start", word=word), token.start)
        if last == "RETURN" and word not in ("ORDER", "SKIP", "LIMIT", "UNION"):
            raise CypherSyntaxError(message("after_return", word=word, at=token.start), token.start)
        self.structure.clauses.append((word, token.start))
        self.at += 1
        if word in ("MATCH", "OPTIONAL"):
            self.match(optional=word == "OPTIONAL")
            return "MATCH"
        if word == "UNION":
            if last != "RETURN":
                raise CypherSyntaxError(message("bad_union"), token.start)
            self.skip("ALL")
            return ""
        if word == "ORDER":
            self.take("BY")
        self.expression(token, word)
        return last if word in ("ORDER", "SKIP", "LIMIT", "WHERE") else word

    def _unknown_clause(self, token: Token) -> str:
        near = difflib.get_close_matches(token.text.upper(), CLAUSES, n=1, cutoff=0.6)
        hint = message("near_clause", clause=near[0]) if near else message("some_clause")
        return message("no_clause", text=token.text, at=token.start, hint=hint)

    def match(self, *, optional: bool) -> None:
        if optional:
            self.take("MATCH")
        number = len(self.structure.match_ends)
        self.structure.match_ends.append((0, -1, optional))
        self.pattern(number)
        while self.skip(","):
            self.pattern(number)
        where = self.peek()
        place = where.start if where is not None and where.is_word("WHERE") else -1
        self.structure.match_ends[number] = (self.tokens[self.at - 1].end, place, optional)

    def expression(self, opener: Token, clause: str) -> None:
        """Reads up to the next clause at this depth: property uses, nested patterns, aliases."""
        begin = self.at
        self.until(lambda token: self._starts_clause(token) or token.is_word(*_OPENING), clause)
        if self.at == begin:
            raise CypherSyntaxError(message("empty_clause", clause=clause, at=opener.start), opener.start)
        last = self.tokens[self.at - 1]
        if last.text in {",", "=", "<", ">", "<>", "<=", ">=", ".", "|", "+", "*"} - (
            {"*"} if self.at - begin == 1 else set()
        ):
            raise CypherSyntaxError(message("cut_clause", clause=clause, text=last.text, at=last.start), last.end)

    def _starts_clause(self, token: Token) -> bool:
        if not token.is_word(*CLAUSES):
            return False
        before = self.tokens[self.at - 1]
        if before.text in (".", ":") or before.is_word("AS"):
            return False
        return not (token.is_word("WITH") and before.is_word("STARTS", "ENDS"))

    def atom(self, token: Token, clause: str) -> int:
        """Consumes one piece of an expression. Returns the change of depth beyond the token itself."""
        if token.is_word("EXISTS", "COUNT", "COLLECT") and self.text(1) == "{":
            self.at += 2
            self.subquery()
            return 0
        if token.text == "(" and self._is_pattern():
            self.pattern(-1)
            return -1
        if token.is_name and self.text(1) == "." and (name := self.peek(2)) is not None and name.is_name:
            if self.text(-1) != "." and self.text(3) != "(":  # `duration.inDays(…)` is a call
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
        """True for `n:L` in an expression; in a map (`{n: 1}`) the name follows a brace, or a comma inside braces."""
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
        if operator is None:
            return None
        if operator.is_word("STARTS", "ENDS") or (operator.is_word("IN") and self.text(ahead + 1) == "["):
            return self._literal(ahead + 2)
        compares = operator.text in (*_COMPARISONS, "=~") or operator.is_word("CONTAINS")
        return self._literal(ahead + 1) if compares else None

    def _literal_before(self) -> Token | None:
        return self._literal(-2) if self.text(-1) in _COMPARISONS else None

    def _literal(self, ahead: int) -> Token | None:
        value = self.peek(ahead)
        return value if value is not None and value.kind in (Kind.STRING, Kind.NUMBER) else None

    def subquery(self) -> None:
        """Reads EXISTS { … }: a whole query, or a pattern with an optional WHERE."""
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
            if self.skip("WHERE"):
                self._inner_expression("WHERE")
        self.take("}")

    def _inner_expression(self, clause: str) -> None:
        self.until(lambda token: token.text == "}" or self._starts_clause(token), clause)

    def _is_pattern(self) -> bool:
        """True for a parenthesis in an expression that opens a node of a path: `(a)-[`, `(a)--`, `(a)<-`."""
        before = self.tokens[self.at - 1] if self.at else None
        known = (*EXPRESSION_WORDS, "SIZE", "SHORTESTPATH")
        if before is not None and before.kind is Kind.NAME and not before.is_word(*known):
            return False
        place = closing(self.tokens, self.at)
        return [t.text for t in self.tokens[place + 1 : place + 3]] in (["-", "["], ["-", "-"], ["<", "-"])
