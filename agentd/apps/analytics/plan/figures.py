"""Derives what a plan omits about its figures from its queries: formats, rules, orders. Judges no plan."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from agentd.apps.analytics.answer import formats
from agentd.apps.analytics.plan.plan import Plan
from agentd.apps.analytics.schema import Schema
from agentd.apps.analytics.sql.edits import limit_of
from agentd.apps.analytics.sql.projections import Projection, order_of, picks_of, projections


def settled(plan: Plan, schema: Schema) -> Plan:
    """The plan with the formats that its queries determine, rules for figures that can't be negative, and the orders of
    its results."""
    found, keys = _figures(plan)
    percent = {name.casefold() for name in re.findall(r"\{(\w+)\}\s?%", plan.template)}
    shares = {name: each for name, each in found.items() if each.quotient and name.casefold() in percent}
    found |= {name: replace(each, name=f"{each.name} percent") for name, each in shares.items()}
    mapping, notes = formats.settled(plan.mapping, found, schema)
    own = [_renamed(rule, keys) for rule in plan.rules]
    stated = [word for rule in own for text in rule.values() for word in re.findall(r"\w+", str(text))]
    kept = {name: each for name, each in found.items() if name.casefold() not in keys}
    rules = formats.non_negative_rules(kept, schema, stated)
    notes += [f"validation_rules_for_results: {rule['result_key']} >= 0 (derived)" for rule in rules]
    return replace(plan, mapping=mapping, rules=[*own, *rules], derived=notes, orders=orders_of(plan))


def orders_of(plan: Plan, *, cut: bool = False) -> dict[str, frozenset[str]]:
    """{result key or alias, in lower case: the directions of its query's ORDER BY, MAX or MIN, and ranks}. `cut`:
    without the orders of queries that have no LIMIT."""
    found: dict[str, set[str]] = {}
    for query in plan.selects:
        made, whole = projections(query["query"]), cut and limit_of(query["query"]) is None
        sorted_ = set() if whole else set(order_of(query["query"]).values())
        _order(found, query["result_key"], made, sorted_ | picks_of(query["query"]))
    return {name: frozenset(directions) for name, directions in found.items()}


def _order(found: dict[str, set[str]], key: str, made: Sequence[Projection], directions: set[str]) -> None:
    for each in made:
        picked = {"MAX": {"desc"}, "MIN": {"asc"}}.get(each.aggregate, set())
        for name in (key, each.name):
            found.setdefault(name.casefold(), set()).update(directions | picked)


def _renamed(rule: dict[str, Any], keys: Mapping[str, str]) -> dict[str, Any]:
    """The rule with the results' names: a query's single value is stored under its result key."""

    def named(found: re.Match[str]) -> str:
        return keys.get(found[0].casefold(), found[0])

    kept = ("message", "description", "severity")
    return {
        key: re.sub(r"\w+", named, value) if isinstance(value, str) and key not in kept else value
        for key, value in rule.items()
    }


def _figures(plan: Plan) -> tuple[dict[str, Projection], dict[str, str]]:
    """({figure: how it is computed}, {alias: result key} for queries with one value)."""
    found: dict[str, Projection] = {}
    keys: dict[str, str] = {}
    for query in plan.selects:
        _note(query["result_key"], projections(query["query"]), found, keys)
    return found, {alias: key for alias, key in keys.items() if alias != key.casefold()}


def _note(key: str, made: Sequence[Projection], found: dict[str, Projection], keys: dict[str, str]) -> None:
    found |= {
        each.name: each for each in made if each.name and (len(made) > 1 or each.name.casefold() != key.casefold())
    }
    if len(made) == 1:
        found[key] = replace(made[0], name=made[0].name or key)
        keys[made[0].name.casefold()] = key
