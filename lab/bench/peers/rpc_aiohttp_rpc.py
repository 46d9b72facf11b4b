"""aiohttp-rpc: its server handles a POST route."""

import asyncio

import aiohttp_rpc
from aiohttp import web
from serving import echo, serve


async def main() -> None:
    server = aiohttp_rpc.JSONRPCServer()
    server.add_method(aiohttp_rpc.JSONRPCMethod(echo, name="echo"))
    app = web.Application()
    app.add_routes([web.post("/rpc", server.handle_http_request)])
    await serve(app)


asyncio.run(main())
