"""Converts a plan's values for the database, and builds comparisons. Knows no tables."""

from __future__ import annotations

import math
import re
from datetime import date, datetime
from decimal import Decimal
from operator import eq, ge, gt, le, lt, ne
from typing import Any

from sqlalchemy import literal
from sqlalchemy.types import NULLTYPE

from servers.sim_testgeluran.plan import Scalar
from servers.sim_testgeluran.scope import Element, PlanError, Term

INTEGERS = range(-(2**63), 2**63)
_COMPARED = {"=": eq, "!=": ne, "<>": ne, ">": gt, ">=": ge, "<": lt, "<=": le}


def value_of(value: Scalar, term: Term, name: str) -> Any:
    """Convert a value to one that every database accepts; dates to the ISO form that compares correctly as text."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int) and value not in INTEGERS:
        raise PlanError(f"{value} is beyond 64 bits ('{name}')")
    if isinstance(value, float) and not math.isfinite(value):
        raise PlanError(f"{value} is no number to compare with ('{name}')")
    if not isinstance(value, str):
        return value
    if not value.isprintable() and ("\x00" in value or any("\ud800" <= each <= "\udfff" for each in value)):
        raise PlanError(f"The value for '{name}' holds characters that are no text")
    if term.kind == "number":
        return _number(value, name)
    return _iso(value, term.kind, name) if term.kind else value


def bound(value: Any, dialect: str) -> Element:
    """Return the value as a parameter. PostgreSQL infers its type from the other operand, as for a literal in SQL."""
    if dialect != "postgres":
        return literal(value)
    return literal(Decimal(str(value)) if isinstance(value, float) else value, NULLTYPE)


def _number(text: str, name: str) -> int | float:
    """Parse a number: SQLite would never find a number greater than a text, and MariaDB treats most texts as 0."""
    try:
        number = int(text) if re.fullmatch(r"\s*[-+]?\d{1,18}\s*", text) else float(Decimal(text.strip()))
    except (ArithmeticError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise PlanError(f"'{text}' is no number to compare with '{name}'")
    return number


def _iso(text: str, kind: str, name: str) -> str:
    try:
        if kind == "date" and len(text) <= 10:
            return date.fromisoformat(text).isoformat()
        moment = datetime.fromisoformat(text).replace(tzinfo=None)
    except ValueError:
        raise PlanError(f"'{text}' is no date for '{name}'; write it as 2023-01-31") from None
    if kind == "date" and moment.time() == moment.min.time():
        return moment.date().isoformat()
    return moment.isoformat(sep=" ")


def compare(sign: str, left: Element, right: Element) -> Element:
    compared: Element = _COMPARED[sign](left, right)
    return compared
