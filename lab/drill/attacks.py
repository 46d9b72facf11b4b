"""Parts of the drill: attacks by models, programs, proxies and rogue servers that want access they lack. Defines
`Attack`, the table row of any attack: what was tried and what was lost.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import aiohttp

from agentd.access import TokenStore
from tests.agentd.test_behind_proxy import SETTINGS
from tests.daemon import HEAD, SERVERS, Daemon, RpcFailed, call, final, running, server_entry
from tests.e2e.test_main_job import LETTER
from tests.e2e.test_main_job import WORDS as SENTENCE
from tests.e2e.test_unasked import third_party
from tests.web.test_rogue_server import rogue

SOCKETS = 8
CLOSED_WITHIN_S = 20.0
PROXIED = (
    *("X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "Forwarded", "Via", "X-Real-IP", "True-Client-IP"),
    *("CF-Connecting-IP", "X-Client-IP", "X-Envoy-External-Address", "CDN-Loop", "X-Amzn-Trace-Id"),
)


@dataclass(frozen=True)
class Attack:
    """What was tried, how often, the responses, and how many tries succeeded that should not."""

    tried: str
    tries: int
    heard: str
    lost: int

    @classmethod
    def answered(cls, tried: str, heard: Sequence[str], *refusals: str) -> Attack:
        """What was answered to each try: any answer but these refusals is lost."""
        said = ", ".join(sorted(set(heard)))
        return cls(tried, len(heard), said, sum(one not in refusals for one in heard))

    @property
    def right(self) -> bool:
        """True when something was tried and nothing was lost."""
        return self.tries > 0 and not self.lost

    def cells(self) -> dict[str, str | int | float | bool | None]:
        """The attack as a row of the table."""
        return {"tried": self.tried, "times": self.tries, "heard": self.heard, "lost": self.lost}


def kind(act: Callable[..., Any], *given: Any, **named: Any) -> str:
    """Call `act` and return the type of its RPC error, or `answered` when there is none."""
    try:
        act(*given, **named)
    except RpcFailed as refused:
        return refused.type
    return "answered"


async def closed(socket: aiohttp.ClientWebSocketResponse) -> int | None:
    """The code a socket is closed with: 1008, or 1006 when a busy machine cut it before the closing handshake.

    None while it is open.
    """
    with suppress(TimeoutError):
        while not socket.closed:
            await socket.receive(timeout=CLOSED_WITHIN_S)
    return socket.close_code


def letters(daemon: Daemon) -> list[Path]:
    """The PDF files of the letters in the archive."""
    return list(daemon.state.glob("letters/2*/*.pdf"))


def model(folder: Path) -> list[Attack]:
    """A model calls tools that void, delete, issue and destroy without being asked. A letter and a third party's tool
    that may destroy must wait for a yes; the others it must not know."""
    turns = (
        *(call("void_letter", number="x", reason="y"), call("certificate__void_letter", number="x", reason="y")),
        *(call("delete_session_data"), call("drop_table", name="warga"), LETTER),
    )
    config = HEAD + "\n".join(SERVERS.values()) + third_party(folder)
    graphiti = server_entry("graphiti_server", "-m", "servers.graphiti")
    lost, heard = 0, []
    for number, turn in enumerate(turns):
        words = SENTENCE if turn is LETTER else "Bersihkan warga"
        more = graphiti * (turn["tool"] == "delete_session_data")
        with running(folder / str(number), turn, final("Sudah."), config=config + more) as daemon:
            with suppress(RpcFailed):
                outcome = daemon.call("Agent.run", prompt=words)
                heard.append(outcome["status"])
                lost += any(step["success"] for step in outcome["steps"])
            lost += len([*letters(daemon), *daemon.state.glob("done.txt")])
    waiting = heard.count("needs_approval")
    summary = f"{waiting} wait for a yes, the others are unknown to it"
    return [Attack("a model voids, deletes, destroys, issues unasked", len(turns), summary, lost + (waiting != 2))]


def open_house(folder: Path) -> list[Attack]:
    """A daemon without tokens whose first server offers the same tools as the office's own server."""
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
    summary = f"the office's own server answers, status {asked[0]}"
    return [
        Attack("no token: requests with a proxy's header or another Host", len(codes), said, through),
        Attack("/verify with a rogue server first", len(asked), summary, len(log.read_text().splitlines())),
        first,
        behind_proxy(folder / "proxy"),
    ]


