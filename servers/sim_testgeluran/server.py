"""The server `sim_testgeluran_server`: one tool, execute_operation_plan. Decides nothing about a plan."""

from __future__ import annotations

from typing import Annotated

from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations
from pydantic import Field, SkipValidation

from servers.common.database import Database
from servers.common.phrases import phrases
from servers.common.server import Server
from servers.sim_testgeluran.executor import MAX_OPERATIONS, Executor, PlanResult
from servers.sim_testgeluran.functions import FUNCTIONS
from servers.sim_testgeluran.plan import DatabaseOperation

INSTRUCTIONS = (
    "Runs plans of read-only database operations on the ERP. Describe each operation (tables, joins, columns, "
    "filters); never write SQL. Fields are `table.Column`. Expressions may use columns, numbers, 'text', + - * / %, "
    f"parentheses, CASE WHEN … THEN … ELSE … END and the functions {', '.join(FUNCTIONS)}; "
    "for the days between two dates DATEDIFF(later, earlier). Unaggregated columns are grouped by. Outstanding "
    "receivables are arbook.DocValueLocal - arbook.PaymentValueLocal."
)

# Each operation is validated separately, so that a faulty one doesn't fail the batch; the schema still shows its shape.
Operations = Annotated[
    list[SkipValidation[DatabaseOperation]],
    Field(description=f"Run in this order; at most {MAX_OPERATIONS}. Each result is under its operation_id."),
]


def create_server(database: Database) -> MCPServer:
    """Create the server. It doesn't connect yet: the database may start later."""
    server: MCPServer = Server("sim_testgeluran_server", version="1.0.0", instructions=INSTRUCTIONS)
    executor = Executor(database)

    @server.tool(
        title=phrases("servers.sim_testgeluran")["title"],
        annotations=ToolAnnotations(
            read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )
    async def execute_operation_plan(operations: Operations) -> PlanResult:
        """Run one or more described database operations in order and return each one's rows.

        `success` is false only when nothing could be run; otherwise each operation has its own `status`, `data` or
        `error`.
        """
        return await executor.run(operations)

    return server
