"""Helpers for the bridge's tests: settings of the test servers, waiting for changes, inspecting processes."""

from __future__ import annotations

import asyncio
import os
import select
import sys
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import psutil
import pytest
import uvloop

from agentd.messages import Catalogue, ServerSettings, ServerState, ToolCall, ToolOutcome
from bridges.mcp import McpToolHost, ServerLimits
from tests import warm

HERE = Path(__file__).parent
PATIENCE = 300.0
"""Timeout of a wait in seconds."""

QUICK = ServerLimits(
    retry_first_s=0.05, grace_s=0.5, settle_s=0.02, probe_s=0.5, heartbeat_s=0.2, message_bytes=1_000_000, check_s=0.5
)
"""Short limits for tests, long enough for a well-behaved server on a busy machine."""


def friendly(name: str = "friendly", **more: Any) -> ServerSettings:
    """The well-behaved server over stdio."""
    return ServerSettings(name=name, command=warm.python(), args=(str(HERE / "friendly.py"),), **more)


def hostile(script: str, **more: Any) -> ServerSettings:
    """One of the servers in hostile/, named like its script."""
    return ServerSettings(
        name=script, command=sys.executable, args=(str(HERE / "hostile" / f"{script}.py"),), **({"env": {}} | more)
    )


OpenBridge = Callable[..., Any]


@pytest.fixture(scope="session")
def event_loop_policy() -> uvloop.EventLoopPolicy:
    """The daemon's event loop; the contract tests run the bridge on Python's."""
    return uvloop.EventLoopPolicy()


@pytest.fixture
async def bridge() -> AsyncIterator[OpenBridge]:
    """`await bridge(settings, …)` opens a host that has settled; it is closed after the test."""
    async with AsyncExitStack() as stack:

        async def open_bridge(*settings: ServerSettings, limits: ServerLimits = QUICK, **more: Any) -> McpToolHost:
            host = await stack.enter_async_context(McpToolHost(settings, limits=limits, **more))
            await host.ready()
            return host

        yield open_bridge


async def do(
    host: McpToolHost, server: str, tool: str = "do", /, timeout_s: float = PATIENCE, **given: Any
) -> ToolOutcome:
    """Call a tool as the agent would."""
    return await asyncio.wait_for(host.call(request(host, server, tool, timeout_s=timeout_s, **given)), PATIENCE)


def request(host: McpToolHost, server: str, tool: str = "do", /, timeout_s: float = PATIENCE, **given: Any) -> ToolCall:
    info = next(item for item in host.catalogue().tools if (item.server, item.name) == (server, tool))
    info = info.model_copy(update={"timeout_s": timeout_s})
    return ToolCall(tool=info, input=given, run_id="run-1", session_id="session-1", step=3)


def state(host: McpToolHost, server: str) -> ServerState:
    return next(item for item in host.catalogue().servers if item.name == server)


async def until(host: McpToolHost, true: Callable[[Catalogue], bool]) -> Catalogue:
    """Wait for a catalogue that satisfies `true`."""
    async with asyncio.timeout(PATIENCE):
        catalogue = host.catalogue()
        while not true(catalogue):
            catalogue = await host.changed(catalogue.version)
    return catalogue


async def until_state(host: McpToolHost, server: str, wanted: str, restarts: int = 0) -> ServerState:
    """Wait until the server has this state and at least `restarts` restarts."""

    def true(catalogue: Catalogue) -> bool:
        return any(s.name == server and s.state == wanted and s.restarts >= restarts for s in catalogue.servers)

    await until(host, true)
    return state(host, server)


class Marked:
    """All processes with a unique mark in their environment, wherever they moved."""

    def __init__(self) -> None:
        self.mark = uuid.uuid4().hex
        self.env = {"TEST_MARK": self.mark}

    def pids(self) -> list[int]:
        every = psutil.process_iter(["environ"])
        return [one.pid for one in every if (one.info["environ"] or {}).get("TEST_MARK") == self.mark]

    def server(self) -> int:
        """The server: the guardian's first child. Only the guardian has no marked parent; it may adopt others."""
        ours = {pid: psutil.Process(pid) for pid in self.pids()}
        (guardian,) = (pid for pid, one in ours.items() if one.ppid() not in ours)
        return min((one for one in ours.values() if one.ppid() == guardian), key=psutil.Process.create_time).pid

    def wait_until_gone(self, pids: list[int]) -> None:
        """Wait until each process has ended; fail when one survives."""
        for pid in pids:
            try:
                fd = os.pidfd_open(pid)
            except ProcessLookupError:
                continue
            try:
                assert select.select([fd], [], [], PATIENCE)[0], f"process {pid} lives on"
            finally:
                os.close(fd)


@pytest.fixture
def marked() -> Marked:
    return Marked()
