"""Edits of a planned query's text at the positions of its tokens; the rest stays as the model wrote it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from functools import lru_cache
from typing import Any

from sqlglot import tokenize
from sqlglot.errors import SqlglotError

from agentd.apps.analytics.schema import Schema
from agentd.apps.analytics.sql.tree import DIALECTS, PLAIN, RESERVED


def without_limit(query: str) -> str:
    last = next((token for token in reversed(_tokens(query)) if token.text.upper() == "LIMIT"), None)
    return query if last is None else query[: last.start].rstrip()


def before_from(query: str, text: str) -> str:
    """The query with a text inserted after the last column of its outer SELECT."""
    for _, token in _outer(_tokens(query)):
        if token.token_type.name == "FROM":
            return f"{query[: token.start].rstrip()}{text} {query[token.start :]}"
    return query


def exchanged(query: str, name: str, new: str, *, called: bool = False) -> str:
    """The query with a name replaced by another text, or (`called`) that function with its parentheses."""
    tokens, edits = _tokens(query), []
    for index, token in enumerate(tokens):
        if token.text != name or token.token_type.name == "STRING":
            continue
        end = _closed(tokens, index + 1) if called else index
        edits.append((token.start, tokens[end].end + 1, new))
    return replaced(query, edits)


def without_join(query: str, table: str) -> str:
    """The query without its one plain or inner JOIN to that table; unchanged unless there is exactly one."""
    tokens, edits = _tokens(query), []
    for index, token in _outer(tokens):
        joined = tokens[index + 1].text if token.token_type.name == "JOIN" and index + 1 < len(tokens) else ""
        if joined == table:
            ends = (each.start for each in tokens[index + 1 :] if each.token_type.name in _BEHIND_A_JOIN)
            began = tokens[index - 1] if tokens[index - 1].token_type.name == "INNER" else token
            edits.append((began.start, next(ends, len(query)), ""))
    return replaced(query, edits).rstrip() if len(edits) == 1 else query


def grouped_also(query: str, key: str) -> str:
    """The query with `key` before the keys of its GROUP BY; unchanged unless it has exactly one."""
    ends = [token.end + 1 for token in _tokens(query) if token.token_type.name == "GROUP_BY"]
    return replaced(query, [(ends[0], ends[0], f" {key},")]) if len(ends) == 1 else query


_BEHIND_A_JOIN = frozenset("JOIN INNER LEFT RIGHT CROSS FULL WHERE GROUP_BY HAVING ORDER_BY LIMIT".split())


def fractions(query: str) -> str:
    """Makes quotients keep their decimals on every database: SQLite truncates 3 / 4 to 0."""
    tokens = _tokens(query)
    around = zip(tokens, tokens[1:], tokens[2:], strict=False)
    slashes = [(a.end + 1, b.start, " * 1.0 / ") for a, token, b in around if token.token_type.name == "SLASH"]
    return replaced(query, slashes)


def totals(query: str) -> str:
    """Writes SQLite's TOTAL(x), and AVG(x) * COUNT(*), as the SUM(x) that they mean and that every database has."""
    tokens, edits = _tokens(query), []
    for index, token in enumerate(tokens[:-1]):
        name = token.text.upper() if tokens[index + 1].token_type.name == "L_PAREN" else ""
        if name not in ("TOTAL", "AVG"):
            continue
        end = _closed(tokens, index + 1)
        rest = [each.text.upper() for each in tokens[end + 1 : end + 6]]
        if name == "TOTAL" or rest == ["*", "COUNT", "(", "*", ")"]:
            edits.append((token.start, token.end + 1, "SUM"))
            edits += [(tokens[end].end + 1, tokens[end + 5].end + 1, "")] if name == "AVG" else []
    return replaced(query, edits)


def _closed(tokens: Sequence[Any], index: int) -> int:
    """The position of the parenthesis that closes the one at `index`."""
    return next((index + at for at, _ in _outer(tokens[index:])), len(tokens) - 1)


def _outer(tokens: Sequence[Any]) -> Iterator[tuple[int, Any]]:
    """(its position, the token) for each one outside of parentheses; of a pair, the one that closes it."""
    depth = 0
    for index, token in enumerate(tokens):
        depth += {"L_PAREN": 1, "R_PAREN": -1}.get(token.token_type.name, 0)
        if depth == 0:
            yield index, token


QUOTES = {"mysql": "`", "postgres": '"'}
"""The quotes that the dialect needs around names; SQLite accepts any."""


def named(query: str, schema: Schema) -> str:
    """The query with table and column names spelled and quoted as its database requires.

    PostgreSQL reads Invoice as invoice unless it is quoted, and accepts no backticks; MySQL reads "Invoice" as a
    string, and its table names are case-sensitive.
    """
    if (quote := QUOTES.get(schema.dialect or "")) is None:
        return query
    tables = {table.name for table in schema.tables}
    exact = {*tables, *(column.name for column in schema.columns)}
    known = {name.casefold(): name for name in exact}
    tokens, edits = _tokens(query), []
    for token, after in zip(tokens, (*tokens[1:], None), strict=True):
        name = token.text if token.text in exact else known.get(token.text.casefold())
        kind = token.token_type.name
        if name is None or kind == "STRING" or (kind != "IDENTIFIER" and not _stands_alone(token, after)):
            continue
        folded = name != name.lower() if schema.dialect == "postgres" else name in tables and name != token.text
        if kind == "IDENTIFIER" or folded or not PLAIN.fullmatch(name):
            edits.append((token.start, token.end + 1, quote + name.replace(quote, quote * 2) + quote))
    return replaced(query, edits)


def _stands_alone(token: Any, after: Any) -> bool:
    """Whether a token is a name, i.e. no keyword, function (`Year(…)`) or typed literal (`DATE '…'`)."""
    called = after is not None and after.token_type.name in ("L_PAREN", "STRING")
    return not called and token.text.upper() not in RESERVED


def replaced(text: str, edits: Iterable[tuple[int, int, str]]) -> str:
    """The text with another text for each (start, end)."""
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def whole_days(query: str, moments: Iterable[str]) -> str:
    """The query with the last day of a period included completely: for the columns in `moments`, which have a time of
    day, `<= '2023-01-31'` would exclude that day after midnight."""
    names = {name.casefold() for name in moments}
    tokens, edits = _tokens(query), []
    for index, token in enumerate(tokens):
        if token.text.casefold() not in names or token.token_type.name == "STRING":
            continue
        after = tokens[index + 1 : index + 5]
        kinds = [each.token_type.name for each in after]
        if kinds[:2] == ["LTE", "STRING"] and (day := _day(after[1].text)):
            edits += [(after[0].start, after[1].end + 1, f"< '{day + timedelta(days=1)}'")]
        elif kinds == ["BETWEEN", "STRING", "AND", "STRING"] and (day := _day(after[3].text)):
            edits += [(after[3].start, after[3].end + 1, f"'{day} 23:59:59.999999'")]
    return replaced(query, edits)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if len(text) == 10 else None
    except ValueError:
        return None


@lru_cache(maxsize=64)
def _tokens(query: str) -> tuple[Any, ...]:
    try:
        return tuple(tokenize(query, read=DIALECTS[0]))
    except SqlglotError:
        return ()
