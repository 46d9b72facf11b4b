"""openrpc: its application behind a one-line aiohttp handler, because the library leaves HTTP to its user."""

import asyncio

from aiohttp import web
from openrpc import RPCApp
from serving import echo, serve


async def main() -> None:
    rpc = RPCApp()
    rpc.method(name="echo")(echo)

    async def handler(request: web.Request) -> web.Response:
        return web.Response(text=await rpc.process(await request.text()), content_type="application/json")

    app = web.Application()
    app.add_routes([web.post("/rpc", handler)])
    await serve(app)


asyncio.run(main())
