"""What may be a column of a pattern's result: names of nodes, named properties, whole nodes. Makes no query."""

from __future__ import annotations

from functools import cached_property

from servers.text2cypher.cypher.tokens import named
from servers.text2cypher.grammar.shapes import Shape, doer_of
from servers.text2cypher.graph.schema import FLOAT, INTEGER
from servers.text2cypher.linking.hints import Hints, Linker
from servers.text2cypher.linking.language import languages
from servers.text2cypher.linking.naming import is_key
from servers.text2cypher.linking.said import named_properties, only_says_which

NUMBERS = (INTEGER, FLOAT)


class Columns:
    """The columns of one pattern; `tests`: its conditions as `variable.property = value`."""

    def __init__(self, linker: Linker, hints: Hints, nodes: dict[str, str], shape: Shape, tests: list[str]) -> None:
        self.linker, self.hints, self.nodes, self.shape, self.tests = linker, hints, nodes, shape, tests
        self.written = linker.lexicon.written
        self.exact = self.written and not shape.edges  # a chain by written words: nothing beside what is asked for
        self.limit = f" LIMIT {hints.limit}" if hints.limit else ""
        self.alias = languages().voice_of(hints.question).answers["figure"]
        parted = [held.partition(" ") for test in tests for held in test.split(" AND ")]
        self.tested = {held for held, _, _ in parted}
        self.fixed = {held for held, _, test in parted if test.startswith("= ")}  # equal in every row
        unnamed = [v for v in nodes if not self._is_named(v)] or [*nodes]
        self.free = self._first(unnamed)

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
        named_so = self._says_names or self.written or (naming.tells(label) and not naming.is_short(label))
        return self._key(variable) if named_so and not self._says("asks_whole") else variable

    def _alone(self, variable: str) -> str:
        """A node alone in a list: the whole node if it is also known by a key, not only by its name."""
        asked = self._says_names or self.linker.wording.compiled(r"^\W*‹opens_person›\b").match(self.hints.masked)
        known = self.linker.naming.is_known_by_key(self.nodes[variable]) and not self.written
        return variable if known and not asked else self._shown(variable)

    @cached_property
    def _says_names(self) -> bool:
        """True if names are asked for; `with the name ¤` and `whose name starts with` don't ask for them."""
        return bool(self.linker.wording.compiled(r"\b‹asks_names›\b(?!\W*(?:‹small›\W+)?¤)").search(self.hints.masked))

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
