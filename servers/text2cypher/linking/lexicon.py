"""The words for a graph's labels, properties and relationships. Loads data; links nothing.

Uses `lexicon.json` in the graph folder, else the shipped one for a graph with its labels, else none. Each label,
property and relationship also matches its own name, the words of it and their plural.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from servers.text2cypher.graph.schema import GraphSchema
from servers.text2cypher.linking.directions import Directions
from servers.text2cypher.linking.language import languages
from servers.text2cypher.linking.names import is_form, is_plural, phrases_of, spaced
from servers.text2cypher.linking.proposed import PROPOSED, proposals_in, request_of

FILE = "lexicon.json"
SHIPPED = Path(__file__).parent.parent / "data" / "curriculum" / FILE


class LexiconError(ValueError):
    """A lexicon can't be written; the message says why and what to do."""


@dataclass(frozen=True)
class Lexicon:
    """Maps lower-case phrases to names, per kind; plus number words and the phrases for directions.

    `directions`: relationship → the words for its ends; `both_ways`: relationships without direction; `also`: (phrase,
    name) pairs that may mean a name but don't link it; `ignored`: phrases without meaning here; `values`: stored value
    → other names for it; `timed`: properties with years or dates; `moments`: timestamps since 1970 → units per second;
    `written`: a person wrote words for this graph (words from names or proposed by a model don't count).
    """

    labels: dict[str, str]
    properties: dict[str, str]
    relationships: dict[str, str]
    numbers: dict[str, int]
    directions: dict[str, Directions] = field(default_factory=dict)
    also: tuple[tuple[str, str], ...] = ()
    ignored: frozenset[str] = frozenset()
    both_ways: frozenset[str] = frozenset()
    values: dict[str, list[str]] = field(default_factory=dict)
    timed: frozenset[str] = frozenset()
    moments: dict[str, int] = field(default_factory=dict)
    written: bool = False

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word of its phrases."""
        also = (phrase for phrase, _ in self.also)
        held = [*self.labels, *self.properties, *self.relationships, *self.numbers, *also, *self.ignored]
        return frozenset(word for phrase in held for word in phrase.split())


def load_lexicon(schema: GraphSchema, folder: Path | None = None) -> Lexicon:
    """The lexicon of a graph. Raises ValueError if its file isn't JSON."""
    held = _held(folder, schema.labels)
    proposed = held.pop(PROPOSED, {})

    def words(kind: str, names: Sequence[str]) -> dict[str, str]:
        return _phrases(proposed.get(kind, {}), names) | _phrases(held.get(kind, {}), names)

    return Lexicon(
        words("labels", schema.labels),
        words("properties", sorted(schema.properties)),
        words("relationships", schema.relationships),
        languages().numbers | {word: int(number) for word, number in held.get("numbers", {}).items()},
        {kind: Directions(**said) for kind, said in held.get("directions", {}).items() if kind in schema.relationships},
        tuple((phrase, name) for name, phrases in held.get("also", {}).items() for phrase in phrases),
        frozenset(held.get("ignored", ())),
        frozenset(held.get("both_ways", ())),
        held.get("values", {}),
        written=_is_written(held, bootstrap(schema)),
    )


def about(folder: Path | None, *, shipped: bool) -> str:
    """One sentence about the graph's content, for a model that picks a tool; empty if nobody wrote one."""
    file = folder / FILE if folder is not None else None
    held = file if file is not None and file.exists() else (SHIPPED if shipped else None)
    return str(json.loads(held.read_text(encoding="utf-8")).get("about", "")) if held is not None else ""


def _held(folder: Path | None, labels: Sequence[str]) -> dict[str, Any]:
    own = folder / FILE if folder is not None else None
    if own is not None and own.exists():
        return dict(json.loads(own.read_text(encoding="utf-8")))
    shipped = dict(json.loads(SHIPPED.read_text(encoding="utf-8")))
    return shipped if set(labels) <= set(shipped["labels"]) else {}


def bootstrap(schema: GraphSchema) -> dict[str, dict[str, list[str]]]:
    """A lexicon.json to edit, generated from the names: their words and, except for relationships, plurals."""
    kinds = {"labels": schema.labels, "properties": schema.properties}
    named = {kind: {name: phrases_of(name) for name in names} for kind, names in kinds.items()}
    done = {
        name: [held for held in phrases_of(name) if not is_plural(held, [spaced(name)])]
        for name in schema.relationships
    }
    return named | {"relationships": done}


def _is_written(held: dict[str, Any], own: dict[str, dict[str, list[str]]]) -> bool:
    """True if a file has more than what the names yield or yielded when it was made."""
    phrases = ((name, phrase) for kind in own for name, said in held.get(kind, {}).items() for phrase in said)
    return bool(held.keys() - own.keys()) or not all(is_form(phrase, name) for name, phrase in phrases)


def write_lexicon(folder: Path | None, schema: GraphSchema, ask: Callable[[str], str] | None = None) -> Path:
    """Writes the file for editing; with a model in `ask`, its proposed words are kept separately.

    Raises LexiconError without a folder, if a lexicon exists already, or if the model's answer isn't the JSON.
    """
    if folder is None or (folder / FILE).exists():
        why = "name the folder by --graph" if folder is None else f"{folder / FILE} is there; edit that"
        raise LexiconError(f"--lexicon: {why}")
    held: dict[str, Any] = dict(bootstrap(schema))
    if ask is not None:
        try:
            held[PROPOSED] = proposals_in(ask(request_of(schema)), schema)
        except ValueError as error:
            raise LexiconError(f"--synonyms: the model's answer is not the JSON it was asked for ({error})") from error
    (folder / FILE).write_text(json.dumps(held, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return folder / FILE


def _phrases(words: dict[str, list[str]], names: Sequence[str]) -> dict[str, str]:
    found = {phrase: name for name in names for phrase in phrases_of(name)}
    found |= {form: name for name in names for form in (name.lower(), name.lower().replace("_", " "))}
    for name in names:
        found.update({phrase.lower(): name for phrase in words.get(name, [])})
    return found
