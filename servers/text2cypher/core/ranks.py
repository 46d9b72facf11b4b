"""Doubts about ranks: by what, of what, in which order, and what a limit cuts off. Chooses no other query.

`Customers who bought the product with the highest price` picks a product first; ordering the customers at the end gives
another answer. A rank may also cut between equal values, start with nulls, or omit what has none of what is counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from servers.text2cypher.core.agent_state import Doubt
from servers.text2cypher.core.headings import cell_text
from servers.text2cypher.core.twice import Rows, Run
from servers.text2cypher.cypher.facts import QueryFacts
from servers.text2cypher.cypher.parts import calls, owner_and_property
from servers.text2cypher.cypher.ranking import Ranking
from servers.text2cypher.cypher.tokens import named
from servers.text2cypher.graph.schema import STRING
from servers.text2cypher.linking.asks import cue_in, is_cued
from servers.text2cypher.linking.hints import Hints, Linker
from servers.text2cypher.linking.language import languages
from servers.text2cypher.linking.names import roots, roots_in
from servers.text2cypher.linking.said import asks_for_several, named_properties, part_asked

_ALSO = 20  # max. rows after the last shown one that are searched for another that ranks equally
_PICKS = {"minimum", "maximum"}
_ORDERS = {*_PICKS, "order", "ascending", "descending"}


def superlatives(hints: Hints, facts: QueryFacts, linker: Linker) -> Iterator[Doubt]:
    """One doubt if the query picks too few of the superlatives in conditions before it returns."""
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


def mistaken(hints: Hints, facts: QueryFacts, linker: Linker) -> Iterator[Doubt]:
    """Doubts if the query sorts by other properties than the one that a superlative names (`the lowest price`), by what
    is the same in every row, or by a text that is neither mentioned nor shown; or if it groups afterwards."""
    texts = linker.schema.of_types(STRING) - linker.lexicon.timed
    fixed = {(node.variable, name) for node in facts.structure.nodes for name, _ in node.keys}
    for key in {*facts.sort_keys}:
        if key in fixed or (key not in facts.shown_apart and key[1] in texts and not is_said(key[1], hints, linker)):
            yield Doubt("unasked", key[1])
    if _loses_order(facts):
        yield Doubt("unused", cue_in(hints.question, {*_ORDERS, "top"}) or "ORDER BY")
    picked = "|".join(re.escape(phrase) for phrase, cues in languages().cues.items() if cues & _PICKS)
    found = linker.wording.compiled(rf"\b(?:{picked})\W+(‹number›)\b").search(hints.masked)
    keys = {name for _, name in facts.sort_keys}
    name = linker.lexicon.properties.get(found[1].lower(), "") if found else ""
    if keys and name in hints.properties and name not in keys and not facts.words & {"MIN", "MAX"}:
        yield Doubt("unused", found[0] if found else name)


def _loses_order(facts: QueryFacts) -> bool:
    """True if the rows are sorted, then grouped, and the first of these groups are returned."""
    words = [word for word, _ in facts.structure.clauses[-4:]]
    groups = any(call.function != "SIZE" for call in calls(facts.returned))
    return groups and words == ["WITH", "ORDER", "RETURN", "LIMIT"]


def _in_conditions(hints: Hints, linker: Linker) -> Iterator[str]:
    """Superlatives that identify a thing of another label than the question's first."""
    cues = languages().cues
    phrases = sorted((phrase for phrase in cues if cues[phrase] & _PICKS), key=len, reverse=True)
    picked = "|".join(re.escape(phrase) for phrase in phrases)
    counted = "|".join(re.escape(phrase) for phrase in phrases if "many" in cues[phrase])
    who = bool(linker.wording.compiled(r"^\W*(?!‹who_are›)‹opens_person›\b").match(hints.masked))
    pattern = linker.wording.compiled(
        rf"\b(?P<held>‹label›)\W+(?:(?:‹with›)\W+(?:\w+\W+){{0,3}}?)?(?P<after>{picked})\b"
        rf"|\b(?!(?:{counted})\b)(?P<before>{picked})\W+(?P<named>‹label›)\b"
    )
    for found in pattern.finditer(hints.masked.lower()):
        label = linker.lexicon.labels.get(found["held"] or found["named"])
        if label is not None and hints.labels and (who or label != hints.labels[0]):
            yield found["after"] or found["before"]


def unordered(hints: Hints, facts: QueryFacts, linker: Linker) -> Iterator[Doubt]:
    """One doubt if the question wants the first or last few without saying by what.

    Also if they are ranked by an unmentioned count, or by a number of which each may have several (movies by their
    reviews' ratings). And one if the question wants several without a number and only one is shown.
    """
    some = hints.limit is not None and not facts.words & {"ORDER", "COUNT"}  # `which 5 users`, of more
    known = is_cued(hints.question, _ORDERS) or _is_in_time(hints, facts, linker)
    known = known or (is_cued(hints.question, {"top"}) and all(is_said(n, hints, linker) for _, n in facts.sort_keys))
    named = is_cued(hints.question, {"first", "top"}) and not (known and "ORDER" in facts.words)
    unsaid = "COUNT" in facts.words and not linker.wording.compiled(r"\b‹count_said›\b").search(hints.question)
    if "LIMIT" in facts.words and (some or named or unsaid or (_ranked_by(facts) - _shown(facts))):
        yield Doubt("unordered")
    if facts.limit == "1" and hints.limit is None and asks_for_several(hints, linker):
        yield Doubt("unasked", "LIMIT 1")


