"""Formats search results for the two contracts: for SQL and for operations. It doesn't search."""

from __future__ import annotations

from dataclasses import asdict
from typing import NotRequired

from typing_extensions import TypedDict

from servers.common.catalogue import Column, Table
from servers.common.phrases import phrases
from servers.common.server import with_values
from servers.graphiti import glossary
from servers.graphiti.classify import Classification, classify, is_aggregatable
from servers.graphiti.search import Found, Question

ALL_SHOWN = 24
"""An office's own table with at most this many columns is shown in full: which ones matter is not known."""


class Relationship(TypedDict):
    """A join between two of the tables."""

    from_table: str
    from_column: str
    to_table: str
    to_column: str
    relationship_type: str


class ColumnInfo(TypedDict):
    """`is_aggregatable` is left out for a column that the schema doesn't describe and that can't be."""

    name: str
    type: str
    description: NotRequired[str]
    classification: str
    is_aggregatable: NotRequired[bool]
    sample_values: NotRequired[list[str]]
    is_primary_key: NotRequired[bool]
    is_nullable: NotRequired[bool]


class TableInfo(TypedDict):
    table_name: str
    purpose: NotRequired[str]
    columns: list[ColumnInfo]
    date: NotRequired[str]
    """Of an office's own database: the column whose date counts where the question doesn't say which."""


class SchemaInfo(TypedDict):
    """As `get_relevant_schema_info` answers; nothing found is empty lists."""

    relevant_tables: list[TableInfo]
    table_relationships: list[Relationship]
    financial_columns: dict[str, list[str]]
    temporal_columns: dict[str, list[str]]
    dialect: NotRequired[str]
    """Of an office's own database: "mysql", "postgres" or "sqlite"."""


class SchemaColumn(TypedDict):
    name: str
    type_from_db: str
    classification: str
    is_aggregatable: bool
    is_nullable: NotRequired[bool]


class SchemaTable(TypedDict):
    table_name: str
    purpose: NotRequired[str]
    business_category: NotRequired[str]
    columns: list[SchemaColumn]


class SchemaAnswer(TypedDict):
    """As `get_relevant_schema` answers; `error` when `success` is false."""

    success: bool
    relevant_tables: NotRequired[list[SchemaTable]]
    table_relationships: NotRequired[list[Relationship]]
    error: NotRequired[str]


def schema_info(found: Found | None) -> SchemaInfo:
    """The answer in the form of seed 003, which has its four keys even if nothing was found."""
    columns = {table.name: _chosen(table, found) for table in found.tables} if found else {}
    financial = {name: [each.name for each, kind in of if is_aggregatable(kind)] for name, of in columns.items()}
    temporal = {name: [each.name for each, kind in of if kind == "temporal"] for name, of in columns.items()}
    info: SchemaInfo = {
        "relevant_tables": [_table_info(table, columns[table.name], found) for table in found.tables] if found else [],
        "table_relationships": _relationships(found) if found else [],
        "financial_columns": {name: names for name, names in financial.items() if names},
        "temporal_columns": {name: names for name, names in temporal.items() if names},
    }
    return {**info, "dialect": found.schema.dialect} if found and found.schema.profiled else info


def schema_answer(found: Found | None, entities: list[str]) -> SchemaAnswer:
    if found is None:
        named = ", ".join(f"'{entity}'" for entity in entities)
        return {"success": False, "error": phrases("servers.graphiti")["no_schema"].format(entities=named)}
    return {
        "success": True,
        "relevant_tables": [_schema_table(table, found) for table in found.tables],
        "table_relationships": _relationships(found),
    }


def purpose_of(table: Table, found: Found) -> str | None:
    """Return the table's comment, or a description from its name; the question's words for it come first."""
    named = sorted(glossary.name_concepts(table.name))
    told = table.comment or (f"Data {', '.join(named)}." if named else None)
    return _called(table.name, told, found)


def _called(name: str, comment: str | None, found: Found) -> str | None:
    return "; ".join([*found.said.get(glossary.as_words(name), []), *([comment] if comment else [])]) or None


def _schema_table(table: Table, found: Found) -> SchemaTable:
    answer: SchemaTable = with_values(
        table_name=table.name,
        purpose=purpose_of(table, found),
        business_category=glossary.category(glossary.name_concepts(table.name)),
        columns=[_schema_column(column, kind, found) for column, kind in _chosen(table, found)],
    )
    return answer


def _schema_column(column: Column, kind: Classification, found: Found) -> SchemaColumn:
    described: SchemaColumn = with_values(
        name=column.name,
        type_from_db=column.type,
        classification=kind,
        is_aggregatable=is_aggregatable(kind),
        is_nullable=_may_be_empty(column, found),
    )
    return described


def _table_info(table: Table, columns: list[tuple[Column, Classification]], found: Found) -> TableInfo:
    info: TableInfo = with_values(
        table_name=table.name,
        purpose=purpose_of(table, found),
        columns=[_column_info(*each, found) for each in columns],
        date=table.date or None,
    )
    return info


def _column_info(column: Column, kind: Classification, found: Found) -> ColumnInfo:
    info: ColumnInfo = with_values(
        name=column.name,
        type=column.type.partition("(")[0].strip(),
        description=_called(column.name, column.comment, found),
        classification=kind,
        is_aggregatable=is_aggregatable(kind) if column.comment or is_aggregatable(kind) else None,
        is_primary_key=(found.schema.profiled and column.primary_key) or None,
        is_nullable=_may_be_empty(column, found),
        sample_values=list(column.sample_values) if found.schema.profiled and column.sample_values else None,
    )
    return info


def _may_be_empty(column: Column, found: Found) -> bool | None:
    """Return True for a nullable column of an office's own database, otherwise None."""
    return (found.schema.profiled and column.nullable and not column.primary_key) or None


def _relationships(found: Found) -> list[Relationship]:
    return [with_values(**asdict(each), relationship_type="FOREIGN_KEY") for each in found.relations]


def _chosen(table: Table, found: Found) -> list[tuple[Column, Classification]]:
    """Return keys, joins, dates, amounts, names of rows, and the columns that the question names."""
    joined = {each.from_column for each in found.relations if each.from_table == table.name}
    joined |= {each.to_column for each in found.relations if each.to_table == table.name}
    kinds = [(column, classify(table, column, found.schema.things)) for column in table.columns]
    if found.schema.profiled and len(kinds) <= ALL_SHOWN:
        return kinds
    return [
        (column, kind)
        for column, kind in kinds
        if kind != "descriptive"
        or column.name in joined
        or "name" in glossary.name_concepts(column.name)
        or _is_asked(column, table, found.question)
    ]


def _is_asked(column: Column, table: Table, question: Question) -> bool:
    """Return whether the question names the column by a concept that isn't the whole table's."""
    concepts = set(glossary.name_concepts(column.name))
    concepts |= {concept for concept, _ in glossary.concepts_in(column.comment or "")}
    asked = {concept for concept, weight in question.concepts.items() if weight >= 1}
    return bool(concepts & asked - glossary.name_concepts(table.name)) or column.name.lower() in question.exact
