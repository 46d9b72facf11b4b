"""Hints as a line of Indonesian for the prompt. Decides nothing."""

from __future__ import annotations

from servers.text2cypher.linking.asks import Ask
from servers.text2cypher.linking.hints import Hints

_ASKED = {
    Ask.COUNT: "count",
    Ask.SUM: "sum",
    Ask.AVERAGE: "avg",
    Ask.MINIMUM: "min",
    Ask.MAXIMUM: "max",
    Ask.COLLECT: "collect",
    Ask.GROUP: "kelompokkan",
    Ask.ORDER: "ORDER BY",
    Ask.MOST: "ORDER BY … DESC LIMIT 1",
    Ask.FEWEST: "ORDER BY … LIMIT 1",
    Ask.YES_NO: "ya/tidak: count(…) > 0",
    Ask.NOT: "negasi",
    Ask.INDIRECT: "jalur *1..",
    Ask.ONLY_INDIRECT: "jalur *2..",
}


def describe(hints: Hints) -> str:
    """Empty when nothing was linked."""
    parts = []
    for held in hints.filters:
        values = ", ".join(f"'{value}'" if isinstance(value, str) else str(value) for value in held.values)
        parts.append(f"{held.label}.{held.property} {held.operator} {values}".strip())
    if hints.properties:
        parts.append("properti " + ", ".join(hints.properties))
    parts += [f"relasi {kind}" for kind in hints.relations]
    linked = {*hints.labels, *hints.properties, *hints.relations, *(held.property for held in hints.filters)}
    if related := [name for name in hints.related if name not in linked]:
        parts.append("mungkin terkait " + ", ".join(related))
    limited = f"LIMIT {hints.limit}" if hints.limit else ""
    if limited and not hints.asks & {Ask.MOST, Ask.FEWEST}:
        parts.append(limited)
    parts += [
        _ASKED[ask].replace("LIMIT 1", limited or "LIMIT 1") for ask in Ask if ask in hints.asks and ask in _ASKED
    ]
    return f"Petunjuk: {'; '.join(parts)}" if parts else ""
