"""A plan as the model wrote it → the plan of the state, and what is wrong with it. It asks nobody and runs nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from agentd.agent.languages import spoken
from agentd.apps.analytics import placeholders, sql
from agentd.apps.analytics.periods import Period, previous
from agentd.apps.analytics.reading import unwrapped
from agentd.apps.analytics.state import PlanStyle, SqlQueryPlan

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
        }


def read_plan(value: dict[str, Any], style: PlanStyle, dates: Mapping[str, str], said: Iterable[str]) -> Plan:
    """The plan with its dates put in, and its faults.

    `dates` are the values of START_DATE and the like; `said` is what the user and the period's label say, whose numbers
    a template may repeat. A limit that nobody asked for is taken away: an example's would cut a list in silence.
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
        queries = [dated(each) for each in _queries(value.get("sql_queries_plan") or value.get("queries"), "RESULT")]
        queries = [{**each, "query": _fractions(each["query"])} for each in queries]
        if not _RANKS.search(question):
            queries = [{**each, "query": _all_asked_for(each["query"], question)} for each in queries]
        found = _queries(value.get("raw_data_query_plan"), "RAW_DATA")
        raw = dated(found[0]) if found else None
    else:
        operations = [dated(each) for each in _operations(value.get("operations") or value.get("operation_plan"))]
        if not _RANKS.search(question):
            operations = [_whole(each, question) for each in operations]
    rules = _rules(value.get("validation_rules_for_results"))
    plan = Plan(queries, raw, operations, template, placeholders.mapping_of(value.get("placeholder_mapping")), rules)
    return _judged(plan, missing, said)


def _fractions(query: str) -> str:
    return sql.fractions(query, shares=any(map(placeholders.is_share, sql.aliases(query))))


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
    known = {name.casefold() for name in _names_of(plan)}
    unknown = [
        name
        for name in placeholders.names_in(plan.template)
        if name.casefold() not in known and not re.search("PERIOD|_DATE$", name.upper())
    ]
    if unknown and not plan.empty:
        doubts.append(f"no query gives {', '.join(unknown)}; the results are {', '.join(sorted(_names_of(plan)))}")
    return Plan(
        plan.queries,
        plan.raw,
        plan.operations,
        plan.template,
        plan.mapping,
        plan.rules,
        fatal,
        doubts,
        needs_period=bool(missing),
    )


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


def _queries(value: Any, prefix: str) -> list[SqlQueryPlan]:
    entries = value if isinstance(value, list) else [value]
    queries: list[SqlQueryPlan] = []
    for number, entry in enumerate(entries, 1):
        if isinstance(entry, str):
            entry = {"query": entry}
        if not isinstance(entry, dict):
            continue
        query = entry.get("query") or entry.get("sql") or entry.get("sql_query")
        if not isinstance(query, str) or not query.strip():
            continue
        key = entry.get("result_key") or (prefix if len(entries) == 1 else f"{prefix}_{number}")
        queries.append(
            {
                "purpose": str(entry.get("purpose") or ""),
                "query": query.strip(),
                "result_key": str(key).strip("{} "),
            }
        )
    return queries


def _operations(value: Any) -> list[dict[str, Any]]:
    entries = value if isinstance(value, list) else [value]
    operations: list[dict[str, Any]] = []
    for number, entry in enumerate(entries, 1):
        if not isinstance(entry, dict) or not entry:
            continue
        name = str(entry.get("operation_id") or f"operation_{number}")
        columns = entry.get("select_columns")
        plain = isinstance(columns, list) and any(isinstance(c, dict) and not c.get("aggregation") for c in columns)
        form = entry.get("expected_result_format") or ("list_of_dicts" if plain else "single_value")
        key = str(entry.get("result_key") or name).strip("{} ")
        operations.append({**entry, "operation_id": name, "result_key": key, "expected_result_format": form})
    return operations


def _rules(value: Any) -> list[dict[str, Any]]:
    """Rules as a list of objects, from that, from a list of texts, or from {result_key: rule}."""
    if isinstance(value, dict):
        return [
            {**(rule if isinstance(rule, dict) else {"rule": rule}), "result_key": key} for key, rule in value.items()
        ]
    entries = value if isinstance(value, list) else []
    return [{"rule": rule} if isinstance(rule, str) else rule for rule in entries if isinstance(rule, dict | str)]


def dates_for(question: str, periods: list[Period], today: date) -> dict[str, str]:
    """The values of START_DATE and the like, for the periods that a question names.

    The period before is there for a question that compares one with it: "bulan lalu" is no comparison, and two named
    periods are compared with each other.
    """
    named: dict[str, date | None] = {"TODAY": today}
    if periods:
        first = periods[0]
        before = previous(first) if len(periods) == 1 and _COMPARES.search(question) else None
        named |= {"START_DATE": first.start, "END_DATE": first.end}
        if before is not None:
            named |= {"PREV_START_DATE": before.start, "PREV_END_DATE": before.end}
        if first.start is None and first.end is not None:
            named["START_DATE"] = date(1900, 1, 1)
        if first.end is None and first.start is not None:
            named["END_DATE"] = today
    if len(periods) > 1:
        named |= {"START_DATE_2": periods[1].start, "END_DATE_2": periods[1].end}
    return {name: day.isoformat() for name, day in named.items() if day is not None}


def offered(question: str, dates: Mapping[str, str]) -> list[str]:
    """The dates that a planner is told of: today's only where it counts, or a list is cut at today for no reason."""
    return [name for name in dates if name != "TODAY" or _BY_TODAY.search(question)]


_COMPARES = re.compile(
    r"sebelum|banding|tumbuh|naik|turun|selisih|ubah|beda|tren|previous|prior|before|compar|versus|\bvs\b|grow|grew|"
    r"chang|differ|increas|decreas|\brise|\brose|\bf[ae]ll|drop|trend",
    re.IGNORECASE,
)
_BY_TODAY = re.compile(
    r"tempo|lewat|lambat|tunggak|telat|\bumur|\bhari\b|sekarang|saat ini|overdue|\bdue\b|\blate|\bage\b|\bdays?\b|"
    r"today|\bnow\b|current|\bpast\b",
    re.IGNORECASE,
)
"""What is told by today's date though it names no period."""
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
