"""What the project names as dependencies: each is used, and every lock has hashes and no address (issue 9)."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
RUNTIME = ("agentd", "bridges", "clients", "servers")
OWNERS = cache(packages_distributions)  # reads every installed package's list of files
REST = ("tests", "lab")


def named(requirements: list[str]) -> list[str]:
    return [re.split(r"[\[<>=;~! ]", one)[0].lower() for one in requirements]


def words(*folders: str) -> set[str]:
    """Every word of the code, notebooks too: a driver is named in a URL, a late import in a string."""
    files = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in (".py", ".ipynb")]
    return set(re.findall(r"[A-Za-z_][A-Za-z0-9_]*", " ".join(path.read_text() for path in files)))


def modules(distribution: str) -> set[str]:
    found = {module for module, owners in OWNERS().items() if distribution in {owner.lower() for owner in owners}}
    return found or {distribution.replace("-", "_")}


EXTRAS = {
    name: wants for name, wants in PROJECT["optional-dependencies"].items() if name not in ("dev", "build", "all")
}


def test_every_dependency_of_the_daemon_and_of_its_extras_is_used_by_it() -> None:
    used = words(*RUNTIME)
    wanted = named(PROJECT["dependencies"]) + [name for extra in EXTRAS.values() for name in named(extra)]
    assert [name for name in wanted if not modules(name) & used] == []


def test_all_brings_every_extra() -> None:
    (everything,) = PROJECT["optional-dependencies"]["all"]
    assert set(everything.partition("[")[2].rstrip("]").split(",")) == set(EXTRAS)


def test_every_tool_of_the_developers_is_used_somewhere() -> None:
    used = words(*REST)
    by_command = " ".join((ROOT / name).read_text() for name in ("Makefile", "pyproject.toml", "mkdocs.yml"))
    unused = [name for name in named(PROJECT["optional-dependencies"]["dev"]) if not modules(name) & used]
    named_once = [
        name for name in unused if not re.search(rf"\b({name}|{name.partition('-')[2] or name})\b", by_command)
    ]
    assert named_once == []


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-demo.lock", "lab/bench/peers.lock"])
def test_a_lock_has_hashes_and_no_address(lock: str) -> None:
    text = (ROOT / lock).read_text()
    entries = re.split(r"\n(?=[a-z0-9])", text.partition("\n")[2])
    assert [entry.splitlines()[0] for entry in entries if "==" in entry and "--hash=sha256:" not in entry] == []
    assert "://" not in text
