"""Lines of Python by room, and packages and megabytes by extra, for the figures of `house.code`.

Packages are counted as they are installed here (by `make install`: all of them), their files as their wheels list
them: what is compiled or written later does not count.
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
"""The first without the second."""
Wanted = tuple[str, frozenset[str]]
"""A package and the extras asked of it."""


def lines(room: str) -> int:
    """Lines of Python below a folder, by `wc -l`; of agentd, those outside its apps."""
    files = (ROOT / room).rglob("*.py")
    counted = (file for file in files if room != "agentd" or ROOT / "agentd/apps" not in file.parents)
    return sum(file.read_bytes().count(b"\n") for file in counted)


def installed(extra: str) -> dict[str, int]:
    """{package: bytes} of all that agentd with this extra needs; the core alone for no name. agentd is not in it."""
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
    """The extras of agentd for who runs it."""
    stated = distribution(NAME).metadata.get_all("Provides-Extra") or []
    return [extra for extra in stated if not re.fullmatch("dev|build", extra)]
