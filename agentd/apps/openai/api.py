"""The OpenAI-compatible endpoints /v1/chat/completions and /v1/models. Models and agent are passed in.

Models: `raw` is the chain of providers, `PROVIDER/MODEL` (or `PROVIDER`) the chain with that one first, `agent` the
agent with its tools if a hook is given. A field that can't be honoured is refused if ignoring it would change the
answer (`n`, `stop`, `tools`). Each listed model states the constraint that its output supports (`constraint`:
grammar, json_schema, none), each answer the one that was applied (`agentd.constraint`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any

from aiohttp import web

from agentd.apps.openai.answer import Spoken, refusal, streamed, while_there, whole
from agentd.apps.openai.request import Completion, read_completion
from agentd.errors import AgentdError, Forbidden, NotFound, ProviderFailure
from agentd.http.guard import CALLER
from agentd.messages import Caller, ChatMessage, Constraint, ModelRequest, ProviderState
from agentd.ports import ChatModel, TextSink

AGENT, RAW = "agent", "raw"
AgentHook = Callable[[Sequence[ChatMessage], Caller, dict[str, Any]], Awaitable[Spoken]]
"""Runs the agent on a conversation: (messages, caller, the request's `metadata`)."""


class OpenAIApi:
    """The endpoints over one ChatModel. `states` returns the providers to list. Callers need the scope `model`."""

    def __init__(
        self, model: ChatModel, states: Callable[[], Sequence[ProviderState]], agent: AgentHook | None = None
    ) -> None:
        self._model = model
        self._states = states
        self._agent = agent

    def routes(self) -> list[web.RouteDef]:
        """For `web.Application.add_routes`, behind the guard (`mounted` of agentd.http.routes)."""
        return [
            web.post("/v1/chat/completions", self.complete),
            web.get("/v1/models", self.models),
            web.get("/v1/models/{model:.+}", self.one_model),
        ]

    async def models(self, request: web.Request) -> web.Response:
        """List every model that can be requested."""
        _require_scope(request)
        return web.json_response({"object": "list", "data": [self._listed(name) for name in self._names()]})

    async def one_model(self, request: web.Request) -> web.Response:
        _require_scope(request)
        name = request.match_info["model"]
        if name not in self._names():
            return refusal(self._unknown(name))
        return web.json_response(self._listed(name))

    async def complete(self, request: web.Request) -> web.StreamResponse:
        """Answer a chat completion, complete or as server-sent events. If the client leaves, the work stops."""
        try:
            asked = await read_completion(request)
            _require_scope(request, asked.model)
            speak = self._speaker(asked, request[CALLER])
            if asked.stream:
                return await streamed(request, asked, speak)
            return web.json_response(whole(await while_there(request, speak(None))))
        except (AgentdError, ProviderFailure) as error:
            return refusal(error)

    def _speaker(self, asked: Completion, caller: Caller) -> Callable[[TextSink | None], Coroutine[Any, Any, Spoken]]:
        """The function that answers this request, not yet started. Raises NotFound for an unknown model."""
        messages = tuple(message.as_chat() for message in asked.messages)
        agent = self._agent
        if asked.model == AGENT and agent is not None:

            async def by_agent(_: TextSink | None) -> Spoken:
                return await agent(messages, caller, asked.metadata or {})

            return by_agent
        provider, model = self._wished(asked.model)
        ask = ModelRequest(
            messages=messages,
            stable=0,  # no messages are known to be repeated
            provider=provider,
            model=model,
            max_tokens=asked.limit(),
            temperature=asked.temperature or 0.0,
            **asked.constraint(),
        )

        async def by_model(on_text: TextSink | None) -> Spoken:
            reply = await self._model.turn(ask, on_text)
            return Spoken(
                text=reply.text,
                model=f"{reply.provider}/{reply.model}",
                usage=reply.usage,
                cut=reply.cut,
                extra={
                    "fallbacks": [fallback.model_dump() for fallback in reply.fallbacks],
                    "constraint": reply.constraint,
                },
            )

        return by_model

    def _wished(self, name: str) -> tuple[str | None, str | None]:
        """(provider, model) for a model's name. Raises NotFound."""
        if name == RAW:
            return None, None
        for state in self._states():
            if name == state.id:
                return state.id, None
            if name.startswith(f"{state.id}/"):
                model = name.removeprefix(f"{state.id}/")
                if model in {info.name for info in state.models}:
                    return state.id, model
        raise self._unknown(name)

    def _names(self) -> list[str]:
        named = [f"{state.id}/{info.name}" for state in self._states() for info in state.models]
        return [*([AGENT] if self._agent else []), RAW, *named]

    def _listed(self, name: str) -> dict[str, Any]:
        able: Constraint = "none"
        if name == RAW:
            able = self._model.state().constraint
        elif name != AGENT:
            provider, _ = self._wished(name)
            able = next(state.constraint for state in self._states() if state.id == provider)
        return {"id": name, "object": "model", "created": 0, "owned_by": "agentd", "constraint": able}

    def _unknown(self, name: str) -> NotFound:
        return NotFound(f"no model is named {name}; there are: {', '.join(self._names())}")


def _require_scope(request: web.Request, model: str = AGENT) -> None:
    if model == AGENT and request[CALLER].may("model", "chat", "staff"):
        return
    if not request[CALLER].may("model"):
        raise Forbidden("This needs the scope admin or model (chat or staff for the model `agent`)")
