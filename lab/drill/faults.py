"""Faults beside the kills: MCP servers that misbehave, providers that fail, a full disk, leaps of the clock, a database
that goes. Each is done to a daemon while a bystander's run goes through it; then it is told what the caller heard,
whether the bystander's run ended well, and what the daemon held before and after.

The hostile servers and the failing providers are those of the tests (tests/bridges/), as real processes and real HTTP.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, AsyncExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from lab.drill.soak import Sample
from tests.bridges.mcp.conftest import HERE as BRIDGE_TESTS
from tests.bridges.wires import Answer, OpenAIWire
from tests.daemon import HEAD, SERVERS, Daemon, RpcFailed, call, final
from tests.e2e.test_database_troubles import full, gone, locked
from tests.postgresql import postgresql_server

SLOW_FINAL = json.dumps({"text": json.dumps(final("Selesai")), "after_ms": 1500})
BYSTANDER = (call("get_current_time"), SLOW_FINAL)
HOSTILE = """
[[servers]]
name = "{name}"
command = "python3"
args = ["{path}"]
call_timeout_s = 20.0
start_timeout_s = 20.0
{more}
"""
PROVIDER = """
[[providers]]
id = "{id}"
type = "openai"
endpoint = "{endpoint}"
models = ["m-1"]
timeout_s = {timeout_s}
"""
NOBODY = "http://127.0.0.1:1"
HTTP_FAULTS: dict[str, tuple[str, Answer]] = {
    "429, too many requests": ("rate_limit", Answer(status=429)),
    "503, out of order": ("unavailable", Answer(status=503)),
    "401, wrong key": ("auth", Answer(status=401)),
    "the answer breaks off": ("unavailable", Answer(ending="cut")),
    "no JSON": ("unavailable", Answer(ending="garbage")),
    "an error inside the stream": ("unavailable", Answer(ending="error_line")),
    "silence in mid-answer": ("timeout", Answer(ending="hang")),
    "an answer that is no action": ("bad_output", Answer(text="Saya tidak tahu.")),
}
"""{fault: (the kind that agentd must tell, what the provider answers)}."""
SETTLE_S = 60.0
SLACK = 6
"""File descriptors that may be more after a fault: a pool that opened another connection."""


@dataclass(frozen=True)
class Held:
    """What a daemon holds at one moment; rows are runs."""

    processes: int
    files: int
    rows: int

    @classmethod
    def of(cls, daemon: Daemon, rows: Callable[[Daemon], int]) -> Held:
        assert daemon.process is not None
        seen = Sample.of(daemon.process.pid)
        return cls(seen.processes, seen.descriptors, rows(daemon))


@dataclass(frozen=True)
class Row:
    """One fault: what was done, what its caller heard, how many runs went on meanwhile, what was held."""

    tried: str
    heard: str
    runs: int
    lost: int
    before: Held
    after: Held

    @property
    def right(self) -> bool:
        """Nothing lost, no process left over, no file that stays open, a row for each run and no more."""
        more = self.after.files - self.before.files
        return (
            not self.lost
            and self.after.processes == self.before.processes
            and more <= SLACK
            and self.after.rows - self.before.rows == self.runs
        )

    def cells(self) -> tuple[str, ...]:
        """As a line of the table."""
        pairs = ((getattr(self.before, of), getattr(self.after, of)) for of in ("processes", "files", "rows"))
        return (self.tried, self.heard, f"{self.lost} of {self.runs}", *(f"{a} → {b}" for a, b in pairs))


HEADS = ("tried", "heard", "runs lost", "processes", "files open", "rows of runs")


def table(rows: list[Row]) -> str:
    """In Markdown, as docs/operations.md shows it."""
    lines = [HEADS, ("---",) * len(HEADS), *(row.cells() for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


Act = Callable[[Daemon], str]


def rows_of_sqlite(daemon: Daemon) -> int:
    """Runs in the state folder's own database."""
    with closing(sqlite3.connect(daemon.state / "agentd.db", timeout=30)) as db:
        return int(db.execute("SELECT count(*) FROM agentd_runs").fetchone()[0])


