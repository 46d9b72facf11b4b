"""Measures the code: sizes, complexity, import rules, unused code, size of extras. It judges nothing."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from lab.figures.record import ROOT, Found
from lab.tools import gates, sizes

SOURCES = ("agentd", "bridges", "clients", "hardening", "servers", "lab")
LONGEST = 8
BUCKETS = ((1, 3), (4, 6), (7, 8), (9, 10), (11, 99))


def run() -> Found:
    """Measure the code as checked out here."""
    files = [path for room in SOURCES for path in sorted((ROOT / room).rglob("*.py")) if "peers" not in path.parts]
    complexities = _complexities()
    lines = {path.relative_to(ROOT).as_posix(): path.read_bytes().count(b"\n") for path in files}
    longest = sorted(lines.items(), key=lambda pair: -pair[1])[:LONGEST]
    figures = {
        "import_rules": _import_rules(),
        "files": len(files),
        "functions": complexities.total(),
        "complexity_most": max(complexities),
        "unused_names": len(list(gates.unused(ROOT, gates.allowed()["unused"]))),
    }
    tables: dict[str, list[dict[str, Any]]] = {
        "rooms": [{"room": room, "lines": sizes.lines(room)} for room in sizes.ROOMS],
        "complexity": [
            {"complexity": f"{low} to {high}", "functions": sum(complexities[of] for of in range(low, high + 1))}
            for low, high in BUCKETS
        ],
        "longest": [{"longest file": name, "lines": many} for name, many in longest],
        "extras": [_weight(extra) for extra in ("", *sizes.extras())],
    }
    return Found.of({**figures, **tables})


def _weight(extra: str) -> dict[str, Any]:
    packages = sizes.installed(extra)
    megabytes = round(sum(packages.values()) / 1e6)
    return {"extra": extra or "none: the core", "packages": len(packages), "MB": megabytes}


def _import_rules() -> str:
    """The result of the import rules, such as `7 kept, 0 broken`."""
    done = _printed("lint-imports", "--no-logo")
    return next(iter(re.findall(r"Contracts: (.+?)\.", done)), "not readable")


def _complexities() -> Counter[int]:
    """{McCabe complexity: number of functions} from ruff, including functions that `make check` exempts."""
    settings = ("--config", "lint.mccabe.max-complexity=0", "--config", "lint.per-file-ignores={}")
    words = ("check", "--select", "C901", *settings, "--output-format", "json", "--exit-zero")
    found = json.loads(_printed("ruff", *words, *SOURCES))
    return Counter(int(match[1]) for one in found if (match := re.search(r"\((\d+) > 0\)", one["message"])))


def _printed(program: str, *words: str) -> str:
    command = [str(Path(sys.executable).with_name(program)), *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout
