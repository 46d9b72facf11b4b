"""Whether a query does what a word asks for (count, sum, order, negate) if the word names nothing in the graph."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property

from servers.text2cypher.cypher.facts import QueryFacts
from servers.text2cypher.cypher.parts import joined_by, sort_keys
from servers.text2cypher.graph.schema import FLOAT, INTEGER
from servers.text2cypher.linking.amounts import BOUNDS
from servers.text2cypher.linking.asks import Ask, is_cued
from servers.text2cypher.linking.bounds import ZERO
from servers.text2cypher.linking.hints import Hints, Linker
from servers.text2cypher.linking.language import languages
from servers.text2cypher.linking.names import root, roots, roots_in
from servers.text2cypher.linking.naming import is_key
from servers.text2cypher.linking.said import asks_for_several, says_every


class Done:
    """One query as the answer to one question."""

    def __init__(self, hints: Hints, facts: QueryFacts, linker: Linker) -> None:
        self.hints, self.facts, self.linker = hints, facts, linker
        self.text = hints.question.lower()

    def does(self, cue: str, taken: Collection[str | None] = ()) -> bool:
        """True if the query does what a cue asks for; `taken`: the meanings of the words covered so far."""
        words, facts = self.facts.words, self.facts
        ordered = "ORDER" in words and ("LIMIT" in words or self._ranks_all)
        symbols = {token.text for token in facts.tokens}
        dated = self._says("early") or self._says("late")
        backwards = bool(words & {"DESC", "DESCENDING"})
        first = self._in_time() if dated else backwards or self._says("min_said")
        worded = self._picks_text()
        numeric = any(map(self._is_numeric, self.hints.properties))
        best = (ordered and not worded) or bool(words & {"ALL", "NONE"})
        signs = {sign for sign, number in facts.numbers if (sign, number) != (">", 0)} | facts.comparisons
        rests = zip(facts.tokens, facts.tokens[2:], facts.tokens[3:], strict=False)
        checks: dict[str, bool] = {
            "count": bool(words & {"COUNT", "SIZE"}) or self._asks_a_number(taken),
            "sum": "SUM" in words or ("COUNT" in words and not numeric) or self._one_number(taken),
            "average": "AVG" in words,
            "minimum": self._in_time() if dated else ("MIN" in words and not worded) or (best and not backwards),
            "maximum": self._in_time() if dated else ("MAX" in words and not worded) or (best and backwards),
            "top": first and not worded if ordered else "LIMIT" in words,
            "collect": "COLLECT" in words,
            "group": len(facts.columns) > 1 and ("LIMIT" not in words or facts.aggregates),
            "order": "ORDER" in words,
            "descending": backwards and not (dated and worded),
            "ascending": "ORDER" in words and not backwards and not (dated and worded),
            "not": facts.negates,
            "indirect": self._long_paths,
            "path": any(held.length is not None for held in facts.structure.relationships),
            "shortest": bool(words & {"SHORTESTPATH", "ALLSHORTESTPATHS"}),
            "distinct": bool(words & {"DISTINCT"}) or "<>" in symbols,
            "greater": bool(signs & {">", ">="}),
            "less": bool(signs & {"<", "<="}),
            "at_least": bool(signs & {">", ">="}),
            "at_most": bool(signs & {"<", "<="}),
            "range": bool(signs & {">", ">="}) and bool(signs & {"<", "<="}),
            "starts": "STARTS" in words,
            "ends": "ENDS" in words,
            "contains": bool(words & {"CONTAINS", "IN"}) or "=~" in symbols or bool(facts.structure.relationships),
            "length": "SIZE" in words,
            "modulo": any([held.text for held in rest] == ["%", "=", "0"] for rest in rests),
            **{cue: (sign, 0.0) in facts.numbers for cue, sign in ZERO.items()},
            "limit": "LIMIT" in words or bool(words & {"MIN", "MAX"}),
            "several": len(facts.structure.relationships) > 1 or bool(words & {"AND", "IN"}),
            "same": self._meets_again or (len(facts.columns) > 2 and bool(facts.aggregates)),
            "both": self._fulfils_both(),
            "pairs": len(facts.columns) > 1,
            "only": facts.negates or self._bounds_number(),
            "only_one": bool({("=", 1.0), ("<", 2.0), ("<=", 1.0), ("LIMIT", 1.0)} & {*facts.numbers}),
            "universal": facts.denies_twice or bool(words & {"ALL", "MIN", "MAX"}),
        }
        return checks.get(cue, False)

    @cached_property
    def stated(self) -> set[tuple[str, float]]:
        """The query's number comparisons; for `all` they are negated: "all are above 20" is "none is at most 20"."""
        turned = says_every(self.hints, self.linker) and Ask.NOT not in self.hints.asks
        return set(self.facts.numbers_turned if turned else self.facts.numbers)

    @cached_property
    def _ranks_all(self) -> bool:
        """True if all things are ranked by a count for `which users have asked the most questions`."""
        return "COUNT" in self.facts.words and self.hints.limit is None and asks_for_several(self.hints, self.linker)

    @property
    def _long_paths(self) -> bool:
        """True for a path of variable length, or several steps of one type."""
        kinds = self.facts.structure.types
        some = any(held.length is not None for held in self.facts.structure.relationships)
        return some or "SHORTESTPATH" in self.facts.words or len(kinds) > len(set(kinds))

    @property
    def _meets_again(self) -> bool:
        """True if a node is in several patterns, a type or property occurs twice, or two properties are compared."""
        variables = [node.variable for node in self.facts.structure.nodes if node.variable]
        end = self.facts.returned[0].start if self.facts.returned else 0
        names = [
            name for _, name in {(one.variable, one.name) for one in self.facts.structure.properties if one.start < end}
        ]
        return (
            self._long_paths
            or any(joined_by(self.facts.tokens, "="))
            or any(len(set(held)) < len(held) for held in (variables, names))
        )

    def says_any_graph(self, word: str) -> bool:
        """True for a word such as `relationships` if the query has a relationship of any type."""
        joins = self.facts.structure.relationships if word in languages().graph and "TYPE" in self.facts.words else ()
        return any(not held.types and held.length is None for held in joins)

    def says_key(self, word: str) -> bool:
        """True for a word such as `ID` if the query tests the key of the node itself: `the product with ID 3`."""
        tests = self.facts.property_tests if word in languages().keys else ()
        named = ((label, name) for v, name, _ in tests if is_key(name) for label in self.facts.structure.labels_of(v))
        return any(roots(name) - roots(label) == {root(word)} for label, name in named)

    def _picks_text(self) -> bool:
        """True if the query takes the largest or smallest of texts, which answers no superlative."""
        texts = {held for held in self.facts.properties if not self._is_numeric(held)} - self.linker.lexicon.timed
        picked = any(call.function in ("MIN", "MAX") and call.name in texts for call in self.facts.calls)
        orders = sum(token.is_word("BY") for token in self.facts.tokens)
        keys = [name for _, name in sort_keys(self.facts.tokens) if name in texts]
        return picked or 0 < orders == len(keys)

    def _fulfils_both(self) -> bool:
        """True if one thing meets both conditions; with IN over a relationship, one of the values would be enough.

        For a pair, both must have the same step.
        """
        words, steps = self.facts.words, len(self.facts.structure.relationships)
        if is_cued(self.text, {"pairs"}):
            kinds = self.facts.structure.types
            return len(set(kinds)) < len(kinds)
        if "IN" in words and steps:
            wanted = [BOUNDS["at_least"](number) | {("=", number)} for number in self.facts.listed]
            if wanted:
                return "ALL" in words or any(signs & {*self.facts.numbers} for signs in wanted)
            return bool(words & {"ALL", "COLLECT"}) or any(number > 1 for _, number in self.facts.numbers)
        return steps > 1 or bool(words & {"AND", "IN", "UNION"})

    def _bounds_number(self) -> bool:
        """True if the query counts something before it returns."""
        before = self.facts.tokens[: -len(self.facts.returned)]
        return any(token.is_word("ALL", "COUNT", "SIZE") for token in before)

    def _is_numeric(self, name: str) -> bool:
        return name in self.linker.schema.of_types(INTEGER, FLOAT)

    def _asks_a_number(self, taken: Collection[str | None]) -> bool:
        """True if the query returns a number that the question names with its own word: `how many credits has …`."""
        said = roots_in(self.text) - self.linker.label_roots
        numbers = {token.value for token in self.facts.returned if token.is_name and self._is_numeric(token.value)}
        return any(name in taken or said & roots(name) for name in numbers)

    def _one_number(self, taken: Collection[str | None]) -> bool:
        """True if a total concerns one identified node, so that its own number is the answer."""
        places = [place for held in self.hints.mentions for place in held.places]
        one = any(self.linker.values.identifies(place) for place in places)
        return one and self._asks_a_number(taken) and not self.facts.structure.relationships

    def _in_time(self) -> bool:
        """True if old things come first by a year or date, and new ones last; unknown for other properties."""
        words = self.facts.words
        early, late = (self.linker.wording.compiled(rf"\b‹{way}›\b").search(self.text) for way in ("early", "late"))
        if not (early or late) or self._picks_text():
            return False
        if not (words & {"MIN", "MAX", "ALL", "NONE"} or {"ORDER", "LIMIT"} <= words):
            return False
        backwards = bool(words & {"DESC", "DESCENDING", "MAX"})
        known = bool(self.facts.properties & self.linker.lexicon.timed)
        dated = {
            name for label, types in self.linker.schema.nodes.items() if label in self.facts.names for name in types
        }
        return backwards == bool(late) if known else not dated & self.linker.lexicon.timed

    def _says(self, name: str) -> bool:
        return bool(self.linker.wording.compiled(rf"\b‹{name}›\b").search(self.text))

    def answers_yes_or_no(self) -> bool:
        """True if the query returns a boolean expression."""
        signs = {token.text for token in self.facts.returned}
        return bool(signs & {">", "<", "=", ">=", "<=", "<>"}) or bool(
            {sign.upper() for sign in signs} & {"EXISTS", "COUNT", "CASE", "IS", "ANY", "ALL"}
        )
