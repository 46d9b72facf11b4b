"""A citizen's numbers out of any text that is kept or shown for operation (logs, errors). It keeps the words."""

from __future__ import annotations

import re
from typing import Any

_DIGITS = re.compile(r"(?<![0-9a-f])(?=\d*[a-f])(?P<id>[0-9a-f]{32}(?:[0-9a-f]{8})?)(?![0-9a-f])|\d(?:[ .-]?\d){5,}")
"""A number; or a random id of ours, in which digits stand side by side by chance."""


def mask(text: str) -> str:
    """Runs of six digits and more (NIK, KK, phone, however spaced) keep their first two only: `31••••`.

    Ids of 32 or 40 hexadecimal digits, as the daemon makes for runs and sessions, stay whole.
    """
    return _DIGITS.sub(lambda found: found["id"] or found[0][:2] + "••••", text)


def mask_all(value: Any) -> Any:
    """The same for every text inside a JSON value; numbers of six digits and more become texts."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, dict):
        return {key: mask_all(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [mask_all(inner) for inner in value]
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 100_000:
        return mask(str(value))
    return value
