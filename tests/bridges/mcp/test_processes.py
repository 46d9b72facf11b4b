"""No process outlives its use: not when the bridge closes, not when the daemon is killed, not as a zombie."""

from __future__ import annotations

import asyncio
import gc
import io
import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
import uvloop

from bridges.mcp import McpToolHost
from bridges.mcp.guardian import _children
from bridges.mcp.stdio import _pipes
from tests import waiting
from tests.bridges.mcp.conftest import (
    QUICK,
    Marked,
    OpenBridge,
    do,
    friendly,
    hostile,
    request,
    state,
    until,
    until_state,
)

GUARDIAN_AND_SERVER = 2
STUBBORN_FAMILY = 5
"""A guardian, a server that ignores signals, and grandchildren in its group, in a session of their own, daemonised."""


def zombies() -> set[int]:
    """Children of this process that have ended and were not waited for."""
    return {one.pid for one in psutil.Process().children() if one.status() == psutil.STATUS_ZOMBIE}


async def test_closing_ends_a_stubborn_server_and_all_its_grandchildren(bridge: OpenBridge, marked: Marked) -> None:
    before = zombies()
    host = await bridge(hostile("stubborn", env=marked.env), friendly(env=marked.env))
    pids = marked.pids()
    assert len(pids) == STUBBORN_FAMILY + GUARDIAN_AND_SERVER
    assert os.getsid(0) not in {os.getsid(pid) for pid in pids}, "Ctrl-C at the daemon's terminal would reach it"
    await host.__aexit__(None, None, None)
    marked.wait_until_gone(pids)
    assert marked.pids() == []
    assert zombies() <= before


async def test_a_server_that_ends_takes_its_grandchildren_with_it(bridge: OpenBridge, marked: Marked) -> None:
    host = await bridge(hostile("stubborn", env=marked.env))
    pids = marked.pids()
    os.kill(marked.server(), signal.SIGKILL)
    await until_state(host, "stubborn", "up", restarts=1)
    marked.wait_until_gone(pids)
    assert len(marked.pids()) == STUBBORN_FAMILY


async def test_a_server_that_waits_for_sigterm_gets_it_before_it_is_killed(bridge: OpenBridge, tmp_path: Path) -> None:
    letter = tmp_path / "goodbye"
    host = await bridge(hostile("polite", env={"GOODBYE": str(letter)}))
    await host.__aexit__(None, None, None)
    assert letter.read_text() == "goodbye"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
async def test_a_killed_daemon_leaves_nothing(marked: Marked, number: int) -> None:
    """Issue 3: children die with the daemon even when it is killed -9, grandchildren too."""
    settings = [hostile("stubborn", env=marked.env), friendly(env=marked.env)]
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.bridges.mcp.host_process",
        json.dumps([item.model_dump(mode="json") for item in settings]),
        stdout=asyncio.subprocess.PIPE,
        cwd=Path(__file__).parents[3],
    )
    assert process.stdout is not None
    line = await asyncio.wait_for(process.stdout.readline(), 300)
    assert json.loads(line) == {"stubborn": "up", "friendly": "up"}
    pids = marked.pids()
    assert len(pids) == STUBBORN_FAMILY + GUARDIAN_AND_SERVER
    process.send_signal(number)
    await process.wait()
    marked.wait_until_gone(pids)
    assert marked.pids() == []


async def test_a_guardian_that_is_killed_takes_its_server_with_it(bridge: OpenBridge, marked: Marked) -> None:
    host = await bridge(friendly(env=marked.env))
    pids = marked.pids()
    (guardian,) = set(pids) - {marked.server()}
    os.kill(guardian, signal.SIGKILL)
    marked.wait_until_gone(pids)
    await until_state(host, "friendly", "up", restarts=1)
    assert (await do(host, "friendly", "echo", text="x")).success


async def test_restarts_leave_descriptors_tasks_and_children_flat(bridge: OpenBridge) -> None:
    host = await bridge(hostile("crash"))

    def count() -> tuple[int, int, int]:
        return len(list(Path("/proc/self/fd").iterdir())), len(asyncio.all_tasks()), len(_children())

    await host.restart("crash")
    before = count()
    for _ in range(5):
        await host.restart("crash")
    assert state(host, "crash").restarts == 6
    assert count() == before


async def test_other_settings_restart_only_what_they_change(bridge: OpenBridge, marked: Marked) -> None:
    kept, changed, gone = (friendly(name, env=marked.env) for name in ("kept", "changed", "gone"))
    host = await bridge(kept, changed, gone)
    before = set(marked.pids())
    version = host.catalogue().version
    said = changed.model_copy(update={"env": {**marked.env, "SAY": "Be quick."}})
    call = request(host, "changed", "echo", text="meanwhile")
    change = asyncio.create_task(host.reconfigure([friendly("new", env=marked.env), said, kept]))
    await until(host, lambda catalogue: len(catalogue.servers) == 3 and catalogue.servers[0].name == "new")
    assert [tool.server for tool in host.catalogue().tools if tool.name == "echo"] == ["changed", "kept"]
    assert (await host.call(call)).success
    await change
    await host.ready()
    servers = host.catalogue().servers
    assert [(server.name, server.state) for server in servers] == [("new", "up"), ("changed", "up"), ("kept", "up")]
    assert servers[1].instructions == "Be quick."
    assert host.catalogue().version > version
    assert len(before & set(marked.pids())) == GUARDIAN_AND_SERVER
    assert len(marked.pids()) == 3 * GUARDIAN_AND_SERVER


async def test_a_call_after_the_end_fails_at_once(bridge: OpenBridge) -> None:
    host = await bridge(friendly())
    await host.__aexit__(None, None, None)
    outcome = await do(host, "friendly", "echo", text="x")
    assert outcome.message == "The server `friendly` of the tool `echo` is down: agentd has ended it."


async def test_leaving_does_not_wait_for_a_server_that_never_starts(marked: Marked) -> None:
    async with asyncio.timeout(300):
        async with McpToolHost([hostile("mute", env=marked.env, start_timeout_s=3600)], limits=QUICK) as host:
            await asyncio.to_thread(waiting.until, marked.pids, "the server's process")
            assert state(host, "mute").state == "starting"
    assert marked.pids() == []


@pytest.mark.parametrize(
    ("loop", "file_closes"),
    [(uvloop.new_event_loop, False), (asyncio.SelectorEventLoop, True)],
    ids=["uvloop", "asyncio"],
)
def test_a_pipe_is_closed_once_on_either_loop(loop: Callable[[], asyncio.AbstractEventLoop], file_closes: bool) -> None:
    """Closed twice, it took the descriptor that another thread had just opened: a database's writes then failed."""
    (out, _), (err, _), (_, into) = theirs = [os.pipe() for _ in range(3)]
    ours = {out, err, into}

    async def files_that_close() -> list[bool]:
        async with _pipes(out, err, into):
            files = [one for one in gc.get_objects() if isinstance(one, io.FileIO) and not one.closed]
            return [file.closefd for file in files if file.fileno() in ours]

    with asyncio.Runner(loop_factory=loop) as runner:
        assert runner.run(files_that_close()) == [file_closes] * 3
    for fd in ours:
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(fd)
    for fd in {fd for pair in theirs for fd in pair} - ours:
        os.close(fd)
