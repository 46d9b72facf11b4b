"""The lines of a TOML text's keys, for error messages. It reads no values: tomllib does that."""

from __future__ import annotations

import re

Path = tuple[str | int, ...]

_HEADER = re.compile(r"^\s*(\[\[?)\s*([^\]]+?)\s*\]\]?")
_KEY = re.compile(
    r"""^\s*((?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+)(?:\s*\.\s*(?:"[^"]*"|'[^']*'|[A-Za-z0-9_-]+))*)\s*=(.*)$"""
)
_PART = re.compile(r""""([^"]*)"|'([^']*)'|([A-Za-z0-9_-]+)""")


def key_lines(text: str) -> dict[Path, int]:
    """Map each key path (`("servers", 0, "name")`) and table path to its 1-based line."""
    lines: dict[Path, int] = {(): 1}
    counts: dict[Path, int] = {}
    table: Path = ()
    closing: str | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        if closing is not None:
            if closing in line:
                closing = None
            continue
        if header := _HEADER.match(line):
            names: Path = tuple(_parts(header[2]))
            table = _within(names, counts, fresh=header[1] == "[[")
            lines.setdefault(table, number)
            lines.setdefault(names, number)
            continue
        if key := _KEY.match(line):
            path = table + tuple(_parts(key[1]))
            lines.setdefault(path, number)
            closing = next((quotes for quotes in ('"""', "'''") if key[2].count(quotes) == 1), None)
    return lines


def line_of(lines: dict[Path, int], path: Path) -> int:
    """The line of the key, or of the nearest enclosing table."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)


def _parts(dotted: str) -> list[str]:
    return [double or single or bare for double, single, bare in _PART.findall(dotted)]


def _within(names: Path, counts: dict[Path, int], *, fresh: bool) -> Path:
    """The path of a table header, with the current index of each array of tables in it."""
    path: Path = ()
    for position, name in enumerate(names):
        path += (name,)
        if fresh and position == len(names) - 1:
            counts[path] = counts.get(path, -1) + 1
        if path in counts:
            path += (counts[path],)
    return path
