"""Ranks that cut between equal values, start with nulls, or omit what has none of what is counted. Chooses none."""

from __future__ import annotations

from servers.text2cypher.core.headings import cell_text
from servers.text2cypher.core.twice import Rows, Run
from servers.text2cypher.cypher.columns import owner_and_property
from servers.text2cypher.cypher.facts import QueryFacts
from servers.text2cypher.cypher.ranking import Ranking
from servers.text2cypher.cypher.tokens import named
from servers.text2cypher.linking.hints import Hints, Linker
from servers.text2cypher.linking.language import languages
from servers.text2cypher.linking.names import roots, roots_in
from servers.text2cypher.linking.said import part_asked


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
    more = [([row[at] for at in places], row) for row in run(ranking.first(last + 1)) or []]
    if len(more) <= last or more[last][0] != more[last - 1][0]:
        return None
    return cell_text(more[last][1][0]), more[last][0] == more[0][0]


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
    kinds = [kind for held in facts.structure.relationships for kind in held.types]
    if label is None or not kinds or not (few or counted) or part_asked(hints, linker.schema, kinds):
        return None
    rows = f"{facts.query[:counted]}RETURN DISTINCT {shown}" if counted else facts.query[: facts.returned[-2].start]
    ranked, every = run(rows), run(f"MATCH (n:{named(label)}) RETURN count(n)")
    return label if ranked and every and len(ranked) < every[0][0] else None
