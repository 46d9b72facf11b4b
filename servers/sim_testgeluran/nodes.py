"""The nodes of a plan's expressions, one record for each kind. Parses and builds nothing."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Number:
    text: str


@dataclass(frozen=True)
class Text:
    value: str


@dataclass(frozen=True)
class Null:
    pass


@dataclass(frozen=True)
class Star:
    """The * of COUNT(*)."""


@dataclass(frozen=True)
class Field:
    """A column (with its table, if given) or an alias."""

    table: str | None
    name: str

    def __str__(self) -> str:
        return f"{self.table}.{self.name}" if self.table else self.name


@dataclass(frozen=True)
class Call:
    function: str
    arguments: tuple[Node, ...]
    distinct: bool = False


@dataclass(frozen=True)
class Negative:
    operand: Node


@dataclass(frozen=True)
class Arithmetic:
    sign: str
    left: Node
    right: Node


@dataclass(frozen=True)
class Compare:
    sign: str
    left: Node
    right: Node


@dataclass(frozen=True)
class IsNull:
    operand: Node
    negated: bool


@dataclass(frozen=True)
class Not:
    operand: Node


@dataclass(frozen=True)
class Logic:
    word: str
    operands: tuple[Node, ...]


@dataclass(frozen=True)
class Case:
    branches: tuple[tuple[Node, Node], ...]
    otherwise: Node | None


Node = Number | Text | Null | Star | Field | Call | Negative | Arithmetic | Compare | IsNull | Not | Logic | Case
CONDITIONS = (Compare, IsNull, Not, Logic)
