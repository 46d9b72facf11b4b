"""The base class of all messages: frozen records that refuse unknown fields."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from pydantic import BaseModel, ConfigDict, TypeAdapter

Json = Any

adapter: Callable[[Any], TypeAdapter[Any]] = cache(TypeAdapter)
"""Pydantic's reader and writer of a dataclass, built at its first use."""


def json_int(digits: str) -> int | str:
    """JSON's digits as a number; they themselves if it may have more than 64 bits, such as an account's, because not
    every JSON library can write it."""
    return digits if len(digits) > 18 else int(digits)


class Message(BaseModel):
    """The base of all messages: frozen, refuses unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
