"""A planned query as read from its tree: what it shows, joins, groups, sorts and cuts. Read once; judges nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from sqlglot import exp
from sqlglot.errors import OptimizeError
from sqlglot.optimizer.scope import traverse_scope

from agentd.apps.analytics.sql.projections import RANKS, Projection, projections
from agentd.apps.analytics.sql.select import Select
from agentd.apps.analytics.sql.tree import of_kind, tree


@dataclass(frozen=True)
class Query:
    """One query of a plan. `tree` is None, and all else empty, if no dialect can parse its text."""

    key: str
    """The name of its result in the plan."""
    text: str
    purpose: str = ""

    @classmethod
    def of(cls, planned: Mapping[str, Any]) -> Query:
        """The record of a planned query. Cached."""
        return _read(planned["result_key"], planned["query"], str(planned.get("purpose") or ""))

    @cached_property
    def tree(self) -> exp.Expr | None:
        """Its statement; None unless there is exactly one."""
        return tree(self.text)

    @cached_property
    def nodes(self) -> tuple[exp.Expr, ...]:
        """The nodes of its tree, outer before inner."""
        return () if self.tree is None else tuple(of_kind(self.tree, exp.Expr))

    def all(self, *kinds: type[Any]) -> Iterator[Any]:
        """Its nodes of these kinds, those of nested SELECTs too."""
        return (node for node in self.nodes if isinstance(node, kinds))

    def has(self, *kinds: type[Any]) -> bool:
        """Whether it has a node of one of these kinds."""
        return next(self.all(*kinds), None) is not None

    @cached_property
    def selects(self) -> tuple[Select, ...]:
        """Each SELECT, outer before nested ones."""
        try:
            scopes = traverse_scope(self.tree) if self.tree is not None else []
        except OptimizeError:
            scopes = []
        known = {id(scope.expression): scope for scope in scopes}
        return tuple(Select(node, known.get(id(node))) for node in self.all(exp.Select))

    @property
    def outer(self) -> Select | None:
        """The whole query, if it is one SELECT and no UNION."""
        return self.selects[0] if isinstance(self.tree, exp.Select) else None

    @cached_property
    def columns(self) -> tuple[Projection, ...]:
        """The columns of its result in order; none for `*`."""
        return tuple(projections(self.selects[0].node)) if self.selects else ()

    @cached_property
    def names(self) -> frozenset[str]:
        """The names that a placeholder may use, in lower case: its key and its columns'."""
        return frozenset(name.casefold() for name in (self.key, *(each.name for each in self.columns)))

    @cached_property
    def tables(self) -> frozenset[str]:
        """The tables and CTEs that it names, in lower case."""
        return frozenset(each.name.casefold() for each in self.all(exp.Table))

    @cached_property
    def text_read(self) -> str:
        """The tables, columns and values that it reads, without dates and its own aliases."""
        given = {each.alias.casefold() for each in self.all(exp.Alias)}
        own = (
            each for each in self.all(exp.Column) if each.name.casefold() not in given or each.find_ancestor(exp.Alias)
        )
        literals = (f"'{each.name}'" if each.is_string else each.name for each in self.all(exp.Literal))
        parts = [*(each.name for each in self.all(exp.Table)), *(each.name for each in own), *literals]
        return re.sub(r"'(?:19|20)\d\d-\d\d[^']*'", "''", " ".join(parts))

    @cached_property
    def limit(self) -> int | None:
        """The number in its outer LIMIT, or None."""
        limit = self.tree.args.get("limit") if self.tree is not None else None
        number = limit.expression if limit is not None else None
        return int(number.this) if number is not None and number.is_int else None

    @cached_property
    def order(self) -> dict[str, str]:
        """{column name in lower case: asc or desc} of its first ORDER BY key; {its SQL: …} for one that isn't shown."""
        order = self.tree.args.get("order") if self.tree is not None else None
        if order is None or not order.expressions:
            return {}
        first = order.expressions[0]
        key, selected = first.this, self.tree.selects if isinstance(self.tree, exp.Query) else []
        names = {key.name} if isinstance(key, exp.Column) else set()
        if isinstance(key, exp.Literal) and key.is_int and 0 < int(key.this) <= len(selected):
            names = {selected[int(key.this) - 1].alias_or_name}
        names |= {each.alias_or_name for each in selected if isinstance(each, exp.Alias) and each.this == key}
        return {name.casefold(): _direction(first) for name in names or {key.sql()}}

    @cached_property
    def picks(self) -> frozenset[str]:
        """The directions in which it picks rows without ORDER BY: those of its ranks and of `= (SELECT MAX(…) …)`."""
        orders = (rank.parent.args.get("order") for rank in self.all(*RANKS) if isinstance(rank.parent, exp.Window))
        inner = (each.expression.this for each in self.all(exp.EQ) if isinstance(each.expression, exp.Subquery))
        extremes = {type(each.selects[0]) for each in inner if each.selects}
        ends = {way for kind, way in ((exp.Max, "desc"), (exp.Min, "asc")) if kind in extremes}
        return frozenset({*ends, *(_direction(order.expressions[0]) for order in orders if order)})


@lru_cache(maxsize=64)
def _read(key: str, text: str, purpose: str) -> Query:
    return Query(key, text, purpose)


def _direction(ordered: exp.Expr) -> str:
    return "desc" if ordered.args.get("desc") else "asc"
