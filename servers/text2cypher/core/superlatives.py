"""Doubts about what comes first: a superlative of a condition that the query never picks, a first few without an order.

`Customers who bought the product with the highest price` picks a product first; ordering the customers at the end finds
another. Words and structure only; runs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from servers.text2cypher.core.agent_state import Doubt
from servers.text2cypher.cypher.facts import QueryFacts
from servers.text2cypher.linking.asks import is_cued
from servers.text2cypher.linking.hints import Hints, Linker
from servers.text2cypher.linking.language import languages

_PICKS = {"minimum", "maximum"}
_ORDERS = {*_PICKS, "order", "ascending", "descending", "top"}


def superlatives(hints: Hints, facts: QueryFacts, linker: Linker) -> Iterator[Doubt]:
    """One doubt for each superlative of a condition, where the query picks too little before it returns."""
    inside = list(_in_conditions(hints, linker))
    if not inside:
        return
    rest = hints.masked.lower()
    for phrase in inside:
        rest = rest.replace(phrase, " ", 1)
    picks = [place for place, token in enumerate(facts.tokens) if token.is_word("ORDER", "MIN", "MAX", "ALL", "NONE")]
    early = [place for place in picks if place < len(facts.tokens) - len(facts.returned)]
    largest = sum("minimum" not in languages().cues[phrase] for phrase in inside)
    largest += is_cued(rest, {"maximum", "top"}) and not is_cued(rest, {"minimum"})
    downwards = sum(token.is_word("DESC", "DESCENDING", "MAX", "ALL") for token in facts.tokens)
    few = len(early) < len(inside) or len(picks) < len(inside) + is_cued(rest, {*_PICKS, "top"})
    if few or downwards < largest:
        yield Doubt("unused", inside[0])


def _in_conditions(hints: Hints, linker: Linker) -> Iterator[str]:
    """Superlatives that say which one of another label than the question's first is meant."""
    cues = languages().cues
    phrases = sorted((phrase for phrase in cues if cues[phrase] & _PICKS), key=len, reverse=True)
    picked = "|".join(re.escape(phrase) for phrase in phrases)
    counted = "|".join(re.escape(phrase) for phrase in phrases if "many" in cues[phrase])
    pattern = linker.wording.compiled(
        rf"\b(?P<held>‹label›)\W+(?:(?:‹with›)\W+(?:\w+\W+){{0,3}}?)?(?P<after>{picked})\b"
        rf"|\b(?!(?:{counted})\b)(?P<before>{picked})\W+(?P<named>‹label›)\b"
    )
    for found in pattern.finditer(hints.masked.lower()):
        label = linker.lexicon.labels.get(found["held"] or found["named"])
        if label is not None and hints.labels and label != hints.labels[0]:
            yield found["after"] or found["before"]


def unordered(hints: Hints, facts: QueryFacts) -> Iterator[Doubt]:
    """One doubt where the question wants the first or the last few, and doesn't say by what."""
    if "LIMIT" in facts.words and is_cued(hints.question, {"first"}) and not is_cued(hints.question, _ORDERS):
        yield Doubt("unordered")
