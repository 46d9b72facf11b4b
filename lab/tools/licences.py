"""Renders docs/licences.md: every locked package and the licence that its metadata states. It judges none of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, files, metadata
from pathlib import Path

ROOT = Path(__file__).parents[2]
TARGET = ROOT / "docs" / "licences.md"
LOCK = ROOT / "requirements.lock"
HEAD = """\
# Licences

The packages that `requirements.lock` names (of all extras, tests and tools), under the licence that each states.
agentd itself is under Apache-2.0; the fonts it ships have theirs beside them, in `servers/certificate/drawing/fonts/`,
and so has Chart.js (MIT), which draws the charts of `/ask`, in `agentd/apps/analytics/web/static/vendor/chartjs/`.
`make sbom` writes the same as a CycloneDX bill of materials. Rendered by `python -m lab.tools`.

| licence | packages |
|---|---|
"""
ALIKE = {
    "Apache 2.0": "Apache-2.0",
    "Apache License": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "3-Clause BSD License": "BSD-3-Clause",
    "BSD": "BSD License",
    "GNU Library or Lesser General Public License (LGPL)": "LGPL",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
"""Names that packages use for a licence, mapped to the name on the page."""
ELSEWHERE, NOT_STATED = "only on other platforms", "not stated"
_PREFIX = "License :: "


def render() -> str:
    """The page as Markdown."""
    packages: dict[str, list[str]] = {}
    for name in locked():
        packages.setdefault(licence(name), []).append(name)
    rows = sorted(packages.items(), key=lambda row: row[0].casefold())
    return HEAD + "".join(f"| {stated} | {', '.join(names)} |\n" for stated, names in rows)


def locked() -> Iterator[str]:
    """The names of the locked packages, sorted."""
    yield from sorted(re.findall(r"^([a-z0-9][a-z0-9._-]*)==", LOCK.read_text(encoding="utf-8"), re.MULTILINE))


def licence(name: str) -> str:
    """The licence the package states: its SPDX expression, else its classifiers, else the free text's first line."""
    try:
        stated = metadata(name).json
    except PackageNotFoundError:
        return ELSEWHERE
    if expression := stated.get("license_expression"):
        return str(expression)
    classified = [line.rpartition(" :: ")[2] for line in stated.get("classifier", ()) if line.startswith(_PREFIX)]
    named = [ALIKE.get(line, line) for line in classified if line not in ("OSI Approved", "DFSG approved")]
    text = next((line.strip() for line in str(stated.get("license", "")).splitlines() if line.strip()), "")
    text = text or _of_file(name)
    return ", ".join(named) or ALIKE.get(text, text[:80]) or NOT_STATED


def _of_file(name: str) -> str:
    """The first line of the package's licence file: its title or copyright notice."""
    for file in files(name) or []:
        if file.name.upper().startswith(("LICENSE", "LICENCE", "COPYING")):
            return next((line.strip() for line in file.read_text().splitlines() if line.strip()), "")
    return ""
