"""Derives wrong queries from right ones: another question's gold, or the gold with a part dropped or a step added."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence

from lab.eval.text2cypher.sets import Question
from servers.text2cypher.graph.schema import GraphSchema

_AGGREGATES = {"count": "max", "sum": "avg", "avg": "sum", "max": "min", "min": "max"}


def wrong_queries(
    question: Question, others: Sequence[Question], schema: GraphSchema, seed: int
) -> Iterator[tuple[str, str]]:
    """(what is wrong, query) pairs; the caller must check which are valid and return a different result."""
    gold = question.cypher
    chance = random.Random(f"{seed} {question.id}")
    yield "another question's", chance.choice(others).cypher
    yield from (("filter dropped", text) for text in _without_filters(gold))
    yield from (("direction flipped", text) for text in _flipped(gold))
    yield from (("order dropped", text) for text in _without_order(gold))
    yield from (("wrong aggregate", text) for text in _other_aggregate(gold))
    yield from (("comparison changed", text) for text in _other_comparison(gold))
    yield from (
        ("distinct dropped", text) for text in [re.sub(r"(?i)\bDISTINCT\s+", "", gold, count=1)] if text != gold
    )
    yield from (("step added", text) for text in _with_a_step(gold, schema, chance))


def _with_a_step(gold: str, schema: GraphSchema, chance: random.Random) -> Iterator[str]:
    for held in re.finditer(r"(?i)\bMATCH\s+(?=\(\w*\s*:\s*(\w+))", gold):
        steps = [f"(:{start})-[:{kind}]->" for start, kind, end in schema.paths if end == held[1]]
        steps += [f"(:{end})<-[:{kind}]-" for start, kind, end in schema.paths if start == held[1]]
        if steps:
            yield gold[: held.end()] + chance.choice(steps) + gold[held.end() :]


def _without_filters(gold: str) -> Iterator[str]:
    for held in re.finditer(r"\s*\{\s*\w+\s*:\s*(?:'[^']*'|\"[^\"]*\"|\d+)\s*\}", gold):
        yield gold[: held.start()] + gold[held.end() :]
    if (where := re.search(r"(?is)\bWHERE\b(.*?)(?=\b(?:RETURN|WITH(?!\s+['\"]))\b)", gold)) is None:
        return
    if not re.search(r"(?i)\b(?:exists|count)\s*\{", where[1]):
        parts = re.split(r"(?i)\s+AND\s+", where[1].strip())
        for place in range(len(parts)):
            left = " AND ".join(parts[:place] + parts[place + 1 :])
            middle = f"WHERE {left} " if left else ""
            yield gold[: where.start()] + middle + gold[where.end() :]


def _flipped(gold: str) -> Iterator[str]:
    for held in re.finditer(r"<-(\[[^\]]*\])-(?!>)", gold):
        yield gold[: held.start()] + f"-{held[1]}->" + gold[held.end() :]
    for held in re.finditer(r"(?<!<)-(\[[^\]]*\])->", gold):
        yield gold[: held.start()] + f"<-{held[1]}-" + gold[held.end() :]


def _without_order(gold: str) -> Iterator[str]:
    if (held := re.search(r"(?is)\s*\bORDER BY\b.*?(?=\bLIMIT\b|\bRETURN\b|\bSKIP\b|$)", gold)) is not None:
        yield f"{gold[: held.start()]} {gold[held.end() :]}".strip()
        if re.search(r"(?i)\bDESC\b", held[0]):
            yield gold[: held.start()] + re.sub(r"(?i)\s*\bDESC\b", "", held[0]) + gold[held.end() :]
        if re.search(r"(?i)\bLIMIT\s+\d+", gold):
            yield re.sub(r"(?i)\s*\bLIMIT\s+\d+", "", gold)


def _other_aggregate(gold: str) -> Iterator[str]:
    for held in re.finditer(r"(?i)\b(count|sum|avg|max|min)\(", gold):
        yield gold[: held.start()] + _AGGREGATES[held[1].lower()] + "(" + gold[held.end() :]


def _other_comparison(gold: str) -> Iterator[str]:
    for held in re.finditer(r"(?<=\s)(>=|<=|>|<)(?=\s*\d)", gold):
        other = {">": "<", "<": ">", ">=": "<=", "<=": ">="}[held[1]]
        yield gold[: held.start()] + other + gold[held.end() :]
