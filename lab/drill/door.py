"""Part of the drill: an outsider tries guessed tokens and codes, endless requests, revoked rights, options closed to
visitors, an edited audit trail, and a server without its secret.
"""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from http.client import HTTPException
from pathlib import Path
from threading import Semaphore
from typing import Any

from agentd.access import TokenStore
from agentd.access.rates import FAILED_A_MINUTE
from agentd.apps.pairing.codes import Pairing
from agentd.apps.setup.audit_check import verify
from agentd.audit import FILE_NAME, AuditTrail
from agentd.clock import SystemClock
from agentd.messages import Scope
from lab.drill.attacks import Attack, by_path, kind, status
from tests.daemon import HEAD, SERVERS, Daemon, final, running, server_entry
from tests.e2e.register import person
from tests.e2e.test_unasked import PIN, third_party

WAITERS, OPENED, GUESSES = 4, 8, 40
PATIENCE_S = 30.0
STEERING: list[dict[str, Any]] = [
    *({"system_prompt": "x"}, {"max_steps": 2}, {"deadline_s": 5}, {"provider": "scripted"}, {"model": "scripted"}),
]
SECRET = 'credentials = ["office_key_passphrase"]\n'
AWAY = server_entry("mysql_mcp_server", "-m", "servers.mysql") + 'pass_env = ["DATABASE_URL"]\n'


def door(folder: Path) -> list[Attack]:
    """Attack a daemon with tokens and a slow model, its audit trail, and one whose server lacks secret and database."""
    first, second = folder / "one", folder / "two"
    slow = {"text": json.dumps(final("Selesai")), "after_ms": 20_000}
    with running(first, slow, config=HEAD + SERVERS["certificate"] + third_party(first)) as daemon:
        for _ in range(3):
            daemon.call("Config.reload")  # gives the audit trail entries
        found = [
            _rights_ended(daemon),
            _codes(daemon),
            *_never_ending(daemon),
            _steering(daemon),
            _paths(daemon),
            by_path(daemon),
            _identity(daemon),
            _over(daemon),
            _misshapen(daemon),
            _guessed(daemon),  # last: afterwards this address is rate-limited
        ]
    found.append(_edited(first / "state"))
    env = {"DATABASE_URL": "mysql://reader:secret@127.0.0.1:9/erp", "OFFICE_KEY_PASSPHRASE": ""}
    with running(second, final("x"), config=HEAD + SERVERS["certificate"] + SECRET + AWAY, env=env) as daemon:
        found += [_without_secret(daemon), _database_away(daemon)]
    return found


def _rights_ended(daemon: Daemon) -> Attack:
    """Half of the clients wait for a run with POST /rpc, half read its events."""
    front = person(daemon, "front", "staff")
    run_id = front.call("Agent.start", prompt="Halo")["run_id"]
    opened = Semaphore(0)

    def waits() -> bool:
        with suppress(OSError, HTTPException):
            front.call("Agent.run", prompt="Halo", run_id=run_id)
            return False
        return True

    def reads() -> bool:
        with suppress(OSError, HTTPException), daemon.request(f"/events?run_id={run_id}", **front.headers()) as events:
            opened.release()
            return b"unauthorized" in events.read()
        return True

    with ThreadPoolExecutor(2 * WAITERS) as clients:
        asked = [clients.submit(act) for act in (waits, reads) for _ in range(WAITERS)]
        for _ in range(WAITERS):  # the calls precede the streams: once the streams are open, all are waiting
            opened.acquire(timeout=PATIENCE_S)
        TokenStore(daemon.state / "access.json").revoke("front")
        began = time.monotonic()
        sent_away = [one.result() for one in asked]
        seconds = time.monotonic() - began
    heard = f"sent away {seconds:.1f} s after it"
    return Attack(
        "calls and event streams under way of a token that is revoked", len(asked), heard, sent_away.count(False)
    )


def _codes(daemon: Daemon) -> Attack:
    """Try five wrong codes, then the right one."""
    code, _ = Pairing(daemon.state, TokenStore(daemon.state / "access.json")).begin("lobby", datetime.now(UTC))
    tried = [f"{(int(code) + number) % 1_000_000:06}" for number in (1, 2, 3, 4, 5, 0)]
    takes = {"Content-Type": "application/json", "Origin": daemon.url}
    codes = [status(f"{daemon.url}/pair", takes, json.dumps({"code": one}).encode()) for one in tried]
    return Attack(
        "a kiosk's pairing code guessed, then given too late",
        len(codes),
        f"status {sorted(set(codes))}",
        _let_in(codes),
    )


def _let_in(codes: Sequence[int]) -> int:
    return sum(code < 400 for code in codes)


def _never_ending(daemon: Daemon) -> list[Attack]:
    head = b"POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n"
    return [
        _open_for_ever(daemon, "heads that never end", head),
        _open_for_ever(daemon, "bodies without a token that never end", head + b"\r\n{"),
    ]


def _open_for_ever(daemon: Daemon, tried: str, sent: bytes) -> Attack:
    host, _, port = daemon.url.removeprefix("http://").rpartition(":")
    began, left = time.monotonic(), 0
    opened = [socket.create_connection((host, int(port)), timeout=PATIENCE_S) for _ in range(OPENED)]
    for one in opened:
        one.sendall(sent)
    for one in opened:
        with one:
            try:
                while one.recv(4096):
                    pass
            except TimeoutError:
                left += 1
    return Attack(tried, OPENED, f"given up after {time.monotonic() - began:.0f} s", left)


