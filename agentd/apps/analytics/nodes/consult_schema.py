"""Node 2, `consult_schema`: gets the tables that the question needs from graphiti_server. Plans nothing."""

from __future__ import annotations

import re
from typing import Any

from agentd.apps.analytics import servers
from agentd.apps.analytics.checks.unknown_words import said_in
from agentd.apps.analytics.nodes.clarifying import readings_of, without_measure
from agentd.apps.analytics.nodes.execute_query import SQL_TOOL
from agentd.apps.analytics.nodes.node_context import CallFailed, NodeContext
from agentd.apps.analytics.nodes.understand_query import is_unclear, unclear
from agentd.apps.analytics.question.periods import timeless
from agentd.apps.analytics.schema import FIGURES, Schema
from agentd.apps.analytics.state import AgentState, NodeFailed, past_questions
from agentd.apps.analytics.vocabulary import topics_of, words_of
from agentd.apps.analytics.wording import say_for

TOOLS = {"sql": "get_relevant_schema_info", "operations": "get_relevant_schema"}
SIDES = {"from_table", "from_column", "to_table", "to_column"}
COMMUNICATION = "Graphiti MCP Server communication error"


async def consult_schema(state: AgentState, context: NodeContext) -> dict[str, Any]:
    """Gets tables, joins, amount and date columns by the entities and the question's words.

    A small model omits words of the question that name a table, and writes others like column names (`total_amount`);
    these are split unless the question writes them so. If the entities alone find no table, the previous question is
    added; they are the whole search if the words find none. Raises NodeFailed if the server does not answer or no
    table fits.
    """
    question = state["user_query"]
    say = say_for(question)
    entities = list(state.get("entities_mentioned") or [])
    words = [each if each.casefold() in question.casefold() else each.replace("_", " ") for each in entities]
    before = past_questions(state)[-1:]
    if before and (await asked(state, context, entities))[0].get("relevant_tables"):
        before = []
    answer, warnings = await asked(state, context, [*words, question, *before])
    if not answer.get("relevant_tables"):
        answer, warnings = await asked(state, context, entities)
    tables = answer.get("relevant_tables") or []
    if readings := readings_of(question, past_questions(state)):
        answer_to_all, _ = await asked(state, context, readings)
        if back := without_measure(question, readings, Schema.read(answer_to_all.get("relevant_tables"))):
            raise NodeFailed(
                say["which_measure"], "two readings", validation_status="failed_planning", clarification=dict(back)
            )
    schema = Schema.read(tables)
    if is_unclear(state.get("intent")) and not (answer.get("dialect") and _named(question, schema)):
        raise unclear(question, state.get("intent"))
    if not tables:
        raise NodeFailed(
            say["poor_schema"],
            "; ".join(warnings) or say["no_tables"],
            schema_consultation_warnings=list(dict.fromkeys([say["no_tables"], *warnings])),
            relevant_tables=[],
            validation_status="failed_planning",
        )
    return {
        "relevant_tables": tables,
        "table_relationships": answer.get("table_relationships") or [],
        "financial_columns": answer.get("financial_columns") or _columns(schema, *FIGURES),
        "temporal_columns": answer.get("temporal_columns") or _columns(schema, "temporal"),
        "schema_consultation_warnings": warnings or None,
        "sql_dialect": answer.get("dialect"),
    }


def _named(question: str, schema: Schema) -> bool:
    """Whether the question contains a table's name, a word of its purpose, or a topic of its contents."""
    said = question.casefold()
    names = [words_of(table.name) for table in schema.tables]
    names += [name for table in schema.tables for name in re.split(r"[,;] ", table.purpose.casefold())]
    named = any(name and all(said_in(word, said) for word in name.split()) for name in names)
    return named or bool(topics_of(timeless(question)) & topics_of(schema.about))


async def asked(state: AgentState, context: NodeContext, entities: list[str]) -> tuple[dict[str, Any], list[str]]:
    """(the answer, with malformed parts removed; warnings about what was wrong with it)."""
    payload = {"intent": state.get("intent") or "", "entities": entities}
    say = say_for(state["user_query"])
    try:
        answer = await context.call(servers.GRAPH, TOOLS[state["plan_style"]], payload)
    except CallFailed as error:
        said = say["no_database" if await _is_away(context) else "no_schema"]
        raise NodeFailed(said, f"{COMMUNICATION}: {error}") from error
    warnings: list[str] = []
    if answer.get("success") is False:
        warnings.append(str(answer.get("error") or say["no_tables"]))
    tables = answer.get("relevant_tables")
    if tables is None and answer.get("success") is not False:
        warnings.append("the schema search gave no relevant_tables")
    if not isinstance(tables, list):
        return {}, warnings
    known = [table for table in tables if isinstance(table, dict) and table.get("table_name") and _listed(table)]
    if len(known) < len(tables):
        warnings.append(f"the schema search gave {len(tables) - len(known)} tables without a name or columns")
    joins = [
        each for each in answer.get("table_relationships") or () if isinstance(each, dict) and each.keys() >= SIDES
    ]
    found = {**answer, "relevant_tables": known, "table_relationships": joins}
    return found, warnings if known else warnings or [say["no_tables"]]


async def _is_away(context: NodeContext) -> bool:
    """Whether the database can't be reached: the schema search can't read the tables then, and says only that."""
    if not context.offers(servers.SQL, SQL_TOOL):
        return False
    try:
        answer = await context.call(servers.SQL, SQL_TOOL, {"sql_queries": ["SELECT 1"]}, retry=False)
    except CallFailed:
        return False
    return any(each.get("cause") == "unavailable" for each in answer.get("batch_results") or ())


def _listed(table: dict[str, Any]) -> bool:
    columns = table.get("columns")
    return isinstance(columns, list) and all(isinstance(column, dict) and column.get("name") for column in columns)


def _columns(schema: Schema, *kinds: str) -> dict[str, list[str]]:
    return {table.name: names for table in schema.tables if (names := table.of_kind(*kinds))}
