"""/qr.svg: the address for verifying a letter, as a QR code on the pages. It reads no letter."""

from __future__ import annotations

from aiohttp import web

from agentd.errors import InvalidParams

LONGEST = 300


async def qr(request: web.Request) -> web.Response:
    """`/qr.svg?text=…`: the text as a QR code, dark on light. Raises InvalidParams if it is empty or too long."""
    text = request.query.get("text", "")
    if not 0 < len(text) <= LONGEST:
        raise InvalidParams(f"`text` must have 1 to {LONGEST} characters", param="text")
    import segno  # not imported at start

    picture = segno.make(text, error="m", micro=False).svg_inline(scale=8, border=2, dark="#000", light="#fff")
    return web.Response(
        text=picture.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1),
        content_type="image/svg+xml",
        headers={"Cache-Control": "private, max-age=3600"},
    )


ROUTE = web.get("/qr.svg", qr)
