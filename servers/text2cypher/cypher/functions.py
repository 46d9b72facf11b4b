"""Translates Neo4j's functions and subscripts to the embedded engine. Knows no patterns."""

from __future__ import annotations

import re
from collections.abc import Sequence

from servers.text2cypher.cypher.brackets import closing, parted
from servers.text2cypher.cypher.records import Structure
from servers.text2cypher.cypher.structure import parse
from servers.text2cypher.cypher.tokens import Kind, Token
from servers.text2cypher.linking.language import message

Edit = tuple[int, int, str]
_FUNCTIONS = {
    "TYPE": "label({0})",
    "LABELS": "[label({0})]",
    "ID": "offset(id({0}))",
    "ELEMENTID": "CAST(id({0}) AS STRING)",
    "TOSTRING": "CAST({0} AS STRING)",
    "TOINTEGER": "CAST({0} AS INT64)",
    "TOFLOAT": "CAST({0} AS DOUBLE)",
    "TOUPPER": "upper({0})",
    "HEAD": "list_extract({0}, 1)",
    "LAST": "list_extract({0}, -1)",
    "TAIL": "list_slice({0}, 2, size({0}))",
    "ISEMPTY": "(size({0}) = 0)",
    "SPLIT": "string_split({0}, {1})",
    "ROUND": "round({0}, 0)",
    "SUBSTRING": "substring({0}, ({1}) + 1, size({0}))",
    "DATE": "date(substring(CAST({0} AS STRING), 1, 10))",
    "DATETIME": "timestamp(CAST({0} AS STRING))",
    "LOCALDATETIME": "timestamp(CAST({0} AS STRING))",
    "RELATIONSHIPS": "rels({0})",
    "PROPERTIES": "{0}",
    "KEYS": "list_filter(keys({0}), k -> k <> '_key')",
    "STDEVP": "sqrt(abs(avg(({0}) * ({0})) - avg({0}) * avg({0})))",
    "STDEV": "CASE WHEN count({0}) > 1"
    " THEN sqrt(abs(sum(({0}) * ({0})) - sum({0}) * avg({0})) / (count({0}) - 1)) ELSE 0.0 END",
}
_OTHER_COUNTS = {
    ("ROUND", 2): "round({0}, {1})",
    ("SUBSTRING", 3): "substring({0}, ({1}) + 1, {2})",
    ("DATE", 0): "current_date()",
    ("DATETIME", 0): "current_timestamp()",
    ("LOCALDATETIME", 0): "current_timestamp()",
}
"""Translations that depend on the number of arguments."""
_UNSUPPORTED = {"REDUCE", "APOC", "RAND", "DURATION", "POINT"}
_TEXT = re.compile(r"""^(?:['"]|(?:to(?:lower|upper|string)|lower|upper|trim|replace|substring|left|right)\()""", re.I)
"""Matches the start of an argument that is certainly a text."""
_DATES = {"DATE", "DATETIME", "LOCALDATETIME"}
_UNITS = ("years", "months", "weeks", "days", "hours", "minutes", "seconds")
_ISO = re.compile(r"P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?")
_BETWEEN_DAYS = ("DURATION", ".", "INDAYS", "(")


class UnsupportedError(ValueError):
    """Cypher that the embedded engine can't run and that no rewrite covers."""


def apply(query: str, edits: Sequence[Edit]) -> str:
    """The query with all edits applied; edits must not overlap."""
    for start, end, text in sorted(edits, reverse=True):
        query = query[:start] + text + query[end:]
    return query


def calls(query: str, structure: Structure) -> list[Edit]:
    """Edits for functions with another name or form; arguments are rewritten recursively."""
    tokens = structure.tokens
    edits: list[Edit] = []
    covered = -1
    edit: Edit | None
    for place, token in enumerate(tokens[:-1]):
        if token.kind is not Kind.NAME or token.start < covered or (place and tokens[place - 1].text in (".", ":")):
            continue
        if tuple(t.text.upper() for t in tokens[place : place + 4]) == _BETWEEN_DAYS:
            edit = _days(query, tokens, place)
        elif token.is_word("DURATION") and tokens[place + 1].text == "(" and (made := _duration(query, tokens, place)):
            edit = made
        elif tokens[place + 1].text in ("(", ".") and token.text.upper() in _UNSUPPORTED:
            hint = message(f"instead_of_{token.text.lower()}")
            raise UnsupportedError(message("unsupported", text=token.text, hint=hint))
        elif token.is_word("REVERSE") and tokens[place + 1].text == "(":
            edit = _reversed(query, tokens, place)
        else:
            edit = _call(query, tokens, place)
        if edit is not None:
            edits.append(edit)
            covered = edit[1]
    return edits


