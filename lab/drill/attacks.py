"""Attacks on a daemon and its servers: neighbours, programs, models, officers and database tools that want what is not
theirs. Parts of the drill; each row says what was tried and what was lost. Faults of the machine are in faults.py.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import aiohttp

from agentd.access import TokenStore
from agentd.state import open_to_others
from tests.daemon import HEAD, SERVERS, TOKEN, Daemon, RpcFailed, call, final, running
from tests.e2e.test_closed_processes import tree
from tests.e2e.test_discreet_logs import CARELESS, DEBUG, NAME, NIK, planted_in, said
from tests.e2e.test_four_eyes import STAFF_RULE
from tests.e2e.test_main_job import LETTER
from tests.e2e.test_main_job import WORDS as SENTENCE
from tests.e2e.test_unasked import third_party
from tests.e2e.test_visitors import WORDS, YOURS, Visitor, token
from tests.web.test_rogue_server import rogue

PASSPHRASE = "passphrase-of-the-drilled-office"
PLANTED = "tanaman-drill-7319"
SOCKETS = 8
CLOSED_WITHIN_S = 20.0
PATIENCE_S = 60.0
PROXIED = (
    *("X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "Forwarded", "Via", "X-Real-IP", "True-Client-IP"),
    *("CF-Connecting-IP", "X-Client-IP", "X-Envoy-External-Address", "CDN-Loop", "X-Amzn-Trace-Id"),
)


@dataclass(frozen=True)
class Attack:
    """What was tried, how often, what was heard, and how many tries got what they should not."""

    tried: str
    tries: int
    heard: str
    lost: int

    @property
    def right(self) -> bool:
        """Something was tried and nothing was lost."""
        return self.tries > 0 and not self.lost


def attack_table(attacks: list[Attack]) -> str:
    """In Markdown."""
    lines = [("tried", "times", "heard", "lost"), ("---",) * 4]
    lines += [(one.tried, str(one.tries), one.heard, str(one.lost)) for one in attacks]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def kind(act: Callable[[], Any]) -> str:
    """The type of the error that a call answers; `answered` without one."""
    try:
        act()
    except RpcFailed as refused:
        return refused.type
    return "answered"


# ── one office: its neighbours, its officers, its files ──────────────────────────────────────────────────────────────


def office(folder: Path) -> list[Attack]:
    """A daemon with tokens, whose letter needs an officer."""
    folder.mkdir()
    os.umask(0o077)  # as `agentd token` has it: this process writes tokens, too
    letters = SERVERS["certificate"] + 'credentials = ["office_key_passphrase"]\n'
    env = {"OFFICE_KEY_PASSPHRASE": PASSPHRASE}
    with running(folder, LETTER, final("Baik."), config=HEAD + letters + STAFF_RULE, env=env) as daemon:
        attacks = [_neighbour(daemon), asyncio.run(_revoked(daemon)), _one_officer(daemon), _own_call(daemon)]
        attacks += [_deleted(daemon), _held_open(daemon), _modes(daemon), _environments(daemon)]
    return attacks


def logs(folder: Path) -> list[Attack]:
    """Calls with a citizen's words that fail and that end their server, then a stop; the whole log is read."""
    folder.mkdir()
    with running(folder, final("Baik."), config=HEAD + DEBUG + CARELESS) as daemon:
        heard = [
            kind(lambda: daemon.call("Tools.call", tool=tool, input={"nama": NAME, "nik": NIK}))  # noqa: B023
            for tool in ("fail", "crash")
        ]
        daemon.kill(signal.SIGTERM)
    text = said(daemon)
    told = f"{', '.join(heard)}; {len(text.splitlines())} lines of log"
    return [Attack("a name and a NIK in calls that break, then a stop", len(heard), told, len(planted_in(text)))]


def _neighbour(daemon: Daemon) -> Attack:
    screen = token(daemon, "screen", "kiosk")
    waiting = Visitor(daemon, screen).call("Agent.run", prompt=WORDS)
    run, session = {"run_id": waiting["run_id"]}, {"session_id": waiting["session_id"]}
    yes = {**run, "approval_id": waiting["approval"]["approval_id"], "approved": True}
    asked: list[tuple[str, dict[str, Any]]] = [("Agent.approve", yes), ("Agent.run", {"prompt": "Halo", **session})]
    asked += [(f"Agent.{name}", run) for name in ("get", "cancel")]
    asked += [(f"Session.{name}", session) for name in ("get", "fork", "export", "delete")]
    heard = [
        kind(lambda: who.call(method, **given))  # noqa: B023 - called at once
        for who in (Visitor(daemon, screen, YOURS), Visitor(daemon, screen))
        for method, given in asked
    ]
    lost = sum(one != "not_found" for one in heard)
    return Attack("another visitor's ids, with the same kiosk's token", len(heard), "not_found", lost)


