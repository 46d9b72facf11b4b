"""`python -m lab.tools.gates`: what no linter counts: long files, and code that nothing uses. It changes nothing.

A file that may be longer, and a name that only looks unused, stand in pyproject.toml, `[tool.gates]`, each with its
reason.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

from vulture import Vulture  # type: ignore[import-untyped]

MAX_LINES = 300
FOLDERS = ("agentd", "bridges", "clients", "servers", "lab", "tests")
KINDS = ("unused_funcs", "unused_methods", "unused_props", "unused_classes", "unused_imports", "unreachable_code")
"""Not variables and attributes: to vulture, every field of a record that is only sent is one."""
CALLED = ["@server.*", "@model_validator", "@field_validator", "@field_serializer", "@model_serializer"]
CALLED += ["@*.fixture", "@*.listens_for", "@*.tool", "@*.tool_on_demand"]
"""Decorators of what a library calls."""


def too_long(files: list[Path], allowed: dict[str, str]) -> Iterator[str]:
    """One line for each Python file that is over the limit and matches no pattern of `allowed`."""
    for path in files:
        lines = len(path.read_bytes().splitlines())
        if lines > MAX_LINES and not any(fnmatch(str(path), pattern) for pattern in allowed):
            yield f"{path}: {lines} lines, {MAX_LINES} are allowed: split it by capability"


def unused(root: Path, allowed: dict[str, str]) -> Iterator[str]:
    """One line for each function, class or import that no code names."""
    found = Vulture(ignore_names=["test_*", "pytest_*", *allowed], ignore_decorators=CALLED)
    found.scavenge(
        [str(root / folder) for folder in FOLDERS if (root / folder).is_dir()],
        exclude=["*/bench/peers/*", "*/node_modules/*"],
    )
    for kind in KINDS:
        for item in getattr(found, kind):
            yield f"{item.filename.relative_to(root)}:{item.first_lineno}: {item.message}: delete it"


def allowed() -> dict[str, dict[str, str]]:
    """What pyproject.toml excuses: `long` and `unused`, each with its reason."""
    excused: dict[str, dict[str, str]] = tomllib.loads(Path("pyproject.toml").read_text())["tool"]["gates"]
    return excused


def main() -> None:
    """Print what is wrong; exit with 1 when anything is."""
    excused = allowed()
    tracked = subprocess.run(["git", "ls-files", "*.py"], check=True, capture_output=True, text=True).stdout.split()
    files = [Path(name) for name in tracked if Path(name).exists()]
    wrong = [*too_long(files, excused["long"]), *unused(Path.cwd(), excused["unused"])]
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
