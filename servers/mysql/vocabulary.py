"""What a SELECT may consist of, read from vocabulary.toml: words in capitals, and kinds of sqlglot's tree nodes."""

from __future__ import annotations

import tomllib
from pathlib import Path

from sqlglot import exp

from servers.common import mysql_dates

_LISTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_KINDS = ("mysql", "postgres", "sqlite")


def _words(*texts: str) -> frozenset[str]:
    return frozenset(" ".join(texts).upper().split())


def _nodes(text: str) -> tuple[type[exp.Expr], ...]:
    return tuple(getattr(exp, name) for name in text.split())


BEFORE_BRACKET, TYPES = _words(_LISTS["before_bracket"]), _words(_LISTS["types"])
FUNCTIONS = {kind: _words(_LISTS["functions"]["shared"], _LISTS["functions"][kind]) for kind in _KINDS}
FUNCTIONS["sqlite"] |= mysql_dates.NAMES
FORBIDDEN_WORDS = {kind: _words(_LISTS["forbidden"]["shared"], _LISTS["forbidden"][kind]) for kind in _KINDS}
CASTS = {getattr(exp.DType, name) for name in _words(_LISTS["casts"]) if hasattr(exp.DType, name)}
NODES, FORBIDDEN_FUNCTIONS = frozenset(_nodes(_LISTS["nodes"])), _nodes(_LISTS["forbidden_functions"])
