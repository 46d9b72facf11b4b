"""Reads from a run's log what its model read and wrote. It counts no tokens itself."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

_LOGGED = re.compile(r"tokens? \w+(?: \((\d+) \w+\))?, (\d+) token")


class Tokens(NamedTuple):
    """Prompt tokens that no memory held, the model's own tokens, and the turns in which it wrote any."""

    read: int
    written: int
    turns: int


def tokens(logs: Iterable[str]) -> Tokens:
    """The sums over an outcome's `logs`."""
    logged = [(int(read or 0), int(written)) for read, written in _LOGGED.findall("\n".join(logs))]
    read, written = sum(read for read, _ in logged), sum(written for _, written in logged)
    return Tokens(read, written, sum(bool(written) for _, written in logged))