def _is_in_time(hints: Hints, facts: QueryFacts, linker: Linker) -> bool:
    """True for a rank by the date of what is shown, earliest first: `the first 5 orders of 1996`."""
    cue, keys = cue_in(hints.question, {"first"}), facts.sort_keys
    ends = {way: bool(linker.wording.compiled(rf"‹{way}›").fullmatch(cue)) for way in ("min_said", "max_said")}
    backwards = bool(facts.words & {"DESC", "DESCENDING"})
    timed = len(keys) == 1 and keys[0][1] in linker.lexicon.timed
    return timed and ends["max_said" if backwards else "min_said"] and keys[0][0] in facts.shown


def _ranked_by(facts: QueryFacts) -> set[str | None]:
    """The variables whose properties order the rows; for a relationship, its ends without conditions."""
    owners = {owner for owner, _ in facts.sort_keys}
    found: set[str | None] = {*owners}
    for held in facts.structure.relationships:
        if held.variable in owners:
            ends = facts.structure.ends(held)
            found = found - {held.variable} | {node.variable for node in ends if not node.keys}
    return found


def is_said(name: str, hints: Hints, linker: Linker) -> bool:
    """True if the question names a property, or a time for one with dates."""
    time = linker.wording.compiled(r"\b(?:‹early›|‹late›|\d{4})\b").search(hints.question)
    timed = time is not None and name in linker.lexicon.timed
    return timed or name in named_properties(hints, linker) or bool(roots(name) & roots_in(hints.question))


def _shown(facts: QueryFacts) -> set[str]:
    """The variables with a shown property other than the sort key; those of the sort key if nothing else is shown."""
    pairs, keys = {*facts.shown_apart}, facts.sort_keys
    return {variable for variable, name in pairs if (variable, name) not in keys} or {variable for variable, _ in pairs}


def tied(hints: Hints, facts: QueryFacts, rows: Rows, run: Run) -> tuple[str, bool] | None:
    """(the first omitted row's name if it ties with the last shown one, whether the first shown one ties too).

    A further sort key only hides ties (`the fewest vessels` by their number, then name), unless the question says it.
    """
    last, ranking = len(rows), Ranking.of(facts)
    if not rows or ranking is None or not ranking.keys or ranking.limit != last:
        return None
    said = roots_in(hints.question) - roots(*languages().naming)
    further = zip(ranking.keys[1:], ranking.places[1:], strict=True)
    places = [ranking.places[0], *(place for key, place in further if roots(owner_and_property(key)[1]) & said)]
    more = [([row[at] for at in places], row[: ranking.width]) for row in run(ranking.first(last + _ALSO)) or []]
    # a path may match one thing several times
    also = next((held for held in more[last:] if held[1] not in [row for _, row in more[:last]]), None)
    if also is None or also[0] != more[last - 1][0]:
        return None
    return cell_text(also[1][0]), also[0] == more[0][0]


def unranked(facts: QueryFacts, rows: Rows, run: Run) -> str | None:
    """What is null in one of the first rows: the sort key (engines sort null as the largest) or a group's key."""
    ranking = Ranking.of(facts)
    if not rows or ranking is None or not ranking.keys or ranking.limit is None:
        return None
    if facts.aggregates and (
        none := [name for row in rows for name, cell in zip(facts.columns, row, strict=False) if cell is None]
    ):
        return none[0]
    at = ranking.places[0]
    found = rows if at < ranking.width else run(ranking.first(len(rows))) or []
    return ranking.keys[0] if any(row[at] is None for row in found) else None


def is_cut(facts: QueryFacts, rows: Rows, run: Run) -> bool:
    """True if the query's limit drops rows."""
    if str(len(rows)) != facts.limit:
        return not facts.limit.isdecimal()
    more = run(f"{facts.query[: facts.returned[-1].start]}{len(rows) + 1}")
    return more is None or len(more) > len(rows)


def left_out(hints: Hints, facts: QueryFacts, linker: Linker, run: Run) -> str | None:
    """The label of what is ranked or bounded, if some of its nodes have no row; else None.

    Who plays no part at all isn't meant by its word: `actors in fewer than 2 movies`.
    """
    if facts.words & {"DESC", "DESCENDING", "OPTIONAL"} or "COUNT" not in facts.words or not facts.columns:
        return None
    shown = facts.columns[0].partition(".")[0]
    label = next(iter(sorted(facts.structure.labels_of(shown))), None)
    few = "ORDER" in facts.words and bool(facts.limit)
    less = any(sign in ("<", "<=") for sign, _ in facts.numbers) and not facts.property_tests
    counted = next((token.start for token in facts.tokens if token.is_word("WITH")), None) if less else None
    kinds = facts.structure.types
    if label is None or not kinds or not (few or counted) or part_asked(hints, linker.schema, kinds):
        return None
    rows = f"{facts.query[:counted]}RETURN DISTINCT {shown}" if counted else facts.query[: facts.returned[-2].start]
    ranked, every = run(rows), run(f"MATCH (n:{named(label)}) RETURN count(n)")
    return label if ranked and every and len(ranked) < every[0][0] else None