async def _revoked(daemon: Daemon) -> Attack:
    shown = {"Authorization": f"Bearer {await asyncio.to_thread(token, daemon, 'front', 'staff')}"}
    async with aiohttp.ClientSession() as session:
        sockets = [await session.ws_connect(f"{daemon.url}/ws", headers=shown) for _ in range(SOCKETS)]
        TokenStore(daemon.state / "access.json").revoke("front")
        began = time.monotonic()
        codes = [await _closed(socket) for socket in sockets]
        seconds = time.monotonic() - began
    lost = sum(code != aiohttp.WSCloseCode.POLICY_VIOLATION for code in codes)
    return Attack("sockets of a token that is revoked", SOCKETS, f"closed {seconds:.1f} s after it", lost)


async def _closed(socket: aiohttp.ClientWebSocketResponse) -> int | None:
    with suppress(TimeoutError):
        while not socket.closed:
            await socket.receive(timeout=CLOSED_WITHIN_S)
    return socket.close_code


def _one_officer(daemon: Daemon) -> Attack:
    siti = Visitor(daemon, token(daemon, "siti", "staff"))
    heard = []
    for name in ("Budi Hartono", "Budi Wijaya", "Siti Santoso"):
        asked = daemon.call("Agent.run", prompt=SENTENCE)
        for _ in range(2):
            approval = asked["approval"]
            given = {"run_id": asked["run_id"], "approval_id": approval["approval_id"], "approved": True}
            changed = {**approval["arguments"], "nama": name}
            with suppress(RpcFailed):
                asked = siti.call("Agent.approve", **given, arguments=changed)
        heard.append(asked["status"])
    issued = len(_letters(daemon))
    return Attack("another name put in and agreed to twice by one officer", 2 * len(heard), "needs a second", issued)


def _own_call(daemon: Daemon) -> Attack:
    """Asked for by an officer, and agreed to again and again by the same one."""
    rina, before = Visitor(daemon, token(daemon, "rina", "staff")), len(_letters(daemon))
    asked = rina.call("Tools.call", tool=LETTER["tool"], input={**LETTER["input"], "keperluan": "Bank"})["output"]
    for _ in range(3):
        given = {"run_id": asked["run_id"], "approval_id": asked["approval"]["approval_id"], "approved": True}
        with suppress(RpcFailed):
            asked = rina.call("Agent.approve", **given)
    issued = len(_letters(daemon)) - before
    return Attack("an officer agrees to a call of their own, again and again", 3, asked["status"], issued)


def _letters(daemon: Daemon) -> list[Path]:
    return list(daemon.state.glob("letters/2*/*.pdf"))


def _plant(daemon: Daemon, session_id: str) -> None:
    for number in range(5):
        with suppress(RpcFailed):
            daemon.call("Agent.run", prompt=f"{PLANTED} {number} " + "isi " * 900, session_id=session_id)


def _holding(daemon: Daemon) -> tuple[int, int]:
    """How many files there are, and in how many the planted word stands."""
    files = [file for file in daemon.state.rglob("*") if file.is_file()]
    return len(files), sum(PLANTED.encode() in file.read_bytes() for file in files)


def _deleted(daemon: Daemon) -> Attack:
    _plant(daemon, "gone")
    pending = daemon.call("Session.delete", session_id="gone")["pending"]
    files, left = _holding(daemon)
    return Attack("a deleted session's words looked for in every file", files, f"pending: {pending}", left)


def _held_open(daemon: Daemon) -> Attack:
    """The same while another program reads the database, looked for once that has gone."""
    _plant(daemon, "held")
    with closing(sqlite3.connect(daemon.state / "agentd.db")) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM agentd_runs").fetchone()
        pending = daemon.call("Session.delete", session_id="held")["pending"]
    until = time.monotonic() + PATIENCE_S
    while (found := _holding(daemon))[1] and time.monotonic() < until:
        time.sleep(0.2)
    heard = f"pending: {pending}, then gone"
    return Attack("the same, deleted while a program holds the database open", found[0], heard, found[1])


def _modes(daemon: Daemon) -> Attack:
    every = list(daemon.state.rglob("*"))
    opened = [path for path in open_to_others(daemon.state) if not path.name.endswith((".cert.pem", ".pub.pem"))]
    told = ", ".join(path.name for path in opened) or "0600 and 0700"
    return Attack("files that others may open, public certificates aside", len(every), told, len(opened))


def _environments(daemon: Daemon) -> Attack:
    assert daemon.process is not None
    pids = tree(daemon.process.pid)
    shown = [Path(f"/proc/{pid}/environ").read_bytes() for pid in pids]
    lost = sum(secret.encode() in each for each in shown for secret in (TOKEN, PASSPHRASE))
    return Attack("secrets looked for in /proc/PID/environ", len(pids), "processes read", lost)


