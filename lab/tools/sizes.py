"""Counts lines of Python per room, and packages and megabytes per extra, for the figures of `house.code`.

Packages are counted as installed here (`make install` installs all of them). Their sizes come from the files that their
wheels list, without anything compiled or written later.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
NAME = "agentd"
ROOMS = ("agentd", "agentd/apps", "bridges", "clients", "hardening", "servers", "lab", "tests")
"""The first excludes the second."""
Wanted = tuple[str, frozenset[str]]
"""A package and the extras requested of it."""


def lines(room: str) -> int:
    """Lines of Python below a folder, as `wc -l` counts; `agentd` excludes its apps."""
    files = (ROOT / room).rglob("*.py")
    counted = (file for file in files if room != "agentd" or ROOT / "agentd/apps" not in file.parents)
    return sum(file.read_bytes().count(b"\n") for file in counted)


def installed(extra: str) -> dict[str, int]:
    """{package: bytes} of everything agentd needs with this extra, without agentd. An empty name means the core."""
    sizes: dict[str, int] = {}
    asked: set[Wanted] = set()
    open_: list[Wanted] = [(NAME, frozenset({extra}))]
    while open_:
        wanted = open_.pop()
        if wanted in asked:
            continue
        asked.add(wanted)
        name, extras = wanted
        try:
            package = distribution(name)
        except PackageNotFoundError:  # only on other platforms
            continue
        if name != NAME:
            sizes[name] = sum(file.size or 0 for file in package.files or ())
        open_ += _needed(package.requires or (), extras)
    return sizes


def _needed(requirements: Iterable[str], extras: frozenset[str]) -> Iterator[Wanted]:
    for requirement in map(Requirement, requirements):
        names = extras or {""}
        if requirement.marker is None or any(requirement.marker.evaluate({"extra": extra}) for extra in names):
            yield canonicalize_name(requirement.name), frozenset(requirement.extras)


def extras() -> list[str]:
    """agentd's extras for users, without `dev` and `build`."""
    stated = distribution(NAME).metadata.get_all("Provides-Extra") or []
    return [extra for extra in stated if not re.fullmatch("dev|build", extra)]
