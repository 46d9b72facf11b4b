"""The table of JSON-RPC methods. One file a group; apps add theirs; rpc.discover describes the table and closes it."""

from __future__ import annotations

from collections.abc import Iterable

from agentd.rpc.method import Method
from agentd.rpc.methods import agent, session, system, tools
from agentd.rpc.openrpc import discover


def table(of_apps: Iterable[Method] = ()) -> tuple[Method, ...]:
    """Every method of a daemon with these apps' methods."""
    named = (*agent.METHODS, *session.METHODS, agent.subscribe, *tools.METHODS, *of_apps, *system.METHODS)
    return (*named, discover(named))
