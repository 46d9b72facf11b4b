"""Infers what a column contains from its name, and what people call a table: by naming.toml and labels.toml."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

_WORDS: dict[str, list[str]] = tomllib.loads(Path(__file__).with_name("naming.toml").read_text(encoding="utf-8"))
_LABELS: dict[str, str] = tomllib.loads(Path(__file__).with_name("labels.toml").read_text(encoding="utf-8"))
PERSONAL, MONEY, PRICE, QUANTITY, LABEL, NAME_PARTS = (
    re.compile("|".join(_WORDS[kind]), re.IGNORECASE)
    for kind in ("personal", "money", "price", "quantity", "label", "name_parts")
)


def is_price(name: str) -> bool:
    """Return whether it is the price of one piece: such prices are averaged, not summed."""
    return "total" not in name.casefold() and PRICE.search(name) is not None


def words_of(name: str) -> str:
    return " ".join(re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)).casefold() or name


def label_of(name: str) -> str:
    """Return the Indonesian for the thing that a table is named after, in singular or plural; "" if it isn't known."""
    words = words_of(name)
    singular = (words, words.removesuffix("s"), words.removesuffix("es"), words.removesuffix("ies") + "y")
    return next((_LABELS[each] for each in singular if each in _LABELS), "")
