"""A plan as the model wrote it → the plan of the state, and what is wrong with it. It asks nobody and runs nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from agentd.agent.languages import spoken
from agentd.apps.analytics import formats, placeholders, sql, wording
from agentd.apps.analytics.plan_entries import operations_in, queries_in, rules_in
from agentd.apps.analytics.projections import Projection, of_expression, order_of, projections
from agentd.apps.analytics.reading import unwrapped
from agentd.apps.analytics.state import PlanStyle, SqlQueryPlan
from agentd.apps.analytics.statements import KINDS, names_of, statements_in

_TOKEN = re.compile(r"\{(START_DATE|END_DATE|PREV_START_DATE|PREV_END_DATE|START_DATE_2|END_DATE_2|TODAY)\}")
_RANKS = re.compile(
    r"\bter[a-z]{3,}|\bpaling\b|\bpertama\b|\bcontoh\b|\btop\b|\b[a-z]+est\b|\bmost\b|\bfirst\b|\blast\b|\bworst\b",
    re.IGNORECASE,
)
"""What asks for a part of a list without a number."""
_PLAN_KEYS = ("sql_queries_plan", "operations", "operation_plan", "response_template", "raw_data_query_plan")


@dataclass(frozen=True, slots=True)
class Plan:
    """What `plan_execution` adds to the state, with the faults found: `fatal` ones end the plan, `doubts` do not."""

    queries: list[SqlQueryPlan]
    raw: SqlQueryPlan | None
    operations: list[dict[str, Any]]
    template: str
    mapping: dict[str, str]
    rules: list[dict[str, Any]]
    fatal: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    needs_period: bool = False
    derived: list[str] = field(default_factory=list)
    """What the model left out or got wrong and was settled here, a sentence each."""
    orders: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The directions that each result is sorted or picked in, for the words of its narrative."""

    @property
    def selects(self) -> list[SqlQueryPlan]:
        """Everything that it asks in SQL."""
        return [*self.queries, *([self.raw] if self.raw else [])]

    @property
    def empty(self) -> bool:
        """Nothing to run: the model saw no data that could answer."""
        return not self.queries and self.raw is None and not self.operations

    def changes(self) -> dict[str, Any]:
        """As the state keeps it."""
        return {
            "sql_queries_plan": self.queries,
            "raw_data_query_plan": self.raw,
            "operation_plan": self.operations or None,
            "response_template": self.template,
            "placeholder_mapping": self.mapping,
            "validation_rules_for_results": self.rules or None,
            "technical_error_details": "; ".join(self.derived) or None,
        }


def read_plan(
    value: dict[str, Any],
    style: PlanStyle,
    dates: Mapping[str, str],
    said: Iterable[str],
    tables: Iterable[Mapping[str, Any]] = (),
) -> Plan:
    """The plan with its dates put in, what it leaves out derived, and its faults.

    `dates` are the values of START_DATE and the like; `said` is what the user and the period's label say, whose numbers
    a template may repeat; `tables` are the `relevant_tables`, whose columns tell amounts from counts. A limit that
    nobody asked for is taken away: an example's would cut a list in silence.
    """
    said = list(said)
    question = " ".join(said)
    value = unwrapped(value, *_PLAN_KEYS)
    missing: set[str] = set()

    def dated(inner: Any) -> Any:
        if isinstance(inner, str):
            missing.update(name for name in _TOKEN.findall(inner) if name not in dates)
            return _TOKEN.sub(lambda found: dates.get(found[1], found[0]), inner)
        if isinstance(inner, dict):
            return {key: dated(each) for key, each in inner.items()}
        return [dated(each) for each in inner] if isinstance(inner, list) else inner

    template = value.get("response_template") or value.get("template") or ""
    template = template if isinstance(template, str) else ""
    queries, raw, operations = [], None, []
    if style == "sql":
        queries = [dated(each) for each in queries_in(value.get("sql_queries_plan") or value.get("queries"), "RESULT")]
        queries = [{**each, "query": sql.fractions(each["query"])} for each in queries]
        if not _RANKS.search(question):
            queries = [{**each, "query": _all_asked_for(each["query"], question)} for each in queries]
        found = queries_in(value.get("raw_data_query_plan"), "RAW_DATA")
        raw = dated(found[0]) if found else None
    else:
        operations = [dated(each) for each in operations_in(value.get("operations") or value.get("operation_plan"))]
        if not _RANKS.search(question):
            operations = [_whole(each, question) for each in operations]
    rules = rules_in(value.get("validation_rules_for_results"))
    plan = Plan(queries, raw, operations, template, placeholders.mapping_of(value.get("placeholder_mapping")), rules)
    return _judged(_settled(plan, formats.Classes.from_tables(tables)), missing, said)


