"""What the register must say of a resident before a letter is begun, as its letter.toml has it. The daemon judges."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

Source = Annotated[str, Field(pattern=r"^(resident|family)\.[a-z_]+$")]


class Condition(BaseModel):
    """`of` is the value that is looked at; one that the register doesn't hold is not judged."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    of: Source
    only: tuple[str, ...] = Field(default=(), description="the values that allow the letter")
    never: tuple[str, ...] = Field(default=(), description="the values that forbid it")
    differs: Source | None = Field(default=None, description="whose value must be another")
    says: dict[str, str] = Field(min_length=1, description="to the citizen, by language; {value} is the register's")

    @model_validator(mode="after")
    def _asks_something(self) -> Condition:
        if not (self.only or self.never or self.differs):
            raise ValueError("a condition needs `only`, `never` or `differs`")
        return self
