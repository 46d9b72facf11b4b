"""fastapi-jsonrpc on uvicorn with httptools, on asyncio's own loop like the other stacks."""

import fastapi_jsonrpc as jsonrpc
import uvicorn
from fastapi import Body
from pydantic import BaseModel
from serving import free_socket

app = jsonrpc.API()
entry = jsonrpc.Entrypoint("/rpc")


class Echoed(BaseModel):
    text: str
    number: int


@entry.method()
async def echo(text: str = Body(...), number: int = Body(...)) -> Echoed:
    return Echoed(text=text, number=number)


app.bind_entrypoint(entry)
server = uvicorn.Server(uvicorn.Config(app, loop="asyncio", http="httptools", access_log=False, log_level="warning"))
server.run(sockets=[free_socket()])
