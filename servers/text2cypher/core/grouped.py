"""Doubts about the grouping of figures: an extra column splits them into more rows. Runs nothing."""

from __future__ import annotations

from collections.abc import Iterator

from servers.text2cypher.core.agent_state import Doubt
from servers.text2cypher.cypher.brackets import outside
from servers.text2cypher.cypher.facts import FIGURES, QueryFacts
from servers.text2cypher.linking.asks import Ask
from servers.text2cypher.linking.hints import Hints, Linker
from servers.text2cypher.linking.names import roots, roots_in
from servers.text2cypher.linking.naming import is_key
from servers.text2cypher.linking.said import asked_properties, asks_for_things, counted_label


def grouped(hints: Hints, facts: QueryFacts, linker: Linker) -> Iterator[Doubt]:
    """One doubt per unmentioned property beside a figure, unless its node is distinguished anyway.

    Also one if figures per label are asked for and shown for another label.
    """
    shown = list(shown_apart(facts))
    if not any(token.is_word(*FIGURES, "COLLECT") for token in facts.returned):
        return
    owners = {label for variable, _ in shown for label in facts.structure.labels_of(variable)}
    if hints.each in linker.schema.nodes and owners and hints.each not in owners:
        yield Doubt("unused", hints.each)
    known = asked_properties(hints, linker)
    held = zip(facts.returned, facts.returned[2:], facts.returned[3:], strict=False)
    counted = {(past if what.is_word("DISTINCT") else what).value for one, what, past in held if one.is_word("COUNT")}
    often = ("ORDER" in facts.words or Ask.GROUP in hints.asks) and "DISTINCT" not in facts.words
    split = set() if often and len({variable for variable, _ in shown}) == 1 else counted  # `tags by how often used`
    if "COUNT" in facts.words and len({variable for variable, _ in shown}) > 1:
        of_count = counted_label(hints, linker)
        split |= {variable for variable, _ in shown if of_count in facts.structure.labels_of(variable)}
    by = {variable for variable, name in shown if name == hints.each}  # `for each year`: a title would part its rows
    one = not (Ask.GROUP in hints.asks or hints.each or "ORDER" in facts.words or asks_for_things(hints, linker))
    said = roots_in(hints.question)
    for variable, name in shown:
        telling = bool(name) and (is_key(name) or linker.naming.names(name))
        unsaid = name and name not in known and not said & roots(name)
        if (telling and variable in split) or (unsaid and (one or (variable in by and name != hints.each))):
            yield Doubt("unasked", name)


def shown_apart(facts: QueryFacts) -> Iterator[tuple[str, str]]:
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
