"""Doubts about the grouping of figures: an extra column splits them into more rows. Runs nothing."""

from __future__ import annotations

from collections.abc import Iterator

from servers.text2cypher.core.agent_state import Doubt
from servers.text2cypher.cypher.brackets import outside
from servers.text2cypher.cypher.facts import FIGURES, QueryFacts
from servers.text2cypher.linking.hints import Hints, Linker
from servers.text2cypher.linking.names import roots, roots_in
from servers.text2cypher.linking.naming import is_key
from servers.text2cypher.linking.said import named_properties


def grouped(hints: Hints, facts: QueryFacts, linker: Linker) -> Iterator[Doubt]:
    """One doubt per unmentioned property beside a figure, unless its node is distinguished anyway.

    Also one if figures per label are asked for and shown for another label.
    """
    shown = list(_shown(facts))
    if not any(token.is_word(*FIGURES) for token in facts.returned):
        return
    owners = {label for variable, _ in shown for label in facts.structure.labels_of(variable)}
    if hints.each in linker.schema.nodes and owners and hints.each not in owners:
        yield Doubt("unused", hints.each)
    told = {variable for variable, name in shown if not name or is_key(name) or linker.naming.names(name)}
    said = roots_in(hints.question)
    known = {*named_properties(hints, linker)}
    for variable, name in shown:
        if name and variable not in told and name not in known and not said & roots(name):
            yield Doubt("unasked", name)


def _shown(facts: QueryFacts) -> Iterator[tuple[str, str]]:
    """(variable, property) of what is returned outside functions; the property is empty for a whole node."""
    known = facts.structure.variables
    tokens = facts.returned
    for place, token in outside(tokens):
        if token.is_word("ORDER", "SKIP", "LIMIT", "UNION"):
            return
        begins = not place or not (tokens[place - 1].text == "." or tokens[place - 1].is_word("AS"))
        if begins and token.is_name and token.value in known:
            after = [held.value for held in tokens[place + 1 : place + 3]]
            yield token.value, after[1] if after[:1] == ["."] and len(after) > 1 else ""
