"""Formats search results for the two contracts: for SQL and for operations. It doesn't search."""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict

from servers.common.phrases import phrases
from servers.graphiti import glossary
from servers.graphiti.classify import Classification, classify, is_aggregatable
from servers.graphiti.other_words import as_words
from servers.graphiti.schema_file import Column, Table
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
    info: SchemaInfo = {
        "relevant_tables": [],
        "table_relationships": [],
        "financial_columns": {},
        "temporal_columns": {},
    }
    if found is None:
        return info
    info["table_relationships"] = _relationships(found)
    if found.schema.profiled:
        info["dialect"] = found.schema.dialect
    for table in found.tables:
        chosen = _chosen(table, found)
        columns, purpose = [_column_info(*each, found) for each in chosen], purpose_of(table, found)
        described: TableInfo = {"table_name": table.name, "columns": columns}
        if purpose:
            described = {"table_name": table.name, "purpose": purpose, "columns": columns}
        if table.date:
            described["date"] = table.date
        info["relevant_tables"].append(described)
        if financial := [column.name for column, kind in chosen if is_aggregatable(kind)]:
            info["financial_columns"][table.name] = financial
        if temporal := [column.name for column, kind in chosen if kind == "temporal"]:
            info["temporal_columns"][table.name] = temporal
    return info


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
    return "; ".join([*found.said.get(as_words(name), []), *([comment] if comment else [])]) or None


def _schema_table(table: Table, found: Found) -> SchemaTable:
    answer: SchemaTable = {"table_name": table.name, "columns": []}
    if purpose := purpose_of(table, found):
        answer["purpose"] = purpose
    if category := glossary.category(glossary.name_concepts(table.name)):
        answer["business_category"] = category
    answer["columns"] = [_schema_column(column, kind, found) for column, kind in _chosen(table, found)]
    return answer


def _schema_column(column: Column, kind: Classification, found: Found) -> SchemaColumn:
    described: SchemaColumn = {
        "name": column.name,
        "type_from_db": column.type,
        "classification": kind,
        "is_aggregatable": is_aggregatable(kind),
    }
    if found.schema.profiled and column.nullable and not column.primary_key:
        described["is_nullable"] = True
    return described


def _column_info(column: Column, kind: Classification, found: Found) -> ColumnInfo:
    info: ColumnInfo = {"name": column.name, "type": column.type.partition("(")[0].strip(), "classification": kind}
    if told := _called(column.name, column.comment, found):
        info = {"name": column.name, "type": info["type"], "description": told, "classification": kind}
    if column.comment or is_aggregatable(kind):
        info["is_aggregatable"] = is_aggregatable(kind)
    if found.schema.profiled and column.primary_key:
        info["is_primary_key"] = True
    if found.schema.profiled and column.nullable and not column.primary_key:
        info["is_nullable"] = True
    if found.schema.profiled and column.sample_values:
        info["sample_values"] = list(column.sample_values)
    return info


def _relationships(found: Found) -> list[Relationship]:
    return [
        {
            "from_table": each.from_table,
            "from_column": each.from_column,
            "to_table": each.to_table,
            "to_column": each.to_column,
            "relationship_type": "FOREIGN_KEY",
        }
        for each in found.relations
    ]


def _chosen(table: Table, found: Found) -> list[tuple[Column, Classification]]:
    """Return keys, joins, dates, amounts, names of rows, and the columns that the question names."""
    joined = {each.from_column for each in found.relations if each.from_table == table.name}
    joined |= {each.to_column for each in found.relations if each.to_table == table.name}
    kinds = [(column, classify(table, column)) for column in table.columns]
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
