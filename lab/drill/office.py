"""Parts of the drill: visitors, officers, files and logs of one office, and who can reach another's data."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import aiohttp

from agentd.access import TokenStore
from agentd.apps.setup.rights import open_to_others
from lab.drill.attacks import SOCKETS, Attack, closed, kind, letters
from tests.daemon import HEAD, SERVERS, TOKEN, Daemon, RpcFailed, final, running, server_entry
from tests.e2e.register import Person, person, token
from tests.e2e.test_closed_processes import tree
from tests.e2e.test_discreet_logs import DEBUG, NAME, NIK, SCRIPT, planted_in, said
from tests.e2e.test_four_eyes import STAFF_RULE
from tests.e2e.test_main_job import LETTER
from tests.e2e.test_main_job import WORDS as SENTENCE
from tests.e2e.test_visitors import WORDS, YOURS

PASSPHRASE = "passphrase-of-the-drilled-office"


def office(folder: Path) -> list[Attack]:
    """Run a daemon with tokens whose letter needs an officer."""
    os.umask(0o077)  # as in `agentd token`, because this process writes tokens, too
    register = SERVERS["certificate"] + 'credentials = ["office_key_passphrase"]\n'
    env = {"OFFICE_KEY_PASSPHRASE": PASSPHRASE}
    with running(folder, LETTER, final("Baik."), config=HEAD + register + STAFF_RULE, env=env) as daemon:
        attacks = [_neighbour(daemon), asyncio.run(_revoked(daemon)), _one_officer(daemon), _own_call(daemon)]
        return [*attacks, _modes(daemon), _environments(daemon)]


def logs(folder: Path) -> list[Attack]:
    """Make calls with a citizen's words that fail or crash their server, stop the daemon, and read the whole log."""
    given = {"nama": NAME, "nik": NIK, "agama": {"x": [NAME]}}
    with running(folder, final("Baik."), config=HEAD + DEBUG + server_entry("careless", SCRIPT, "")) as daemon:
        heard = [kind(daemon.call, "Tools.call", tool=tool, input=given) for tool in ("fail", "crash")]
        daemon.kill(signal.SIGTERM)
    text = said(daemon)
    summary = f"{', '.join(heard)}; {len(text.splitlines())} lines of log"
    lost = len(planted_in(text)) + sum(one != "tool_execution" for one in heard)
    return [Attack("a name and a NIK in calls that break, then a stop", len(heard), summary, lost)]


def _neighbour(daemon: Daemon) -> Attack:
    screen = token(daemon, "screen", "kiosk")
    waiting = Person(daemon, screen).call("Agent.run", prompt=WORDS)
    run, session = {"run_id": waiting["run_id"]}, {"session_id": waiting["session_id"]}
    yes = {**run, "approval_id": waiting["approval"]["approval_id"], "approved": True}
    asked: list[tuple[str, dict[str, Any]]] = [("Agent.approve", yes), ("Agent.run", {"prompt": "Halo", **session})]
    asked += [(f"Agent.{name}", run) for name in ("get", "cancel")]
    asked += [(f"Session.{name}", session) for name in ("get", "fork", "export", "delete")]
    heard = [
        kind(who.call, method, **given)
        for who in (Person(daemon, screen, YOURS), Person(daemon, screen))
        for method, given in asked
    ]
    return Attack.answered("another visitor's ids, with the same kiosk's token", heard, "not_found")


async def _revoked(daemon: Daemon) -> Attack:
    shown = {"Authorization": f"Bearer {await asyncio.to_thread(token, daemon, 'front', 'staff')}"}
    async with aiohttp.ClientSession() as session:
        sockets = [await session.ws_connect(f"{daemon.url}/ws", headers=shown) for _ in range(SOCKETS)]
        TokenStore(daemon.state / "access.json").revoke("front")
        began = time.monotonic()
        codes = [await closed(socket) for socket in sockets]
        seconds = time.monotonic() - began
    return Attack("sockets of a token that is revoked", SOCKETS, f"closed {seconds:.1f} s after it", codes.count(None))


def _one_officer(daemon: Daemon) -> Attack:
    """A changed call needs a second officer: one officer approves it twice, and no letter may be issued."""
    siti = person(daemon, "siti", "staff")
    heard = []
    for name in ("Budi Hartono", "Budi Wijaya", "Siti Santoso"):
        asked = daemon.call("Agent.run", prompt=SENTENCE)
        for _ in range(2):
            with suppress(RpcFailed):
                asked = siti.approve(asked, arguments={**asked["approval"]["arguments"], "nama": name})
        heard.append(asked["status"])
    issued = len(letters(daemon))
    return Attack("another name put in and agreed to twice by one officer", 2 * len(heard), "needs a second", issued)


def _own_call(daemon: Daemon) -> Attack:
    """One officer requests a call and approves it again and again."""
    rina, before = person(daemon, "rina", "staff"), len(letters(daemon))
    asked = rina.call("Tools.call", tool=LETTER["tool"], input={**LETTER["input"], "keperluan": "Bank"})["output"]
    for _ in range(3):
        with suppress(RpcFailed):
            asked = rina.approve(asked)
    issued = len(letters(daemon)) - before
    return Attack("an officer agrees to a call of their own, again and again", 3, asked["status"], issued)


def _modes(daemon: Daemon) -> Attack:
    every = list(daemon.state.rglob("*"))
    opened = open_to_others(daemon.state)
    names = ", ".join(path.name for path in opened) or "0600 and 0700"
    return Attack("files that others may open, public certificates aside", len(every), names, len(opened))


def _environments(daemon: Daemon) -> Attack:
    assert daemon.process is not None
    pids = tree(daemon.process.pid)
    shown = [Path(f"/proc/{pid}/environ").read_bytes() for pid in pids]
    lost = sum(secret.encode() in each for each in shown for secret in (TOKEN, PASSPHRASE))
    return Attack("secrets looked for in /proc/PID/environ", len(pids), "processes read", lost)
