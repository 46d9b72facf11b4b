"""Connects a command to the agent: to the daemon running on this machine, or to a temporary one of its own.

Two daemons on one state folder would each finish the other's runs, so a running one is preferred; one that is not
found here still holds the lock of its folder.
"""

from __future__ import annotations

import json
import secrets
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import Any

from agentd.config import Settings
from agentd.errors import CommandError, Draining, Unauthorized
from agentd.rpc.wire import error_object

TOKEN_ADVICE = "Put a token into AGENTD_TOKEN; `agentd token add NAME --scope admin` makes one"
ELSEWHERE = (
    "Stop what listens there, or give agentd an address of its own: AGENTD_LISTEN=HOST:PORT, for `agentd serve` too"
)


class Refused(CommandError):
    """The daemon answered with a JSON-RPC error: `said` is the sentence for people, followed in the text by why."""

    def __init__(self, error: dict[str, Any]) -> None:
        self.error, why = error, error.get("message", "")
        self.said = (error.get("data") or {}).get("user_message") or why
        super().__init__(why if self.said == why else f"{self.said} [{why}]")


@asynccontextmanager
async def running(settings: Settings) -> AsyncIterator[Client | None]:
    async with Client.to(f"http://{settings.rpc.listen}", settings.admin_token) as remote:
        yield remote if await remote.answers() else None


@asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[Client]:
    """A client of the running daemon, or of a temporary one that accepts only this client."""
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(running(settings))
        if client is not None:
            yield client
            return
        if sys.stderr.isatty():
            print(f"no daemon at {settings.rpc.listen}: starting one for this command alone …", file=sys.stderr)
        from agentd.startup import started
        from hardening.process import close_to_others

        close_to_others()
        rpc = settings.rpc.model_copy(update={"listen": "127.0.0.1:0", "unix_socket": None})
        token = settings.admin_token or secrets.token_urlsafe(24)
        made = await stack.enter_async_context(started(replace(settings, rpc=rpc, admin_token=token)))
        from agentd.app import served

        (address,) = await stack.enter_async_context(served(made, for_one=True))
        await made.host.ready()  # also the servers that start later
        yield await stack.enter_async_context(Client.to(address, token, where="this process"))


class Client:
    """A client of a daemon over HTTP."""

    def __init__(self, session: Any, base: str, where: str | None) -> None:
        self._session = session
        self._base = base
        self.where = where or base

    @classmethod
    @asynccontextmanager
    async def to(cls, base: str, token: str | None, where: str | None = None) -> AsyncIterator[Client]:
        """A client of the daemon at that address; `where` is its name in messages."""
        import aiohttp

        headers = {"Agentd-Session-Key": secrets.token_urlsafe(24)}  # only tokens of a kiosk or chat use it
        if token:
            headers["Authorization"] = f"Bearer {token}"
        async with aiohttp.ClientSession(headers=headers, timeout=aiohttp.ClientTimeout(sock_connect=2)) as session:
            yield cls(session, base, where)

    async def answers(self) -> bool:
        import aiohttp

        try:
            async with self._session.get(f"{self._base}/healthz") as response:
                return bool(response.status < 500)
        except aiohttp.ClientError:
            return False

    async def call(self, method: str, params: dict[str, Any] | None = None) -> Any:
        """Make one JSON-RPC call. Raises Refused."""
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}
        async with self.asked("POST", "/rpc", json=request) as response:
            return _result(await response.json())

    async def events(self, run_id: str, after: int = 0) -> AsyncIterator[dict[str, Any]]:
        """The run's events after the one numbered `after`. Raises Refused."""
        async with self.asked("GET", "/events", params={"run_id": run_id, "after": after}) as response:
            if response.status >= 400:
                _result(await response.json())
            async for line in response.content:
                if line.startswith(b"data:"):
                    data = json.loads(line[5:])
                    if "seq" not in data:  # the stream ended with an error
                        raise Refused(data)
                    yield data

    @asynccontextmanager
    async def asked(self, method: str, path: str, **content: Any) -> AsyncIterator[Any]:
        """The response to a request. Raises Refused if the daemon can't be reached or stops while it answers."""
        import aiohttp

        try:
            async with self._session.request(method, f"{self._base}{path}", **content) as response:
                yield response
        except (aiohttp.ContentTypeError, json.JSONDecodeError):
            raise Refused({"message": f"{self._base} answers, but not as agentd does. {ELSEWHERE}"}) from None
        except aiohttp.ClientError as error:
            why = f"{self._base} can't be reached ({type(error).__name__}); runs go on once it is there again"
            raise Refused(error_object(Draining(why))) from None


def _result(answer: dict[str, Any]) -> Any:
    if (error := answer.get("error")) is None:
        return answer["result"]
    if error.get("code") == Unauthorized.code:
        error = {**error, "message": f"{error['message']}. {TOKEN_ADVICE}"}
    raise Refused(error)
