"""Judges an answer by its values against the gold results, not by its words. Asks nobody."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from agentd.apps.analytics.nodes.understand_query import time_period
from lab.eval.analytics.questions import TODAY, Question

CLOSE = 1e-9
_NUMBER = re.compile(r"\d(?:[\d.,]*\d)?")
ASKED_BACK = {"impossible", "ambiguous", "hostile"}


def is_right(question: Question, answer: dict[str, Any], gold: list[list[list[Any]]]) -> bool:
    """True when every gold result was fetched, or when a question without an answer was not answered."""
    if question.kind in ASKED_BACK:
        return answer.get("final_narrative") is None and bool(answer.get("error"))
    if question.kind == "empty":
        return answer.get("final_narrative") is None and answer.get("validation_status") == "failed_no_data"
    if not answer.get("final_narrative"):
        return False
    results = _results(answer)
    if question.kind == "share" and all(len(rows) == 1 for rows in gold):
        percents = [[[100 * value for value in row] for row in rows] for rows in gold]
        return any(_are_there(wanted, results) for wanted in (gold, percents))
    return _are_there(gold, results, ordered=question.ordered)


def invented(question: Question, answer: dict[str, Any]) -> list[str]:
    """Numbers in the narrative that neither a result nor the question contains, in either language's notation.

    A period named in the question may be given as dates. A value may be rounded to the decimals shown, a share may be
    given in percent, and the rows that a list leaves out may be counted ("… dan 24 baris lagi").
    """
    narrative = answer.get("final_narrative") or ""
    past = [question.before] if question.before else []
    period = str(time_period(question.text, "", past, datetime.fromisoformat(TODAY).date()))
    values = [value for rows in _results(answer) for row in rows for value in row]
    texts = " ".join([question.text, question.before, period, *(value for value in values if isinstance(value, str))])
    known = [float(value) for value in values if isinstance(value, int | float)]
    counts = [len(rows) for rows in _results(answer)]
    single = [
        value for rows in _results(answer) if len(rows) == 1 for value in rows[0] if isinstance(value, int | float)
    ]
    known += [(new - old) / old for old in single if old for new in single]
    listed = len(re.findall(r"^- (?!…)", narrative, re.MULTILINE))
    known += [*counts, *(count - listed for count in counts)]
    said = {number.lstrip("0") for number in _NUMBER.findall(texts)}
    return [
        told
        for told in _NUMBER.findall(narrative)
        if told.lstrip("0") not in said and not any(reads_as(told, value) for value in known)
    ]


def reads_as(told: str, value: float) -> bool:
    """Whether a written number equals the value, rounded to the decimals shown or in percent."""
    for thousands, point in (".,", ",."):
        plain = told.replace(thousands, "").replace(point, ".")
        if plain.count(".") <= 1:
            decimals = len(plain.partition(".")[2])
            if any(abs(float(plain) - abs(scale * value)) <= 0.5001 * 10**-decimals for scale in (1, 100)):
                return True
    return False


def _are_there(gold: list[list[list[Any]]], results: list[list[list[Any]]], *, ordered: bool = False) -> bool:
    singles = [value for rows in results if len(rows) == 1 for value in rows[0]]
    for wanted in gold:
        if len(wanted) == 1 and all(any(_same(value, found) for found in singles) for value in wanted[0]):
            continue
        if not any(_covers(rows, wanted, ordered) for rows in results):
            return False
    return True


def _results(answer: dict[str, Any]) -> list[list[list[Any]]]:
    """Every result of the data servers as rows of values; the display table is complete when a log is truncated."""
    found: list[list[dict[str, Any]]] = [answer.get("data_table_for_display") or []]
    for call in answer.get("mcp_tool_call_history") or []:
        response = call["response_payload"] or {}
        if call["tool_name"] == "execute_sql_query":
            found += [each.get("results") or [] for each in response.get("batch_results", [])]
        if call["tool_name"] == "execute_operation_plan":
            found += [each.get("data") or [] for each in response.get("results", {}).values()]
    return [[list(row.values()) for row in rows if isinstance(row, dict)] for rows in found if rows]


def _covers(rows: list[list[Any]], wanted: list[list[Any]], ordered: bool) -> bool:
    """True when there are as many rows and each contains its gold row's values; extra columns are allowed."""
    if len(rows) != len(wanted):
        return False
    if ordered:
        return all(_holds(row, gold) for row, gold in zip(rows, wanted, strict=True))
    left = list(rows)
    for gold in wanted:
        match = next((row for row in left if _holds(row, gold)), None)
        if match is None:
            return False
        left.remove(match)
    return True


def _holds(row: list[Any], gold: list[Any]) -> bool:
    return all(any(_same(value, found) for found in row) for value in gold)


def _same(wanted: Any, found: Any) -> bool:
    try:
        return abs(float(wanted) - float(found)) <= CLOSE * max(1.0, abs(float(wanted)))
    except (TypeError, ValueError):
        return bool(wanted == found)