# ── a model that acts by itself, a proxy, a rogue server ─────────────────────────────────────────────────────────────


def model(folder: Path) -> list[Attack]:
    """It voids, deletes, issues and destroys without being asked."""
    folder.mkdir()
    turns = (
        *(call("void_letter", number="x", reason="y"), call("certificate__void_letter", number="x", reason="y")),
        *(call("delete_session_data"), call("drop_table", name="warga")),
    )
    config = HEAD + "\n".join(SERVERS.values()) + third_party(folder)
    lost, heard = 0, []
    for number, turn in enumerate([*turns, LETTER]):
        place = folder / str(number)
        place.mkdir()
        with running(place, turn, final("Sudah."), config=config) as daemon:
            with suppress(RpcFailed):
                outcome = daemon.call("Agent.run", prompt=SENTENCE if turn is LETTER else "Bersihkan")
                heard.append(outcome["status"])
                lost += any(step["success"] for step in outcome["steps"])
            done = [*_letters(daemon), *daemon.state.glob("done.txt")]
            lost += len(done)
    waits = f"{heard.count('needs_approval')} wait for a yes, the others are unknown to it"
    return [Attack("a model voids, deletes, destroys, issues unasked", len(turns) + 1, waits, lost)]


def open_house(folder: Path) -> list[Attack]:
    """A daemon without tokens, a server that offers the office's tools before the office's own."""
    folder.mkdir()
    log = folder / "asked.log"
    log.touch()
    config = HEAD + rogue(log) + SERVERS["certificate"]
    with running(folder, final("x"), config=config, env={"AGENTD_TOKEN": ""}) as daemon:
        codes = [status(f"{daemon.url}/metrics", {name: "203.0.113.9"}) for name in PROXIED]
        codes.append(status(f"{daemon.url}/metrics", {"Host": "surat.kelurahan.example"}))
        asked = [status(f"{daemon.url}/verify/AAAA-BBBB-CCCC-DDDD", {"Accept": "application/json"}) for _ in range(5)]
        first = asyncio.run(_first_token(daemon))
    through = sum(code < 400 for code in codes)
    said = f"status {', '.join(map(str, sorted(set(codes))))}"
    told = f"the office's own server answers, status {asked[0]}"
    return [
        Attack("no token: requests with a proxy's header or another Host", len(codes), said, through),
        Attack("/verify with a rogue server first", len(asked), told, len(log.read_text().splitlines())),
        first,
    ]


async def _first_token(daemon: Daemon) -> Attack:
    """Sockets of programs of this machine, which were admin while there was no token."""
    async with aiohttp.ClientSession() as session:
        sockets = [await session.ws_connect(f"{daemon.url}/ws") for _ in range(SOCKETS)]
        TokenStore(daemon.state / "access.json").add("first", frozenset({"staff"}), now=datetime.now(UTC))
        codes = [await _closed(socket) for socket in sockets]
    lost = sum(code != aiohttp.WSCloseCode.POLICY_VIOLATION for code in codes)
    return Attack("sockets from before the first token was made", SOCKETS, f"closed with {codes[0]}", lost)


def status(url: str, headers: Mapping[str, str], body: bytes | None = None) -> int:
    """What the request is answered with."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url, body, dict(headers)), timeout=60) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def server_over_http(folder: Path) -> list[Attack]:
    """The letters' server by itself, asked for a letter by a program without its token."""
    folder.mkdir()
    command = [sys.executable, "-m", "servers.certificate", "--http", "127.0.0.1:0"]
    env = {**os.environ, "AGENTD_STATE": str(folder)}
    params = {"name": LETTER["tool"], "arguments": LETTER["input"]}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
    takes = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=env) as server:
        assert server.stderr is not None
        try:
            url = next(line for line in server.stderr if "listens at" in line).split()[-1]
            file = next(line for line in server.stderr if "token is in" in line).split()[-1]
            good = {"Authorization": f"Bearer {Path(file).read_text().strip()}"}
            wrong = [{}, {"Authorization": "Bearer"}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic x"}]
            wrong += [{**good, "Host": "evil.example"}, {**good, "Origin": "http://evil.example"}]
            codes = [status(url, {**takes, **headers}, body) for headers in wrong]
        finally:
            server.terminate()
    issued = len(list(folder.glob("letters/2*/*.pdf")))
    return [Attack("a letter from `servers.certificate --http` without token", len(codes), f"status {codes}", issued)]


ATTACKS: dict[str, Callable[[Path], list[Attack]]] = {
    "office": office,
    "logs": logs,
    "model": model,
    "open": open_house,
    "http": server_over_http,
}
