"""The tools of `mysql_mcp_server`. `guard` decides what may run; `Database` runs it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, NotRequired

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field
from typing_extensions import TypedDict

from hardening.texts import sendable
from servers.common.catalogue import catalogue_of
from servers.common.database import Database, DatabaseError, UnavailableError
from servers.common.server import READ_ONLY, Server, with_values
from servers.mysql import guard, schema
from servers.mysql.scan import Statement, split

INSTRUCTIONS = """Reads one SQL database ({dialect}); only SELECT runs.
Call describe_schema first, without arguments for the names of the tables, then with the tables you need: guessed
names fail. execute_sql_query takes several statements at once and answers each by itself, in order; a failed one has
status "error" and an error_message, and doesn't spoil the others. Results are cut at max_rows (then `truncated` is
true): prefer SUM, COUNT and GROUP BY to fetching rows. Numbers of more than 15 digits come as strings, dates in ISO
form, binary as base64."""

MAX_STATEMENTS = 50

MaxRows = Annotated[int, Field(ge=1, le=100_000, description="The most rows a statement may give; the rest is cut.")]
Timeout = Annotated[float, Field(ge=0.1, le=600, description="Seconds after which a statement is stopped.")]
Queries = Annotated[
    list[str],
    Field(
        min_length=1,
        max_length=MAX_STATEMENTS,
        description="One or more SELECT statements. A string may hold several, separated by ';'.",
    ),
]


class QueryExecutionResult(TypedDict):
    """What one statement gave. Keys without a value are null; the last three are there only where there is cause."""

    query: Annotated[str, Field(description="The statement as it was written.")]
    status: Annotated[Literal["success", "error"], Field(description="'success' or 'error'.")]
    row_count: Annotated[int | None, Field(description="How many rows are in results.")]
    column_names: Annotated[list[str] | None, Field(description="The columns in order; a repeated name gets _2.")]
    results: Annotated[list[dict[str, Any]] | None, Field(description="One object a row.")]
    error_message: Annotated[str | None, Field(description="What went wrong, if something did.")]
    cause: NotRequired[
        Annotated[
            Literal["unavailable", "locked", "late", "large"],
            Field(description="Why it failed, where the statement is not at fault: no other one helps now."),
        ]
    ]
    truncated: NotRequired[Annotated[bool, Field(description="True when there are more rows than given.")]]
    notice: NotRequired[
        Annotated[
            str, Field(description="What to know of the rows: that some are missing and why, that they are a sample.")
        ]
    ]


class BatchQueryExecutionOutput(TypedDict):
    """One entry a statement, in order."""

    batch_results: list[QueryExecutionResult]


def create_server(database: Database) -> MCPServer[Any]:
    """Create the server on `database`, which may be down: each call reports that."""
    dialect = {"mysql": "MariaDB or MySQL", "postgres": "PostgreSQL", "sqlite": "SQLite"}[database.kind]
    server: MCPServer[Any] = Server(
        "mysql_mcp_server", version="1.0.0", instructions=INSTRUCTIONS.format(dialect=dialect)
    )

    @server.tool(title="Run SELECT statements", annotations=READ_ONLY)
    async def execute_sql_query(
        sql_queries: Queries, max_rows: MaxRows = 1000, timeout_seconds: Timeout = 30
    ) -> BatchQueryExecutionOutput:
        """Run one or more SELECT statements and get their rows as objects. Statements that aren't a plain SELECT on
        this database's tables are refused with the reason; one that fails doesn't spoil the others."""
        statements = [statement for sql in sql_queries for statement in _statements(sql, database)]
        if len(statements) > MAX_STATEMENTS:
            raise ToolError(f"{len(statements)} statements are too many for one call; {MAX_STATEMENTS} are the most.")
        return {"batch_results": await _run_all(database, statements, max_rows, timeout_seconds)}

    @server.tool(title="Describe tables", annotations=READ_ONLY)
    async def describe_schema(
        table_names: Annotated[
            Sequence[str],
            Field(max_length=50, description="Tables to describe in full; none lists all tables with their purpose."),
        ] = (),
    ) -> schema.SchemaDescription:
        """List the tables, or describe some: columns, types, keys, references and comments."""
        try:
            return await schema.describe(database, table_names)
        except DatabaseError as error:
            raise ToolError(str(error)) from error

    @server.tool(title="Explain a SELECT", annotations=READ_ONLY)
    async def explain_query(sql_query: str, timeout_seconds: Timeout = 30) -> QueryExecutionResult:
        """Show how the database would run one SELECT (indexes, order of joins, rows examined) without running it."""
        statements = _statements(sql_query, database)
        if len(statements) != 1:
            raise ToolError("explain_query takes one statement; call it once for each.")
        explain = "EXPLAIN QUERY PLAN " if database.kind == "sqlite" else "EXPLAIN "
        return (await _run_all(database, statements, 1000, timeout_seconds, before=explain))[0]

    @server.tool(title="Look at some rows", annotations=READ_ONLY)
    async def sample_rows(
        table_name: str,
        limit: Annotated[int, Field(ge=1, le=100, description="How many rows.")] = 5,
        timeout_seconds: Timeout = 30,
    ) -> QueryExecutionResult:
        """The first rows of one table, to see what its values look like."""
        try:
            tables = (await catalogue_of(database)).by_name
        except DatabaseError as error:
            raise ToolError(str(error)) from error
        if table_name not in tables:
            raise ToolError(schema.unknown_table(table_name, list(tables)))
        columns = ", ".join(database.quote(column.name) for column in tables[table_name].columns)
        asked = _statements(f"SELECT {columns} FROM {database.quote(table_name)} LIMIT {limit}", database)
        return (await _run_all(database, asked, limit, timeout_seconds))[0]

    return server


def _statements(sql: str, database: Database) -> list[Statement]:
    """Return the statements of one string; a string without any gives one empty statement, so that it gets a result."""
    return split(sql, database.kind) or [Statement(sql.strip(), "")]


async def _run_all(
    database: Database, statements: Sequence[Statement], max_rows: int, timeout_seconds: float, before: str = ""
) -> list[QueryExecutionResult]:
    """Run each statement separately, in order. Once the database can't be reached the rest isn't tried."""
    results: list[QueryExecutionResult] = []
    unreachable: UnavailableError | None = None
    for statement in statements:
        try:
            if unreachable is not None:
                raise unreachable
            results.append(await _run(database, statement, max_rows, timeout_seconds, before))
        except (guard.RefusedError, DatabaseError) as error:
            unreachable = error if isinstance(error, UnavailableError) else None
            results.append(_failed(statement, error))
    return results


async def _run(
    database: Database, statement: Statement, max_rows: int, timeout_seconds: float, before: str
) -> QueryExecutionResult:
    """Run one statement, with `before` as prefix, and return its rows. Raises RefusedError, DatabaseError."""
    schemas = database.schemas or (database.url.database or "",)
    guard.check(statement, database.kind, schemas, database.tables)
    rows = await database.fetch(before + statement.body, max_rows=max_rows, timeout_seconds=timeout_seconds)
    result: QueryExecutionResult = {
        "query": statement.text,
        "status": "success",
        "row_count": len(rows.rows),
        "column_names": rows.columns,
        "results": rows.records(),
        "error_message": None,
    }
    notice = " ".join(filter(None, (database.notice, rows.cut)))
    return {**result, **with_values(truncated=bool(rows.cut) or None, notice=notice or None)}


def _failed(statement: Statement, error: Exception) -> QueryExecutionResult:
    result: QueryExecutionResult = {
        "query": sendable(statement.text),
        "status": "error",
        "row_count": None,
        "column_names": None,
        "results": None,
        "error_message": str(error),
    }
    return {**result, **with_values(cause=getattr(error, "cause", None))}
