"""What may be returned of one pattern: lists, counts, totals, ranks, groups, most likely first. Makes no pattern."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import permutations, product

from servers.text2cypher.cypher.tokens import named, quote
from servers.text2cypher.grammar.columns import Columns
from servers.text2cypher.grammar.variables import columns_of, property_of
from servers.text2cypher.graph.schema import LISTS
from servers.text2cypher.linking.asks import TOGETHER, Ask, is_cued
from servers.text2cypher.linking.said import asks_for_several, counted_label

_TOTALS = {Ask.SUM: "sum", Ask.AVERAGE: "avg", Ask.MINIMUM: "min", Ask.MAXIMUM: "max"}
_RANKING = {Ask.MOST, Ask.FEWEST, Ask.COUNT, Ask.ORDER, Ask.DESCENDING}
_BEST = {"top", "maximum", "minimum"}


class Shown(Columns):
    """Makes the RETURN texts of one pattern."""

    def texts(self) -> Iterator[str]:
        """The texts for the label asked for; if there is only one, also those for the other nodes."""
        found = list(dict.fromkeys(self._texts()))
        if len(found) == 1 and len(self.nodes) > 1 and not self.exact:
            self.free = [variable for variable in self.nodes if variable not in self.free] or self.free
            found += self._texts()
        yield from found

    def _texts(self) -> Iterator[str]:
        asks = self.hints.asks
        if Ask.YES_NO in asks:
            yield " RETURN count(*) > 0"
            return
        if self.hints.having is not None:
            yield from self._having(*self.hints.having)
            return
        counts = Ask.COUNT in asks and not self.limit and not asks & {Ask.MOST, Ask.FEWEST, Ask.GROUP}
        numbers, one = self._asked(numeric=True), all(map(self._is_named, self.nodes))
        totals = bool(numbers) and not one and Ask.ORDER not in asks and bool(asks & {*_TOTALS})
        if not counts or (numbers and (one or self.exact)):  # `how many credits has X`: its own number
            yield from self._ranked()
            yield from self._totals()
            if Ask.GROUP in asks:
                yield from self._grouped()
            elif Ask.COLLECT in asks:
                yield from (f" RETURN collect({self._shown(v)})" for v in self.free)
            yield from self._fulfilling_both()
            if not (self.exact and (totals or Ask.COLLECT in asks)):
                yield from self._listed()
        if counts:
            yield from self._counts()

    def _figures(self, variable: str, figure: str, end: str) -> Iterator[str]:
        """A figure per node; per name only if no two nodes share one."""
        shown, ordered = self._shown(variable), f" ORDER BY {self.alias}{end}"
        if shown != variable and self.linker.naming.shares(self.nodes[variable]):
            yield f" WITH {variable}, {figure} AS {self.alias} RETURN {shown}, {self.alias}{ordered}"
        yield f" RETURN {shown}, {figure} AS {self.alias}{ordered}"

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
            ways = [""] if all(each) or len(self.nodes) == 1 else ["", "DISTINCT "] if self.exact else ["DISTINCT ", ""]
            for once, order in product(["DISTINCT "] if self.hints.indirect else ways, self._orders(columns)):
                yield f" RETURN {once}{', '.join(columns)}{order}{self.limit}"

    def _orders(self, columns: list[str]) -> list[str]:
        """The orders of a list by what it shows or what is asked for, if the question says one."""
        keys = dict.fromkeys(held for held in (*columns, *self._asked()) if "." in held)
        ways = [" DESC"] if Ask.DESCENDING in self.hints.asks else ["", " DESC"]
        ordered = [f" ORDER BY {key}{way}" for key, way in product(keys, ways)]
        return ordered if ordered and Ask.ORDER in self.hints.asks else [""]

    def _lists(self) -> list[list[str]]:
        """The columns of each list: what is asked for alone, pairs, a node alone or with properties, two nodes."""
        names = {*self.tested} if self.exact else {*map(property_of, self.tested)}
        asked = [held for held in self._asked() if not names & {held, property_of(held)}]
        said = [held for held in asked if property_of(held) in map(named, self.hints.properties)]
        asked = said if self.exact else asked
        owned = ([held for held in said if held.partition(".")[0] == v] for v in (*self.free, *self.nodes))
        whole = [held for held in owned if self.exact and len(held) == len(self.hints.properties) < len(said)]
        said = whole[0] if whole else said  # all of them of one node
        columns: list[list[str]] = [said] if said and not self._wants_names(said) and not self._says("together") else []
        columns += [[self._shown(v) for v in pair] for pair in self._both()]
        for variable in self.free:
            columns += self._lists_of(variable, said, asked)
        pairs = [(v, w) for v, w in permutations(self.nodes, 2) if v in self.free]
        columns += [[self._shown(v), self._shown(w), *said] for v, w in pairs if not self._is_named(w)]
        return columns + ([held for held in (said, asked) if held] or [[v] for v in self.free if not self.exact])

    def _lists_of(self, variable: str, said: list[str], asked: list[str]) -> Iterator[list[str]]:
        """The columns of each list of one node: alone, with `said` or `asked` properties, with tested ones."""
        key, shown = self._key(variable), self._shown(variable)
        if not said:
            once = all(v == variable or self._is_named(v) for v in self.nodes)  # else distinct names are shown
            once = once or self.linker.naming.shares(self.nodes[variable])  # which DISTINCT would merge
            yield [self._alone(variable) if once else shown]
        beside = key if self.linker.naming.names(property_of(key)) else shown
        yield from ([beside, *some] for some in (said, asked) if some and key not in self.fixed)
        also = [held for held in self._asked() if held in self.tested - self.fixed and held != shown]
        if also and not self.exact:
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
        for variable, once in product(self.free, ["DISTINCT "] if self.hints.indirect else ["", "DISTINCT "]):
            yield f" RETURN count({once}{variable})"

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
        several = self.shape.steps > 1 or is_cued(self.hints.masked, {"distinct"})
        return ("DISTINCT ", "") if several else ("",)

    def _counted_first(self, variables: list[str]) -> list[str]:
        """The variables of the counted label first, then those of other named labels, then the others."""
        counted, labels = counted_label(self.hints, self.linker), self.hints.labels
        return sorted(variables, key=lambda v: (self.nodes[v] != counted, self.nodes[v] not in labels))

    def _totals(self) -> Iterator[str]:
        for ask, function in _TOTALS.items():
            if ask in self.hints.asks:
                numbers = self._asked(numeric=True)
                fixed = {v for v in self.nodes if self._is_named(v)}
                numbers = [held for held in numbers if held.partition(".")[0] not in fixed] or numbers
                for held in numbers:
                    once = f" WITH DISTINCT {held.partition('.')[0]}" if self.hints.indirect else ""
                    yield f"{once} RETURN {function}({held})"
                each = self._keys_of_groups(several=True) if Ask.GROUP in self.hints.asks or not self.exact else ()
                yield from (f" RETURN {key}, {function}({held})" for key, held in product(each, numbers) if key != held)

    def _grouped(self) -> Iterator[str]:
        others = [v for v in self.nodes if not self._is_named(v)] or [*self.nodes]
        for key, other in product(self._keys_of_groups(), others):
            if key != self._shown(other):
                if Ask.COLLECT not in self.hints.asks:
                    yield f" RETURN {key}, count({other})"
                yield f" RETURN {key}, collect({self._shown(other)})"

    def _keys_of_groups(self, *, several: bool = False) -> list[str]:
        """What the question has after `each`, else what is asked for and named; a total needs `several` nodes."""
        asked, each = self._asked(), self.hints.each
        named_so = [self._shown(v) for v, label in self.nodes.items() if label == each and not self._is_named(v)]
        named_so += [held for held in asked if each and property_of(held) == named(each)]
        free = self.free if len(self.nodes) > 1 or not several else ()
        return named_so or [*map(self._shown, free), *asked]

    def _having(self, sign: str, number: int) -> Iterator[str]:
        counted = self._counted_first([*self.nodes])
        asked = dict.fromkeys([*self.free, *self.nodes])
        pairs = [(variable, other) for other in counted for variable in asked if variable != other]
        for (variable, other), once in product(pairs, self._once()):
            test = f" WITH {variable}, count({once}{other}) AS {self.alias} WHERE {self.alias} {sign} {number}"
            if Ask.COUNT in self.hints.asks:
                yield f"{test} RETURN count({variable})"
            whole = self.linker.naming.tells(self.nodes[variable]) and self._alone(variable) == variable
            beside = [f"{one}, {self.alias}" for one in ([variable] if whole else []) + [self._shown(variable)]]
            texts = [self._shown(variable), *beside] if self.exact else [*beside, self._shown(variable)]
            yield from (f"{test} RETURN {text}{self.limit}" for text in texts)
