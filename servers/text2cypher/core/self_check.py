"""Holds a query that ran against what its question asks. Rules over hints and structure; asks no model."""

from __future__ import annotations

from servers.text2cypher.cypher.structure import parse
from servers.text2cypher.cypher.tokens import Kind
from servers.text2cypher.linking.asks import Ask
from servers.text2cypher.linking.hints import Hints

_FUNCTIONS = {
    Ask.SUM: ("SUM", "jumlah total (sum)"),
    Ask.AVERAGE: ("AVG", "rata-rata (avg)"),
    Ask.COLLECT: ("COLLECT", "kumpulan (collect)"),
}


def self_check(hints: Hints, query: str) -> str | None:
    """What the query leaves out of the question, in Indonesian; None when nothing is missing."""
    structure = parse(query)
    words = {token.text.upper() for token in structure.tokens if token.kind is Kind.NAME}
    stated = {token.value.lower() for token in structure.tokens if token.kind in (Kind.STRING, Kind.NUMBER)}
    named = {use.name for use in structure.properties}
    for held in hints.filters:
        for value in held.values:
            if str(value).lower() not in stated:
                return f"Pertanyaan menyebut {value} ({held.label}.{held.property}), tetapi query tidak memakainya."
    for kind in hints.relations:
        if not any(kind in relationship.types for relationship in structure.relationships):
            return f"Pertanyaan berbicara tentang relasi {kind}, tetapi query tidak memakainya."
    fixed = any(held.operator == "=" for held in hints.filters)
    for ask, (function, called) in _FUNCTIONS.items():
        if ask in hints.asks and function not in words and not (ask is Ask.SUM and fixed):
            return f"Pertanyaan meminta {called}, tetapi query tidak menghitungnya."
    if Ask.COUNT in hints.asks and not words & {"COUNT", "SUM", "SIZE"} and not named & set(hints.properties):
        return "Pertanyaan meminta banyaknya (count), tetapi query mengembalikan daftar."
    missing = [name for name in hints.properties if name not in named]
    if missing and not hints.asks & {Ask.COUNT, Ask.GROUP}:
        return f"Pertanyaan meminta {', '.join(missing)}, tetapi query tidak mengembalikannya."
    return None
