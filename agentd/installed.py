"""What installed packages register with agentd: entry points by group and name, read once a process. It loads none."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points


@cache
def installed(group: str) -> dict[str, EntryPoint]:
    """The entries of a group by name, in the order of their names. Each installed package has a file to be read."""
    return {entry.name: entry for entry in sorted(entry_points(group=group), key=lambda entry: entry.name)}
