"""Events.subscribe as the table knows it: it needs a connection of its own, so only /ws really does it."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from agentd.errors import InvalidRequest, NotFound
from agentd.messages import Caller, Message
from agentd.rpc.method import ANYONE, method
from agentd.rpc.params import Params, RunId, SessionKey
from agentd.rpc.services import Services


class SubscribeParams(Params):
    """Params of Events.subscribe."""

    run_id: RunId
    after: int = Field(0, ge=0, le=2**53, description="The seq of the last event that the client has seen.")
    session_key: SessionKey | None = None


class Subscribed(Message):
    """Events follow as notifications of the method `Events.event`, each with an event as its params."""

    run_id: str
    after: int


@method(
    "Events.subscribe",
    result=Subscribed,
    scopes=ANYONE,
    errors=(InvalidRequest, NotFound),
)
async def subscribe(services: Services, caller: Caller, params: SubscribeParams) -> dict[str, Any]:
    """Follow a run's events (WebSocket /ws only; over plain HTTP use GET /events)."""
    raise InvalidRequest(
        "Events.subscribe needs a WebSocket (/ws); over HTTP read "
        f"GET /events?run_id={params.run_id}&after={params.after}"
    )


METHODS = (subscribe,)
