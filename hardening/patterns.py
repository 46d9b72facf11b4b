"""A regular expression that somebody else wrote: whether one text could hold a process while it is compared with it."""

from __future__ import annotations

import re
from math import prod

_CHARACTER = r"(?:\[(?:\\.|[^\]\\])+\]|\\[dwsDWS\W]|[^\\()\[\]{}?*+|])"
_TOKEN = re.compile(_CHARACTER + r"(?:\{(\d{1,3})(,)?(\d{0,3})\}|([?+*]))?|\((?:\?:)?|\)(\?)?|\|")
_LONGEST = 40
"""So many lengths an open part counts for: most codes have fewer characters."""
_WAYS = 4096
"""In so many ways at most may one text be shared among the parts: comparing takes no more steps for each character."""
_INSTEAD = (
    "one text could hold the server for hours while it is compared with this: repeat single characters only, never a "
    "group, and give most parts their bounds, such as (?:[A-Z]{1,3}-)?[0-9]{1,6}"
)


def bounded(pattern: str) -> str:
    """The pattern itself, if texts of some dozen characters are compared with it at once. Raises ValueError that says
    what to write instead, also for what is no regular expression."""
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"is no regular expression: {error}") from error
    tokens = list(_TOKEN.finditer(pattern))
    alternatives = prod(1 + part.count("|") for part in pattern.split(")"))
    if "".join(token[0] for token in tokens) != pattern or alternatives * prod(map(_lengths, tokens)) > _WAYS:
        raise ValueError(_INSTEAD)
    return pattern


def _lengths(token: re.Match[str]) -> int:
    """How many lengths a part may have."""
    least, comma, most, sign, optional = token.groups()
    if optional or sign == "?":
        return 2
    if sign or comma:
        return int(most or _LONGEST) - int(least or 0) + 1
    return 1
