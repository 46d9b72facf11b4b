"""Doubts about conditions on the wrong thing: two that are swapped, or the wrong one negated.

Uses words and structure only; runs nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise, permutations

from servers.text2cypher.core.agent_state import Doubt
from servers.text2cypher.cypher.facts import QueryFacts
from servers.text2cypher.cypher.parts import denials, is_missing, joined_by
from servers.text2cypher.cypher.records import NodePattern
from servers.text2cypher.cypher.tokens import Kind, Token
from servers.text2cypher.linking.amounts import SIGNS
from servers.text2cypher.linking.asks import cue_in
from servers.text2cypher.linking.hints import Hints, Linker
from servers.text2cypher.linking.names import roots, roots_in
from servers.text2cypher.linking.values import folded

_DENIED = 4  # max. words after a negation that it applies to


def crossed(hints: Hints, facts: QueryFacts, linker: Linker) -> Iterator[Doubt]:
    """Swapped conditions (`born after 1970 in movies before 2000`), `A but not B` for B but not A, OR for AND."""
    yield from _exchanged(hints, facts)
    yield from _only_denied(hints, facts)
    for doubts in (_denied_instead, _either, _itself, _loops, _astray):
        yield from doubts(hints, facts, linker)
    yield from _detours(hints, facts)


def _exchanged(hints: Hints, facts: QueryFacts) -> Iterator[Doubt]:
    """Two values that are each tested on the other's property."""
    said = {(held.property, _plain(value)) for held in hints.filters for value in held.values}
    tested = {(name, _plain(token.value)) for _, name, token in facts.property_tests if token is not None}
    for (one, first), (other, second) in permutations(said, 2):
        turned = {(other, first), (one, second)}
        if one < other and first != second and turned <= tested - said and not {(one, first), (other, second)} & tested:
            yield Doubt("unused", f"{one} {first}, {other} {second}")


def _astray(hints: Hints, facts: QueryFacts, linker: Linker) -> Iterator[Doubt]:
    """A value tested on another node than the one last named before it, which may have it in the same property:
    `officers in the Panama Papers`, of which the query tests an entity's source."""
    structure, labels = facts.structure, linker.wording.compiled(r"\b‹label›\b")
    present = {label for node in structure.nodes for label in structure.labels_at(node)}
    for held in hints.mentions:
        said = [
            linker.lexicon.labels.get(found[0].lower(), "") for found in labels.finditer(hints.masked[: held.start])
        ]
        for variable, name, token in facts.property_tests:
            own = structure.labels_of(variable)
            others = {place.label for place in held.places if place.property == name} & present - own
            if token and folded(token.value) == folded(held.value) and own and {*said[-1:]} & others:
                yield Doubt("either", ", ".join([*sorted(own), said[-1]]))
                return


def _plain(value: object) -> str:
    text = str(value)
    return f"{float(text):g}" if re.fullmatch(r"\d+(?:\.\d+)?", text) else folded(text)


def _denied_instead(hints: Hints, facts: QueryFacts, linker: Linker) -> Iterator[Doubt]:
    """A negation in the query of something else than the question negates."""
    spans = [held for _, held in denials(facts.tokens) if not is_missing(held)]
    found = linker.wording.compiled(rf"(?P<cue>‹not›)(?P<what>(?:[^\w,.;]+[\w'’¤]+){{1,{_DENIED}}})").search(
        hints.masked
    )
    if found is None or not spans:
        return
    what = linker.wording.compiled(r"\b(?:‹joins›)\b").split(found["what"].lower())[0]
    end = found.start("what") + len(what)
    words = roots_in(what)
    meant = {folded(held.value) for held in hints.mentions if found.start("what") <= held.start < end}
    meant |= {folded(text) for text in facts.strings if f" {folded(text)} " in f" {folded(what)} "}
    inside = {token.start for span in spans for token in span}
    wanted = [token for token in facts.tokens if _says(token, words, meant, linker)]
    others = {token.value for span in spans for token in span if _is_telling(token, linker)}
    if wanted and others and not any(token.start in inside for token in wanted):
        yield Doubt("unused", found["cue"].strip())


def _only_denied(hints: Hints, facts: QueryFacts) -> Iterator[Doubt]:
    """A denial of the one that something is only done by: `supplied exclusively by Exotic Liquids`."""
    cue = cue_in(hints.question, {"only"})
    named = {folded(held.value) for held in hints.mentions}
    for tokens in (tokens for _, tokens in denials(facts.tokens) if cue):
        texts = [before.text for before, token in pairwise(tokens) if folded(token.value) in named]
        if "<>" not in texts and {"=", ":"} & {*texts} and not any(token.is_word("NOT") for token in tokens):
            yield Doubt("unused", cue)
            return


