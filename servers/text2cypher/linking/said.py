"""Which properties a question names, which is closest before a number, and what it counts. Reads no values."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from servers.text2cypher.graph.schema import GraphSchema
from servers.text2cypher.linking.asks import Ask
from servers.text2cypher.linking.hints import Hints, Linker
from servers.text2cypher.linking.language import languages
from servers.text2cypher.linking.names import is_plural, parts, root, roots
from servers.text2cypher.linking.values import folded

_TELLING = 3  # min. letters of a word that distinguishes a property from its label


def named_properties(hints: Hints, linker: Linker) -> list[str]:
    """Properties that the question names, also by root (`release year`), or for which it mentions a year or date."""
    said, words = [*linker.lexicon.also, *linker.measured], f" {folded(hints.masked)} "
    also = [name for phrase, name in said if f" {phrase} " in words]
    known = set(linker.schema.properties)
    labels = [set(parts(label)) for label in linker.schema.labels]
    own = [name for name in hints.related if not any(_words(name) <= held for held in labels)]
    found = [*hints.properties, *(held.property for held in hints.filters), *own, *also]
    return [name for name in dict.fromkeys(found) if name in known]


def asked_properties(hints: Hints, linker: Linker) -> set[str]:
    """Those that the question names itself, not only by a value that it asks about."""
    of_values = {held.property for held in hints.filters} - {*hints.properties, *hints.related}
    return {*named_properties(hints, linker)} - of_values


def only_says_which(name: str, variable: str, nodes: Mapping[str, str], hints: Hints, linker: Linker) -> bool:
    """True if a named property isn't asked for of this node (`nodes`: variable → label).

    `name the movies` and `the names of the movies` don't ask for other labels' names. `country` isn't asked for if it
    names a joined node, nor a movie's name in `the names of the persons`.
    """
    types = linker.schema.nodes
    said_of = {label for held, label in hints.of_label if held == name and name in types[label]}
    if said_of and nodes.get(variable) not in said_of:
        return True
    words = roots(name)
    if any(words == roots(label) for v, label in nodes.items() if v != variable):
        return True
    first = next(iter(hints.labels), "")
    asked = first in nodes.values() and name not in types[first]
    return asked and name in languages().naming and nodes.get(variable) != first


def counted_label(hints: Hints, linker: Linker) -> str | None:
    """The label that is counted: `the most distinct products`, `the number of products`, `more than 3 products`."""
    some = r"(?:\W+(?!‹opens_person›\b|‹of›\b|‹label›\b|‹frequent›\b)\w+){0,2}?"
    before = r"(?:‹greater›|‹less›|‹at_least›|‹at_most›)\W+\w+" if hints.having else r"(?:‹most›|‹fewest›|‹count›)"
    pattern = rf"{before}{some}(?:\W+‹of›(?:\W+(?!‹label›\b)\w+)?)?\W+(?P<held>‹label›)\b"
    found = linker.wording.compiled(pattern).search(hints.masked)
    if found is None or linker.kind_roots & {root(word) for word in found[0][: -len(found["held"])].lower().split()}:
        return None  # `the most ordered products` are ranked
    return linker.lexicon.labels.get(found["held"].lower())


def asks_for_several(hints: Hints, linker: Linker) -> bool:
    """True if the thing asked for is in the plural: `which persons have`."""
    opened = linker.wording.compiled(r"^\W*(?:‹opens›)\b(?:\W+(?!‹label›\b)\w+){0,2}?\W+(?P<held>‹label›)\b")
    found = opened.search(hints.masked)
    return found is not None and is_plural(found["held"].lower(), linker.lexicon.labels)


def asks_for_things(hints: Hints, linker: Linker) -> bool:
    """True if things are asked for, so that a figure alone is no answer: `who …`, `which movies …`."""
    if linker.wording.compiled(r"^\W*‹opens_person›\b").match(hints.masked):
        return True
    other = r"(?!(?:‹label›|‹property›|‹count_said›|‹sum_said›|‹average_said›)\b)"
    opened = linker.wording.compiled(
        rf"^\W*(?:‹preposition›\W+)?{other}(?:‹opens›)\b(?:\W+{other}\w+){{0,2}}?\W+‹label›\b(?!\W+‹property›)"
    )
    return Ask.COUNT not in hints.asks and bool(opened.search(hints.masked))


def says_every(hints: Hints, linker: Linker) -> bool:
    """True if something must hold for all (`whose products are all …`), unlike `list all products`."""
    opened = linker.wording.compiled(r"^\W*(?:‹opens›)\W+‹universal›\b").match(hints.masked)
    return bool(linker.wording.compiled(r"\b‹universal›\b").search(hints.masked, opened.end() if opened else 0))


def _words(name: str) -> set[str]:
    """The telling words of a name: `productID` and `productNumber` say no more than `Product`."""
    held = languages()
    return {word for word in parts(name) if len(word) >= _TELLING and word not in held.function - {*held.naming}}


def nearest(at: int, hints: Hints, linker: Linker, names: Collection[str]) -> list[str]:
    """Of some properties, the one whose name or phrase is the last before an offset of the question; else all."""
    before = hints.question[:at].lower()
    phrases = [*linker.lexicon.properties.items(), *((name.lower(), name) for name in names)]
    places = dict.fromkeys(names, -1)
    for phrase, name in phrases:
        if name in places and phrase in before:
            ends = [found.end() for found in re.finditer(rf"(?<!\w){re.escape(phrase)}(?!\w)", before)]
            places[name] = max([places[name], *ends])
    return [name for name in names if places[name] == max(places.values())]


@dataclass(frozen=True)
class Part:
    """Who plays a part in a relationship: its start or its end, and the question's word for the part."""

    kind: str
    at_end: bool
    word: str


def part_asked(hints: Hints, schema: GraphSchema, kinds: Iterable[str]) -> Part | None:
    """The part that the question names before any label: `the directors of movies` are at the start of DIRECTED.

    A relationship called like the part itself ends at who plays it: the originators of filings at that of ORIGINATOR.
    """
    labels, kinds = roots(*schema.labels), [*kinds]
    for word in re.findall(r"\w+", hints.masked.lower()):
        if root(word) in labels:
            return None
        if (part := _part(word, kinds)) is not None:
            return part
    return None


def part_of_each(hints: Hints, linker: Linker, kinds: Iterable[str]) -> Part | None:
    """The part by which rows are asked for: `each actor` is at the start of ACTED_IN."""
    found = linker.wording.compiled(r"\b‹each›\s+(?P<held>\w+)").search(hints.masked.lower())
    return _part(found["held"], kinds) if found and root(found["held"]) not in linker.label_roots else None


def _part(word: str, kinds: Iterable[str]) -> Part | None:
    doers = languages().doers
    told = {root(part): (kind, part.endswith(doers)) for kind in kinds for part in parts(kind)}
    plays = languages().irregular.get(word, word).endswith(doers) and root(word) in told
    return Part(*told[root(word)], word) if plays else None
