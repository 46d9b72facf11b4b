"""Two readings of one query: each thing counted once, or each time it is met. Says if they differ, chooses none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from servers.text2cypher.cypher.facts import QueryFacts

Rows = Sequence[Sequence[Any]]


def counted_once(facts: QueryFacts, rows: Rows, run: Callable[[str], Rows | None]) -> str | None:
    """What is counted, where counting each once gives other rows; None where the query says it or both agree.

    Only a path of several steps can meet a thing twice. `run` gives None for a query that doesn't run.
    """
    if "DISTINCT" in facts.words or not (len(facts.structure.relationships) > 1 or facts.long_paths):
        return None
    tokens = facts.tokens
    for word, opener, name, closer in zip(tokens, tokens[1:], tokens[2:], tokens[3:], strict=False):
        if word.is_word("COUNT") and opener.text == "(" and name.is_name and closer.text == ")":
            other = f"{facts.query[: name.start]}DISTINCT {facts.query[name.start :]}"
            found = run(other)
            if found is not None and [list(row) for row in found] != [list(row) for row in rows]:
                labels = facts.structure.labels_of(name.value)
                return next(iter(sorted(labels)), name.value)
    return None
