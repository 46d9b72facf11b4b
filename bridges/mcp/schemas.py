"""Makes a tool's schema whole: what its references name stands in their place. It checks no value."""

from __future__ import annotations

from contextlib import suppress
from typing import Any
from urllib.parse import unquote

from hardening.texts import json_size

DEPTHS = (8, 4, 2, 1)
"""How many references inside each other are followed, if the schema then is short enough."""
DEEPEST = 100
"""How many lists and objects inside each other are read; what is below may be anything."""


class _TooLong(Exception):
    """The schema grows beyond the limit."""


def whole(schema: dict[str, Any], most_bytes: int) -> dict[str, Any]:
    """Return the schema with each `$ref` replaced by what it names, so that it can stand inside another schema.

    What a reference names that leads to itself, elsewhere or too deep may be anything. `schema` is at most `most_bytes`
    long, and so is the result.
    """
    kept = {key: rule for key, rule in schema.items() if key not in ("$defs", "definitions")}
    made: dict[str, Any]
    for depth in DEPTHS:
        with suppress(_TooLong):
            made = _Inliner(schema, depth, most_bytes).rule(kept)
            if json_size(made) <= most_bytes:
                return made
    made = _Inliner(schema, 0, most_bytes).rule(kept)
    return made


class _Inliner:
    """One pass over a schema, of which it makes at most `most` parts."""

    def __init__(self, root: dict[str, Any], depth: int, most: int) -> None:
        self._root = root
        self._depth = depth
        self._left = most

    def rule(self, node: Any, within: tuple[str, ...] = (), level: int = 0) -> Any:
        """The part of the schema without references. Raises _TooLong. `within`: the references that led to it."""
        self._left -= 1
        if self._left < 0:
            raise _TooLong
        if not isinstance(node, list | dict):
            return node
        if level == DEEPEST:
            return {}
        if isinstance(node, list):
            return [self.rule(inner, within, level + 1) for inner in node]
        reference = node.get("$ref")
        if not isinstance(reference, str):
            return {key: self.rule(inner, within, level + 1) for key, inner in node.items()}
        beside = {key: self.rule(inner, within, level + 1) for key, inner in node.items() if key != "$ref"}
        if reference in within or len(within) >= self._depth:
            return beside
        named = self.rule(self._named(reference), (*within, reference), level)
        return {**named, **beside} if isinstance(named, dict) else beside

    def _named(self, reference: str) -> Any:
        """What `#/a/b` names in this schema; None for any other reference."""
        found: Any = self._root if f"{reference}/".startswith("#/") else None
        for part in unquote(reference).split("/")[1:]:
            key = part.replace("~1", "/").replace("~0", "~")
            if isinstance(found, list):
                found = found[int(key)] if key.isdecimal() and int(key) < len(found) else None
            else:
                found = found.get(key) if isinstance(found, dict) else None
        return found