def _is_telling(token: Token, linker: Linker) -> bool:
    """True for a text, number, type or property."""
    schema = linker.schema
    return token.kind in (Kind.STRING, Kind.NUMBER) or token.value in {*schema.relationships, *schema.properties}


def _says(token: Token, words: set[str], meant: set[str], linker: Linker) -> bool:
    if token.kind is Kind.STRING:
        return folded(token.value) in meant
    return _is_telling(token, linker) and bool(words & roots(token.value))


def _either(hints: Hints, facts: QueryFacts, linker: Linker) -> Iterator[Doubt]:
    """More OR than the question has alternatives: `A, B or C` has two, and without `or` it may test one value twice."""
    choices = [place for place, token in enumerate(facts.tokens) if token.is_word("OR", "XOR")]
    if linker.wording.compiled(r"\b‹or›\b").search(hints.masked):
        said = linker.wording.compiled(r"(?:,\W*)?\b‹or›\b|,").findall(hints.masked)
        spare = choices[len(said) :]
    else:
        spare = [place for place in choices if not _is_one_test(facts.tokens[:place], facts.tokens[place + 1 :])]
    if spare:
        yield Doubt("unasked", facts.tokens[spare[0]].text.upper())


def _is_one_test(before: Sequence[Token], after: Sequence[Token]) -> bool:
    """True for one property and two values, or one value and two properties, but not for ends of a range or nulls."""
    one, other = _test(before[::-1], -1), _test(after, 1)
    if not one or not other:
        return False
    ends = (one[2] and other[2]) or "NULL" in (one[1].upper(), other[1].upper())
    return not ends and (one[0] == other[0] or one[1] == other[1])


def _test(tokens: Sequence[Token], way: int) -> tuple[tuple[str, ...], str, str] | None:
    """The nearest (variable, property), value and bound (`<` …, or "") in this direction, up to the next AND or OR."""
    end = next((n for n, token in enumerate(tokens) if token.is_word("AND", "OR", "WHERE", "RETURN", "WITH")), None)
    held = tokens[:end]
    around = zip(held, held[1:], held[2:], strict=False)
    name = next(((one.value, after.value)[::way] for one, point, after in around if point.text == "."), None)
    values = [token.value for token in held if token.kind in (Kind.STRING, Kind.NUMBER) or token.is_word("NULL")]
    sign = next((token.text for token in held if token.text in SIGNS.values()), "")
    return (name, values[0], sign) if name and values else None


def _itself(hints: Hints, facts: QueryFacts, linker: Linker) -> Iterator[Doubt]:
    """`The same year as X` if nothing excludes X itself."""
    cue = cue_in(hints.question, {"same"})
    if not cue or facts.negates:
        return
    named = {(p.label, held.value) for held in hints.mentions for p in held.places if linker.values.identifies(p)}
    known = {v for v, _, token in facts.property_tests if token and any(token.value == value for _, value in named)}
    labels = facts.structure.labels_of
    for (one, name), (other, same) in joined_by(facts.tokens, "="):
        if name == same and len({one, other} & known) == 1 and one != other and labels(one) & labels(other):
            yield Doubt("unused", cue)
            return


def _loops(hints: Hints, facts: QueryFacts, linker: Linker) -> Iterator[Doubt]:
    """A way back to where it began, for a question about others: `movies of other directors` have other directors."""
    said = linker.wording.compiled(r"\b‹others_said›\b").search(hints.masked)
    ends = [frozenset(node.variable for node in facts.structure.ends(held)) for held in facts.structure.relationships]
    if said and not facts.negates and any(number > 1 and None not in pair for pair, number in Counter(ends).items()):
        yield Doubt("unused", said[0])


def _detours(hints: Hints, facts: QueryFacts) -> Iterator[Doubt]:
    """A node that only leads to other nodes of a label: reviews of what Will reviewed aren't Will's reviews."""
    structure = facts.structure
    ends = [[*structure.ends(held)] for held in structure.relationships]

    def is_bare(node: NodePattern) -> bool:
        tested = node.keys or node.where
        return not tested and facts.uses[node.variable or ""] <= sum(
            node.variable == held.variable for held in structure.nodes
        )

    for one, other in pairwise(ends):
        middle = next((node for node in one if any(node is held for held in other)), None)
        if middle is None or structure.labels_at(middle) & {*hints.labels, *hints.repeated} or not is_bare(middle):
            continue
        outer = [next(node for node in pair if node is not middle) for pair in (one, other) if len(pair) > 1]
        labels = [structure.labels_at(node) for node in outer]
        passed = [is_bare(node) and sum(node is held for pair in ends for held in pair) > 1 for node in outer]
        if len(labels) > 1 and labels[0] & labels[1] & {*hints.labels} and any(passed) and not all(passed):
            yield Doubt("unasked", next(iter(structure.labels_at(middle)), ""))
            return
