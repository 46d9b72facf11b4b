"""The words people use for a graph's labels, properties and relationships. Data with a reader; links nothing.

`lexicon.json` in the graph folder, where there is one, else the shipped one for a graph of the shipped one's labels,
else none. Every label, property and relationship is also known by its own name, its words and their plural.
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
    """A lexicon that can't be written; the message says why and what to do."""


@dataclass(frozen=True)
class Lexicon:
    """Phrase (lower case) → name, one map a kind; number words; how directions are said.

    `directions`: relationship → the words for its ends; `both_ways`: relationships that have none. `also`: (phrase,
    name) that may be said of a name but link nothing by themselves; `ignored`: phrases that say nothing here; `values`:
    a stored value → what it is called too; `timed`: properties whose values are years or dates; `moments`: those that
    are counted from 1970 on, and in how many units a second; `written`: somebody wrote words for this graph, which
    names taken apart and what a model proposed are not.
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
    """The lexicon for a graph. Raises ValueError when its file isn't JSON."""
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
    """What the graph holds, in a sentence for a model that picks a tool; empty when nobody wrote one."""
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
    """A lexicon.json to edit, from the names alone: their words and, but for relationships, plurals."""
    kinds = {"labels": schema.labels, "properties": schema.properties}
    named = {kind: {name: phrases_of(name) for name in names} for kind, names in kinds.items()}
    done = {
        name: [held for held in phrases_of(name) if not is_plural(held, [spaced(name)])]
        for name in schema.relationships
    }
    return named | {"relationships": done}


def _is_written(held: dict[str, Any], own: dict[str, dict[str, list[str]]]) -> bool:
    """True where a file holds more than the names alone give, or gave when it was made."""
    phrases = ((name, phrase) for kind in own for name, said in held.get(kind, {}).items() for phrase in said)
    return bool(held.keys() - own.keys()) or not all(is_form(phrase, name) for name, phrase in phrases)


def write_lexicon(folder: Path | None, schema: GraphSchema, ask: Callable[[str], str] | None = None) -> Path:
    """The file, to be edited; with `ask`, a model, the words that it proposes stand in it apart.

    Raises LexiconError where there is no folder, or a lexicon that somebody wrote, or the model's answer has no words.
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
