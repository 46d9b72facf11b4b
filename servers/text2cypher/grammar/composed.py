"""Readings of what any graph is asked: a short pattern, the stated conditions on it, and what may be shown of it.

Where `readings` knows how one graph's lexicon speaks, this composes freely and leaves it to the coverage of the
question's words to drop what doesn't fit (core.confidence.covering). Pure: runs nothing, calls nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product

from servers.text2cypher.cypher.tokens import named, quote
from servers.text2cypher.grammar.readings import Reading
from servers.text2cypher.grammar.shapes import Shape, doer_of, shapes
from servers.text2cypher.graph.schema import BOOLEAN, FLOAT, INTEGER, STRING
from servers.text2cypher.linking.asks import Ask, is_cued
from servers.text2cypher.linking.bounds import Placed, bounds_in, texts_in
from servers.text2cypher.linking.hints import Hints, Linker
from servers.text2cypher.linking.language import languages
from servers.text2cypher.linking.names import parts, root
from servers.text2cypher.linking.said import named_properties, nearest

MOST_KINDS = 3
MOST_MATCHES = 40
MOST_PLACED = 12  # ways in which conditions can stand on one pattern
_TOTALS = {Ask.SUM: "sum", Ask.AVERAGE: "avg", Ask.MINIMUM: "min", Ask.MAXIMUM: "max"}
_NUMBERS = (INTEGER, FLOAT)
_RANKING = {Ask.MOST, Ask.FEWEST, Ask.COUNT, Ask.ORDER, Ask.DESCENDING}
_BEST = {"top", "maximum", "minimum"}


class Composer:
    """Over one graph's linker."""

    def __init__(self, linker: Linker) -> None:
        self.linker, self.schema = linker, linker.schema
        self._labelled = {root(part) for label in self.schema.labels for part in parts(label)}

    def readings(self, hints: Hints) -> list[Reading]:
        """Those with all conditions of the question; the shortest patterns first."""
        kinds = [*hints.relations, *(name for name in hints.related if name in self.schema.relationships)]
        kinds += [] if set(kinds) & set(self._holding(hints)) else self._holding(hints)
        chosen = list(dict.fromkeys(kinds))[:MOST_KINDS]
        plain = [kind for kind in chosen if not {root(part) for part in parts(kind)} & self._labelled]
        found: dict[str, Reading] = {}
        for shape in dict.fromkeys([*shapes(hints, self.schema, plain), *shapes(hints, self.schema, chosen)]):
            for tests in self._placed(hints, shape):
                where = f" WHERE {' AND '.join(tests)}" if tests else ""
                for match, nodes in self._matches(hints, shape, where):
                    returns = tuple(dict.fromkeys(_Returns(self.linker, hints, nodes, shape, tests).texts()))
                    if returns and len(found) < MOST_MATCHES:
                        found.setdefault(match, Reading(match, returns))
        return list(found.values())

    def _holding(self, hints: Hints) -> list[str]:
        """The relationships that alone hold a property which the question names."""
        own = {name for types in self.schema.nodes.values() for name in types}
        said = set(named_properties(hints, self.linker)) - own
        return [kind for kind, types in self.schema.relationship_properties.items() if said & set(types)]

    def _matches(self, hints: Hints, shape: Shape, where: str) -> Iterator[tuple[str, dict[str, str]]]:
        """The pattern; for a negated question also each end without the other."""
        if Ask.NOT in hints.asks and len(shape.edges) == 1 and len(shape.nodes) == 2:
            (kind,), (start, end) = shape.edges.values(), shape.nodes.items()
            for (kept, label), arrow in ((start, f"-[:{named(kind)}]->()"), (end, f"<-[:{named(kind)}]-()")):
                joined = " AND".join((where or " WHERE", "")) if where else " WHERE "
                yield f"MATCH ({kept}:{named(label)}){joined}NOT ({kept}){arrow}", {kept: label}
        yield f"MATCH {shape.text}{where}", shape.nodes

    # -- conditions

    def _placed(self, hints: Hints, shape: Shape) -> Iterator[list[str]]:
        """Every way to hold all conditions on the pattern's nodes and relationships; none where one has no place."""
        options: list[list[str]] = []
        for held in hints.filters:
            if held.operator == "=" and all(isinstance(value, str) for value in held.values):
                values = [quote(str(value)) for value in held.values]
                test = f"= {values[0]}" if len(values) == 1 else f"IN [{', '.join(values)}]"
                nodes = [variable for variable, label in shape.nodes.items() if label == held.label]
                held_by = [f"{variable}.{named(held.property)}" for variable in nodes]
                spread = [
                    " AND ".join(f"{one} = {value}" for one, value in zip(order, values, strict=True))
                    for order in permutations(held_by, len(values))
                    if len(values) > 1
                ]
                options.append([*spread, *(f"{one} {test}" for one in held_by)])
        said = {str(value) for held in hints.filters if held.operator == "=" for value in held.values}
        for way, text in texts_in(hints, self.linker):
            if text not in said:
                labels = {stated.label for stated in hints.filters if stated.operator == way}
                owned = sorted(
                    self._owned(shape, (STRING,), hints),
                    key=lambda one: shape.nodes.get(one.partition(".")[0]) not in labels,
                )
                options.append([f"{held} {way} {quote(text)}" for held in owned])
        options += [self._bounded(hints, shape, bound) for bound in bounds_in(hints, self.linker)]
        if truths := self._owned(shape, (BOOLEAN,), hints, named_only=True):
            options.append([f"{held} = {'false' if Ask.NOT in hints.asks else 'true'}" for held in truths])
        for number, chosen in enumerate(product(*options)):
            if number == MOST_PLACED:
                return
            yield list(dict.fromkeys(chosen))

    def _bounded(self, hints: Hints, shape: Shape, placed: Placed) -> list[str]:
        bound, at = placed
        properties = self._owned(shape, _NUMBERS, hints, named_only=bound[0][0] == "=")
        names = nearest(at, hints, self.linker, [held.partition(".")[2] for held in properties])
        kept = [held for held in properties if held.partition(".")[2] in names]
        return [" AND ".join(f"{held} {sign} {number}" for sign, number in bound) for held in kept]

    def _owned(self, shape: Shape, types: tuple[str, ...], hints: Hints, *, named_only: bool = False) -> list[str]:
        """`variable.property` of these types that the question names; where it names none, all that there are."""
        every = [
            (variable, name)
            for held, known in ((shape.nodes, self.schema.nodes), (shape.edges, self.schema.relationship_properties))
            for variable, label in held.items()
            for name, kind in known.get(label, {}).items()
            if kind in types
        ]
        said = named_properties(hints, self.linker)
        chosen = [pair for pair in every if pair[1] in said] or ([] if named_only else every)
        return [f"{variable}.{named(name)}" for variable, name in chosen]


