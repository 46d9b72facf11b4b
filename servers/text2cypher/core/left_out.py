"""Ranks by the fewest related things, which omit nodes with none. Reads the query's order; chooses none."""

from __future__ import annotations

from servers.text2cypher.core.twice import Run
from servers.text2cypher.cypher.facts import QueryFacts
from servers.text2cypher.cypher.tokens import named


def left_out(facts: QueryFacts, run: Run) -> str | None:
    """The label of what is ranked, if some of its nodes have no row; else None."""
    backwards = facts.words & {"DESC", "DESCENDING", "OPTIONAL"}
    few = [token.text.upper() for token in facts.returned[-2:-1]] == ["LIMIT"]
    if backwards or not few or not {"COUNT", "ORDER"} <= facts.words or not facts.structure.relationships:
        return None
    shown = facts.columns[0].partition(".")[0] if facts.columns else ""
    label = next(iter(sorted(facts.structure.labels_of(shown))), None)
    if label is None:
        return None
    ranked = run(facts.query[: facts.returned[-2].start])
    every = run(f"MATCH (n:{named(label)}) RETURN count(n)")
    return label if ranked and every and len(ranked) < every[0][0] else None
