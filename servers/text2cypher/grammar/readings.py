"""Every query a question can mean, given its hints: the patterns that join what it names, and what may be returned.

What the words decide is fixed here; what they leave open (which way a prerequisite runs, which node is meant, whether
to count each node once) stays open, and the model chooses by writing. Pure: runs nothing, calls nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import permutations, product

from servers.text2cypher.cypher.tokens import quote
from servers.text2cypher.grammar.paths import Chain, chains
from servers.text2cypher.grammar.variables import numbered
from servers.text2cypher.graph.schema import FLOAT, INTEGER
from servers.text2cypher.linking.directions import End
from servers.text2cypher.linking.hints import Ask, Filter, Hints, Linker

MOST_PATTERNS = 60
_HOW_MUCH = re.compile(r"^\W*(?:berapa|how)\b", re.IGNORECASE)
_TOGETHER = re.compile(r"\b(?:beserta|serta|bersama|berikut)\b", re.IGNORECASE)
_SEVERAL = re.compile(
    r"\b(?:beserta|serta|bersama|pasangan|masing-masing|kelompokkan|setiap|tiap|dan nama|dengan nama|and)\b"
)


@dataclass(frozen=True)
class Bound:
    """One named node of a pattern; `fixed` when a filter says which node it is."""

    variable: str
    label: str
    fixed: bool
    ends: frozenset[End] = frozenset()  # at which ends of a relationship between two of its label it stands


@dataclass(frozen=True)
class Reading:
    """`match` is the text up to RETURN; `returns` the texts that may follow, WITH included."""

    match: str
    returns: tuple[str, ...]


@dataclass
class _Node:
    label: str
    variable: str
    keys: list[str] = field(default_factory=list)
    tests: list[str] = field(default_factory=list)
    fixed: bool = False
    values: set[str | int] = field(default_factory=set)
    ends: set[End] = field(default_factory=set)

    def text(self) -> str:
        keys = f" {{{', '.join(self.keys)}}}" if self.keys else ""
        return f"({self.variable}:{self.label}{keys})"


class Reader:
    """Over one graph's linker; `variables` as grammar.variables gives them."""

    def __init__(self, linker: Linker, variables: dict[str, str]) -> None:
        self.linker, self.schema, self.variables = linker, linker.schema, variables

    def readings(self, hints: Hints) -> list[Reading]:
        """At most MOST_PATTERNS patterns; empty when the hints name nothing the graph has."""
        found: dict[str, Reading] = {}
        for match, nodes, hops in self._patterns(hints):
            returns = tuple(dict.fromkeys(self._returns(hints, nodes, hops)))
            if returns and match not in found:
                found[match] = Reading(match, returns)
            if len(found) >= MOST_PATTERNS:
                break
        return list(found.values())

    # -- patterns

    def _patterns(self, hints: Hints) -> Iterator[tuple[str, list[Bound], int]]:
        negated = Ask.NOT in hints.asks and not any(f.operator in ("null", "<>") for f in hints.filters)
        for chain in self._chains(hints):
            if negated and len(chain.steps) == 1:
                yield from self._negated(hints, chain)
        if negated and hints.relations:
            return
        for chain in self._chains(hints):
            for nodes in self._filtered(chain, hints):
                if not _agrees(nodes, hints):
                    continue
                yield self._text(hints, chain, nodes), _bound(nodes), len(chain.steps)

    def _chains(self, hints: Hints) -> list[Chain]:
        """Chains with every named label and every triggered relationship; intermediate labels only if they must be."""
        loops = {kind for kind in self.schema.relationships if all(a == b for a, b in self.schema.ends(kind))}
        announced = set(self.linker.lexicon.relationships.values()) - loops
        named = {kind for kind in self.linker.lexicon.relationships.values() if hints.relations.get(kind)}
        quiet = {k for k in self.schema.relationships if k not in loops and (k in named or not self._has_words(k))}
        some = quiet | (named & loops)
        everything = (set(self.schema.relationships) - loops) | announced | (named & loops)
        for kinds in (some, everything):
            for extra in (0, 1, 2):
                fitting = self._fitting(hints, kinds & set(self.schema.relationships), named, loops, extra)
                if fitting:
                    return fitting
        return self._fitting(hints, everything & set(self.schema.relationships), set(), loops, 2)

    def _has_words(self, kind: str) -> bool:
        """True when the lexicon knows words for the relationship beyond its own name."""
        own = kind.lower().replace("_", " ")
        return any(name == kind and phrase != own for phrase, name in self.linker.lexicon.relationships.items())

    def _fitting(self, hints: Hints, kinds: set[str], named: set[str], loops: set[str], extra: int) -> list[Chain]:
        wanted = set(hints.labels)
        most = dict.fromkeys(self.schema.labels if extra else hints.labels, 1)
        for kind in named & loops:
            for label, _ in self.schema.ends(kind):
                once = bool(hints.asks & {Ask.INDIRECT, Ask.ONLY_INDIRECT, Ask.NOT})
                hops = 1 if once else min(hints.relations[kind], 2)
                most[label] = most.get(label, 1) + hops
        found = []
        for chain in chains(self.schema, kinds, most):
            held = {step.kind for step in chain.steps}
            if not wanted <= set(chain.labels) or len(set(chain.labels) - wanted) > extra:
                continue
            if not (named & kinds) <= held:
                continue
            found.append(chain)
        shortest = min((len(set(chain.labels)) for chain in found), default=0)
        return [chain for chain in found if len(set(chain.labels)) == shortest]

    def _filtered(self, chain: Chain, hints: Hints) -> Iterator[list[_Node]]:
        """The chain's nodes with every filter on some node of its label."""
        names = numbered(chain.labels, self.variables)
        for choice in product(*[_placements(chain, held, Ask.YES_NO in hints.asks) for held in hints.filters]):
            nodes = [_Node(label, name) for label, name in zip(chain.labels, names, strict=True)]
            _place_ends(chain, nodes)
            taken: set[tuple[int, str, str]] = set()
            clash = False
            for placement in choice:
                for place, held in placement:
                    clash |= (place, held.property, held.operator) in taken
                    taken.add((place, held.property, held.operator))
                    self._apply(nodes[place], held)
            if not clash:
                yield nodes

    def _apply(self, node: _Node, held: Filter) -> None:
        name = f"{node.variable}.{held.property}"
        values = [_literal(value) for value in held.values]
        node.values |= set(held.values)
        if held.operator == "null":
            node.tests.append(f"{name} IS NULL")
        elif held.operator == "not null":
            node.tests.append(f"{name} IS NOT NULL")
        elif held.operator == "=" and len(values) == 1:
            node.keys.append(f"{held.property}: {values[0]}")
            node.fixed |= self._names_it(node.label, held.property)
        elif held.operator == "=":
            node.tests.append(f"{name} IN [{', '.join(values)}]")
        else:
            node.tests += [f"{name} {held.operator} {value}" for value in values]

    def _names_it(self, label: str, name: str) -> bool:
        return name in self.linker.display(label)

    def _text(self, hints: Hints, chain: Chain, nodes: list[_Node]) -> str:
        text = nodes[0].text()
        loops = {kind for kind in self.schema.relationships if all(a == b for a, b in self.schema.ends(kind))}
        for step, node in zip(chain.steps, nodes[1:], strict=True):
            length = ""
            if step.kind in loops and hints.asks & {Ask.INDIRECT, Ask.ONLY_INDIRECT}:
                length = "*2.." if Ask.ONLY_INDIRECT in hints.asks else "*1.."
            inside = f"[:{step.kind}{length}]"
            text += (f"-{inside}->" if step.forward else f"<-{inside}-") + node.text()
        tests = [test for node in nodes for test in node.tests]
        return f"MATCH {text}" + (f" WHERE {' AND '.join(tests)}" if tests else "")

    def _negated(self, hints: Hints, chain: Chain) -> Iterator[tuple[str, list[Bound], int]]:
        """`MATCH (kept) WHERE NOT (kept)-[:R]->(:Other)`, for either end of a one-step chain."""
        for nodes in self._filtered(chain, hints):
            for kept in (0, 1):
                inner = [node.text() for node in nodes]
                other = nodes[1 - kept]
                misplaced = other.label == nodes[kept].label and bool(other.keys) and not other.fixed
                if misplaced or other.tests or not (_agrees(nodes, hints) and _is_asked(nodes[kept].ends, hints)):
                    continue
                inner[kept] = f"({nodes[kept].variable})"
                inner[1 - kept] = other.text().replace(f"({other.variable}:", "(:", 1)
                step = chain.steps[0]
                arrow = f"-[:{step.kind}]->" if step.forward else f"<-[:{step.kind}]-"
                tests = [*nodes[kept].tests, f"NOT {inner[0]}{arrow}{inner[1]}"]
                kept_node = _Node(nodes[kept].label, nodes[kept].variable, nodes[kept].keys)
                yield f"MATCH {kept_node.text()} WHERE {' AND '.join(tests)}", _bound([nodes[kept]]), 0

    # -- what is returned

    def _returns(self, hints: Hints, nodes: list[Bound], hops: int) -> Iterator[str]:
        if Ask.YES_NO in hints.asks:
            yield f" RETURN count({nodes[-1].variable}) > 0"
            return
        if hints.having is not None:
            yield from self._having(hints, nodes, hops)
            return
        grouped = Ask.GROUP in hints.asks or Ask.COLLECT in hints.asks
        numeric = [name for name in hints.properties if self._numeric(name)]
        best = Ask.MOST in hints.asks or Ask.FEWEST in hints.asks
        if best and Ask.ORDER not in hints.asks and not (numeric and _HOW_MUCH.search(hints.question)):
            yield from self._superlative(hints, nodes, numeric)
            return
        if grouped:
            yield from self._grouped(hints, nodes, numeric, hops)
            return
        totals = {Ask.SUM: "sum", Ask.AVERAGE: "avg", Ask.MINIMUM: "min", Ask.MAXIMUM: "max"}
        wanted = [] if Ask.ORDER in hints.asks else [text for ask, text in totals.items() if ask in hints.asks]
        if wanted and numeric:
            yield from self._totals(hints, nodes, wanted, numeric)
            return
        if Ask.COUNT in hints.asks and not numeric:
            yield from self._counts(hints, nodes, hops)
            return
        yield from self._plain(hints, nodes, hops)

    def _numeric(self, name: str) -> bool:
        return any(types.get(name) in (INTEGER, FLOAT) for types in self.schema.nodes.values())

    def _open(self, hints: Hints, nodes: list[Bound]) -> list[Bound]:
        """The nodes the question can be about: those it doesn't already name, the focus first where there is one."""
        unnamed = [node for node in nodes if not node.fixed] or nodes
        focused = [node for node in unnamed if node.label == hints.focus]
        return focused or unnamed

    def _shown(self, node: Bound) -> str:
        """What a node is shown as: the property that tells nodes of its label apart."""
        return f"{node.variable}.{self.linker.display(node.label)[0]}"

    def _plain(self, hints: Hints, nodes: list[Bound], hops: int) -> Iterator[str]:
        indirect = bool(hints.asks & {Ask.INDIRECT, Ask.ONLY_INDIRECT})
        distinct = ["DISTINCT "] if indirect else (["", "DISTINCT "] if hops > 1 else [""])
        for items in self._items(hints, nodes):
            for once in distinct:
                for order in self._orders(hints, nodes, items):
                    yield f" RETURN {once}{items}{order}"

    def _items(self, hints: Hints, nodes: list[Bound]) -> Iterator[str]:
        if hints.properties:
            for owned in self._owned(hints, nodes):
                alone = ", ".join(owned)
                named = False
                owner = owned[0].split(".")[0]
                also = [n for n in nodes if n.label == hints.focus] if hints.of_label else []
                for node in [n for n in nodes if (n.variable == owner or n in also) and not n.fixed]:
                    shown = self._shown(node)
                    if shown not in owned:
                        named = True
                        yield ", ".join([shown, *owned])
                if not (named and _TOGETHER.search(hints.question)):
                    yield alone
            if len(nodes) == 1 or Ask.ORDER not in hints.asks:
                return
        about = self._open(hints, nodes)
        for node in about:
            yield self._shown(node)
        others = [node for node in nodes if not node.fixed]
        listed = any(held.operator == "=" and len(held.values) > 1 for held in hints.filters)
        if len(others) > 1 and (listed or _SEVERAL.search(hints.question.lower())):
            for first, second in permutations(others, 2):
                yield f"{self._shown(first)}, {self._shown(second)}"

    def _owned(self, hints: Hints, nodes: list[Bound]) -> Iterator[list[str]]:
        """The asked properties, each on a node that has it; all on one node where one has them all."""
        asked = hints.properties
        label_of = dict(hints.of_label)
        if set(label_of.values()) - {hints.focus} and hints.focus is not None:
            owners = [[f"{n.variable}.{p}" for n in nodes if self._owns(n, p, label_of)] for p in asked]
            yield from (list(choice) for choice in product(*[held for held in owners if held]) if choice)
            return
        about = [*self._open(hints, nodes), *nodes]
        whole = [n for n in dict.fromkeys(about) if all(p in self.schema.nodes[n.label] for p in asked)]
        for node in whole:
            yield [f"{node.variable}.{name}" for name in asked]
        if whole:
            return
        owners = [[f"{n.variable}.{p}" for n in nodes if p in self.schema.nodes[n.label]] for p in asked]
        yield from (list(choice) for choice in product(*[held for held in owners if held]) if choice)

    def _owns(self, node: Bound, name: str, label_of: dict[str, str]) -> bool:
        return name in self.schema.nodes[node.label] and label_of.get(name, node.label) == node.label

    def _orders(self, hints: Hints, nodes: list[Bound], items: str) -> list[str]:
        if Ask.ORDER not in hints.asks:
            return [""]
        keys = items.split(", ")
        keys += [f"{n.variable}.{p}" for n in nodes for p in hints.properties if p in self.schema.nodes[n.label]]
        ways = [" DESC"] if Ask.DESCENDING in hints.asks else ["", " DESC"]
        return [f" ORDER BY {key}{way}" for key in dict.fromkeys(keys) for way in ways]

    def _counts(self, hints: Hints, nodes: list[Bound], hops: int) -> Iterator[str]:
        indirect = bool(hints.asks & {Ask.INDIRECT, Ask.ONLY_INDIRECT})
        for node in self._open(hints, nodes):
            if not indirect:
                yield f" RETURN count({node.variable})"
            if indirect or hops > 1:
                yield f" RETURN count(DISTINCT {node.variable})"

    def _totals(self, hints: Hints, nodes: list[Bound], functions: list[str], numeric: list[str]) -> Iterator[str]:
        if len(nodes) == 1 and nodes[0].fixed:
            yield from self._plain(hints, nodes, 0)
            return
        indirect = bool(hints.asks & {Ask.INDIRECT, Ask.ONLY_INDIRECT})
        for node in [n for n in nodes if not n.fixed] or nodes:
            for function, name in product(functions, numeric):
                if name in self.schema.nodes[node.label]:
                    once = f" WITH DISTINCT {node.variable}" if indirect else ""
                    yield f"{once} RETURN {function}({node.variable}.{name})"

    def _keys(self, hints: Hints, nodes: list[Bound]) -> list[tuple[Bound, str]]:
        """(node, item) that rows can be grouped by: what stands after "setiap", else anything shown."""
        if hints.each is not None:
            free = [n for n in nodes if not n.fixed]
            by_property = [(n, f"{n.variable}.{hints.each}") for n in free if hints.each in self.schema.nodes[n.label]]
            by_label = [(n, self._shown(n)) for n in free if n.label == hints.each]
            if hints.each in self.schema.nodes and by_label:
                return by_label
            if by_property:
                return by_property
        free = [n for n in nodes if not n.fixed]
        own = [(n, f"{n.variable}.{p}") for n in free for p in hints.properties if p in self.schema.nodes[n.label]]
        return [*[(n, self._shown(n)) for n in free], *own]

    def _grouped(self, hints: Hints, nodes: list[Bound], numeric: list[str], hops: int) -> Iterator[str]:
        if Ask.COLLECT in hints.asks and Ask.GROUP not in hints.asks:
            for node in self._open(hints, nodes):
                yield f" RETURN collect({self._shown(node)})"
        for key_node, key in self._keys(hints, nodes):
            whole_node = key == self._shown(key_node)
            others = [n for n in nodes if not (whole_node and n == key_node) and not n.fixed]
            name = key.split(".")[1]
            values = [
                f"{n.variable}.{p}" for n in nodes for p in numeric if p in self.schema.nodes[n.label] and p != name
            ]
            made = False
            for ask, function in ((Ask.SUM, "sum"), (Ask.AVERAGE, "avg"), (Ask.MINIMUM, "min"), (Ask.MAXIMUM, "max")):
                for value in values if ask in hints.asks else []:
                    made = True
                    yield f" RETURN {key}, {function}({value})"
            if made:
                continue
            if Ask.COLLECT in hints.asks:
                for node in others:
                    if self._shown(node) != key:
                        yield f" RETURN {key}, collect({self._shown(node)})"
                continue
            for node in others:
                if Ask.COUNT in hints.asks:
                    yield f" RETURN {key}, count({node.variable})"
                    if hops > 1:
                        yield f" RETURN {key}, count(DISTINCT {node.variable})"
                else:
                    yield f" RETURN {key}, {self._shown(node)}"
            if Ask.COUNT not in hints.asks and values:
                yield from (f" RETURN {key}, {value}" for value in values)

    def _superlative(self, hints: Hints, nodes: list[Bound], numeric: list[str]) -> Iterator[str]:
        way = " DESC" if Ask.MOST in hints.asks else ""
        free = [n for n in nodes if not n.fixed and _is_asked(n.ends, hints)]
        for node in free:
            for name in numeric:
                if name in self.schema.nodes[node.label]:
                    shown, value = self._shown(node), f"{node.variable}.{name}"
                    yield f" RETURN {shown}, {value} ORDER BY {value}{way} LIMIT 1"
                    yield f" RETURN {shown} ORDER BY {value}{way} LIMIT 1"
        if Ask.MAXIMUM in hints.asks or Ask.MINIMUM in hints.asks:
            return
        for node in free:
            keys = [self._shown(node)] if len(nodes) > 1 else []
            keys += [f"{node.variable}.{p}" for p in hints.properties if p in self.schema.nodes[node.label]]
            for key in keys:
                for other in [n for n in nodes if n != node] or [node]:
                    yield f" RETURN {key}, count({other.variable}) AS jumlah ORDER BY jumlah{way} LIMIT 1"

    def _having(self, hints: Hints, nodes: list[Bound], hops: int) -> Iterator[str]:
        assert hints.having is not None
        operator, number = hints.having
        for node in [n for n in self._open(hints, nodes) if _is_asked(n.ends, hints)]:
            for other in [n for n in nodes if n != node]:
                for once in ("", "DISTINCT ") if hops > 1 else ("",):
                    counted = f"count({once}{other.variable}) AS jumlah"
                    test = f" WITH {node.variable}, {counted} WHERE jumlah {operator} {number}"
                    yield f"{test} RETURN {self._shown(node)}"


