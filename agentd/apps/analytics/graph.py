"""The workflow as a LangGraph graph: six nodes in a row, each with an edge to the error node. Runs no node.

The function of a node is passed per invocation (`config["configurable"]["run_node"]`), so that one compiled graph
serves all runs and each node is one recorded step. To LangGraph the state is one value, and a node names its successor
(`Command`): a channel for each of 50 keys, read again by conditional edges, doubled its time. It keeps no checkpoints,
because a run has one owner.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import cache
from importlib import import_module
from typing import Annotated, Any

from agentd.apps.analytics.state import ERROR_NODE, NODES, WorkflowState
from agentd.errors import InternalError
from agentd.installed import advice

RunNode = Callable[[str, WorkflowState], Awaitable[dict[str, Any]]]


def _changed(state: WorkflowState, changes: WorkflowState) -> WorkflowState:
    return {**state, **changes}


@cache
def compiled() -> Any:
    """The graph. LangGraph is imported here: that takes half a second, which a daemon without analytics saves."""
    try:
        from langchain_core.runnables import RunnableConfig

        langgraph = import_module("langgraph.graph")  # a namespace package without types, hidden from mypy
        command = import_module("langgraph.types").Command
    except ModuleNotFoundError as error:
        raise InternalError(advice(error)) from None

    def node(name: str, after: Any) -> Any:
        async def run(state: WorkflowState, config: RunnableConfig) -> Any:
            run_node: RunNode = config["configurable"]["run_node"]
            changes = await run_node(name, state)
            failed = name != ERROR_NODE and changes.get("error_message_for_user")
            return command(update=[("__root__", changes)], goto=ERROR_NODE if failed else after)

        run.__annotations__ = {"config": RunnableConfig, "return": command}
        return run

    graph = langgraph.StateGraph(Annotated[WorkflowState, _changed])
    graph.add_edge(langgraph.START, NODES[0])
    for name, after in zip(NODES, (*NODES[1:], langgraph.END), strict=True):
        graph.add_node(name, node(name, after), destinations=(after, ERROR_NODE))
    graph.add_node(ERROR_NODE, node(ERROR_NODE, ()))
    graph.add_edge(ERROR_NODE, langgraph.END)
    return graph.compile()


async def run_workflow(state: WorkflowState, run_node: RunNode) -> WorkflowState:
    """The final state. Tracing is disabled."""
    graph = await asyncio.to_thread(compiled)  # its first import must not block the daemon
    from langsmith import tracing_context

    with tracing_context(enabled=False):
        ended: WorkflowState = await graph.ainvoke(state, {"configurable": {"run_node": run_node}})
    return ended


def drawn() -> str:
    return str(compiled().get_graph().draw_mermaid())


if __name__ == "__main__":
    print(drawn())  # noqa: T201 - to be pasted into docs/analytics/README.md
