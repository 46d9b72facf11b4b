"""Renames names for the embedded engine, which reserves some and ignores case. Runs nothing.

`rowid` is the engine's row number, `_id` can't be a property, and a relationship ORDER conflicts with a label Order.
Such names get a trailing blank, which no name of a graph has; the worker strips it from results.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from servers.text2cypher.cypher.brackets import OPENERS, closing
from servers.text2cypher.cypher.functions import Edit, apply
from servers.text2cypher.cypher.tokens import Kind, Token, tokenize
from servers.text2cypher.graph.schema import GraphSchema

_RESERVED = ("rowid", "_id", "_label", "_src", "_dst", "_key")


@dataclass(frozen=True)
class EngineNames:
    """{a graph's name: the engine's}, if they differ."""

    labels: dict[str, str]
    kinds: dict[str, str]
    properties: dict[str, str]

    @classmethod
    def of(cls, schema: GraphSchema) -> EngineNames:
        """The names for one graph; deterministic."""
        labels = _apart(schema.labels)
        taken = [labels.get(label, label) for label in schema.labels]
        return cls(labels, _apart(schema.relationships, taken), _apart(schema.properties, _RESERVED))

    def in_query(self, query: str) -> str:
        """The query with the engine's names."""
        if not (self.labels or self.kinds or self.properties):
            return query
        return apply(query, list(self._edits(tokenize(query))))

    def _edits(self, tokens: list[Token]) -> Iterator[Edit]:
        inside = [""]
        for place, token in enumerate(tokens):
            before = tokens[place - 1].text if place else ""
            after = tokens[place + 1].text if place + 1 < len(tokens) else ""
            if token.kind is Kind.PUNCTUATION and token.text in OPENERS:
                inside.append(token.text)
            elif token.kind is Kind.PUNCTUATION and token.text in OPENERS.values():
                inside.pop()
            elif token.is_word("LABEL") and after == "(":
                end = tokens[closing(tokens, place + 1)].end
                yield from ((token.start, token.start, "rtrim("), (end, end, ")"))
            elif token.is_name and (name := self._name(token.value, inside[-1], before, after)) is not None:
                yield token.start, token.end, f"`{name}`"

    def _name(self, own: str, inside: str, before: str, after: str) -> str | None:
        if before == "." or (inside == "{" and after == ":"):
            return self.properties.get(own)
        if before in (":", "|") and inside != "{":
            return (self.kinds if inside == "[" else self.labels).get(own)
        return None


def _apart(names: Iterable[str], taken: Iterable[str] = ()) -> dict[str, str]:
    """{name: replacement} for names that are taken or differ from an earlier one only in case."""
    seen = {name.lower() for name in taken}
    found = {}
    for name in names:
        other = name
        while other.lower() in seen:
            other += " "
        seen.add(other.lower())
        if other != name:
            found[name] = other
    return found
