"""Writes the demonstration's output to the terminal."""

from __future__ import annotations


def say(text: str) -> None:
    print(f"\n▸ {text}", flush=True)


def indented(text: str, by: int = 3) -> str:
    return "\n".join(" " * by + line for line in text.splitlines())
