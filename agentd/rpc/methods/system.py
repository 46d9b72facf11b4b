"""Config.reload and System.health: the daemon about itself."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel

from agentd.messages import Caller, ProviderState
from agentd.rpc.method import ADMIN, ANYONE, Services, method
from agentd.rpc.params import NoParams


class Health(BaseModel, extra="allow"):
    """The state of the daemon, its servers and its providers."""

    status: Literal["ok", "degraded", "starting", "draining"]
    """`degraded`: a server is down, or the database takes no write."""
    version: str = ""
    uptime_s: float = 0.0
    runs: dict[str, int] = {}
    """{"active": how many are under way}."""
    database: Literal["up", "down"] = "up"
    """Whether the database of sessions and runs takes a write now."""
    servers: list[dict[str, Any]] = []
    """Those of Tools.list, each with how often it was started again (`restarts`)."""
    providers: list[ProviderState] = []


@method("Config.reload", result=dict[str, Any], scopes=ADMIN)
async def reload(services: Services, caller: Caller, params: NoParams) -> dict[str, Any]:
    """Read client.toml again and apply the difference; a file with a mistake changes nothing and says why."""
    return await services.reload(caller.id)


@method("System.health", result=Health, scopes=ANYONE)
async def health(services: Services, caller: Caller, params: NoParams) -> dict[str, Any]:
    """The daemon's state. Only its database is asked: whether it takes a write now."""
    return await services.health()


METHODS = (reload, health)
