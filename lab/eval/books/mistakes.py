"""Typical mistakes of hosted models, as changes of a right plan; None where a plan has no place for one."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from typing import Any

from lab.eval.books.asking import Mistake, Plan


def _query(change: Callable[[str], str]) -> Callable[[Plan], Plan | None]:
    """Make a mistake that changes the query's text."""

    def spoil(plan: Plan) -> Plan | None:
        made = copy.deepcopy(plan)
        entry = made["sql_queries_plan"][0]
        entry["query"] = change(entry["query"])
        return None if made == plan else made

    return spoil


def _says(change: Callable[[str], str]) -> Callable[[Plan], Plan | None]:
    """Make a mistake that changes the narrative."""

    def spoil(plan: Plan) -> Plan | None:
        made = {**copy.deepcopy(plan), "response_template": change(plan["response_template"])}
        return None if made == plan else made

    return spoil


def _more(**fields: Any) -> Callable[[Plan], Plan | None]:
    return lambda plan: {**copy.deepcopy(plan), **fields}


def _sub(pattern: str, new: str) -> Callable[[Plan], Plan | None]:
    return _query(lambda query: re.sub(pattern, new, query, count=1, flags=re.IGNORECASE))


def _comma_join(query: str) -> str:
    """Remove JOIN … ON, which yields a cross join."""
    return re.sub(r" JOIN (\S+(?: Details`)?(?: od)?) ON \S+ = \S+", r", \1", query, count=1)


MAY_BE_EMPTY = {
    "Customers": "Fax",
    "Customer": "Fax",
    "Orders": "ShipRegion",
    "Employees": "Region",
    "Track": "Composer",
    "Invoice": "BillingState",
}
"""A column of each table that is empty in some rows."""


def _counts_the_filled(query: str) -> str:
    """Replace COUNT(*) by a count of a column that is empty in some rows."""
    table = re.search(r" FROM (\w+)", query)
    column = MAY_BE_EMPTY.get(table[1]) if table else None
    return query.replace("COUNT(*)", f"COUNT({table[1]}.{column})", 1) if table and column else query


def _of_some_rows(query: str) -> str:
    """Restrict the query to a hundred arbitrary rows."""
    return re.sub(r" FROM (\w+)(?= WHERE|$)", r" FROM (SELECT * FROM \1 LIMIT 100) AS \1", query, count=1)


def _since_2022(query: str) -> str:
    """Add a condition on the year to a plan without a date."""
    dated = re.search(r" FROM (?:Orders|Invoice)(?: WHERE|$)", query)
    if dated is None or "_DATE" in query or "Date >" in query:
        return query
    condition = "OrderDate >= '1996-08-01'" if "Orders" in dated[0] else "InvoiceDate >= '2022-01-01'"
    return f"{query} {'AND' if ' WHERE ' in query else 'WHERE'} {condition}"


def _another_country(query: str) -> str:
    """Select the rows of a place other than the requested one."""
    return re.sub(r"= '(?!\d)(?!Canada)[A-Z][^']*'", "= 'Canada'", query, count=1)


def _only_usa(query: str) -> str:
    """Add a condition that was not requested."""
    column = re.search(r" FROM (?:Customers?|Suppliers)(?: WHERE|$)", query) and "Country"
    column = column or (re.search(r" FROM Invoice(?: WHERE|$)", query) and "BillingCountry")
    column = column or (re.search(r" FROM Orders(?: WHERE|$)", query) and "ShipCountry")
    return f"{query} {'AND' if ' WHERE ' in query else 'WHERE'} {column} = 'Germany'" if column else query


def _other_end(query: str) -> str:
    """Exchange largest and smallest, or first and last."""
    order = re.search(r" ORDER BY [^()]*?(?= LIMIT)", query)
    if order is None:
        return re.sub(r"\bMAX\(", "MIN(", query) if "MAX(" in query and "MIN(" not in query else query
    turned = (
        order[0].replace(" DESC", "", 1) if " DESC" in order[0] else re.sub(r"(,|$)", r" DESC\1", order[0], count=1)
    )
    return query.replace(order[0], turned)


MISTAKES = {
    each.name: each
    for each in (
        Mistake("no join condition", _query(_comma_join)),
        Mistake("no grouping", _sub(r" GROUP BY .*?(?= ORDER|$)", "")),
        Mistake("another year", _sub(r"'\{START_DATE\}'", "'2010-01-01'")),
        Mistake("no period", _sub(r" WHERE \w*(?:OrderDate|InvoiceDate) .*?'\{END_DATE\}'", "")),
        Mistake("another month", _sub(r"'\{START_DATE\}'", "'1996-07-15'")),
        Mistake("until today", _sub(r"'\{END_DATE\}'", "'{TODAY}'")),
        Mistake("a year that nobody named", _query(_since_2022)),
        Mistake("a limit inside", _query(_of_some_rows)),
        Mistake("another limit", _sub(r" LIMIT \d+", " LIMIT 2")),
        Mistake("no limit", _sub(r" LIMIT \d+", "")),
        Mistake("a count of what may be empty", _query(_counts_the_filled)),
        Mistake("a limit nobody asked for", _query(lambda query: query + ("" if "LIMIT" in query else " LIMIT 2"))),
        Mistake("writes", _query(lambda query: f"{query}; DROP TABLE Orders")),
        Mistake("no such table", _sub(r"FROM \S+", "FROM penjualan")),
        Mistake("no such column", _sub(r"SUM\(\w+", "SUM(grand_total_amount")),
        Mistake("a number of its own", _says(lambda text: f"{text} Naik 12 persen dari 345.")),
        Mistake("a number in words", _says(lambda text: f"{text} There are seventeen of them.")),
        Mistake("a comparison of its own", _says(lambda text: f"{text} Ini naik tajam dan tertinggi sepanjang masa.")),
        Mistake("a doubling of its own", _says(lambda text: f"{text} That is double last year's.")),
        Mistake("said twice", _says(lambda text: f"{text} {text}")),
        Mistake("a currency of its own", _says(lambda text: re.sub(r"\{([A-Z_]*TOTAL)\}", r"Rp {\1}", text))),
        Mistake("all is percent", _more(placeholder_mapping={"TOTAL": "percentage", "N": "percentage"})),
        Mistake("all is money", _more(placeholder_mapping={"N": "currency_IDR", "TRACKS": "currency_IDR"})),
        Mistake("a rule that cannot hold", _more(validation_rules_for_results=["N < 0", "TOTAL < 0"])),
        Mistake("an unknown placeholder", _says(lambda text: f"{text} Rata-rata {{MEAN_OF_ALL}}.")),
        Mistake("no narrative", _says(lambda _: "")),
        Mistake("a unit of its own", _says(lambda text: re.sub(r"\{TOTAL\}", "{TOTAL} juta", text))),
        Mistake("a condition left out", _sub(r" WHERE (?!\S*Date\b)[^()]*?(?= GROUP| ORDER| LIMIT|$)", "")),
        Mistake("another place", _query(_another_country)),
        Mistake("a condition of its own", _query(_only_usa)),
        Mistake("the other end", _query(_other_end)),
        Mistake("a mean for a sum", _sub(r"\bSUM\(", "AVG(")),
        Mistake("a sum for a mean", _sub(r"\bAVG\(", "SUM(")),
        Mistake("another bound", _sub(r"([<>]) \d+$", r"\1 3")),
        Mistake("joined on anything", _sub(r" ON \S+ = (\w+)\.(\w+)", r" ON 1 = 1")),
    )
}
