"""Readings for any graph: a short pattern, the stated conditions on it, and what may be returned.

While `readings` relies on one graph's lexicon, this composes freely; comparing with the question's words
(core.confidence) removes what doesn't fit. Pure: runs nothing, calls nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations, product

from servers.text2cypher.cypher.tokens import named, quote
from servers.text2cypher.grammar.columns import NUMBERS
from servers.text2cypher.grammar.readings import Reading
from servers.text2cypher.grammar.shapes import Shape, shapes, without_last_step
from servers.text2cypher.grammar.shown import Shown
from servers.text2cypher.grammar.variables import property_of
from servers.text2cypher.graph.schema import BOOLEAN, STRING
from servers.text2cypher.linking.amounts import FIRST_YEAR, LAST_YEAR, in_year
from servers.text2cypher.linking.asks import Ask
from servers.text2cypher.linking.bounds import Placed, bounds_in, texts_in
from servers.text2cypher.linking.hints import Hints, Linker
from servers.text2cypher.linking.names import root, roots
from servers.text2cypher.linking.naming import is_key
from servers.text2cypher.linking.said import named_properties, nearest

MOST_KINDS = 3
MOST_MATCHES = 40
_IN_YEAR = {
    "=": "STARTS WITH '{year}'",
    "<": "< '{year}'",
    "<=": "<= '{year}-12-31T23:59:59'",
    ">": "> '{year}-12-31T23:59:59'",
    ">=": ">= '{year}'",
}
"""How a date stored as text is compared with a year."""
MOST_PLACED = 12  # the most ways to place conditions


class Composer:
    """Composes readings for one graph's linker."""

    def __init__(self, linker: Linker) -> None:
        self.linker, self.schema = linker, linker.schema
        self._labelled = {root(word) for phrase in linker.lexicon.labels for word in phrase.split()}

    def readings(self, hints: Hints) -> list[Reading]:
        """The readings with all conditions of the question, shortest patterns first.

        A property that none of the named labels has adds the label that has it: `categories by total units in stock`.
        """
        held = {name for label in hints.labels for name in self.schema.nodes[label]}
        held |= {name for types in self.schema.relationship_properties.values() for name in types}
        owners = {
            next(label for label, types in self.schema.nodes.items() if name in types)
            for name in hints.properties
            if name not in held
        }
        if hints.labels and len(owners) == 1:
            hints = replace(hints, labels=(*hints.labels, *owners))
        kinds = [*hints.relations, *(name for name in hints.related if name in self.schema.relationships)]
        kinds += [] if set(kinds) & set(self._holding(hints)) else self._holding(hints)
        chosen = list(dict.fromkeys(kinds))[:MOST_KINDS]
        # words that also name something else: `a beneficiary bank in 'Singapore'`
        others = self._labelled | roots(*(held.property for held in hints.filters))
        plain = [kind for kind in chosen if kind not in hints.within and not roots(kind) & others]
        found: dict[str, Reading] = {}
        for shape in dict.fromkeys([*shapes(hints, self.schema, plain), *shapes(hints, self.schema, chosen)]):
            for tests in self._placed(hints, shape):
                where = f" WHERE {' AND '.join(tests)}" if tests else ""
                for match, nodes in self._matches(hints, shape, where):
                    returns = tuple(dict.fromkeys(Shown(self.linker, hints, nodes, shape, tests).texts()))
                    if returns and len(found) < MOST_MATCHES:
                        found.setdefault(match, Reading(match, returns))
        return list(found.values())

    def _holding(self, hints: Hints) -> list[str]:
        """The relationships with a named property that no node has."""
        own = {name for types in self.schema.nodes.values() for name in types}
        said = set(named_properties(hints, self.linker)) - own
        return [kind for kind, types in self.schema.relationship_properties.items() if said & set(types)]

    def _matches(self, hints: Hints, shape: Shape, where: str) -> Iterator[tuple[str, dict[str, str]]]:
        """(pattern, nodes); for a negated question also without the step at either end, first the label said last."""
        if Ask.NOT in hints.asks:
            said = {label: place for place, label in enumerate(hints.labels)}
            for kept, missing, end in sorted(
                without_last_step(shape), key=lambda one: -said.get(shape.nodes[one[2]], -1)
            ):
                nodes = {variable: label for variable, label in shape.nodes.items() if variable != end}
                if f"{end}." not in where:
                    yield f"MATCH {kept}{where + ' AND' if where else ' WHERE'} NOT {missing}", nodes
        yield f"MATCH {shape.text}{where}", shape.nodes

    # -- conditions

    def _placed(self, hints: Hints, shape: Shape) -> Iterator[list[str]]:
        """Every way to place all conditions on the pattern's nodes and relationships; none if one has no place."""
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
            if way in ("<", "<=", ">", ">="):
                options.append([f"{held} {way} {quote(text)}" for held in self._dates(shape, hints)])
            elif text not in said:
                labels = {stated.label for stated in hints.filters if stated.operator == way}
                owned = sorted(
                    self._owned(shape, (STRING,), hints),
                    key=lambda one: shape.nodes.get(one.partition(".")[0]) not in labels,
                )
                options.append([f"{held} {way} {quote(text)}" for held in owned])
        numbers = self._owned(shape, NUMBERS, hints, named_only=True)
        options += [self._bounded(hints, shape, bound, numbers) for bound in bounds_in(hints, self.linker)]
        if truths := self._owned(shape, (BOOLEAN,), hints, named_only=True):
            options.append([f"{held} = {'false' if Ask.NOT in hints.asks else 'true'}" for held in truths])
        for number, chosen in enumerate(product(*options)):
            if number == MOST_PLACED:
                return
            yield list(dict.fromkeys(chosen))

    def _bounded(self, hints: Hints, shape: Shape, placed: Placed, properties: list[str]) -> list[str]:
        """The tests of a bound on one of the number properties that are named; if none is, on any."""
        bound, at = placed
        sign, number = bound[0]
        others = [held for held in properties if property_of(held) not in self.linker.lexicon.moments]
        if sign != "%" and FIRST_YEAR <= number <= LAST_YEAR and (not others or sign == "="):
            dates = [] if others else self._dates(shape, hints)
            if dates := [*dates, *self._moments(shape, hints)]:
                kept = self._nearest(at, hints, dates)
                return [" AND ".join(self._in_year(held, *one) for one in bound) for held in kept]
        if not properties and sign not in ("=", "%"):
            properties = [held for held in self._owned(shape, NUMBERS, hints) if not is_key(property_of(held))]
        kept = self._nearest(at, hints, properties)
        if sign == "%":
            return [f"{held} % {number} = 0" for held in kept]
        return [" AND ".join(f"{held} {sign} {number}" for sign, number in bound) for held in kept]

    def _nearest(self, at: int, hints: Hints, held: list[str]) -> list[str]:
        """Of `variable.property` items, those whose property is mentioned last before an offset."""
        names = nearest(at, hints, self.linker, [property_of(one) for one in held])
        return [one for one in held if property_of(one) in names]

    def _in_year(self, held: str, sign: str, year: float) -> str:
        units = self.linker.lexicon.moments.get(property_of(held))
        if units is None:
            return f"{held} {_IN_YEAR[sign].format(year=year)}"
        return " AND ".join(
            f"{held} {way} {at:.0f}" for way, at in sorted(in_year(sign, int(year), units), reverse=True)
        )

    def _dates(self, shape: Shape, hints: Hints) -> list[str]:
        """Properties with dates stored as text."""
        return [held for held in self._owned(shape, (STRING,), hints) if property_of(held) in self.linker.lexicon.timed]

    def _moments(self, shape: Shape, hints: Hints) -> list[str]:
        """Properties with dates stored as numbers: the named ones, else all."""
        held = self.linker.lexicon.moments
        every = [
            f"{v}.{named(name)}"
            for v, label in shape.nodes.items()
            for name in self.schema.nodes[label]
            if name in held
        ]
        return [one for one in every if property_of(one) in named_properties(hints, self.linker)] or every

    def _owned(self, shape: Shape, types: tuple[str, ...], hints: Hints, *, named_only: bool = False) -> list[str]:
        """`variable.property` items of these types that the question names; if it names none, all."""
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
