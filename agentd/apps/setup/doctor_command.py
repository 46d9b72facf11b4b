"""`agentd doctor`: checks this machine and says what to do. It changes nothing and starts no daemon."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from agentd.apps.setup.books_findings import books
from agentd.apps.setup.findings import Finding
from agentd.apps.setup.letters_findings import examples, letters, office
from agentd.apps.setup.rights import open_to_others
from agentd.cli import options
from agentd.clock import SKEW_REPORTED_S, clock_of
from agentd.credentials import SYSTEM_FOLDER
from agentd.state import UNFINISHED

OLDEST_PYTHON = (3, 11)
LEAST_FREE_MB = 500
WAIT_S = 2.0
IMPORTED = (
    "import importlib.util as u, sys; m = sys.argv[1]; found = u.find_spec(m) or sys.exit(f'no Python module {m}');"
    "found.submodule_search_locations and __import__(m)"
)
"""Imports a package; a single module is only located, because importing might run it."""
UNCOMPARED = (
    "texts are not compared by meaning: answers in languages without a pack are not checked for deeds that no "
    "tool did, an unknown field's name says nothing of its kind, and of too many tools the "
    "official ones are described first"
)
MARKS = {"good": "✓", "note": "·", "must": "✗"}


def register(commands: Any) -> None:
    parser = options.command(commands, "doctor", "check this machine and list what to fix", run, listen=True)
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")


def run(given: argparse.Namespace) -> int:
    """Return 0 if agentd can work here, 1 if something must be done first."""
    from agentd.observability import logging as logs

    logs.configure("error")  # to stderr: stdout has only the findings
    findings = list(look(given))
    if given.json:
        print(json.dumps([{"mark": one.mark, "what": one.what, "to_do": one.to_do} for one in findings], indent=2))
    else:
        for one in findings:
            print(f"{MARKS[one.mark]} {one.what}")
        print("\n".join(to_do(findings)))
    return 1 if any(one.mark == "must" for one in findings) else 0


def to_do(findings: Sequence[Finding]) -> list[str]:
    """The steps to take: first what prevents agentd from working, in the order of the checks, then the rest. Findings
    with the same remedy are one step."""
    waiting: dict[tuple[str, str], list[str]] = {}
    for mark in ("must", "note"):
        for one in findings:
            if one.mark == mark and one.to_do:
                waiting.setdefault((mark, one.to_do), []).append(one.what)
    if not waiting:
        return ["", "Nothing to do."]
    items = ("\n   ".join([*what, f"→ {act}"]) for (_, act), what in waiting.items())
    return ["", "To do, most important first:", *(f"{number}. {item}" for number, item in enumerate(items, 1))]


def look(given: argparse.Namespace) -> Iterator[Finding]:
    """All findings, the most basic checks first."""
    from agentd import config
    from agentd.errors import ConfigError
    from agentd.plugins import meaning

    yield python(sys.version_info[:2])
    try:
        settings = config.load(given.config, state=given.state, listen=given.listen)
    except ConfigError as error:
        for problem in error.problems:
            yield Finding("must", f"configuration: {problem}", "fix it; `agentd config check` checks again")
        return
    yield Finding("good", f"configuration: {settings.file}")
    for warning in settings.warnings:
        yield Finding("note", f"configuration: {warning}")
    yield state_folder(settings.state)
    if os.access(settings.state, os.F_OK) and not os.access(settings.state, os.R_OK | os.X_OK):
        return  # what follows looks into it
    yield private(settings.state)
    yield address(settings.rpc.listen)
    if settings.store.url:
        yield database_clock(settings.store.url, clock_of(settings.clock).now)
    yield access(settings)
    yield from providers(settings)
    for server in settings.servers:
        if server.blocked and all((SYSTEM_FOLDER / name).exists() for name in settings.credential_names):
            yield Finding("note", f"server {server.name}: its credentials reach it from {SYSTEM_FOLDER} in the service")
        else:
            yield server_of(server)
    if meaning() is None:
        yield Finding("note", UNCOMPARED, "pip install 'agentd[meaning]'")
    yield from office(settings)
    yield from examples(settings)
    yield from letters(settings)
    yield from books(settings)


def python(version: tuple[int, ...]) -> Finding:
    """Whether this Python is new enough."""
    text = ".".join(map(str, version))
    if version < OLDEST_PYTHON:
        return Finding(
            "must", f"Python {text} is too old", "install Python 3.11 or newer and make the environment again"
        )
    return Finding("good", f"Python {text}")


def state_folder(folder: Path) -> Finding:
    """Whether the daemon can write to the folder, and how much space is free."""
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        user = os.environ.get("USER", "the daemon’s user")
        owner = f"run this as its owner, chown it to {user}, or name another by --state or AGENTD_STATE"
        return Finding("must", f"state folder {folder}: {existing} can't be written", owner)
    free_mb = shutil.disk_usage(existing).free // 1_000_000
    if free_mb < LEAST_FREE_MB:
        return Finding("must", f"state folder {folder}: only {free_mb} MB are free", "free some space, or move it")
    return Finding("good", f"state folder {folder}: writable, {free_mb} MB free")


def database_clock(url: str, now: Callable[[], datetime]) -> Finding:
    """Whether the shared database answers, and how far this machine's clock is from the database's."""
    import psycopg

    try:
        with psycopg.connect(url, connect_timeout=3) as db:
            there = db.execute("SELECT clock_timestamp()").fetchone()
    except psycopg.Error as error:
        return Finding("must", f"database: {type(error).__name__}", "start it, or look at `[store] url`")
    ahead_s = (now() - there[0]).total_seconds() if there else 0.0
    if abs(ahead_s) > SKEW_REPORTED_S:
        text = f"{abs(ahead_s):.0f} s {'ahead of' if ahead_s > 0 else 'behind'} the database's"
        return Finding("must", f"this machine's clock is {text}", "set it (NTP)")
    return Finding("good", "database: it answers, and its clock is this machine's")


def private(folder: Path) -> Finding:
    """Whether no restore was interrupted, and no other user has access to the state folder."""
    if (folder / UNFINISHED).exists():
        return Finding("must", f"state folder {folder}: a restore was cut off", "run `agentd restore` again")
    found = open_to_others(folder) if folder.exists() else []
    if not found:
        return Finding("good", f"state folder {folder}: no other user has access to it")
    more = f" and {len(found) - 1} more" if len(found) > 1 else ""
    return Finding("must", f"{found[0]}{more}: open to other users", f"chmod -R go-rwx {folder}")


def address(listen: str) -> Finding:
    """Whether agentd runs at the address, or it is free, or another program uses it."""
    host, _, port = listen.rpartition(":")
    host = host.strip("[]")
    if status := _status_of_agentd(listen):
        return Finding("good", f"address {listen}: agentd runs there ({status})")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, int(port)))
        except OSError as error:
            to_do = "stop the program that has it, or choose another address by --listen or [rpc] listen"
            return Finding("must", f"address {listen} can't be used: {error.strerror}", to_do)
    return Finding("good", f"address {listen}: free")


def access(settings: Any) -> Finding:
    """Whether everybody needs a token, and whether a proxy before the daemon requires that."""
    from agentd.access import FILE_NAME, TokenStore
    from agentd.config.proxy import behind_proxy

    tokens = TokenStore(settings.state / FILE_NAME)
    if settings.admin_token or tokens.closed:
        if tokens.broken:
            to_do = "put it back from a backup, or make tokens again: `agentd token add NAME --scope admin`"
            return Finding(
                "must", f"access: {settings.state / FILE_NAME} is missing or damaged: no token is valid", to_do
            )
        return Finding("good", "access: everybody needs a token")
    if (proxied := behind_proxy(settings)) is not None:
        return Finding("must", f"access: {proxied}", "`agentd token add NAME --scope admin`")
    to_do = "before a proxy or other people's programs reach it: `agentd token add NAME --scope admin`"
    return Finding("note", "access: no token, so every program of this machine is admin", to_do)


def _status_of_agentd(listen: str) -> str | None:
    """The status of the daemon at the address; None if no agentd answers there."""
    try:
        with urllib.request.urlopen(f"http://{listen}/readyz", timeout=WAIT_S) as answer:
            health = json.load(answer)
    except urllib.error.HTTPError as error:
        return "takes no work now" if error.code == 503 else None
    except (OSError, ValueError):
        return None
    return str(health["status"]) if isinstance(health, dict) and "providers" in health else None


def providers(settings: Any) -> Iterator[Finding]:
    """A finding for each provider, and one if no provider can answer."""
    from agentd.errors import ConfigError
    from agentd.plugins import models

    try:
        built = models(settings)
    except ConfigError as error:
        for problem in error.problems:
            yield Finding("must", f"model {problem}", "fix it in client.toml")
        return
    faults = [_fault(entry, model.state()) for entry, model in zip(settings.providers, built, strict=True)]
    for entry, fault in zip(settings.providers, faults, strict=True):
        said = f"model provider {entry.id}"
        yield Finding("good", said) if fault is None else Finding("note", f"{said}: {fault}")
    if None not in faults:
        needs = "; ".join(f"{entry.id}: {fault}" for entry, fault in zip(settings.providers, faults, strict=True))
        to_do = f"one is enough: {needs}; or add the embedded one (`llamacpp`) and run `agentd models pull`"
        yield Finding("must", "no model provider can answer", to_do)


def _fault(entry: Any, state: Any) -> str | None:
    """Why this provider can't answer, by its own state or because its address is unreachable; else None."""
    if state.state in ("no_key", "down"):
        return str(state.error or state.state)
    if entry.endpoint and not reachable(entry.endpoint):
        return f"nobody answers at {entry.endpoint}"
    return None


