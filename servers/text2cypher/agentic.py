"""The import paths of the document: `from experiment.experiment_runner import run_experiment`.

    import servers.text2cypher.agentic  # then the document's lines, word for word

Each of its packages and modules becomes importable under its short name, too, unless the name is taken.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys

PACKAGES = ("config", "core", "validators", "feedback", "prompts", "metrics", "data", "experiment")


def _lend(name: str) -> None:
    module = importlib.import_module(f"servers.text2cypher.{name}")
    sys.modules.setdefault(name, module)
    for held in pkgutil.iter_modules(getattr(module, "__path__", [])):
        _lend(f"{name}.{held.name}")


for package in PACKAGES:
    _lend(package)
