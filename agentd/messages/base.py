"""What all messages are: frozen records that refuse unknown fields. It names none of them."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

Json = Any


class Message(BaseModel):
    """Base of all: frozen, unknown fields refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
