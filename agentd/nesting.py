"""How deep a tool's arguments may be nested. Deeper JSON breaks readers and writers, each at a depth of its own."""

from __future__ import annotations

from typing import Any

MAX_DEPTH = 64


def too_deep(value: Any) -> bool:
    """Whether lists and objects stand in each other more than MAX_DEPTH times; linear in the value's size."""
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            child
            for one in level
            for child in (one.values() if type(one) is dict else one if type(one) is list else ())
            if type(child) is dict or type(child) is list
        ]
        if not level:
            return False
    return True
