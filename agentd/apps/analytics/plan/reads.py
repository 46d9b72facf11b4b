"""What a plan reads and computes, from its queries' syntax trees. Pure; it judges nothing."""

from __future__ import annotations

import re

from sqlglot import exp

from agentd.apps.analytics.plan.plan import Plan
from agentd.apps.analytics.sql.tree import nodes, trees


def text_of(plan: Plan) -> str:
    """What the plan reads (tables, columns and values), except dates and its own aliases."""
    parts: list[str] = []
    for _, found in trees(plan.selects):
        given = {each.alias.casefold() for each in found.find_all(exp.Alias)}
        parts += [each.name for each in found.find_all(exp.Table)]
        columns = found.find_all(exp.Column)
        parts += [c.name for c in columns if c.name.casefold() not in given or c.find_ancestor(exp.Alias)]
        parts += [f"'{each.name}'" if each.is_string else each.name for each in found.find_all(exp.Literal)]
    return re.sub(r"'(?:19|20)\d\d-\d\d[^']*'", "''", " ".join(parts))


def computed(plan: Plan) -> set[str]:
    """The aggregates of a plan, with "/" for a quotient."""
    return {each.sql_name() for each in nodes(plan.selects, exp.AggFunc)} | {"/" for _ in nodes(plan.selects, exp.Div)}