def _call(query: str, tokens: list[Token], place: int) -> Edit | None:
    """The edit that translates one call; None if it isn't a call or the engine has the function."""
    token = tokens[place]
    word = token.text.upper()
    if tokens[place + 1].text != "(" or word not in ("EXISTS", *_FUNCTIONS):
        return None
    close = closing(tokens, place + 1)
    if word == "EXISTS":
        return token.start, tokens[close].end, _exists(query[tokens[place + 1].end : tokens[close].start].strip())
    arguments = _arguments(query, tokens, place + 1)
    form = _OTHER_COUNTS.get((word, len(arguments)), _FUNCTIONS[word])
    if form.count("{1}") and len(arguments) < 2:
        return None
    text, after = form.format(*arguments or [""]), tokens[close + 1 : close + 3]
    if word in _DATES and len(after) == 2 and after[0].text == "." and f"{after[1].text.lower()}s" in _UNITS:
        return token.start, after[1].end, f"date_part('{after[1].text.lower()}', {text})"
    return token.start, tokens[close].end, text


def _arguments(query: str, tokens: list[Token], opener: int) -> list[str]:
    """The arguments of a call as text, each rewritten."""
    found = [query[held[0].start : held[-1].end] for held in parted(tokens[opener + 1 : closing(tokens, opener)])]
    return [apply(text, _inside(text)) for text in found]


def _inside(text: str) -> list[Edit]:
    """The edits of an argument, parsed as a query of its own, with offsets shifted back."""
    shift = len("RETURN ")
    query = "RETURN " + text
    return [(start - shift, end - shift, new) for start, end, new in calls(query, parse(query))]


def _days(query: str, tokens: list[Token], place: int) -> Edit:
    """`duration.inDays(a, b)` and its `.days`: whole days between two dates."""
    close = closing(tokens, place + 3)
    first, second = _arguments(query, tokens, place + 3)
    after = [t.text.upper() for t in tokens[close + 1 : close + 3]]
    end = tokens[close + 2].end if after == [".", "DAYS"] else tokens[close].end
    return tokens[place].start, end, f"({second} - {first})"


def _duration(query: str, tokens: list[Token], place: int) -> Edit | None:
    """`duration({days: 3})` and `duration('P3D')`; None if the argument isn't a literal."""
    close = closing(tokens, place + 1)
    inner = query[tokens[place + 1].end : tokens[close].start].strip()
    if (text := _ISO.fullmatch(inner.strip("'\""))) and inner[:1] in ("'", '"'):
        said = [(number, unit) for number, unit in zip(text.groups(), _UNITS, strict=True) if number]
    else:
        pairs = [pair.partition(":")[::2] for pair in inner.strip("{}").split(",")]
        said = [(number.strip(), unit.strip().lower()) for unit, number in pairs]
    if not said or not all(number.isdecimal() and unit in _UNITS for number, unit in said):
        return None
    days = [(str(int(n) * 7), "days") if unit == "weeks" else (n, unit) for n, unit in said]
    return tokens[place].start, tokens[close].end, f"interval('{' '.join(f'{n} {unit}' for n, unit in days)}')"


def _reversed(query: str, tokens: list[Token], place: int) -> Edit | None:
    """Lists need another function, which rejects texts; the engine's `reverse` would turn a list into a text."""
    close, (inner,) = closing(tokens, place + 1), _arguments(query, tokens, place + 1)
    name = "reverse" if _TEXT.match(inner) else "list_reverse"
    return tokens[place].start, tokens[close].end, f"{name}({inner})"


def _exists(inner: str) -> str:
    if re.fullmatch(r"\w+\.\w+", inner):
        return f"({inner} IS NOT NULL)"
    return f"EXISTS {{ MATCH {inner} }}"


def subscripts(query: str, structure: Structure) -> list[Edit]:
    """Replaces `list[0]` by `list[1]`, `list[0..2]` by `list[1..2]`: the engine's indices are 1-based and inclusive."""
    del query
    tokens = structure.tokens
    edits: list[Edit] = []
    for before, opener, number, after in zip(tokens, tokens[1:], tokens[2:], tokens[3:], strict=False):
        held = before.is_name or before.text in (")", "]")
        plain = number.kind is Kind.NUMBER and number.text.isdecimal() and after.text in ("]", "..")
        if opener.text == "[" and held and plain and not before.is_word("IN", "RETURN", "WITH", "AND", "OR", "UNWIND"):
            edits.append((number.start, number.end, str(int(number.text) + 1)))
    return edits
