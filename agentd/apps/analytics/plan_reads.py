"""What a plan reads and computes, from the trees of its queries. Pure; it judges nothing."""

from __future__ import annotations

import re

from sqlglot import exp

from agentd.apps.analytics.planned import Plan
from agentd.apps.analytics.sql import tree


def text_of(plan: Plan) -> str:
    """What the plan reads: tables, columns and values, dates and the names that it gives itself aside."""
    parts: list[str] = []
    for query in plan.selects:
        found = tree(query["query"])
        if found is not None:
            given = {each.alias.casefold() for each in found.find_all(exp.Alias)}
            parts += [each.name for each in found.find_all(exp.Table)]
            parts += [
                c.name
                for c in found.find_all(exp.Column)
                if c.name.casefold() not in given or c.find_ancestor(exp.Alias)
            ]
            parts += [f"'{each.name}'" if each.is_string else each.name for each in found.find_all(exp.Literal)]
    return re.sub(r"'(?:19|20)\d\d-\d\d[^']*'", "''", " ".join(parts))


def computed(plan: Plan) -> set[str]:
    """The aggregates of a plan, and "/" for a quotient."""
    found: set[str] = set()
    for query in plan.selects:
        parsed = tree(query["query"])
        if parsed is not None:
            found |= {each.sql_name() for each in parsed.find_all(exp.AggFunc)}
            found |= {"/" for _ in parsed.find_all(exp.Div)}
    return found