def _settled(plan: Plan, classes: formats.Classes) -> Plan:
    """The plan with a format for every figure that its query makes certain, a rule for what cannot be negative, and a
    narrative where the model wrote none."""
    found, keys = _figures(plan)
    mapping, notes = formats.settled(plan.mapping, found, classes)
    own = [_renamed(rule, keys) for rule in plan.rules]
    stated = [word for rule in own for text in rule.values() for word in re.findall(r"\w+", str(text))]
    kept = {name: each for name, each in found.items() if name.casefold() not in keys}
    rules = formats.signs(kept, classes, stated)
    notes += [f"validation_rules_for_results: {rule['result_key']} >= 0 (derived)" for rule in rules]
    template = wording.unrepeated(plan.template)
    if wording.repeats(plan.template):
        notes.append("response_template repeated itself")
    if not template.strip() and not plan.empty:
        template = derived_template(plan)
        notes.append("response_template (derived)")
    orders = _orders(plan)
    return replace(plan, mapping=mapping, rules=[*own, *rules], template=template, derived=notes, orders=orders)


def worded_truly(plan: Plan, question: str) -> Plan:
    """The plan without words of comparison that nothing computed covers: their sentences go, and with the last of them
    the narrative."""
    if not wording.uncovered(plan.template, plan.orders, question):
        return plan
    template = wording.without(plan.template, plan.orders, question) or derived_template(plan)
    return replace(plan, template=template, derived=[*plan.derived, "response_template compared without computing"])


def derived_template(plan: Plan) -> str:
    """Each result under its purpose, a line each; under its key where the purpose claims something."""
    lines = []
    for step in [*plan.queries, *plan.operations] or plan.selects:
        purpose, key = str(step.get("purpose") or "").strip(), str(step["result_key"])
        plain = purpose and not placeholders.own_numbers(purpose, []) and not wording.uncovered(purpose, {}, "")
        lines.append(f"{purpose if plain else key.replace('_', ' ').capitalize()}: {{{key}}}")
    return "\n".join(lines)


def _orders(plan: Plan) -> dict[str, frozenset[str]]:
    """{result key or alias, in lower case: the directions of its query's order, and of a MAX or MIN}."""
    found: dict[str, set[str]] = {}
    for query in plan.selects:
        made = projections(query["query"])
        _order(found, query["result_key"], made, set(order_of(query["query"]).values()))
    for operation in plan.operations:
        clauses = [each for each in operation.get("order_by_clauses") or () if isinstance(each, dict)]
        directions = {str(each.get("direction") or "ASC").casefold() for each in clauses[:1]}
        _order(found, operation["result_key"], list(_selected(operation)), directions)
    return {name: frozenset(directions) for name, directions in found.items()}


def _order(found: dict[str, set[str]], key: str, made: list[Projection], directions: set[str]) -> None:
    for each in made:
        picked = {"MAX": {"desc"}, "MIN": {"asc"}}.get(each.aggregate, set())
        for name in (key, each.name):
            found.setdefault(name.casefold(), set()).update(directions | picked)


def _renamed(rule: dict[str, Any], keys: Mapping[str, str]) -> dict[str, Any]:
    """The rule with the names that the results have: a query's one value is found under its result key."""

    def named(found: re.Match[str]) -> str:
        return keys.get(found[0].casefold(), found[0])

    kept = ("message", "description", "severity")
    return {
        key: re.sub(r"\w+", named, value) if isinstance(value, str) and key not in kept else value
        for key, value in rule.items()
    }


def _figures(plan: Plan) -> tuple[dict[str, Projection], dict[str, str]]:
    """What each figure is computed as, and {alias: result key} of the queries that give one value."""
    found: dict[str, Projection] = {}
    keys: dict[str, str] = {}
    for query in plan.selects:
        _note(query["result_key"], projections(query["query"]), found, keys)
    for operation in plan.operations:
        _note(operation["result_key"], list(_selected(operation)), found, keys)
    return found, {alias: key for alias, key in keys.items() if alias != key.casefold()}


