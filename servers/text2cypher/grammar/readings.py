"""Every query that a question can mean, given its hints: patterns that join what it names, and possible results.

What the words decide is fixed; the rest (the direction of a prerequisite, which node is meant, whether to count
distinct) stays open, most likely first. Pure: runs nothing, calls nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations, product

from servers.text2cypher.cypher.tokens import named
from servers.text2cypher.grammar.patterns import Node, Patterns, is_asked
from servers.text2cypher.graph.schema import FLOAT, INTEGER
from servers.text2cypher.linking.asks import Ask, is_cued
from servers.text2cypher.linking.hints import Hints, Linker
from servers.text2cypher.linking.language import languages

MOST_PATTERNS = 60
_TOTALS = {Ask.SUM: "sum", Ask.AVERAGE: "avg", Ask.MINIMUM: "min", Ask.MAXIMUM: "max"}


@dataclass(frozen=True)
class Reading:
    """`match`: the text before RETURN; `returns`: the texts that may follow, including WITH."""

    match: str
    returns: tuple[str, ...]

    @property
    def queries(self) -> list[str]:
        """The complete query texts."""
        return [self.match + text for text in self.returns]


class Reader:
    """Makes readings for one graph's linker; `variables` as returned by grammar.variables."""

    def __init__(self, linker: Linker, variables: dict[str, str]) -> None:
        self.linker, self.schema = linker, linker.schema
        self._patterns = Patterns(linker, variables)

    def readings(self, hints: Hints) -> list[Reading]:
        """At most MOST_PATTERNS patterns; empty if the hints name nothing in the graph."""
        found: dict[str, Reading] = {}
        for match, nodes, hops in self._patterns.of(hints):
            returns = tuple(dict.fromkeys(self._returns(hints, nodes, hops)))
            if returns and match not in found:
                found[match] = Reading(match, returns)
            if len(found) >= MOST_PATTERNS:
                break
        return list(found.values())

    # -- what is returned

    def _returns(self, hints: Hints, nodes: list[Node], hops: int) -> Iterator[str]:
        if Ask.YES_NO in hints.asks:
            yield f" RETURN count({nodes[-1].variable}) > 0"
            return
        if hints.having is not None:
            yield from self._having(hints, nodes, hops)
            return
        grouped = Ask.GROUP in hints.asks or Ask.COLLECT in hints.asks
        numeric = [name for name in hints.properties if self._numeric(name)]
        best = Ask.MOST in hints.asks or Ask.FEWEST in hints.asks
        if best and Ask.ORDER not in hints.asks and not (numeric and self._says(r"^\W*‹how_much›\b", hints)):
            return  # the composer makes ranks
        if grouped:
            yield from self._grouped(hints, nodes, numeric, hops)
            return
        wanted = [] if Ask.ORDER in hints.asks else [text for ask, text in _TOTALS.items() if ask in hints.asks]
        if wanted and numeric:
            yield from self._totals(hints, nodes, wanted, numeric)
            return
        if Ask.COUNT in hints.asks and not numeric:
            yield from self._counts(hints, nodes, hops)
            return
        yield from self._plain(hints, nodes, hops)

    def _says(self, template: str, hints: Hints) -> bool:
        return bool(self.linker.wording.compiled(template).search(hints.question))

    def _numeric(self, name: str) -> bool:
        return any(types.get(name) in (INTEGER, FLOAT) for types in self.schema.nodes.values())

    def _open(self, hints: Hints, nodes: list[Node]) -> list[Node]:
        """The nodes that the question may be about: those that aren't identified, preferably of the focus label."""
        unnamed = [node for node in nodes if not node.fixed] or nodes
        focused = [node for node in unnamed if node.label == hints.focus]
        return focused or unnamed

    def _shown(self, node: Node) -> str:
        """The expression that shows a node: the property that identifies nodes of its label."""
        return f"{node.variable}.{named(self.linker.naming.display(node.label)[0])}"

    def _plain(self, hints: Hints, nodes: list[Node], hops: int) -> Iterator[str]:
        distinct = ["DISTINCT "] if hints.indirect else (["", "DISTINCT "] if hops > 1 else [""])
        for items in self._items(hints, nodes):
            for once in distinct:
                for order in self._orders(hints, nodes, items):
                    yield f" RETURN {once}{items}{order}"

    def _items(self, hints: Hints, nodes: list[Node]) -> Iterator[str]:
        if hints.properties:
            for owned in self._owned(hints, nodes):
                alone = ", ".join(owned)
                with_name = False
                owner = owned[0].split(".")[0]
                also = [n for n in nodes if n.label == hints.focus] if hints.of_label else []
                for node in [n for n in nodes if (n.variable == owner or n in also) and not n.fixed]:
                    shown = self._shown(node)
                    if shown not in owned:
                        with_name = True
                        yield ", ".join([shown, *owned])
                if not (with_name and self._says(r"\b‹together›\b", hints)):
                    yield alone
            if len(nodes) == 1 or Ask.ORDER not in hints.asks:
                return
        others, pairs = [node for node in nodes if not node.fixed], is_cued(hints.question, {"pairs"})
        if len(others) < 2 or not pairs:
            yield from (self._shown(node) for node in self._open(hints, nodes))
        listed = any(held.operator == "=" and len(held.values) > 1 for held in hints.filters)
        if len(others) > 1 and (listed or pairs or self._says(r"\b‹several›\b", hints)):
            for first, second in permutations(others, 2):
                yield f"{self._shown(first)}, {self._shown(second)}"

    def _owned(self, hints: Hints, nodes: list[Node]) -> Iterator[list[str]]:
        """The asked properties, each on a node that has it; all on one node if one has them all."""
        asked, label_of = hints.properties, dict(hints.of_label)
        apart = hints.focus is not None and bool({*label_of.values()} - {hints.focus})
        about = [] if apart else [*self._open(hints, nodes), *nodes]
        whole = [n for n in dict.fromkeys(about) if all(p in self.schema.nodes[n.label] for p in asked)]
        if whole:
            yield from ([f"{node.variable}.{named(name)}" for name in asked] for node in whole)
            return
        owners = [
            [n for n in nodes if p in self.schema.nodes[n.label] and (not apart or label_of.get(p, n.label) == n.label)]
            for p in asked
        ]
        held = [[f"{n.variable}.{named(p)}" for n in owning] for p, owning in zip(asked, owners, strict=True) if owning]
        yield from (list(choice) for choice in product(*held) if choice)

    def _orders(self, hints: Hints, nodes: list[Node], items: str) -> list[str]:
        if Ask.ORDER not in hints.asks:
            return [""]
        keys = items.split(", ")
        keys += [f"{n.variable}.{named(p)}" for n in nodes for p in hints.properties if p in self.schema.nodes[n.label]]
        if hints.asks & {Ask.DESCENDING, Ask.MAXIMUM, Ask.MINIMUM}:
            keys.sort(key=lambda key: not self._numeric(key.rpartition(".")[2]))
        ways = [" DESC"] if Ask.DESCENDING in hints.asks else ["", " DESC"]
        return [f" ORDER BY {key}{way}" for key in dict.fromkeys(keys) for way in ways]

    def _counts(self, hints: Hints, nodes: list[Node], hops: int) -> Iterator[str]:
        for node in self._open(hints, nodes):
            if not hints.indirect:
                yield f" RETURN count({node.variable})"
            if hints.indirect or hops > 1:
                yield f" RETURN count(DISTINCT {node.variable})"

    def _totals(self, hints: Hints, nodes: list[Node], functions: list[str], numeric: list[str]) -> Iterator[str]:
        if len(nodes) == 1 and nodes[0].fixed:
            yield from self._plain(hints, nodes, 0)
            return
        for node in [n for n in nodes if not n.fixed] or nodes:
            for function, name in product(functions, numeric):
                if name in self.schema.nodes[node.label]:
                    once = f" WITH DISTINCT {node.variable}" if hints.indirect else ""
                    yield f"{once} RETURN {function}({node.variable}.{named(name)})"

    def _keys(self, hints: Hints, nodes: list[Node]) -> list[tuple[Node, str]]:
        """(node, item) by which rows can be grouped: what follows "setiap", else anything shown."""
        free = [n for n in nodes if not n.fixed]
        if hints.each in self.schema.nodes and (each := [n for n in free if n.label == hints.each]):
            return [(n, self._shown(n)) for n in each]
        if hints.each and (each := [n for n in free if hints.each in self.schema.nodes[n.label]]):
            return [(n, f"{n.variable}.{named(hints.each)}") for n in each]
        own = [
            (n, f"{n.variable}.{named(p)}") for n in free for p in hints.properties if p in self.schema.nodes[n.label]
        ]
        return [*[(n, self._shown(n)) for n in free], *own]

    def _grouped(self, hints: Hints, nodes: list[Node], numeric: list[str], hops: int) -> Iterator[str]:
        if Ask.COLLECT in hints.asks and Ask.GROUP not in hints.asks:
            for node in self._open(hints, nodes):
                yield f" RETURN collect({self._shown(node)})"
        for key_node, key in self._keys(hints, nodes):
            whole_node = key == self._shown(key_node)
            others = [n for n in nodes if not (whole_node and n == key_node) and not n.fixed]
            name = key.partition(".")[2]
            values = [
                f"{n.variable}.{named(p)}"
                for n in nodes
                for p in numeric
                if p in self.schema.nodes[n.label] and named(p) != name
            ]
            asked = [function for ask, function in _TOTALS.items() if ask in hints.asks]
            totals = [f"{function}({value})" for function in asked for value in values]
            beside = totals or self._beside(hints, key, others, values, hops)
            yield from (f" RETURN {key}, {text}" for text in beside)

    def _beside(self, hints: Hints, key: str, others: list[Node], values: list[str], hops: int) -> Iterator[str]:
        """What may be returned beside a group's key, if no total is."""
        shown = [self._shown(node) for node in others]
        if Ask.COLLECT in hints.asks:
            yield from (f"collect({one})" for one in shown if one != key)
        elif Ask.COUNT in hints.asks:
            for node in others:
                yield f"count({node.variable})"
                if hops > 1:
                    yield f"count(DISTINCT {node.variable})"
        else:
            yield from (*shown, *values)

    def _having(self, hints: Hints, nodes: list[Node], hops: int) -> Iterator[str]:
        assert hints.having is not None
        operator, number = hints.having
        alias = languages().voice_of(hints.question).answers["figure"]
        for node in [n for n in self._open(hints, nodes) if is_asked(n.ends, hints)]:
            for other in [n for n in nodes if n != node]:
                for once in ("", "DISTINCT ") if hops > 1 else ("",):
                    counted = f"count({once}{other.variable}) AS {alias}"
                    test = f" WITH {node.variable}, {counted} WHERE {alias} {operator} {number}"
                    yield f"{test} RETURN {self._shown(node)}"
