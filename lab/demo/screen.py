"""How the demonstration writes on its terminal. It knows nothing of letters."""

from __future__ import annotations


def say(text: str) -> None:
    """A heading."""
    print(f"\n▸ {text}", flush=True)


def indented(text: str, by: int = 3) -> str:
    """The text moved to the right."""
    return "\n".join(" " * by + line for line in text.splitlines())
