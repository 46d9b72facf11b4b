"""The table of JSON-RPC methods: one file per group, the apps' methods, and rpc.discover, which describes the table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from agentd.errors import PluginError
from agentd.rpc.method import Method
from agentd.rpc.methods import agent, session, system, tools
from agentd.rpc.openrpc import discover


def table(of_apps: Iterable[Method] = ()) -> tuple[Method, ...]:
    """All methods of a daemon with these apps' methods. Raises PluginError if two have the same name."""
    named = (*agent.METHODS, *session.METHODS, agent.subscribe, *tools.METHODS, *of_apps, *system.METHODS)
    methods = (*named, discover(named))
    if double := [name for name, times in Counter(method.name for method in methods).items() if times > 1]:
        raise PluginError(f"two JSON-RPC methods have the name {double[0]}: an app must choose another")
    return methods
