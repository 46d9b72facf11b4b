"""The tables that the schema search found for a question, as records. It searches nothing and judges nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from agentd.apps.analytics.state import AgentState
from agentd.apps.analytics.vocabulary import words_of

FIGURES = ("financial_amount", "quantitative")
"""The kinds of columns that may be summed."""
Side = tuple[str, str]
"""A table ("" if a query names none) and its column."""
Pair = tuple[Side, Side]
"""A join: the referring side and the referenced side."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column; what the schema doesn't say is empty."""

    name: str
    kind: str = ""
    """`financial_amount`, `quantitative`, `temporal`, `identifier` or `descriptive`."""
    type: str = "NONE"
    """In the database's notation, in upper case."""
    description: str = ""
    sample_values: tuple[Any, ...] = ()
    """All values of a column with few."""
    is_primary_key: bool = False
    is_nullable: bool = False

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> Column:
        """From a column of `relevant_tables`; the two plan styles call its type differently."""
        return cls(
            str(given["name"]),
            str(given.get("classification") or ""),
            str(given.get("type") or given.get("type_from_db")).upper(),
            str(given.get("description") or ""),
            tuple(given.get("sample_values") or ()),
            bool(given.get("is_primary_key")),
            bool(given.get("is_nullable")),
        )


@dataclass(frozen=True)
class Table:
    """A table; `date` is the column that counts if a question doesn't say which, known for an own database only."""

    name: str
    columns: tuple[Column, ...]
    purpose: str = ""
    date: str = ""
    unasked: bool = False
    """Whether a plan reads it although the search did not find it for the question."""

    def of_kind(self, *kinds: str) -> list[str]:
        """The names of its columns of these kinds."""
        return [each.name for each in self.columns if each.kind in kinds]

    @cached_property
    def names(self) -> list[str]:
        """The names of its columns."""
        return [each.name for each in self.columns]

    @cached_property
    def primary_key(self) -> list[str]:
        return [each.name for each in self.columns if each.is_primary_key]

    @cached_property
    def subject(self) -> str:
        """The words of its name and its purpose, in lower case."""
        return f"{words_of(self.name)} {self.purpose.casefold()}"

    @cached_property
    def about(self) -> str:
        """Its names, purpose and column descriptions as one text."""
        texts = [self.name, *self.names]
        return " ".join([*texts, *map(words_of, texts), self.purpose, *(each.description for each in self.columns)])


@dataclass(frozen=True)
class Schema:
    """The tables found with the joins between them; `dialect` is that of an office's own database."""

    tables: tuple[Table, ...] = ()
    joins: tuple[Pair, ...] = ()
    dialect: str | None = None

    @classmethod
    def read(
        cls,
        tables: Iterable[Mapping[str, Any]] | None,
        relationships: Iterable[Mapping[str, Any]] | None = (),
        dialect: str | None = None,
    ) -> Schema:
        """From `relevant_tables` and `table_relationships`, as the search answers them."""
        return cls(
            tuple(
                Table(
                    str(each["table_name"]),
                    tuple(map(Column.read, each["columns"])),
                    str(each.get("purpose") or ""),
                    str(each.get("date") or ""),
                    bool(each.get("unasked")),
                )
                for each in tables or ()
            ),
            tuple(
                ((each["from_table"], each["from_column"]), (each["to_table"], each["to_column"]))
                for each in relationships or ()
            ),
            dialect,
        )

    @classmethod
    def of(cls, state: AgentState) -> Schema:
        """The schema that `consult_schema` left in the state."""
        return cls.read(state.get("relevant_tables"), state.get("table_relationships"), state.get("sql_dialect"))

    @cached_property
    def columns(self) -> list[Column]:
        """The columns of all tables."""
        return [column for table in self.tables for column in table.columns]

    @cached_property
    def about(self) -> str:
        """The names, purposes and descriptions of all tables as one text."""
        return " ".join(table.about for table in self.tables)

    @cached_property
    def figures(self) -> frozenset[str]:
        """The names of columns with amounts or quantities."""
        return frozenset(each.name for each in self.columns if each.kind in FIGURES)

    def only(self, names: Collection[str]) -> Schema:
        """The tables with these names (in lower case) alone."""
        return Schema(tuple(table for name, table in self.by_name.items() if name in names))

    def kinds(self, sides: Iterable[Side]) -> set[str]:
        """The kinds of these columns; a column without a table (or with an alias) matches any of that name."""
        known = ((table, self._kinds.get(column.casefold(), {})) for table, column in sides)
        return {kind for table, of in known for kind in ([of[table]] if table in of else of.values())} - {""}

    @cached_property
    def _kinds(self) -> dict[str, dict[str, str]]:
        """{column in lower case: {table: its kind}}."""
        found: dict[str, dict[str, str]] = {}
        for table in self.tables:
            for column in table.columns:
                found.setdefault(column.name.casefold(), {})[table.name] = column.kind
        return found

    @cached_property
    def by_name(self) -> dict[str, Table]:
        """{name in lower case: table}."""
        return {table.name.casefold(): table for table in self.tables}


NO_SCHEMA = Schema()
