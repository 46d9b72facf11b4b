"""The documentation for tests: every tracked Markdown page and its code blocks. Not a test."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
RENDERED = [
    ROOT / line.strip("/")
    for line in (ROOT / ".gitignore").read_text("utf-8").splitlines()
    if line.startswith("/docs/")
]
"""What `make docs` renders from the code, so that it isn't tracked."""


def rendered(path: Path) -> bool:
    """Whether it is, or stands in, what is rendered."""
    return any(path.resolve().is_relative_to(each) for each in RENDERED)


PAGES = sorted(page for page in [*ROOT.glob("*.md"), *DOCS.rglob("*.md")] if not rendered(page))

_FENCE = re.compile(r"^```(\w*)(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    """One fenced code block."""

    language: str
    title: str
    text: str


def name(page: Path) -> str:
    """The page's path, used as a test's name."""
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path) -> list[Block]:
    """The page's fenced code blocks, in order."""
    return [Block(*found.groups(default="")) for found in _FENCE.finditer(page.read_text(encoding="utf-8"))]


def titled(page: Path) -> dict[str, str]:
    """{title: text} of the blocks that are files."""
    return {block.title: block.text for block in blocks(page) if block.title}


def prose(page: Path) -> str:
    """The page without its code blocks."""
    return _FENCE.sub("", page.read_text(encoding="utf-8"))
