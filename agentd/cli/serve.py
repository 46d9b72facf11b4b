"""`agentd serve`: runs the daemon as a process: signals, systemd, one line when it is ready."""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import signal
import sys
import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from agentd.cli import options
from agentd.systemd import notify, passed_sockets, watchdog_s
from hardening.files import stamp
from hardening.tasks import beside

GRACE_S = 3.0
"""Seconds in which a stop lets calls with effects end; all else continues at the next start, as after a kill."""
STOP_S = 9
"""Seconds after which the system kills a stopping daemon; runs lose nothing by it."""
START_S = 60.0
"""Seconds that a start may take in addition to the wait for its slowest server."""
WARM_AFTER_S = 3.0
LOOK_S = 0.1
"""Seconds between checks of client.toml with `--watch`."""


def register(commands: Any) -> None:
    parser = options.command(commands, "serve", "run the daemon", run, listen=True)
    parser.add_argument("--watch", action="store_true", help="read client.toml again as soon as it is saved")


def run(given: argparse.Namespace) -> int:
    """Serve until SIGTERM or SIGINT."""
    gc.disable()  # until ready: objects made by then stay, and collecting took a tenth of the start
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "1")  # else it reads the entry points of every package
    from agentd import stand_ins
    from hardening.process import close_to_others

    close_to_others()
    stand_ins.one_heap()
    stand_ins.without_docstrings()
    from agentd import config

    saved = stamp(config.find(given.config))  # before reading it, so that no later save is missed
    settings = config.load(given.config, state=given.state, listen=given.listen)
    if settings.tool_host == "mcp":  # other hosts may need the left-out modules
        stand_ins.put(postgresql=bool(settings.store.url), http=any(server.url for server in settings.servers))
    from agentd.observability import logging as logs

    logs.configure(settings.telemetry.log_level)
    for warning in settings.warnings:
        print(f"{warning} (warning)", file=sys.stderr)
    import uvloop

    code = uvloop.run(serve(settings, saved if given.watch else None))
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code)  # all is closed but perhaps a model's native thread, which can't be stopped


async def serve(settings: Any, watched: tuple[int, int, int] | None = None) -> int:
    """Start the daemon, reload it on request, stop it. If client.toml is saved after `watched`, it is reloaded."""
    from agentd.startup import started

    stop, reload = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGHUP, reload.set)
    slowest = max((server.start_timeout_s for server in settings.servers), default=0.0)
    notify(f"EXTEND_TIMEOUT_USEC={round(1e6 * (slowest + START_S))}")
    async with AsyncExitStack() as stack:
        made = await stack.enter_async_context(started(settings))
        for number in (signal.SIGTERM, signal.SIGINT):  # until now they end the process, like a kill
            loop.add_signal_handler(number, stop.set)
        from agentd.app import served

        addresses = await stack.enter_async_context(served(made, passed_sockets()))
        for address in addresses:
            print(f"ready {address}", flush=True)
        notify("READY=1")
        gc.freeze()
        gc.enable()
        watch = {"watch": _watch(settings.file, watched, reload)} if watched else {}
        reloads = _reload_on(reload, made)
        async with beside(watchdog=_feed_watchdog(), reloads=reloads, warm=warm(made), **watch):
            await stop.wait()
            notify("STOPPING=1")
            signal.alarm(STOP_S)
            made.draining = True
        await made.engine.leave(GRACE_S)
    return 0


async def _feed_watchdog() -> None:
    """Tell systemd that the event loop runs; systemd restarts a daemon whose loop hangs."""
    while limit_s := watchdog_s():
        notify("WATCHDOG=1")
        await asyncio.sleep(limit_s / 3)


async def _watch(file: Path, known: tuple[int, int, int], reload: asyncio.Event) -> None:
    """Request a reload whenever the file has changed."""
    while True:
        now = stamp(file)
        if now != known and now > (0, 0, 0):  # an editor may have moved it for a moment
            known = now
            reload.set()
        await asyncio.sleep(LOOK_S)


async def _reload_on(asked: asyncio.Event, made: Any) -> None:
    import structlog

    from agentd.errors import AgentdError

    log = structlog.get_logger("agentd")
    while True:
        await asked.wait()
        asked.clear()
        notify("RELOADING=1", f"MONOTONIC_USEC={time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000}")
        try:
            log.info("config.reloaded", **await made.reload(by="signal"))
        except AgentdError as error:
            log.error("config.refused", problems=error.data.get("problems", [error.message]))
        notify("READY=1")


async def warm(made: Any, after_s: float = WARM_AFTER_S) -> None:
    """Read, before the first citizen comes, the prompt's stable prefix or the descriptions by which tools are selected.

    An embedded model reads the prefix, if client.toml says `warm`.
    """
    import structlog

    from agentd.errors import ProviderFailure
    from agentd.messages import AgentOptions, Caller

    await asyncio.sleep(after_s)
    kiosk = Caller(id="warm", scopes=frozenset({"kiosk"}))
    profile = made.profile(kiosk, AgentOptions())
    if await made.select("", profile.toolset, None) is not None:
        return  # each session's first request selects its own prefix
    if not any(provider.settings.get("warm") for provider in made.settings.providers):
        return
    try:
        await made.chain.warm(profile.prefix)
    except ProviderFailure as failure:
        structlog.get_logger("agentd").warning("model.not_warm", kind=failure.kind, reason=failure.message)
