"""What docs/architecture.md says of the structure is so, and pages are short enough to be read (issue 16)."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import tomllib
from itertools import takewhile
from pathlib import Path

import pytest

from agentd.cli import parser_for
from tests.docs.pages import DOCS, PAGES, ROOT, blocks, name, prose, titled

LONGEST = 250
"""Lines of a page."""
TEXT = (DOCS / "architecture.md").read_text(encoding="utf-8")


def walk() -> list[str]:
    """The files that the page says a prompt goes through, up to the letter: the bold ones."""
    steps = TEXT.partition("## One request, start to end")[2].partition("Grounding itself")[0].splitlines()
    to_the_letter = takewhile(lambda line: not line.startswith("13."), steps)
    found = re.findall(r"\*\*`((?:[\w.]+/)*\w+\.py)`\*\*", "\n".join(to_the_letter))
    return list(dict.fromkeys(found))


def _there(name: str) -> bool:
    return any(any(ROOT.glob(f"{room}{name}")) for room in ("", "agentd/", "servers/certificate/"))


def test_a_prompt_comes_to_its_letter_in_at_most_twenty_files_and_each_is_there() -> None:
    assert 15 <= len(walk()) <= 20
    assert [name for name in walk() if not _there(name)] == []


def test_grounding_is_explained_in_at_most_ten_files_and_each_is_there() -> None:
    text = TEXT.partition("Grounding itself")[2].partition("\n\n")[0]
    there = {file.name for file in (ROOT / "agentd/apps/letters/evidence").rglob("*.py")}
    files = re.findall(r"`(\w+\.py)`", text)
    assert 5 <= len(files) <= 10
    assert set(files) <= there


def test_every_decision_stands_in_the_index() -> None:
    index = (DOCS / "decisions" / "README.md").read_text(encoding="utf-8")
    pages = {page.name for page in (DOCS / "decisions").glob("*.md")} - {"README.md"}
    assert set(re.findall(r"\]\(([\w-]+\.md)\)", index)) == pages


def test_no_page_is_longer_than_can_be_read() -> None:
    long = {page.name for page in PAGES if page.parent != ROOT and len(page.read_text("utf-8").splitlines()) > LONGEST}
    assert long == set()


def _commands(page: Path) -> list[str]:
    """The commands of agentd that a page shows: in sentences, in blocks, in indented lines."""
    text = prose(page)
    shown = [*re.findall(r"`(agentd [a-z][^`\n]*)`", text), *re.findall(r"^    (agentd [a-z].*)$", text, re.MULTILINE)]
    scripts = (block.text for block in blocks(page) if block.language == "sh")
    shown += [line for script in scripts for line in script.splitlines() if line.startswith("agentd ")]
    return [command for command in shown if command.split()[1] not in _own_commands(page)]


def _own_commands(page: Path) -> set[str]:
    """Those that the page's own package registers: test_pages.py runs them."""
    packages = (tomllib.loads(text).get("project", {}) for title, text in titled(page).items() if ".toml" in title)
    return {name for package in packages for name in package.get("entry-points", {}).get("agentd.commands", {})}


def _words(command: str) -> list[str]:
    """Its words, without the comment, what follows it, and the marks of what may be left out."""
    alone = re.split(r"\s{2,}|\s[#>]|&&", command)[0]
    return [word for word in shlex.split(re.sub(r"[\[\]…]", "", alone))[1:] if word]


@pytest.mark.parametrize("page", [page for page in PAGES if page.parent != ROOT or page.name == "README.md"], ids=name)
def test_every_command_that_is_shown_is_one(page: Path) -> None:
    """A page may leave out what a command still needs, but names no word or flag that isn't there."""
    unknown = []
    for command in _commands(page):
        words, said = _words(command), io.StringIO()
        try:
            with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
                parser_for(words[0]).parse_args(words)
        except SystemExit as end:
            if end.code and "are required" not in said.getvalue() and "expected one argument" not in said.getvalue():
                unknown.append((command, said.getvalue().splitlines()[-1]))
    assert unknown == []
