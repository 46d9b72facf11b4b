"""Splits SQL text into statements as the database's lexer does, and rejects text that parsers could read differently.

It knows quotes, comments and brackets, but no grammar: `guard` decides what a statement means. It is needed because a
parser that reads one character differently from the server (`/*! … */`, `--1`, a no-break space) can be bypassed.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["mysql", "postgres", "sqlite"]

MAX_TEXT = 1_000_000
MAX_LENGTH = 20_000
MAX_DEPTH = 40
MAX_TOKENS = 4_000


@dataclass(frozen=True)
class Statement:
    """One statement as written. `text` includes its `;`, `body` is what would be executed."""

    text: str
    body: str
    problem: str | None = None
    """Why it may not run, judging by its characters."""
    words: tuple[str, ...] = ()
    """The unquoted words in capitals, without those after a dot (which can only be names)."""
    calls: Counter[str] = field(default_factory=Counter)
    """The names before opening brackets, in capitals, with their count; quoted names are included."""


_COMMON = r"""
    (?P<space>[ \t\r\n]+)
  | (?P<block>/\*(?:[^*]|\*(?!/))*\*/)
  | (?P<end>;)
  | (?P<word>[^\W\d][\w$]*)
  | (?P<number>\d[\w$]*(?:\.\d*(?:[eE][+-]?\d+)?)?|\.\d+(?:[eE][+-]?\d+)?)
  | (?P<open>\()
  | (?P<close>\))
  | (?P<dot>\.)
  | (?P<mark>[-+*/%<>=!&|^~,])
"""
_OWN = {
    "mysql": r"""
    (?P<text>'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*")
  | (?P<quoted>`(?:[^`]|``)*`)
  | (?P<line>(?:--(?=[ \t\r\n]|\Z)|\#)[^\n]*)
  | (?P<dashes>--)
""",
    "sqlite": r"""
    (?P<text>'(?:[^']|'')*')
  | (?P<quoted>"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\])
  | (?P<line>--[^\n]*)
""",
    "postgres": r"""
    (?P<prefixed>(?:[ebnxEBNX]|[uU]&)(?=['"]))
  | (?P<text>'(?:[^']|'')*')
  | (?P<quoted>"(?:[^"]|"")*")
  | (?P<line>--[^\n]*)
  | (?P<cast>::)
  | (?P<parameter>\d+\$)
""",
}
_TOKENS = {kind: re.compile(f"{own}  |{_COMMON}", re.VERBOSE | re.DOTALL) for kind, own in _OWN.items()}
_STRANGE = {
    "'": "a quote that is never closed",
    '"': "a quote that is never closed",
    "`": "a quote that is never closed",
    "[": "a bracket that is never closed",
    "@": "a variable (@); put the value itself into the query",
    ":": "a colon; put the value itself into the query",
    "?": "a parameter (?); put the value itself into the query",
    "\\": "a backslash outside quotes",
    "{": "a brace outside quotes",
    "}": "a brace outside quotes",
    "#": "a # outside quotes",
}


_REFUSED = {
    "dashes": "two dashes that begin no comment here, but would elsewhere; put a space between",
    "prefixed": "quotes with a letter before them (E'…'); write plain quotes",
    "parameter": "a dollar sign; put the value itself into the query",
}
"""Tokens that are valid here, but not for every parser."""


_BETWEEN = ("space", "block", "line")
"""Tokens without meaning."""


def split(sql: str, kind: Kind) -> list[Statement]:
    """Return the statements of `sql`, in order. Only comments and blanks between two `;` are no statement."""
    if len(sql) > MAX_TEXT:
        shown = sql[:200] + "…"
        return [Statement(shown, shown, f"{len(sql)} characters; {MAX_TEXT} are the most")]
    statements, start = [], 0
    while start < len(sql):
        statement, start = _next(sql, start, kind)
        if statement is not None:
            statements.append(statement)
    return statements


def _named(body: str) -> str:
    """Return SQLite's statement with backticks around names: it reads "typo" as the text 'typo' if nothing has it."""

    def spelled(token: str) -> str:
        return "`" + token[1:-1].replace('""', '"').replace("`", "``") + "`" if token[0] == '"' else token

    return _TOKENS["sqlite"].sub(lambda found: spelled(found[0]), body)


def _next(sql: str, start: int, kind: Kind) -> tuple[Statement | None, int]:
    match_at = _TOKENS[kind].match
    position, depth, tokens = start, 0, 0
    words: list[str] = []
    calls: Counter[str] = Counter()
    problem: str | None = None
    name, after_dot, name_before = "", False, False
    while position < len(sql):
        found = match_at(sql, position)
        if found is None:
            # Beyond an unreadable character nothing can be distinguished, so the rest belongs to this statement.
            problem = problem or _strange(sql, position)
            position = len(sql)
            break
        group, token = found.lastgroup or "", found.group()
        if group == "end":
            break
        has_name = name_before and sql[position - 1] not in " \t\r\n/"
        problem = problem or _misread(group, token, has_name)
        position = found.end()
        if group in _BETWEEN:
            continue
        tokens += 1
        depth += (group == "open") - (group == "close")
        if group == "open" and name.strip("."):
            calls[name] += 1
        if group == "word" and not after_dot:
            words.append(token.upper())
        if depth > MAX_DEPTH or tokens > MAX_TOKENS:
            problem = problem or "brackets too deep, or too many words"
        name = "." * after_dot + _name(group, token)  # `db.name(…)` is never a built-in function
        after_dot = group == "dot"
        name_before = group == "quoted" or (group == "word" and token.upper() not in ("FROM", "JOIN"))
    body = sql[start:position].strip()
    end = min(position + 1, len(sql))
    if not tokens and problem is None:
        return None, end
    if depth and problem is None:
        problem = "brackets that don't match"
    problem = problem or _too_long(body) or _unspeakable(body)
    body = _named(body) if kind == "sqlite" and not problem else body
    return Statement(sql[start:end].strip(), body, problem, tuple(words), calls), end


def _misread(group: str, token: str, has_name: bool) -> str | None:
    """Return why other parsers may read a token differently; `has_name`: a name is directly before it."""
    if group == "space":
        return "a carriage return alone" if "\r" in token.replace("\r\n", "") else None
    if group == "dot":
        return None if has_name else "a dot with no name before it"
    return _bad_comment(token) if group in _BETWEEN else _REFUSED.get(group)


def _name(group: str, token: str) -> str:
    """Return the name that a following bracket would call."""
    if group == "word":
        return token.upper()
    return token[1:-1].upper() if group == "quoted" else ""


def _bad_comment(token: str) -> str | None:
    if token.startswith(("/*!", "/*M!", "/*m!", "/*+")):
        return "a comment that the server would obey (/*! or /*+)"
    if "/*" in token[2:]:
        return "a comment inside a comment"
    if "\r" in token.replace("\r\n", "").rstrip("\r"):
        return "a carriage return inside a comment"
    return None


def _strange(sql: str, position: int) -> str:
    character = sql[position]
    if sql.startswith("/*", position):
        return "a comment that is never closed"
    known = _STRANGE.get(character)
    return known or f"the character U+{ord(character):04X}, outside quotes"


def _too_long(body: str) -> str | None:
    return f"{len(body)} characters; {MAX_LENGTH} are the most" if len(body) > MAX_LENGTH else None


def _unspeakable(body: str) -> str | None:
    """Reject, even inside quotes: NUL ends the text for some readers, half a surrogate pair can't be encoded."""
    if "\0" in body:
        return "a NUL character"
    return "half of a surrogate pair" if re.search("[\ud800-\udfff]", body) else None
