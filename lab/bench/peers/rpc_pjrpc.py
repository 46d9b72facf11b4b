"""pjrpc with its aiohttp integration."""

import asyncio

import pjrpc.server
from pjrpc.server.integration import aiohttp
from serving import echo, serve

registry = pjrpc.server.MethodRegistry()
registry.add_method(echo, name="echo")


async def main() -> None:
    await serve(aiohttp.Application("/rpc").add_methods(registry).http_app)


asyncio.run(main())
