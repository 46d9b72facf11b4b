"""Infers what a column contains from its name, with the words of naming.toml."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

_WORDS: dict[str, list[str]] = tomllib.loads(Path(__file__).with_name("naming.toml").read_text(encoding="utf-8"))
PERSONAL, MONEY, PRICE, QUANTITY, LABEL, NAME_PARTS = (
    re.compile("|".join(_WORDS[kind]), re.IGNORECASE)
    for kind in ("personal", "money", "price", "quantity", "label", "name_parts")
)


def is_price(name: str) -> bool:
    """Return whether it is the price of one piece: such prices are averaged, not summed."""
    return "total" not in name.casefold() and PRICE.search(name) is not None
