"""`python -m lab.tools.gates` reports what linters miss: long files, unused code, lost imports, a long daemon."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import cache
from itertools import chain
from pathlib import Path

from vulture import Vulture  # type: ignore[import-untyped]

from lab.tools import sizes

MAX_LINES = 300
DAEMON_LINES = 15_000
"""The most lines of the daemon: `agentd` without its apps."""
FOLDERS = ("agentd", "bridges", "clients", "hardening", "servers", "lab", "tests")
KINDS = ("unused_funcs", "unused_methods", "unused_props", "unused_classes", "unused_imports", "unreachable_code")
"""Excludes variables and attributes: vulture reports every field of a record that is only serialised."""
CALLED = ["@server.*", "@model_validator", "@field_validator", "@field_serializer", "@model_serializer"]
CALLED += ["@*.fixture", "@*.listens_for", "@*.tool", "@*.tool_on_demand"]
"""Decorators of functions that a library calls."""


def too_long(files: list[Path], allowed: dict[str, str]) -> Iterator[str]:
    """One line for each Python file that is over the limit and matches no pattern of `allowed`."""
    for path in files:
        lines = len(path.read_bytes().splitlines())
        if lines > MAX_LINES and not any(fnmatch(str(path), pattern) for pattern in allowed):
            yield f"{path}: {lines} lines, {MAX_LINES} are allowed: split it by capability"


def unused(root: Path, allowed: dict[str, str]) -> Iterator[str]:
    """One line for each function, class or import that nothing refers to."""
    found = Vulture(ignore_decorators=CALLED)
    found.scavenge(
        [str(root / folder) for folder in FOLDERS if (root / folder).is_dir()],
        exclude=["*/bench/peers/*", "*/node_modules/*"],
    )
    for item in chain.from_iterable(getattr(found, kind) for kind in KINDS):
        if not any(fnmatch(item.name, pattern) for pattern in ("test_*", "pytest_*", *allowed)):
            yield f"{item.filename.relative_to(root)}:{item.first_lineno}: {item.message}: delete it"


def lost_imports(files: list[Path]) -> Iterator[str]:
    """One line for each name that a test imports from a module of ours without it: mypy leaves out the tests."""
    for path in files:
        for node in ast.walk(ast.parse(path.read_bytes())) if path.parts[0] == "tests" else ():
            if isinstance(node, ast.ImportFrom) and str(node.module).partition(".")[0] in FOLDERS:
                lost = {each.name for each in node.names} - _names(str(node.module))
                yield from (f"{path}:{node.lineno}: {node.module} has no {name}" for name in sorted(lost))


@cache
def _names(module: str) -> set[str | None]:
    """What may be imported from a module of ours: the names in it, and the modules below it."""
    place = Path(*module.split("."))
    found: set[str | None] = {each.stem for each in place.glob("*")}
    for file in filter(Path.exists, (place.with_suffix(".py"), place / "__init__.py")):
        for node in ast.walk(ast.parse(file.read_bytes())):
            found |= {getattr(node, key, None) for key in ("name", "asname", "id")}
    return found


def allowed() -> dict[str, dict[str, str]]:
    """The exceptions in pyproject.toml: `long` and `unused`, each with its reason."""
    excused: dict[str, dict[str, str]] = tomllib.loads(Path("pyproject.toml").read_text())["tool"]["gates"]
    return excused


def main() -> None:
    """Print the problems; exit with 1 when there are any."""
    excused = allowed()
    tracked = subprocess.run(["git", "ls-files", "*.py"], check=True, capture_output=True, text=True).stdout.split()
    files = [Path(name) for name in tracked if Path(name).exists()]
    wrong = [*too_long(files, excused["long"]), *unused(Path.cwd(), excused["unused"]), *lost_imports(files)]
    if (lines := sizes.lines("agentd")) > DAEMON_LINES:
        wrong.append(f"the daemon has {lines} lines, {DAEMON_LINES} are allowed: say it in fewer")
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
