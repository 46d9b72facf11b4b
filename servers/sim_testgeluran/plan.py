"""The format of a plan: the contract's DatabaseOperation, with validation of its shape. Knows no database."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

MAX_TEXT = 2000
MAX_VALUES = 1000


def _upper(value: object) -> object:
    return " ".join(value.upper().split()) if isinstance(value, str) else value


def _aggregation(value: object) -> object:
    """Normalise: `count distinct` becomes COUNT_DISTINCT, `none` becomes None."""
    name = value.upper().replace(" ", "_") if isinstance(value, str) else value
    return None if name in ("", "NONE") else name


def _join_type(value: object) -> object:
    """Normalise: `left outer join` becomes LEFT."""
    words = value.upper().split() if isinstance(value, str) else []
    return words[0] if words and set(words[1:]) <= {"OUTER", "JOIN"} else value


def _operator(value: object) -> object:
    return "=" if value == "==" else _upper(value)


Text = Annotated[str, Field(min_length=1, max_length=MAX_TEXT)]
Name = Annotated[str, Field(min_length=1, max_length=128)]
Scalar = str | int | float | bool | None
Aggregation = Literal["SUM", "AVG", "COUNT", "COUNT_DISTINCT", "MIN", "MAX"]
Comparison = Literal["=", "!=", "<>", ">", ">=", "<", "<="]
Matching = Literal["LIKE", "NOT LIKE", "IN", "NOT IN", "BETWEEN", "NOT BETWEEN", "IS NULL", "IS NOT NULL"]
Operator = Comparison | Matching
Logical = Annotated[Literal["AND", "OR"], BeforeValidator(_upper)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SelectColumn(_Part):
    """A column of the result: a field, or an expression over fields, aggregated or not."""

    field_name: Text = Field(description="`table.Column`, or an expression; `*` with COUNT.")
    aggregation: Annotated[Aggregation | None, BeforeValidator(_aggregation)] = None
    alias: Annotated[str, Field(max_length=64)] | None = Field(default=None, description="The key in the result.")
    is_expression: bool | None = Field(default=False, description="True when field_name is an expression.")


class OnCondition(_Part):
    """Two fields that a join compares."""

    left_table_field: Text
    right_table_field: Text
    operator: Annotated[Comparison, BeforeValidator(_operator)] = "="


class Join(_Part):
    """One more table. Several conditions hold together."""

    target_table: Name
    type: Annotated[Literal["INNER", "LEFT", "RIGHT"], BeforeValidator(_join_type)] = "INNER"
    on_conditions: list[OnCondition] = Field(max_length=10)


class Condition(_Part):
    """One comparison. IN and BETWEEN take a list, IS NULL and IS NOT NULL take no value."""

    field_or_expression: Text
    operator: Annotated[Operator, BeforeValidator(_operator)]
    value: Scalar | Annotated[list[Scalar], Field(max_length=MAX_VALUES)] = None
    is_expression: bool | None = False


class Filters(_Part):
    """Conditions under one logical operator; a condition may itself be such a group."""

    logical_operator: Logical = "AND"
    conditions: list[Condition | Filters] = Field(default_factory=list, max_length=100)


class OrderBy(_Part):
    """An alias of the result, a field, or an expression."""

    field_or_expression: Text
    direction: Annotated[Literal["ASC", "DESC"], BeforeValidator(_upper)] = "ASC"
    is_expression: bool | None = False


class DatabaseOperation(_Part):
    """One SELECT, described. Optional parts may be absent or null."""

    operation_id: Name = Field(description="The key of its result in the answer.")
    purpose: str | None = None
    main_table: Name
    select_columns: list[SelectColumn] = Field(min_length=1, max_length=100)
    joins: list[Join] | None = Field(default=None, max_length=10)
    filters: Filters | None = None
    group_by: list[Text] | None = Field(default=None, max_length=20)
    having: Filters | None = Field(default=None, description="Like filters; may name aliases and aggregates.")
    order_by_clauses: list[OrderBy] | None = Field(default=None, max_length=20)
    limit: int | None = Field(default=None, ge=0, le=2**31)
    offset: int | None = Field(default=None, ge=0, le=2**31)
    result_key: str | None = Field(default=None, description="For the caller's use; not read here.")
    expected_result_format: str | None = Field(
        default=None, description="single_value (the first row alone) or list_of_dicts; `data` is a list either way."
    )


def explain(error: ValidationError) -> str:
    """Describe what is wrong with an operation's shape, each error with its place: `select_columns.0.alias: …`."""
    faults: dict[str, str] = {}
    for fault in error.errors(include_url=False, include_context=False, include_input=False):
        place = ".".join(str(step) for step in fault["loc"] if step not in ("Condition", "Filters"))
        faults.setdefault(place or "operation", fault["msg"])
    shown = [f"{place}: {message}" for place, message in list(faults.items())[:5]]
    return "Invalid operation: " + "; ".join(shown)
