"""`agentd models serve`: serves the OpenAI-compatible endpoints for client.toml's providers, without daemon or agent.

Access is as in the daemon: on a fresh machine, local programs are admitted, all others need a token.
"""

from __future__ import annotations

import argparse
import asyncio
import signal
from typing import Any

from agentd.cli import options

LISTEN = "127.0.0.1:8766"
"""Not the daemon's port, so that both can run."""


def register(commands: Any) -> None:
    options.command(commands, "serve", f"serve the configured models at http://{LISTEN}/v1", run, listen=True)


def run(given: argparse.Namespace) -> int:
    """Serve until SIGTERM or SIGINT."""
    from agentd import config
    from agentd.observability import logging as logs
    from hardening.process import close_to_others

    close_to_others()
    settings = config.load(given.config, state=given.state, listen=given.listen or LISTEN)
    logs.configure(settings.telemetry.log_level)
    return asyncio.run(serve(settings))


async def serve(settings: Any) -> int:
    """Serve models with access checks until a signal."""
    from aiohttp import web

    from agentd.access import RateLimiter, TokenStore
    from agentd.apps.openai.api import OpenAIApi
    from agentd.chain import Chain
    from agentd.clock import clock_of
    from agentd.http.guard import Guard
    from agentd.http.server import serving

    clock = clock_of(settings.clock)
    chain = Chain(settings, clock)
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    tokens, rpc = TokenStore(settings.state / "access.json"), settings.rpc
    limiter = RateLimiter(tokens, rpc.rate_per_minute, clock)
    guard = Guard(_access(tokens, settings), limiter, frozenset(rpc.allowed_hosts), frozenset(rpc.trusted_proxies))
    app = web.Application(middlewares=[guard.middleware()], client_max_size=rpc.max_body_bytes)
    app.add_routes(OpenAIApi(chain, chain.states).routes())
    host, _, port = rpc.listen.rpartition(":")
    try:
        async with serving(app, listen=(host.strip("[]"), int(port)), shutdown_s=1.0) as addresses:
            for address in addresses:
                print(f"ready {address}", flush=True)
            await stop.wait()
    finally:
        await chain.aclose()
    return 0


def _access(tokens: Any, settings: Any) -> Any:
    from agentd.access import Access, Approach
    from agentd.messages import Caller

    class OpenAIAccess(Access):
        """Ignores the token while none is configured, because OpenAI's clients always send some key."""

        def admit(self, approach: Approach) -> Caller:
            return super().admit(approach if self.closed else approach._replace(token=None))

    return OpenAIAccess(tokens, admin_token=settings.admin_token, origins=frozenset(settings.rpc.allowed_origins))
