"""What one query does, for comparing it with a question: names, literals, comparisons, aggregates. Runs nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from servers.text2cypher.cypher.brackets import find, outside
from servers.text2cypher.cypher.parts import ENDS, FIGURES, Call, calls, column_names, denials, is_missing, sort_keys
from servers.text2cypher.cypher.records import Structure
from servers.text2cypher.cypher.structure import parse
from servers.text2cypher.cypher.tokens import Kind, Token

_BEFORE_A_SIGN = ("=", "<>", "<", ">", "<=", ">=", "(", "[", ",", ":")
_FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_TURNED = {"<": ">=", ">": "<=", "<=": ">", ">=": "<"}


@dataclass(frozen=True)
class QueryFacts:
    """One query that was validated before."""

    query: str
    structure: Structure

    @classmethod
    def of(cls, query: str) -> QueryFacts:
        """Raises CypherSyntaxError."""
        return cls(query, parse(query))

    @property
    def tokens(self) -> list[Token]:
        """All tokens."""
        return self.structure.tokens

    @cached_property
    def words(self) -> frozenset[str]:
        """Keywords and variables in upper case, without labels, types and properties, which may be called ORDER."""
        names = (token for before, token, _ in self._around if token.kind is Kind.NAME and before not in (":", "."))
        return frozenset(token.text.upper() for token in names)

    @cached_property
    def _around(self) -> list[tuple[str, Token, str]]:
        """(text before, token, text after) for each token, the texts in upper case; "" at the ends."""
        texts = ["", *(token.text.upper() for token in self.tokens), ""]
        return list(zip(texts, self.tokens, texts[2:], strict=False))

    @cached_property
    def names(self) -> frozenset[str]:
        """Labels, relationship types and properties in use."""
        tested = {label for _, label, _, _ in self.structure.label_tests}
        return frozenset(self.structure.labels | {*self.structure.types} | tested | self.properties)

    @cached_property
    def properties(self) -> frozenset[str]:
        """Properties in use."""
        keys = {name for node in self.structure.nodes for name, _ in node.keys}
        keys |= {name for relationship in self.structure.relationships for name, _ in relationship.keys}
        return frozenset(keys | {use.name for use in self.structure.properties})

    @cached_property
    def uses(self) -> Counter[str]:
        """How often each name is written: variables, labels, types, properties, words."""
        return Counter(token.value for token in self.tokens if token.is_name)

    @cached_property
    def property_tests(self) -> list[tuple[str, str, Token | None]]:
        """(variable or node's key, property, value) per comparison; the value is None for an expression in a map."""
        keys = [(node.key, name, token) for node in self.structure.nodes for name, token in node.keys]
        uses = [(use.variable, use.name, use.literal) for use in self.structure.properties if use.literal is not None]
        return [*keys, *uses]

    @cached_property
    def strings(self) -> tuple[str, ...]:
        """String literals."""
        return tuple(token.value for token in self.tokens if token.kind is Kind.STRING)

    @cached_property
    def numbers(self) -> tuple[tuple[str, float], ...]:
        """(operator, number) for every number literal; `=` in a map or list, `LIMIT`, `*` for a path's length."""
        return tuple((sign, number) for sign, number, _ in self._numbers)

    @cached_property
    def numbers_turned(self) -> tuple[tuple[str, float], ...]:
        """The same with negation applied: `NOT EXISTS { … <= 20 }` means `> 20`."""
        return tuple((_TURNED.get(s, s) if t.start in self.denied else s, number) for s, number, t in self._numbers)

    @cached_property
    def denied(self) -> set[int]:
        """The offsets of the tokens that a NOT, NONE or `<>` applies to."""
        return {token.start for _, held in self._denials for token in held}

    @cached_property
    def _numbers(self) -> list[tuple[str, float, Token]]:
        found = []
        for place, (before, token, after) in enumerate(self._around):
            if token.kind is Kind.NUMBER and not token.text.lower().startswith("0x"):
                negative = before == "-" and self._around[place - 1][0] in _BEFORE_A_SIGN
                operator = _operator(self._around[place - 1][0] if negative else before, after)
                number = -float(token.text) if negative else float(token.text)
                found.append(("*" if self._is_length(token) else operator, number, token))
        return found

    def _is_length(self, token: Token) -> bool:
        """True for a number in a path's length, which is the only number in the brackets before a map."""
        spans = (held.bracket for held in self.structure.relationships if held.length is not None and held.bracket)
        return any(begin <= token.start < end for begin, end in spans)

    @cached_property
    def listed(self) -> frozenset[int]:
        """The number of literals in each list after IN whose left side is counted."""
        tokens, counted = self.tokens, {call.variable for call in self.calls if call.function in ("COUNT", "COLLECT")}
        begins = [
            n + 2
            for n, token in enumerate(tokens)
            if token.is_word("IN") and tokens[n + 1].text == "[" and tokens[n - 3].value in counted
        ]
        lists = [tokens[n : next(m for m in range(n, len(tokens)) if tokens[m].text == "]")] for n in begins]
        return frozenset(sum(one.text != "," for one in held) for held in lists)

    @cached_property
    def bounding_days(self) -> dict[str, set[str]]:
        """{`<` or `>`: the dates or years, as text, that something must be below or above}."""
        return {side: {text[:10] for way, text in self.bounds if way == side} for side in "<>"}

    @cached_property
    def bounds(self) -> frozenset[tuple[str, str]]:
        """(`<` or `>`, text) for every text that something must be below or above, e.g. `datetime('2013-01-01')`."""
        found = set()
        for place, token in enumerate(self.tokens):
            before = self.tokens[max(place - 3, 0) : place]
            if before and before[-1].text == "(":
                before = before[:-2]
            if token.kind is Kind.STRING and before and before[-1].text in _FLIPPED:
                found.add((before[-1].text[0], token.value))
        return frozenset(found)

    @cached_property
    def comparisons(self) -> frozenset[str]:
        """The signs `<`, `>`, `<=`, `>=` in use, without `> 0` (which only means existence)."""
        return frozenset(token.text for token in self._compared)

    @cached_property
    def _compared(self) -> list[Token]:
        around = ((before + token.text, token, token.text + after) for before, token, after in self._around)
        return [t for arrow, t, past in around if t.text in _FLIPPED and arrow != "->" and past not in ("<-", ">0")]

    @cached_property
    def negates(self) -> bool:
        """True for NOT, <>, IS NULL, NONE, FALSE or `= 0` (IS NOT NULL alone isn't a negation)."""
        unequal = any(token.text in ("<>", "!=") for token in self.tokens)
        return self.denies or self.misses or unequal or bool({("=", 0.0), ("<", 1.0)} & {*self.numbers})

    @cached_property
    def denies(self) -> bool:
        """True for NOT, NONE or FALSE, but not for IS NOT NULL or `<>`, which may only exclude a thing itself."""
        truths = any(
            (token.is_word("FALSE") and before not in ("<>", "!="))
            or (token.is_word("TRUE") and before in ("<>", "!="))
            for before, token, _ in self._around
        )
        return truths or any(sign.is_word("NOT", "NONE") and not is_missing(held) for sign, held in self._denials)

    @cached_property
    def denies_twice(self) -> bool:
        """True for a negation inside a NOT, NONE or number of zero: `NOT EXISTS { … <> 'Malta' }`."""
        negating = [t for t in self.tokens if t.is_word("NOT", "FALSE") or t.text in ("<>", "!=")]
        nested = any(token.start in self.denied for token in (*negating, *self._compared))
        return nested or (self.empties and bool(negating or self._compared))

    @cached_property
    def _denials(self) -> list[tuple[Token, Sequence[Token]]]:
        return list(denials(self.tokens))

    @cached_property
    def misses(self) -> bool:
        """True for IS NULL without a NOT before it."""
        turned = {held[-1].start for sign, held in self._denials if sign.is_word("NOT") and is_missing(held)}
        return any(
            token.is_word("NULL") and before == "IS" and token.start not in turned for before, token, _ in self._around
        )

    @cached_property
    def empties(self) -> bool:
        """True for `= 0`, `<= 0` or `< 1`: only things with none are kept."""
        signs = ("=", "<=", "<")
        return all(token.text != "%" for token in self.tokens) and any(
            (before in signs and token.text == ("1" if before == "<" else "0")) or (before == ":" and token.text == "0")
            for before, token, _ in self._around
        )

    @cached_property
    def excludes(self) -> bool:
        """True for `<> 'Malta'`, `<> 3` or IS NULL: things with this value, or any value, are excluded.

        `<> ''` doesn't exclude; a value that is tested elsewhere, too, only excludes the thing itself.
        """
        return self.misses or any(
            before in ("<>", "!=")
            and token.kind in (Kind.STRING, Kind.NUMBER)
            and token.value not in ("", "0")
            and self.strings.count(token.value) < 2
            for before, token, _ in self._around
        )

    def tests(self, name: str) -> bool:
        """True if a property is compared before the RETURN; IS NOT NULL doesn't count."""
        begin = len(self.tokens) - len(self.returned)
        return any(
            token.value == name and (before == "." or after == ":") and after != "IS"
            for before, token, after in self._around[:begin]
        )

    @cached_property
    def calls(self) -> list[Call]:
        """The calls of figures, COLLECT and SIZE, in order."""
        return [*calls(self.tokens)]

    @cached_property
    def sort_keys(self) -> list[tuple[str, str]]:
        """(variable, property) of the result's first sort key, if that is a property."""
        return sort_keys(self.returned)

    @cached_property
    def columns(self) -> list[str]:
        """The names of the returned columns."""
        return column_names(self.query)

    @cached_property
    def returned(self) -> list[Token]:
        """The tokens after the last RETURN."""
        last = max((n for n, token in enumerate(self.tokens) if token.is_word("RETURN")), default=-1)
        return self.tokens[last + 1 :]

    @cached_property
    def column_tokens(self) -> list[Token]:
        """Those of them that make its columns."""
        return self.returned[: find(self.returned, lambda token: token.is_word(*ENDS))]

    @property
    def limit(self) -> str:
        """What follows a LIMIT at the end of the query; "" without one."""
        last = self.returned[-2:]
        return last[1].text if len(last) == 2 and last[0].is_word("LIMIT") else ""

    @cached_property
    def told(self) -> frozenset[str]:
        """Every property in the result, also if it was renamed before."""
        held = {token.value for token in self.column_tokens}
        aliased = {token.value for before, token in pairwise(self.column_tokens) if before.is_word("AS")}
        return frozenset(held | self.properties if held & self.structure.aliases - aliased else held)

    @cached_property
    def shown_apart(self) -> list[tuple[str, str]]:
        """(variable, property) of what is returned outside functions; the property is empty for a whole node."""
        tokens, known, found = self.column_tokens, self.structure.variables, []
        for place, token in outside(tokens):
            begins = not place or not (tokens[place - 1].text == "." or tokens[place - 1].is_word("AS"))
            if begins and token.is_name and token.value in known:
                after = [held.value for held in tokens[place + 1 : place + 3]]
                found.append((token.value, after[1] if after[:1] == ["."] and len(after) > 1 else ""))
        return found

    @cached_property
    def shown(self) -> set[str]:
        """Variables and aliases that are returned themselves rather than only aggregated."""
        found: set[str] = set()
        inside = 0
        for before, token in zip([None, *self.returned], self.returned, strict=False):
            if token.text == "(" and (inside or (before is not None and before.is_word(*FIGURES, "COLLECT"))):
                inside += 1
            elif token.text == ")" and inside:
                inside -= 1
            elif token.is_name and not inside and not (before and (before.text == "." or before.is_word("AS"))):
                found.add(token.value)
        return found & (self.structure.variables | self.structure.aliases)

    @property
    def aggregates(self) -> bool:
        """True if anything is counted, summed or collected."""
        return bool(self.words & {*FIGURES, "COLLECT", "SIZE"})

    @property
    def has_conditions(self) -> bool:
        """False if all nodes of its labels are read."""
        tests = self.words & {"WHERE", "LIMIT"}
        return bool(tests or self.strings or self.numbers or self.structure.relationships)


def _operator(before: str, after: str) -> str:
    """The comparison of a number between these tokens."""
    if before in ("LIMIT", "SKIP", "<", ">", "<=", ">=", "=", "<>"):
        return before
    return _FLIPPED.get(after, "=")
