"""openrpc: its application behind a handler of one line, as it leaves the wire to the user."""

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
