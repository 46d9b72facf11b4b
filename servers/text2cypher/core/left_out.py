"""Ranks by the fewest related things, or less than some, which omit nodes with none. Chooses none."""

from __future__ import annotations

from servers.text2cypher.core.twice import Run
from servers.text2cypher.cypher.facts import QueryFacts
from servers.text2cypher.cypher.tokens import named
from servers.text2cypher.linking.hints import Hints, Linker
from servers.text2cypher.linking.said import part_asked


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