def by_path(daemon: Daemon) -> Attack:
    """Pass the path of a genuine letter from the archive at every place where /verify accepts input."""
    asked = daemon.call("Tools.call", tool=LETTER["tool"], input=LETTER["input"])["output"]
    daemon.approve(asked)
    [letter] = letters(daemon)
    assert _genuine(daemon, "/verify", "application/pdf", letter.read_bytes()), "by its bytes it is"
    form, tried = "application/x-www-form-urlencoded", []
    for path in (str(letter), letter.as_uri()):
        named = urllib.parse.quote(path, safe="")
        tried += [_genuine(daemon, f"/verify?code={named}"), _genuine(daemon, f"/verify/{named}")]
        tried += [
            _genuine(daemon, "/verify", form, f"{name}={named}".encode()) for name in ("statement", "file", "path")
        ]
        tried += [
            _genuine(daemon, "/verify", "application/pdf", path.encode()),
            _genuine(daemon, "/verify", "application/json", json.dumps({"file": path}).encode()),
            _genuine(daemon, "/verify", "multipart/form-data; boundary=x", _PART.format(path).encode()),
        ]
    return Attack("/verify with the path of a genuine letter", len(tried), "not genuine", sum(tried))


_PART = '--x\r\nContent-Disposition: form-data; name="file"\r\n\r\n{}\r\n--x--\r\n'


def _genuine(daemon: Daemon, path: str, kind_of: str = "text/plain", body: bytes | None = None) -> bool:
    headers = {"Content-Type": kind_of, "Accept": "application/json"}
    try:
        with urllib.request.urlopen(urllib.request.Request(daemon.url + path, body, headers), timeout=60) as answer:
            return bool(json.load(answer).get("genuine"))
    except urllib.error.HTTPError:
        return False


def behind_proxy(folder: Path) -> Attack:
    """Start a daemon that has proxy settings but no token."""
    refused = 0
    for name, setting in SETTINGS.items():
        daemon = Daemon(folder / name, [final("x")], HEAD + setting, {"AGENTD_TOKEN": ""})
        try:
            daemon.start().kill()
        except AssertionError as error:  # its text holds the end of the daemon's log
            refused += "no token exists" in str(error)
    lost = len(SETTINGS) - refused
    return Attack("a daemon without tokens started with a proxy's setting", len(SETTINGS), "not started", lost)


async def _first_token(daemon: Daemon) -> Attack:
    """Sockets opened by local programs that were admin as long as no token existed."""
    async with aiohttp.ClientSession() as session:
        sockets = [await session.ws_connect(f"{daemon.url}/ws") for _ in range(SOCKETS)]
        TokenStore(daemon.state / "access.json").add("first", frozenset({"staff"}), now=datetime.now(UTC))
        codes = [await closed(socket) for socket in sockets]
    said = ", ".join(map(str, sorted({code for code in codes if code})))
    return Attack("sockets from before the first token was made", SOCKETS, f"closed with {said}", codes.count(None))


def status(url: str, headers: Mapping[str, str], body: bytes | None = None) -> int:
    """The response's HTTP status code."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url, body, dict(headers)), timeout=60) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def server_over_http(folder: Path) -> list[Attack]:
    """Ask the standalone certificate server for a letter with a missing or wrong token."""
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
    "model": model,
    "open": open_house,
    "http": server_over_http,
}
