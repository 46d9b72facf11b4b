"""What a plan reads and computes, from its queries' syntax trees. Pure; it judges nothing."""

from __future__ import annotations

import re
from functools import lru_cache

from sqlglot import exp

from agentd.apps.analytics.plan.plan import Plan
from agentd.apps.analytics.sql.tree import every, nodes


def text_of(plan: Plan) -> str:
    """What the plan reads (tables, columns and values), except dates and its own aliases."""
    return " ".join(filter(None, (_text(query["query"]) for query in plan.selects)))


@lru_cache(maxsize=64)
def _text(query: str) -> str:
    found = every(query)
    given = {each.alias.casefold() for each in found if isinstance(each, exp.Alias)}
    columns = [each for each in found if isinstance(each, exp.Column)]
    literals = [each for each in found if isinstance(each, exp.Literal)]
    parts = [each.name for each in found if isinstance(each, exp.Table)]
    parts += [each.name for each in columns if each.name.casefold() not in given or each.find_ancestor(exp.Alias)]
    parts += [f"'{each.name}'" if each.is_string else each.name for each in literals]
    return re.sub(r"'(?:19|20)\d\d-\d\d[^']*'", "''", " ".join(parts))


def computed(plan: Plan) -> set[str]:
    """The aggregates of a plan, with "/" for a quotient."""
    return {each.sql_name() for each in nodes(plan.selects, exp.AggFunc)} | {"/" for _ in nodes(plan.selects, exp.Div)}
