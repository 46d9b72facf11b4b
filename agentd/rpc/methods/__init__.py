"""The table of every JSON-RPC method. One file a group; rpc.discover describes the table and closes it."""

from __future__ import annotations

from agentd.rpc.method import Method
from agentd.rpc.methods import agent, data, events, models, session, system, tools
from agentd.rpc.openrpc import discover

_NAMED = (
    *agent.METHODS,
    *session.METHODS,
    *events.METHODS,
    *tools.METHODS,
    *models.METHODS,
    *data.METHODS,
    *system.METHODS,
)

METHODS: tuple[Method, ...] = (*_NAMED, discover(_NAMED))
