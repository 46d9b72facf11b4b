"""Few-shot examples for a graph without any: common question patterns with its own names and values, each run."""

from __future__ import annotations

from collections.abc import Iterator

from servers.text2cypher.cypher.tokens import named, quote
from servers.text2cypher.data import Example
from servers.text2cypher.graph.backend import GraphBackend, GraphUnavailableError, QueryError
from servers.text2cypher.graph.schema import FLOAT, INTEGER
from servers.text2cypher.linking.language import languages
from servers.text2cypher.linking.names import phrases_of, spaced
from servers.text2cypher.linking.naming import Naming
from servers.text2cypher.linking.values import Place, ValueIndex

MOST_PATHS = 40
MOST_LABELS = 20
MOST_VALUE = 40  # max. characters of a value in an example


def generated(backend: GraphBackend, naming: Naming, values: ValueIndex) -> list[Example]:
    """The examples in every language whose query runs and finds something."""
    made = _Maker(backend, naming, values)
    drafts = [*made.of_labels(), *made.of_paths()]
    finding = {query: _finds(backend, query) for query in {draft.cypher for draft in drafts}}
    return [draft for draft in drafts if finding[draft.cypher]]


def _finds(backend: GraphBackend, query: str) -> bool:
    try:
        rows = backend.run(query).rows
    except (QueryError, GraphUnavailableError):
        return False
    return any(cell not in (None, [], 0) for row in rows for cell in row)


class _Maker:
    """Fills the languages' templates with one graph's names."""

    def __init__(self, backend: GraphBackend, naming: Naming, values: ValueIndex) -> None:
        self._schema, self._naming, self._values = backend.schema, naming, values

    def of_labels(self) -> Iterator[Example]:
        """Examples for one label: a named node's property, a count, the highest value, the average."""
        for label, types in list(self._schema.nodes.items())[:MOST_LABELS]:
            node = f"(n:{named(label)})"
            words = {"label": _plural(label), "one": phrases_of(label)[0]}
            yield from _said("count_all", words, f"MATCH {node} RETURN count(n)")
            shown = next(iter(self._naming.display(label)), None)
            if shown is None:
                continue
            value = self._value(label, shown)
            others = [name for name in types if name != shown]
            if value and others:
                match = f"MATCH (n:{named(label)} {{{named(shown)}: {quote(value)}}})"
                said = words | {"value": value, "property": spaced(others[0])}
                yield from _said("property_of", said, f"{match} RETURN n.{named(others[0])}")
            for name in [name for name in others if types[name] in (INTEGER, FLOAT)][:2]:
                held, said = f"n.{named(name)}", words | {"property": spaced(name)}
                found = f"MATCH {node} WHERE {held} IS NOT NULL RETURN n.{named(shown)}, {held}"
                yield from _said("highest", said, f"{found} ORDER BY {held} DESC LIMIT 3")
                yield from _said("average", said, f"MATCH {node} RETURN avg({held})")

    def of_paths(self) -> Iterator[Example]:
        """Examples for two labels: what is joined to a named node, which has most, which has none."""
        for start, kind, end in self._schema.paths[:MOST_PATHS]:
            first, last = (next(iter(self._naming.display(label)), None) for label in (start, end))
            if first is None or last is None:
                continue
            words = {"start": _plural(start), "end": _plural(end), "kind": spaced(kind)}
            one, other, arrow = f"(a:{named(start)})", named(end), f"-[:{named(kind)}]->"
            shown = f"a.{named(first)}"
            if value := self._value(end, last):
                match = f"MATCH {one}{arrow}(b:{other} {{{named(last)}: {quote(value)}}})"
                yield from _said("joined_to", words | {"value": value}, f"{match} RETURN {shown}")
            most = f"MATCH {one}{arrow}(b:{other}) RETURN {shown}, count(b) AS n ORDER BY n DESC LIMIT 3"
            yield from _said("most", words, most)
            yield from _said("none", words, f"MATCH {one} WHERE NOT (a){arrow}(:{other}) RETURN {shown}")

    def _value(self, label: str, name: str) -> str | None:
        held = self._values.sample(Place(label, name), 50)
        return next((value for value in held if 1 < len(value) <= MOST_VALUE), None)


def _said(template: str, words: dict[str, str], query: str) -> Iterator[Example]:
    for voice in languages().voices.values():
        yield Example(voice.examples[template].format(**words), query)


def _plural(label: str) -> str:
    return (phrases_of(label) * 2)[1]
