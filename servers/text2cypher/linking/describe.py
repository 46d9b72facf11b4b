"""Formats hints as a line of Indonesian for the prompt. Decides nothing."""

from __future__ import annotations

from servers.text2cypher.linking.asks import Ask
from servers.text2cypher.linking.hints import Hints
from servers.text2cypher.linking.language import languages, message

_ASKED = {
    Ask.COUNT: "count",
    Ask.SUM: "sum",
    Ask.AVERAGE: "avg",
    Ask.MINIMUM: "min",
    Ask.MAXIMUM: "max",
    Ask.COLLECT: "collect",
    Ask.ORDER: "ORDER BY",
    Ask.MOST: "ORDER BY … DESC LIMIT 1",
    Ask.FEWEST: "ORDER BY … LIMIT 1",
}


def describe(hints: Hints) -> str:
    """The line; empty if nothing was linked."""
    parts = []
    for held in hints.filters:
        values = ", ".join(f"'{value}'" if isinstance(value, str) else str(value) for value in held.values)
        parts.append(f"{held.label}.{held.property} {held.operator} {values}".strip())
    if hints.properties:
        parts.append(message("hint_properties", names=", ".join(hints.properties)))
    parts += [message("type", names=kind) for kind in hints.relations]
    linked = {*hints.labels, *hints.properties, *hints.relations, *(held.property for held in hints.filters)}
    if related := [name for name in hints.related if name not in linked]:
        parts.append(message("hint_related", names=", ".join(related)))
    limited = f"LIMIT {hints.limit}" if hints.limit else ""
    if limited and not hints.asks & {Ask.MOST, Ask.FEWEST}:
        parts.append(limited)
    for ask in (held for held in Ask if held in hints.asks):
        if text := _ASKED.get(ask) or languages().messages.get(f"hint_{ask.value}"):
            parts.append(text.replace("LIMIT 1", limited or "LIMIT 1"))
    return message("hints", parts="; ".join(parts)) if parts else ""