class Matrix:
    """Faults done to one daemon, one after the other."""

    def __init__(self, daemon: Daemon, rows: Callable[[Daemon], int] = rows_of_sqlite) -> None:
        self._daemon = daemon
        self._rows = rows

    def row(self, tried: str, act: Act, own_runs: int = 0) -> Row:
        """Do it beside a bystander's run; `own_runs` are those that the act itself takes on, which must end well."""
        before = Held.of(self._daemon, self._rows)
        run_id = self._daemon.call("Agent.start", prompt="Halo")["run_id"]
        try:
            heard, failed = act(self._daemon), 0
        except AssertionError as error:
            heard, failed = f"wrong: {error}", 1
        outcome = self._daemon.call("Agent.run", prompt="Halo", run_id=run_id)
        lost = failed + (outcome["status"] != "completed" or not all(step["success"] for step in outcome["steps"]))
        return Row(tried, heard, 1 + own_runs, lost, before, self._settled(before))

    def _settled(self, before: Held) -> Held:
        """What is held once what was started again is up and what was ended is gone, or when the time is over."""
        until = time.monotonic() + SETTLE_S
        while True:
            now = Held.of(self._daemon, self._rows)
            if (now.processes == before.processes and now.files <= before.files + SLACK) or time.monotonic() > until:
                return now
            time.sleep(0.2)


# ── MCP servers ──────────────────────────────────────────────────────────────────────────────────────────────────────


def mcp_faults(folder: Path) -> list[Row]:
    """One daemon with the time, to which a hostile server is added by a reload for each fault, and taken out again."""
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
    with _running(folder, HEAD + SERVERS["time"]) as daemon:
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
        _until_offered(daemon, server)
        return _heard(daemon, server, given)

    return act


def _late(gate: Path) -> Act:
    """Its tools are known only when it is up: the caller waits for the catalogue, the bystander for nothing."""

    def act(daemon: Daemon) -> str:
        state = _server(daemon, "slow_start")["state"]
        gate.touch()
        _until_offered(daemon, "slow_start")
        return f"{state}, then {_heard(daemon, 'slow_start', {})}"

    return act


def _state(server: str) -> Act:
    def act(daemon: Daemon) -> str:
        told = _until(daemon, server, lambda now: now["state"] == "down")
        return f"down: {told['error']}"

    return act


def _heard(daemon: Daemon, server: str, given: dict[str, Any]) -> str:
    try:
        step = daemon.call("Tools.call", tool="do", server=server, input=given)
    except RpcFailed as error:
        return f"{error.type}: {error.error['message']}"
    return "a right answer" if step["success"] else str(step["message"])


def _server(daemon: Daemon, name: str) -> dict[str, Any]:
    return next(dict(one) for one in daemon.call("Tools.list")["servers"] if one["name"] == name)


