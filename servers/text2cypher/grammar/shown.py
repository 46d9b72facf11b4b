"""What may be returned of one pattern: lists, counts, totals, ranks, groups, most likely first. Makes no pattern."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import permutations, product

from servers.text2cypher.cypher.tokens import named, quote
from servers.text2cypher.grammar.shapes import Shape, doer_of
from servers.text2cypher.grammar.variables import columns_of, property_of
from servers.text2cypher.graph.schema import FLOAT, INTEGER, LISTS
from servers.text2cypher.linking.asks import TOGETHER, Ask, is_cued
from servers.text2cypher.linking.hints import Hints, Linker
from servers.text2cypher.linking.language import languages
from servers.text2cypher.linking.naming import is_key
from servers.text2cypher.linking.said import asks_for_several, counted_label, named_properties, only_says_which

_TOTALS = {Ask.SUM: "sum", Ask.AVERAGE: "avg", Ask.MINIMUM: "min", Ask.MAXIMUM: "max"}
NUMBERS = (INTEGER, FLOAT)
_RANKING = {Ask.MOST, Ask.FEWEST, Ask.COUNT, Ask.ORDER, Ask.DESCENDING}
_BEST = {"top", "maximum", "minimum"}


class Shown:
    """Makes the RETURN texts of one pattern."""

    def __init__(self, linker: Linker, hints: Hints, nodes: dict[str, str], shape: Shape, tests: list[str]) -> None:
        self.linker, self.hints, self.nodes, self.shape, self.tests = linker, hints, nodes, shape, tests
        self.limit = f" LIMIT {hints.limit}" if hints.limit else ""
        self.alias = languages().voice_of(hints.question).answers["figure"]
        parted = [held.partition(" ") for test in tests for held in test.split(" AND ")]
        self.tested = {held for held, _, _ in parted}
        self.fixed = {held for held, _, test in parted if test.startswith("= ")}  # equal in every row
        unnamed = [v for v in nodes if not self._is_named(v)] or [*nodes]
        self.free = self._first(unnamed)

    def texts(self) -> Iterator[str]:
        """The texts for the label asked for; if there is only one, also those for the other nodes."""
        found = list(dict.fromkeys(self._texts()))
        if len(found) == 1 and len(self.nodes) > 1:
            self.free = [variable for variable in self.nodes if variable not in self.free] or self.free
            found += self._texts()
        yield from found

    def _texts(self) -> Iterator[str]:
        asks = self.hints.asks
        if Ask.YES_NO in asks:
            yield " RETURN count(*) > 0"
        elif self.hints.having is not None:
            yield from self._having(*self.hints.having)
        elif Ask.COUNT in asks and not self.limit and not asks & {Ask.MOST, Ask.FEWEST, Ask.GROUP}:
            yield from self._counts()
        else:
            yield from self._ranked()
            yield from self._totals()
            if Ask.GROUP in asks:
                yield from self._grouped()
            yield from self._fulfilling_both()
            yield from self._listed()

    def _is_named(self, variable: str) -> bool:
        """True if a condition identifies the node."""
        return any(held.startswith(f"{self._key(variable)} =") for test in self.tests for held in test.split(" AND "))

    def _first(self, variables: list[str]) -> list[str]:
        """The variables of the label asked for: the first one named, or after `who` any other.

        `The directors of movies` are asked for by what they do: they are at the start of DIRECTED.
        """
        if (doer := doer_of(self.hints, self.shape, self.linker.schema)) in variables:
            return [doer]
        label = next(iter(self.hints.labels), None)
        wording, masked = self.linker.wording, self.hints.masked
        if wording.compiled(r"^\W*‹who_are›(?:\W+(?!‹preposition›\b)\w+){0,3}\W+‹label›").match(masked):
            return [v for v in variables if self.nodes[v] == label] or variables
        if wording.compiled(r"^\W*‹opens_person›\b").match(masked):
            return [v for v in variables if self.nodes[v] != label] or variables
        if wording.compiled(r"^\W*(?:‹opens›)\b").match(masked):
            return [v for v in variables if self.nodes[v] == label] or variables
        return [v for v in variables if self.nodes[v] == self.hints.focus] or variables

    def _key(self, variable: str) -> str:
        names = self.linker.naming.display(self.nodes[variable])
        return f"{variable}.{named(names[0])}" if names else variable

    def _shown(self, variable: str) -> str:
        """A node's name; the node itself if its label has no name of its own and none is asked for, or all of it is."""
        naming, label = self.linker.naming, self.nodes[variable]
        short = naming.is_short(label) and not self.linker.lexicon.written
        named_so = self._says_names or (naming.tells(label) and not short)
        return self._key(variable) if named_so and not self._says("asks_whole") else variable

    def _alone(self, variable: str) -> str:
        """A node alone in a list: the whole node if it is also known by a key, not only by its name."""
        asked = self._says_names or self.linker.wording.compiled(r"^\W*‹opens_person›\b").match(self.hints.masked)
        known = self.linker.naming.is_known_by_key(self.nodes[variable]) and not self.linker.lexicon.written
        return variable if known and not asked else self._shown(variable)

    @cached_property
    def _says_names(self) -> bool:
        """True if names are asked for; `with the name ¤` and `whose name starts with` don't ask for them."""
        return bool(self.linker.wording.compiled(r"\b‹asks_names›\b(?!\W*(?:‹small›\W+)?¤)").search(self.hints.masked))

    def _figures(self, variable: str, figure: str, end: str) -> Iterator[str]:
        """A figure per node; per name only if no two nodes share one."""
        shown, ordered = self._shown(variable), f" ORDER BY {self.alias}{end}"
        if shown != variable and self.linker.naming.shares(self.nodes[variable]):
            yield f" WITH {variable}, {figure} AS {self.alias} RETURN {shown}, {self.alias}{ordered}"
        yield f" RETURN {shown}, {figure} AS {self.alias}{ordered}"

    def _asked(self, *, numeric: bool = False) -> list[str]:
        """Named properties in the pattern."""
        nodes = {v: self.linker.schema.nodes[label] for v, label in self.nodes.items()}
        edges = {
            v: self.linker.schema.relationship_properties.get(kind, {})
            for v, kind in self.shape.edges.items()
            if len(self.nodes) == len(self.shape.nodes)
        }
        said = named_properties(self.hints, self.linker)
        timed = self.linker.lexicon.timed if self._says("early") or self._says("late") else frozenset()
        return [
            f"{variable}.{named(name)}"
            for name in dict.fromkeys([*said, *sorted(timed)])
            for variable, types in (nodes | edges).items()
            if name in types and (not numeric or self._is_rankable(variable, name, types[name]))
            if not only_says_which(name, variable, self.nodes, self.hints, self.linker)
        ]

    def _is_rankable(self, variable: str, name: str, kind: str) -> bool:
        """False for keys and for a number that is what a node is called by: a Port's `port`."""
        called = is_key(name) or (variable in self.nodes and self._key(variable) == f"{variable}.{named(name)}")
        return (kind in NUMBERS and not called) or name in self.linker.lexicon.timed

    def _says(self, name: str) -> bool:
        return bool(self.linker.wording.compiled(rf"\b‹{name}›\b").search(self.hints.masked))

    def _fulfilling_both(self) -> Iterator[str]:
        """Nodes that are joined to each of several values: `who acted in both A and B`."""
        values = [held.values for held in self.hints.filters if held.operator == "=" and len(held.values) > 1]
        spread = [test.partition(" IN ")[0] for test in self.tests if " IN [" in test]
        if len(self.nodes) < 2 or not is_cued(self.hints.question, {"both"}):
            return
        for variable, held, texts in product(self.free, spread, values):
            if not held.startswith(f"{variable}."):
                each = " AND ".join(f"{quote(str(text))} IN {self.alias}" for text in texts)
                shown = self._alone(variable)
                yield f" WITH {variable}, collect({held}) AS {self.alias} WHERE {each} RETURN {shown}{self.limit}"

    def _listed(self) -> Iterator[str]:
        """Lists, each first without equal rows where its columns don't tell every node apart."""
        for columns in map(columns_of, self._lists()):
            each = [{v, self._shown(v)} & {*columns} for v in self.nodes if not self._is_named(v)]
            if not all(each) and len(self.nodes) > 1:
                yield f" RETURN DISTINCT {', '.join(columns)}{self.limit}"
            yield f" RETURN {', '.join(columns)}{self.limit}"

    def _lists(self) -> list[list[str]]:
        """The columns of each list: what is asked for alone, pairs, a node alone or with properties, two nodes."""
        names = {property_of(held) for held in self.tested}
        asked = [held for held in self._asked() if property_of(held) not in names]
        said = [held for held in asked if property_of(held) in map(named, self.hints.properties)]
        columns: list[list[str]] = [said] if said and not self._wants_names(said) and not self._says("together") else []
        columns += [[self._shown(v) for v in pair] for pair in self._both()]
        for variable in self.free:
            columns += self._lists_of(variable, said, asked)
        pairs = [(v, w) for v, w in permutations(self.nodes, 2) if v in self.free]
        columns += [[self._shown(v), self._shown(w), *said] for v, w in pairs if not self._is_named(w)]
        return columns + ([held for held in (said, asked) if held] or [[variable] for variable in self.free])

    def _lists_of(self, variable: str, said: list[str], asked: list[str]) -> Iterator[list[str]]:
        """The columns of each list of one node: alone, with `said` or `asked` properties, with tested ones."""
        key, shown = self._key(variable), self._shown(variable)
        if not said:
            once = all(v == variable or self._is_named(v) for v in self.nodes)  # else distinct names are shown
            once = once or self.linker.naming.shares(self.nodes[variable])  # which DISTINCT would merge
            yield [self._alone(variable) if once else shown]
        beside = key if self.linker.naming.names(property_of(key)) else shown
        yield from ([beside, *some] for some in (said, asked) if some and key not in self.fixed)
        if also := [held for held in self._asked() if held in self.tested - self.fixed and held != shown]:
            yield [shown, *said, *also]

    def _both(self) -> list[tuple[str, str]]:
        """The pairs of asked and shared thing for `both by the same person`, unless only names are asked for."""
        closed = len(self.shape.edges) == len(self.nodes) == len(self.shape.nodes)
        if not closed or not is_cued(self.hints.masked, TOGETHER) or self._says_names:
            return []
        return [pair for pair in permutations(self.nodes, 2) if pair[0] in self.free]

    def _wants_names(self, said: list[str]) -> bool:
        """True if the answer must show names: the question asks for people, or for a relationship's property."""
        who = self.linker.wording.compiled(r"^\W*‹opens_person›\b").match(self.hints.masked)
        return bool(who) or any(held.partition(".")[0] in self.shape.edges for held in said)

    def _counts(self) -> Iterator[str]:
        for variable in self.free:
            yield f" RETURN count({variable})"
            yield f" RETURN count(DISTINCT {variable})"

    def _ranked(self) -> Iterator[str]:
        """The first rows by a stored number, or by the number of joined nodes."""
        asks = self.hints.asks
        timed = self._says("early") or self._says("late")
        if not (timed or asks & _RANKING or (self.limit and is_cued(self.hints.masked, _BEST))):
            return
        limit = self.limit or " LIMIT 1"
        ways = ["", " DESC"] if timed or Ask.FEWEST in asks else [" DESC", ""]
        ends = [f"{way}{limit}" for way in ways]
        every = not self.limit and asks_for_several(
            self.hints, self.linker
        )  # `which users have the most …`: all, ranked
        numbers, counts = list(self._by_number(ends)), list(self._by_count(ways if every else ends))
        counted = Ask.COUNT in asks or self.linker.wording.compiled(r"‹most›\s+‹label›").search(self.hints.masked)
        yield from [*counts, *numbers] if counted else [*numbers, *counts]

    def _by_number(self, ends: list[str]) -> Iterator[str]:
        """Ranks by a stored number, or by its total or average over joined nodes."""
        functions = [_TOTALS[ask] for ask in (Ask.SUM, Ask.AVERAGE) if ask in self.hints.asks]
        for held, end, function, key in product(self._asked(numeric=True), ends, functions, self._keys()):
            yield f" RETURN {key}, {function}({held}) AS {self.alias} ORDER BY {self.alias}{end}"
        for variable, end, held in product(self.free, ends, [*self._asked(numeric=True), *self._sizes()]):
            shown = self._shown(variable)
            for function in functions:
                yield from self._figures(variable, f"{function}({held})", end)
            if not functions and held not in (self.fixed if held.startswith(f"{variable}.") else self.tested):
                yield f" RETURN {', '.join(columns_of([shown, held]))} ORDER BY {held}{end}"
                yield f" RETURN {shown} ORDER BY {held}{end}"
        for variable, end, held in product(self.free, ends, self._sizes() if len(self.nodes) > 1 else ()):
            yield from self._figures(variable, f"sum({held})", end)

    def _sizes(self) -> list[str]:
        """The sizes of stored lists: `the most roles`."""
        held = {**self.linker.schema.nodes, **self.linker.schema.relationship_properties}
        lists = {name for types in held.values() for name, kind in types.items() if kind in LISTS.values()}
        said = "|".join(phrase for phrase, name in self.linker.lexicon.properties.items() if name in lists) or "(?!)"
        counts = rf"\b(?:‹count_said›)\W+(?:\w+\W+)?(?:{said})\b"
        if not self.linker.wording.compiled(counts).search(self.hints.masked):
            return []
        return [f"size({one})" for one in self._asked() if property_of(one) in lists]

    def _by_count(self, ends: list[str]) -> Iterator[str]:
        by = f"AS {self.alias} ORDER BY {self.alias}"
        for held, end in product(self._keys(), ends):
            yield f" RETURN {held}, count({held.partition('.')[0]}) {by}{end}"
        for variable, end in product(self.free, ends):
            others = [v for v in self.nodes if v != variable]
            for other, once in product(self._counted_first(others), self._once()):
                yield from self._figures(variable, f"count({once}{other})", end)

    def _keys(self) -> list[str]:
        """The properties that are ranked: `the most common titles`, `cities by the number of people`."""
        owned = [held for held in self._asked() if held not in self.tested]
        if self._says("frequent"):
            return owned
        said = "|".join(
            re.escape(held) for held, name in self.linker.lexicon.properties.items() if name == self.hints.first
        )
        of = self.linker.wording.compiled(rf"\b(?:{said or '(?!)'})\W+‹of›\b").search(self.hints.masked)
        return [one for one in owned if property_of(one) == named(self.hints.first)] if not of else []

    def _once(self) -> tuple[str, ...]:
        """DISTINCT or not; over several steps a node may be matched more than once."""
        several = len(self.shape.edges) > 1 or is_cued(self.hints.masked, {"distinct"})
        return ("DISTINCT ", "") if several else ("",)

    def _counted_first(self, variables: list[str]) -> list[str]:
        """The variables of the counted label first, then those of other named labels, then the others."""
        counted, labels = counted_label(self.hints, self.linker), self.hints.labels
        return sorted(variables, key=lambda v: (self.nodes[v] != counted, self.nodes[v] not in labels))

    def _totals(self) -> Iterator[str]:
        for ask, function in _TOTALS.items():
            if ask in self.hints.asks:
                yield from (f" RETURN {function}({held})" for held in self._asked(numeric=True))
                each = map(self._shown, self.free) if len(self.nodes) > 1 else ()  # a total needs several nodes
                keys = [*each, *self._asked()]
                for key, held in product(keys, self._asked(numeric=True)):
                    if key != held:
                        yield f" RETURN {key}, {function}({held})"

    def _grouped(self) -> Iterator[str]:
        keys = [self._shown(v) for v in self.free] + self._asked()
        for key, other in product(keys, self.nodes):
            if key != self._shown(other):
                yield f" RETURN {key}, count({other})"
                yield f" RETURN {key}, collect({self._shown(other)})"

    def _having(self, sign: str, number: int) -> Iterator[str]:
        counted = self._counted_first([*self.nodes])
        asked = dict.fromkeys([*self.free, *self.nodes])
        pairs = [(variable, other) for other in counted for variable in asked if variable != other]
        for (variable, other), once in product(pairs, self._once()):
            test = f" WITH {variable}, count({once}{other}) AS {self.alias} WHERE {self.alias} {sign} {number}"
            if Ask.COUNT in self.hints.asks:
                yield f"{test} RETURN count({variable})"
            if self.linker.naming.tells(self.nodes[variable]) and self._alone(variable) == variable:
                yield f"{test} RETURN {variable}, {self.alias}{self.limit}"
            yield f"{test} RETURN {self._shown(variable)}, {self.alias}{self.limit}"
            yield f"{test} RETURN {self._shown(variable)}{self.limit}"
