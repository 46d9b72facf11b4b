"""The base class of all messages: frozen records that refuse unknown fields."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

Json = Any


class Message(BaseModel):
    """The base of all messages: frozen, refuses unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
