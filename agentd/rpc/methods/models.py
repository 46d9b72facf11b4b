"""Models.list: the configured providers and how they stand. It asks none of them."""

from __future__ import annotations

from typing import Any

from agentd.messages import Caller, Message, ProviderState
from agentd.rpc.method import ANYONE, method
from agentd.rpc.params import NoParams
from agentd.rpc.services import Services


class ModelList(Message):
    """Providers in the order they are asked; the first is the default."""

    default_provider: str | None
    providers: list[ProviderState]


@method(
    "Models.list",
    result=ModelList,
    scopes=ANYONE,
)
def list_models(services: Services, caller: Caller, params: NoParams) -> dict[str, Any]:
    """The providers in the order they are asked, their models, and why one is not ready."""
    states = services.models.states()
    return {
        "default_provider": states[0].id if states else None,
        "providers": [state.model_dump(mode="json") for state in states],
    }


METHODS = (list_models,)