def _placements(chain: Chain, held: Filter, apart: bool) -> list[list[tuple[int, Filter]]]:
    """Where a filter can stand: on one node of its label, or its values one by one on as many nodes."""
    places = [place for place, label in enumerate(chain.labels) if label == held.label]
    options = [[(place, held)] for place in places]
    if held.operator == "=" and 1 < len(held.values) <= len(places):
        single = [Filter(held.label, held.property, "=", (value,), held.start) for value in held.values]
        spread = [list(zip(order, single, strict=True)) for order in permutations(places, len(single))]
        options = spread if apart else spread + options
    return options


def _place_ends(chain: Chain, nodes: list[_Node]) -> None:
    for place, step in enumerate(chain.steps):
        if chain.labels[place] == chain.labels[place + 1]:
            nodes[place].ends.add("start" if step.forward else "end")
            nodes[place + 1].ends.add("end" if step.forward else "start")


def _agrees(nodes: list[_Node], hints: Hints) -> bool:
    """False when a value stands at another end than the wording says."""
    said = dict(hints.value_ends)
    return all(
        said[v] in node.ends for node in nodes if node.ends for v in node.values if isinstance(v, str) and v in said
    )


def _is_asked(ends: Collection[End], hints: Hints) -> bool:
    """False for a node at another end than the one asked about."""
    return hints.asked_end is None or not ends or hints.asked_end in ends


def _bound(nodes: list[_Node]) -> list[Bound]:
    return [Bound(node.variable, node.label, node.fixed, frozenset(node.ends)) for node in nodes]


def _literal(value: str | int) -> str:
    return quote(value) if isinstance(value, str) else str(value)