class _Returns:
    """What may be shown of one pattern."""

    def __init__(self, linker: Linker, hints: Hints, nodes: dict[str, str], shape: Shape, tests: list[str]) -> None:
        self.linker, self.hints, self.nodes, self.shape, self.tests = linker, hints, nodes, shape, tests
        self.limit = f" LIMIT {hints.limit}" if hints.limit else ""
        self.tested = {held.partition(" ")[0] for test in tests for held in test.split(" AND ")}
        unnamed = [v for v in nodes if not self._is_named(v)] or [*nodes]
        self.free = self._first(unnamed)

    def texts(self) -> Iterator[str]:
        """Those of the label asked for; where that leaves one, another node's behind it."""
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
            yield from self._listed()

    def _is_named(self, variable: str) -> bool:
        """True where a condition says which node it is."""
        return any(held.startswith(f"{self._shown(variable)} =") for test in self.tests for held in test.split(" AND "))

    def _first(self, variables: list[str]) -> list[str]:
        """Those of the label that the question asks for: the first it names, after `who` any other.

        `The directors of movies` are asked for by what they do: they stand where DIRECTED begins.
        """
        if (doer := doer_of(self.hints, self.shape, self.linker.schema)) in variables:
            return [doer]
        label = next(iter(self.hints.labels), None)
        wording, masked = self.linker.wording, self.hints.masked
        if wording.compiled(r"^\W*‹who_are›(?:\W+(?!‹of›\b)\w+){0,3}\W+‹label›").match(masked):
            return [v for v in variables if self.nodes[v] == label] or variables
        if wording.compiled(r"^\W*‹opens_person›\b").match(masked):
            return [v for v in variables if self.nodes[v] != label] or variables
        if wording.compiled(r"^\W*(?:‹opens›)\b").match(masked):
            return [v for v in variables if self.nodes[v] == label] or variables
        return variables

    def _shown(self, variable: str) -> str:
        names = self.linker.display(self.nodes[variable])
        return f"{variable}.{named(names[0])}" if names else variable

    def _asked(self, *, numeric: bool = False) -> list[str]:
        """Named properties that the pattern holds."""
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
            if name in types and (not numeric or types[name] in _NUMBERS or name in self.linker.lexicon.timed)
            if not self._only_says_which(name, variable)
        ]

    def _only_says_which(self, name: str, variable: str) -> bool:
        """`name the movies`, `the names of the movies`: not what another label's nodes are called."""
        first = next(iter(self.hints.labels), "")
        asked = first in self.nodes.values() and name not in self.linker.schema.nodes[first]
        return asked and name in languages().naming and self.nodes.get(variable) != first

    def _says(self, name: str) -> bool:
        return bool(self.linker.wording.compiled(rf"\b‹{name}›\b").search(self.hints.masked))

    def _listed(self) -> Iterator[str]:
        tests = [held.partition(" ") for test in self.tests for held in test.split(" AND ")]
        fixed = {held for held, _, test in tests if test.startswith("= ")}  # the same in every row
        names = {held.partition(".")[2] for held in self.tested}
        asked = [held for held in self._asked() if held.partition(".")[2] not in names]
        said = [held for held in asked if held.partition(".")[2] in map(named, self.hints.properties)]
        columns: list[list[str]] = [said] if said and not self._wants_names(said) else []
        for variable in self.free:
            shown = self._shown(variable)
            also = [held for held in self._asked() if held in self.tested - fixed and held != shown]
            columns += [[shown, *some] for some in (said, asked) if not (some and shown in fixed)]
            columns += [[shown, *said, *also]] if also else []
        pairs = [(v, w) for v, w in permutations(self.nodes, 2) if v in self.free]
        columns += [[self._shown(v), self._shown(w), *said] for v, w in pairs if not self._is_named(w)]
        columns += [said] if said else [[variable] for variable in self.free]
        for held in [list(dict.fromkeys(some)) for some in columns]:
            if not {self._shown(v) for v in self.nodes if not self._is_named(v)} <= set(held) and len(self.nodes) > 1:
                yield f" RETURN DISTINCT {', '.join(held)}{self.limit}"
            yield f" RETURN {', '.join(held)}{self.limit}"

    def _wants_names(self, said: list[str]) -> bool:
        """Whom a question asks for is shown, and whose it is that stands on a relationship."""
        who = self.linker.wording.compiled(r"^\W*‹opens_person›\b").match(self.hints.masked)
        return bool(who) or any(held.partition(".")[0] in self.shape.edges for held in said)

    def _counts(self) -> Iterator[str]:
        for variable in self.free:
            yield f" RETURN count({variable})"
            yield f" RETURN count(DISTINCT {variable})"

    def _ranked(self) -> Iterator[str]:
        """The first by a number that is stored, or by how many are joined."""
        asks = self.hints.asks
        timed = self._says("early") or self._says("late")
        if not (timed or asks & _RANKING or (self.limit and is_cued(self.hints.masked, _BEST))):
            return
        limit = self.limit or " LIMIT 1"
        ways = ["", " DESC"] if timed or Ask.FEWEST in asks else [" DESC", ""]
        ends = [f"{way}{limit}" for way in ways]
        numbers, counts = list(self._by_number(ends)), list(self._by_count(ends))
        counted = Ask.COUNT in asks or self.linker.wording.compiled(r"‹most›\s+‹label›").search(self.hints.masked)
        yield from [*counts, *numbers] if counted else [*numbers, *counts]

    def _by_number(self, ends: list[str]) -> Iterator[str]:
        """By a stored number, or by its total or average over what is joined."""
        functions = [_TOTALS[ask] for ask in (Ask.SUM, Ask.AVERAGE) if ask in self.hints.asks]
        for variable, end, held in product(self.free, ends, self._asked(numeric=True)):
            shown = self._shown(variable)
            for function in functions:
                yield f" RETURN {shown}, {function}({held}) AS jumlah ORDER BY jumlah{end}"
            if not functions and held not in self.tested:
                yield f" RETURN {shown}, {held} ORDER BY {held}{end}"
                yield f" RETURN {shown} ORDER BY {held}{end}"

    def _by_count(self, ends: list[str]) -> Iterator[str]:
        distinct = len(self.shape.edges) > 1 or is_cued(self.hints.masked, {"distinct"})
        ways = ("DISTINCT ", "") if distinct else ("",)
        for variable, end in product(self.free, ends):
            others = [v for v in self.nodes if v != variable]
            for other, once in product(sorted(others, key=lambda v: self.nodes[v] not in self.hints.labels), ways):
                yield f" RETURN {self._shown(variable)}, count({once}{other}) AS jumlah ORDER BY jumlah{end}"

    def _totals(self) -> Iterator[str]:
        for ask, function in _TOTALS.items():
            if ask in self.hints.asks:
                yield from (f" RETURN {function}({held})" for held in self._asked(numeric=True))
                keys = [*map(self._shown, self.free), *self._asked()]
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
        for variable, other in permutations(self.nodes, 2):
            test = f" WITH {variable}, count({other}) AS jumlah WHERE jumlah {sign} {number}"
            if Ask.COUNT in self.hints.asks:
                yield f"{test} RETURN count({variable})"
            yield f"{test} RETURN {self._shown(variable)}{self.limit}"
            yield f"{test} RETURN {self._shown(variable)}, jumlah{self.limit}"