def server_of(server: Any) -> Finding:
    """Whether an MCP server's credentials and program exist, or its address answers."""
    if server.blocked:
        return Finding("must", f"server {server.name} is not started", server.blocked)
    if server.url is not None:
        if reachable(server.url):
            return Finding("good", f"server {server.name}: {server.url} answers")
        return Finding(
            "must", f"server {server.name}: nobody answers at {server.url}", "start it, or correct its `url`"
        )
    if server.workdir is not None and not Path(server.workdir).is_dir():
        return Finding("must", f"server {server.name}: no folder {server.workdir}", "correct its `workdir`")
    found = shutil.which(server.command, path=server.env.get("PATH"))
    if found is None:
        to_do = f"install what brings `{server.command}`, or correct the server's `command`"
        return Finding("must", f"server {server.name}: no program `{server.command}` on the PATH", to_do)
    if server.args[:1] == ("-m",) and (lacking := module_fault([found, "-c", IMPORTED, *server.args[1:2]], server)):
        to_do = "until then agentd works without (in a checkout: `make install`); or take the [[servers]] entry out"
        return Finding("note", f"server {server.name}: {lacking}", to_do)
    return Finding("good", f"server {server.name}: {found}")


def module_fault(command: Sequence[str], server: Any) -> str | None:
    """Why `python -m MODULE` can't start: the module is missing, or its package says what it lacks; else None."""
    env = {**os.environ, **server.env}
    looked = subprocess.run(command, cwd=server.workdir, env=env, capture_output=True, text=True, check=False)
    said = looked.stderr.strip().splitlines() or ["it does not start"]
    return said[-1].removeprefix("ModuleNotFoundError: ") if looked.returncode else None


def reachable(url: str) -> bool:
    """Whether a URL's host and port accept connections."""
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        with socket.create_connection((parts.hostname or "", port), timeout=WAIT_S):
            return True
    except OSError:
        return False