def _note(key: str, made: list[Projection], found: dict[str, Projection], keys: dict[str, str]) -> None:
    found |= {
        each.name: each for each in made if each.name and (len(made) > 1 or each.name.casefold() != key.casefold())
    }
    if len(made) == 1:
        found[key] = replace(made[0], name=made[0].name or key)
        keys[made[0].name.casefold()] = key


def _selected(operation: dict[str, Any]) -> Iterator[Projection]:
    for column in operation.get("select_columns") or ():
        if isinstance(column, dict):
            name = str(column.get("alias") or column.get("field_name") or "")
            read = of_expression(str(column.get("field_name") or ""), str(column.get("aggregation") or ""), name)
            yield replace(read, name=name) if read is not None else Projection(name, ())


def _all_asked_for(query: str, question: str) -> str:
    """The query without a LIMIT that the question doesn't name."""
    limit = sql.limit_of(query)
    return query if limit is None or _names(question, limit) else sql.without_limit(query)


def _whole(operation: dict[str, Any], question: str) -> dict[str, Any]:
    limit = operation.get("limit")
    if isinstance(limit, int) and not _names(question, limit):
        return {key: value for key, value in operation.items() if key != "limit"}
    return operation


def _names(question: str, number: int) -> bool:
    words = {str(number), *spoken(number)}
    return bool(words & set(re.findall(r"\w+", question.casefold())))


def _judged(plan: Plan, missing: set[str], said: list[str]) -> Plan:
    fatal: list[str] = []
    doubts: list[str] = []
    if missing:
        fatal.append(f"the question names no period for {', '.join(sorted(missing))}")
    for query in plan.selects:
        if not sql.reads_only(query["query"]):
            fatal.append(f"{query['result_key']}: only SELECT may be planned")
        elif len(sql.statements(query["query"])) > 1:
            doubts.append(f"{query['result_key']}: write one SELECT a query, each with a result_key of its own")
    if not plan.template.strip():
        fatal.append("response_template is missing")
    elif own := placeholders.own_numbers(plan.template, said):
        fatal.append(
            f"response_template states numbers of its own ({', '.join(own[:5])}); write a {{PLACEHOLDER}} instead"
        )
    if words := wording.uncovered(plan.template, plan.orders, " ".join(said)):
        doubts.append(
            f"response_template compares in its own words ({', '.join(words[:5])}); leave them out, or write a "
            f"computed statement such as {{COMPARE NEW OLD}} ({', '.join(KINDS)})"
        )
    known = {name.casefold() for name in _names_of(plan)}
    spoken_of = [name for each in statements_in(plan.template) for name in names_of(each)]
    unknown = [
        name
        for name in dict.fromkeys([*placeholders.names_in(plan.template), *spoken_of])
        if name.casefold() not in known and not re.search("PERIOD|_DATE$", name.upper())
    ]
    if unknown and not plan.empty:
        doubts.append(f"no query gives {', '.join(unknown)}; the results are {', '.join(sorted(_names_of(plan)))}")
    return replace(plan, fatal=fatal, doubts=doubts, needs_period=bool(missing))


def _names_of(plan: Plan) -> set[str]:
    """What placeholders may be named after: result keys and aliases."""
    names: set[str] = set()
    for query in plan.queries:
        names |= {query["result_key"], *sql.aliases(query["query"])}
    for operation in plan.operations:
        names.add(operation["result_key"])
        columns = operation.get("select_columns")
        for column in columns if isinstance(columns, list) else ():
            if isinstance(column, dict):
                names |= {str(column.get("alias") or column.get("field_name") or "")}
    return names - {""}


_AMOUNT = re.compile(
    r"amount|sales|penjualan|revenue|omzet|omset|outstanding|piutang|hutang|utang|nilai|value|sum|average|avg|rata|"
    r"price|harga|cost|biaya|payment|pembayaran|balance|saldo|margin|profit|laba|purchase|pembelian",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"count|jumlah|number|banyak|list|daftar|name|nama|days|hari|qty|quantity|stok|stock", re.IGNORECASE
)


def lacks_columns(metrics: list[str], financial: dict[str, Any] | None, temporal: dict[str, Any] | None) -> bool:
    """True when amounts are asked for and the tables found hold neither amounts nor dates (seed 003 §3.3)."""
    amounts = [metric for metric in metrics if _AMOUNT.search(metric) and not _COUNTED.search(metric)]
    return bool(amounts) and not any((financial or {}).values()) and not any((temporal or {}).values())
