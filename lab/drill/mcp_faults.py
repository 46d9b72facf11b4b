"""Parts of the drill: misbehaving MCP servers from tests/bridges/mcp/hostile, as real processes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lab.drill.beside import Act, Matrix, Row, warmed_up
from tests.bridges.mcp.conftest import HERE as BRIDGE_TESTS
from tests.daemon import HEAD, SERVERS, Daemon, RpcFailed
from tests.waiting import until

HOSTILE = """
[[servers]]
name = "{name}"
command = "python3"
args = ["{path}"]
call_timeout_s = 20.0
start_timeout_s = 20.0
{more}
"""


def mcp_faults(folder: Path) -> list[Row]:
    """For each fault, add a hostile server to one daemon by a reload and remove it again."""
    gate = folder / "gate"
    late = f'[servers.env]\nGATE = "{gate}"'
    done = (
        ("MCP: a server dies in a call", "crash", "", _do("crash")),
        ("MCP: a server hangs in a call", "stuck", "call_timeout_s = 1.0", _do("stuck")),
        ("MCP: chatter between the messages", "banner", "", _do("banner")),
        ("MCP: lines without end that are not MCP", "flood", "", _do("flood")),
        ("MCP: a message of 100 MB", "giant", "", _do("giant", bytes=100_000_000)),
        ("MCP: its tool called before it has started", "slow_start", late, _late(gate)),
        ("MCP: a protocol version that nobody knows", "wrong_version", "", _state("wrong_version")),
        ("MCP: it dies after every start", "crash_again", "", _state("crash_again")),
        ("MCP: grandchildren that ignore every signal", "stubborn", "", _do("stubborn")),
    )
    rows = []
    with warmed_up(folder, HEAD + SERVERS["time"]) as daemon:
        plain = daemon.config.read_text()
        matrix = Matrix(daemon)
        for tried, script, more, act in done:
            path = BRIDGE_TESTS / "hostile" / f"{script}.py"
            entry = HOSTILE.format(name=script, path=path, more=more)
            if more.startswith("call_timeout_s"):
                entry = entry.replace("call_timeout_s = 20.0\n", "")
            rows.append(matrix.row(tried, _with_server(plain, entry, act)))
    return rows


def _with_server(plain: str, entry: str, act: Act) -> Act:
    def acted(daemon: Daemon) -> str:
        daemon.config.write_text(plain + entry)
        daemon.call("Config.reload")
        try:
            return act(daemon)
        finally:
            daemon.config.write_text(plain)
            daemon.call("Config.reload")

    return acted


def _do(server: str, **given: Any) -> Act:
    def act(daemon: Daemon) -> str:
        _once(daemon, server, "up")
        return _heard(daemon, server, given)

    return act


def _late(gate: Path) -> Act:
    """The tools are known only once the server is up: the caller waits for the catalogue, the bystander does not."""

    def act(daemon: Daemon) -> str:
        state = _server(daemon, "slow_start")["state"]
        gate.touch()
        _once(daemon, "slow_start", "up")
        return f"{state}, then {_heard(daemon, 'slow_start', {})}"

    return act


def _state(server: str) -> Act:
    def act(daemon: Daemon) -> str:
        return f"down: {_once(daemon, server, 'down')['error']}"

    return act


def _heard(daemon: Daemon, server: str, given: dict[str, Any]) -> str:
    try:
        step = daemon.call("Tools.call", tool="do", server=server, input=given)
    except RpcFailed as error:
        return f"{error.type}: {error.error['message']}"
    return "a right answer" if step["success"] else str(step["message"])


def _server(daemon: Daemon, name: str) -> dict[str, Any]:
    return next(dict(one) for one in daemon.call("Tools.list")["servers"] if one["name"] == name)


def _once(daemon: Daemon, server: str, state: str) -> dict[str, Any]:
    """The server once it has this state."""
    until(lambda: _server(daemon, server)["state"] == state, f"`{server}` is {state}")
    return _server(daemon, server)
