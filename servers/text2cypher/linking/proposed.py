"""Words for a graph's names that a model proposes once, for a person to edit. Calls no model and writes no file."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from servers.text2cypher.graph.schema import GraphSchema

PROPOSED = "proposed"
"""The key in lexicon.json for proposed words, separate from those of a person."""
MOST_PHRASES = 6
LONGEST_PHRASE = 40
_KINDS = ("labels", "properties", "relationships")


def request_of(schema: GraphSchema) -> str:
    """The prompt for the model."""
    names = {"labels": schema.labels, "properties": sorted(schema.properties), "relationships": schema.relationships}
    return (
        "For each name of this graph database list up to 6 short phrases that people say for it, in English and in "
        'Indonesian. Answer with JSON alone, in the form {"labels": {"NAME": ["phrase"]}, "properties": {}, '
        f'"relationships": {{}}}}.\nNames: {json.dumps(names, ensure_ascii=False)}'
    )


def proposals_in(text: str, schema: GraphSchema) -> dict[str, dict[str, list[str]]]:
    """{kind: {name: lower-case phrases}}, without phrases for two names. Raises ValueError for other text."""
    held = json.loads(text[text.find("{") : text.rfind("}") + 1])
    known = {"labels": schema.labels, "properties": schema.properties, "relationships": schema.relationships}
    found = {kind: {name: _usable(held.get(kind), name) for name in known[kind]} for kind in _KINDS}
    times = Counter(phrase for names in found.values() for phrases in names.values() for phrase in phrases)
    return {
        kind: {name: kept for name, phrases in names.items() if (kept := [p for p in phrases if times[p] == 1])}
        for kind, names in found.items()
    }


def _usable(said: Any, name: str) -> list[str]:
    phrases = said.get(name) if isinstance(said, dict) else None
    texts = [phrase.lower().strip() for phrase in phrases or () if isinstance(phrase, str)]
    return [text for text in dict.fromkeys(texts) if 1 < len(text) <= LONGEST_PHRASE][:MOST_PHRASES]