def _until(daemon: Daemon, server: str, true: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    until = time.monotonic() + SETTLE_S
    while not true(now := _server(daemon, server)):
        assert time.monotonic() < until, f"`{server}` stays {now['state']}"
        time.sleep(0.1)
    return now


def _until_offered(daemon: Daemon, server: str) -> None:
    _until(daemon, server, lambda now: now["state"] == "up")


# ── providers ────────────────────────────────────────────────────────────────────────────────────────────────────────


def provider_faults(folder: Path) -> list[Row]:
    """Each provider fails in its own way; the run that asked it is answered by the next one, and says so."""
    with _wires([answer for _, answer in HTTP_FAULTS.values()]) as endpoints:
        kinds = {"nobody listens": "connect"} | {tried: kind for tried, (kind, _) in HTTP_FAULTS.items()}
        entries = "".join(
            PROVIDER.format(id=kinds[tried] + str(number), endpoint=url, timeout_s=3.0 if "silence" in tried else 30.0)
            for number, (tried, url) in enumerate(zip(kinds, [NOBODY, *endpoints], strict=True))
        )
        with _running(folder, HEAD + entries + SERVERS["time"]) as daemon:
            matrix = Matrix(daemon)
            return [
                matrix.row(f"provider: {tried}", _ask(f"{kind}{number}", kind), own_runs=1)
                for number, (tried, kind) in enumerate(kinds.items())
            ]


def _ask(provider: str, kind: str) -> Act:
    def act(daemon: Daemon) -> str:
        outcome = daemon.call("Agent.run", prompt="Halo", options={"provider": provider})
        assert outcome["status"] == "completed", outcome["status"]
        told = [one["kind"] for one in outcome["fallbacks"] if one["provider"] == provider]
        assert told == [kind], f"told {told}"
        return f"`{outcome['provider']}` answers, and that it was passed over: {kind}"

    return act


@contextmanager
def _wires(answers: list[Answer]) -> Iterator[list[str]]:
    """The failing providers on a loop of their own; their addresses."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="providers")
    thread.start()

    def do(work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, loop).result(SETTLE_S)

    stack = AsyncExitStack()
    try:
        yield [do(stack.enter_async_context(OpenAIWire(answer))).endpoint for answer in answers]
    finally:
        do(stack.aclose())
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


# ── the machine ──────────────────────────────────────────────────────────────────────────────────────────────────────


def disk_full(folder: Path) -> list[Row]:
    """No file of the daemon's may grow."""
    with _running(folder, HEAD + SERVERS["time"]) as daemon:
        return [Matrix(daemon).row("disk full under a run", _refused(full))]


def databases_locked(folder: Path) -> list[Row]:
    """Another program holds both."""
    with _running(folder, HEAD + SERVERS["time"]) as daemon:
        return [Matrix(daemon).row("databases locked under a run", _refused(locked))]


def clock_leaps(folder: Path) -> list[Row]:
    """The daemon dies in a run and comes back in another year."""
    leaps = {
        "kill -9 in a run, then the clock three years ahead": "2029-11-21T08:00:00+00:00+",
        "kill -9 in a run, then the clock nine years back": "2020-02-29T23:59:58+00:00+",
    }
    with _running(folder, HEAD + SERVERS["time"]) as daemon:
        matrix = Matrix(daemon)
        return [matrix.row(tried, _killed_and_started(clock)) for tried, clock in leaps.items()]


def _refused(trouble: Callable[[Any], AbstractContextManager[None]], to: Any = None) -> Act:
    """A new run is refused while it lasts; the one under way waits and ends."""

    def act(daemon: Daemon) -> str:
        with trouble(to or daemon):
            try:
                daemon.call("Agent.start", prompt="Halo juga")
            except RpcFailed as error:
                assert daemon.request("/healthz").status == 200
                return f"{error.type}: {error.error['message']}"
        raise AssertionError("a run was taken on")

    return act


def _killed_and_started(clock: str) -> Act:
    def act(daemon: Daemon) -> str:
        daemon.kill()
        daemon.env["AGENTD_CLOCK"] = clock
        daemon.start()
        return "nothing: it goes on"

    return act


def database_gone(folder: Path) -> list[Row]:
    """PostgreSQL ends under a run and is started again."""

    def rows(_: Daemon) -> int:
        with psycopg.connect(database.url) as db:
            counted = db.execute("SELECT count(*) FROM agentd_runs").fetchone()
            assert counted is not None
            return int(counted[0])

    with postgresql_server() as database:
        config = f'{HEAD}{SERVERS["time"]}[store]\nurl = "{database.url}"\nnode = "one"\n'
        with _running(folder, config) as daemon:
            return [Matrix(daemon, rows).row("database gone under a run", _refused(gone, database))]


@contextmanager
def _running(folder: Path, config: str) -> Iterator[Daemon]:
    """A daemon that has answered once, so that its pools are open and its caches full."""
    folder.mkdir()
    daemon = Daemon(folder, BYSTANDER, config).start()
    try:
        for _ in range(2):
            daemon.call("Agent.run", prompt="Halo")
        yield daemon
    finally:
        daemon.kill(15)


PARTS: dict[str, Callable[[Path], list[Row]]] = {
    "mcp": mcp_faults,
    "providers": provider_faults,
    "disk": disk_full,
    "locks": databases_locked,
    "database": database_gone,
    "clock": clock_leaps,
}
