"""Group keys of a SELECT without a reason, and groups of nothing that count as one row. Pure; used by accounting."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from agentd.apps.analytics.checks.schema_reading import Reading
from agentd.apps.analytics.sql.tree import of_kind, own


def needless_keys(reading: Reading) -> Iterator[str]:
    """Group keys that the question doesn't mention, that aren't shown, or that are unique per row."""
    plain = reading.plain
    named = {each.alias.casefold(): each.unalias() for each in plain if each.alias}
    seen = [column for each in plain for column in of_kind(each, exp.Column)]
    group = reading.select.args.get("group")
    inside = [c for each in reading.own(exp.AggFunc) for c in of_kind(each, exp.Column)]
    summed = [read[0] for c in inside if (read := reading.column(c))] or list(reading.sources.values())[:1]
    for key in group.expressions if group and not _summed_on(reading.select) else ():
        key = named.get(key.name.casefold(), key) if isinstance(key, exp.Column) and not key.table else key
        for column in of_kind(key, exp.Column):
            found = reading.column(column)
            if found is None or reading.kind(column) == "temporal":
                if found and not reading.asked.by_time:
                    yield f"GROUP BY {column.name}"
                continue
            each_row = found[1].is_primary_key and all(each is found[0] for each in summed) and not reading.unknown
            each_row = each_row and (bool(inside) or not _referred_to(reading, column))
            of_it = column in seen or found[1].kind == "identifier"
            same = {column.table.casefold(), *reading.tied_to(column)}
            beside = any(each.table.casefold() in same for each in seen)
            if each_row or not reading.called(column) or not (column in seen or (of_it and beside)):
                yield f"GROUP BY {column.name}"


def _summed_on(select: exp.Select) -> bool:
    """Whether the outer query sums the groups' sums again, so that the group keys don't matter."""
    outer = select.find_ancestor(exp.Select) if isinstance(select.parent, exp.Subquery) else None
    levels = [outer, select] if outer is not None and not outer.args.get("group") else []
    return {type(each) for level in levels for each in own(level, exp.AggFunc)} == {exp.Sum}


def _referred_to(reading: Reading, key: exp.Column) -> bool:
    """Whether the query joins rows that refer to a key, so that it has several of them: the orders of an employee."""
    ties = (sides for each in reading.own(exp.EQ) if key in (sides := (each.this, each.expression)))
    others = [side for sides in ties for side in sides if side != key and isinstance(side, exp.Column)]
    return any((found := reading.column(side)) and not found[1].is_primary_key for side in others)


def counts_the_join(reading: Reading) -> Iterator[str]:
    """COUNT(*) of groups outer-joined to what refers to them: a doctor without an appointment counts as one."""
    counts = [each for each in reading.own(exp.Count) if isinstance(each.this, exp.Star)]
    grouped = counts and reading.select.args.get("group")
    for join in (join for join in reading.select.args.get("joins") or () if grouped and join.side == "LEFT"):
        alias = join.this.alias_or_name.casefold()
        for each in of_kind(join, exp.EQ):
            sides = [side for side in (each.this, each.expression) if isinstance(side, exp.Column)]
            keys = {s.table.casefold() == alias for s in sides if (f := reading.column(s)) and f[1].is_primary_key}
            if len(sides) > 1 and keys == {False}:  # only the other side is unique
                yield from (count.sql() for count in counts)
