"""The words people use for a graph's labels, properties and relationships. Data with a reader; links nothing.

`lexicon.json` in the graph folder, where there is one, else the shipped one (its entries for names the graph doesn't
have are dropped). Every label, property and relationship is also known by its own name, its words and
their plural.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from servers.text2cypher.graph.schema import GraphSchema
from servers.text2cypher.linking.directions import Directions
from servers.text2cypher.linking.language import languages
from servers.text2cypher.linking.names import phrases_of

SHIPPED = Path(__file__).parent.parent / "data" / "curriculum" / "lexicon.json"


@dataclass(frozen=True)
class Lexicon:
    """Phrase (lower case) → name, one map a kind; number words; how directions are said.

    `also`: (phrase, name) that may be said of a name but link nothing by themselves; `ignored`: phrases that say
    nothing here; `told`: relationships whose direction the lexicon knows the words of, or that run both ways.
    """

    labels: dict[str, str]
    properties: dict[str, str]
    relationships: dict[str, str]
    numbers: dict[str, int]
    directions: tuple[Directions, ...] = ()
    also: tuple[tuple[str, str], ...] = ()
    ignored: frozenset[str] = frozenset()
    told: frozenset[str] = frozenset()


def load_lexicon(schema: GraphSchema, folder: Path | None = None) -> Lexicon:
    """The lexicon for a graph. Raises ValueError when its file isn't JSON."""
    own = folder / "lexicon.json" if folder is not None else None
    held = json.loads((own if own is not None and own.exists() else SHIPPED).read_text(encoding="utf-8"))
    properties = {name for types in schema.nodes.values() for name in types}
    return Lexicon(
        _phrases(held.get("labels", {}), schema.labels),
        _phrases(held.get("properties", {}), sorted(properties)),
        _phrases(held.get("relationships", {}), schema.relationships),
        {word: int(number) for word, number in (held.get("numbers") or languages().numbers).items()},
        tuple(Directions(**said) for kind, said in held.get("directions", {}).items() if kind in schema.relationships),
        tuple((phrase, name) for name, phrases in held.get("also", {}).items() for phrase in phrases),
        frozenset(held.get("ignored", ())),
        frozenset([*held.get("directions", {}), *held.get("both_ways", ())]),
    )


def bootstrap(schema: GraphSchema) -> dict[str, dict[str, list[str]]]:
    """A lexicon.json to edit, from the names alone: their words and plurals."""
    properties = dict.fromkeys(name for types in schema.nodes.values() for name in types)
    kinds = {"labels": schema.labels, "properties": list(properties), "relationships": schema.relationships}
    return {kind: {name: phrases_of(name) for name in names} for kind, names in kinds.items()}


def _phrases(words: dict[str, list[str]], names: list[str]) -> dict[str, str]:
    found = {phrase: name for name in names for phrase in phrases_of(name)}
    found |= {name.lower().replace("_", " "): name for name in names}
    for name in names:
        found.update({phrase.lower(): name for phrase in words.get(name, [])})
    return found