def _steering(daemon: Daemon) -> Attack:
    screen = person(daemon, "screen", "kiosk")
    heard = [kind(screen.call, "Agent.start", prompt="Halo", options=option) for option in STEERING]
    return Attack.answered("a visitor sets what steers the agent", heard, "forbidden")


def _paths(daemon: Daemon) -> Attack:
    """Name an existing file as a caller who is not admin."""
    file = daemon.state / "access.json"
    desk = person(daemon, "desk", "staff")
    asked = [str(file), file.as_uri(), "/etc/passwd", "/proc/self/environ"]
    heard = [kind(desk.call, "Tools.call", tool="verify_letter", input={"file": one}) for one in asked]
    return Attack(
        "verify_letter with a path of this machine", len(heard), ", ".join(sorted(set(heard))), heard.count("answered")
    )


def _identity(daemon: Daemon) -> Attack:
    """Call it as admin, staff and kiosk, under each of its names."""
    callers: list[Callable[..., Any]] = [
        daemon.call,
        *(person(daemon, f"i-{scope}", scope).call for scope in ("staff", "kiosk")),
    ]
    names: list[dict[str, Any]] = [
        *({"tool": "verify_person"}, {"tool": "verify_person", "server": "files"}, {"tool": "files__verify_person"}),
    ]
    heard = [kind(ask, "Tools.call", **name, input={"pin": PIN}) for ask in callers for name in names]
    return Attack.answered("a tool that proves who somebody is, called by hand", heard, "unknown_tool")


def _over(daemon: Daemon) -> Attack:
    """Use tokens that are no longer valid, and a valid one in the URL."""
    book, now = TokenStore(daemon.state / "access.json"), datetime.now(UTC)
    staff: frozenset[Scope] = frozenset({"staff"})
    tokens = [book.add("late", staff, now=now - timedelta(days=2), lifetime=timedelta(days=1))]
    tokens += [book.add("turned", staff, now=now), book.add("left", staff, now=now)]
    good = book.rotate("turned", now=now)
    book.revoke("left")
    while status(f"{daemon.url}/metrics", _bearer(good)) == 401:
        time.sleep(0.1)
    codes = [status(f"{daemon.url}/metrics", _bearer(one)) for one in tokens]
    names = ("token", "access_token", "key")
    codes += [status(f"{daemon.url}/metrics?{name}={good}", {}) for name in names]
    heard = f"status {sorted(set(codes))}"
    return Attack(
        "a token that expired, was rotated or revoked; a good one in an address", len(codes), heard, _let_in(codes)
    )


def _bearer(one: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {one}"}


MISSHAPEN: list[tuple[str, dict[str, Any]]] = [
    *(("Session.list", {"before": cursor}) for cursor in ("x", "../..", "9" * 400, 7, {"a": 1})),
    *(("Agent.get", {"run_id": run_id}) for run_id in ("", "../../etc/passwd", "a" * 129, "a/b", "\u202e", None, [1])),
    *(("Session.get", {"session_id": session_id}) for session_id in ("", "\x00", "s" * 201, 1e308, ["x"])),
    *(("Agent.run", {"prompt": prompt}) for prompt in ("", "\x01\x02", {"a": [1]}, "x" * 9000, None)),
    *(("Agent.run", {"prompt": "Halo", name: 1}) for name in ("promt", "__class__", "session")),
]


def _misshapen(daemon: Daemon) -> Attack:
    heard = [kind(daemon.call, method, **params) for method, params in MISSHAPEN]
    return Attack.answered("params of a wrong shape", heard, "invalid_params")


def _guessed(daemon: Daemon) -> Attack:
    guesses = [{**_bearer(f"agd_{one}"), "X-Forwarded-For": f"203.0.113.{one}"} for one in range(GUESSES)]
    codes = [status(f"{daemon.url}/metrics", guess) for guess in guesses]
    heard = f"{codes.count(401)} times 401, then {codes.count(429)} times 429; a good one passes"
    lost = _let_in(codes) + (kind(daemon.call, "System.health") != "answered")
    lost += codes.count(401) > FAILED_A_MINUTE
    return Attack("tokens guessed from one address that names others (X-Forwarded-For)", len(codes), heard, lost)


def _edited(state: Path) -> Attack:
    """Change each line of the audit trail, and remove each."""
    file = state / FILE_NAME
    whole = file.read_bytes().splitlines(keepends=True)
    trail = AuditTrail(state, SystemClock())
    unseen = 0
    for number, line in enumerate(whole):
        for edited in (line.replace(b'"actor"', b'"actors"'), b""):
            file.write_bytes(b"".join((*whole[:number], edited, *whole[number + 1 :])))
            unseen += not verify(trail).problems
    file.write_bytes(b"".join(whole))
    unseen += bool(verify(trail).problems)
    trail.close()
    return Attack(
        "an entry of the audit trail changed or left out", 2 * len(whole), "`agentd audit --verify` names it", unseen
    )


def _without_secret(daemon: Daemon) -> Attack:
    servers = {one["name"]: one for one in daemon.call("Tools.list")["servers"]}
    server = servers["certificate"]
    made = list(daemon.state.rglob("*.key.pem"))
    heard = f"{server['state']}: {server['error']}"
    return Attack("a server whose named credential is missing", 1, heard, (server["state"] == "up") + len(made))


def _database_away(daemon: Daemon) -> Attack:
    """Run a statement that the sample company could answer."""
    given = {"sql_queries": ["SELECT COUNT(*) AS n FROM sales_orders"]}
    step = daemon.call("Tools.call", tool="execute_sql_query", input=given)
    [result] = step["output"]["batch_results"]
    lost = int(result["status"] != "error")
    return Attack("a database that is away, where the sample could answer", 1, result["status"], lost)
