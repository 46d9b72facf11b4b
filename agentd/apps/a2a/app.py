"""The app that serves this agent to other agents: its card and POST /a2a. handler.py says what a task is.

The SDK reads and writes versions 1.0 and 0.3 of the protocol; without it (extra `a2a`) nothing is served.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from hashlib import sha256
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING

from agentd.application import App
from agentd.messages import Caller
from agentd.runs.agent_api import AgentRuns

if TYPE_CHECKING:
    from a2a.server.routes.jsonrpc_dispatcher import JsonRpcDispatcher
    from a2a.types import AgentCard
    from aiohttp import web

_ANYBODY = Caller(id="card", scopes=frozenset({"chat"}))
CARD, RPC = "/.well-known/agent-card.json", "/a2a"
ESCAPED = 8
"""Maximum bytes of a request per byte of a prompt: JSON may escape one as `\u0000`."""


class A2A(App):
    """Agent2Agent. The guard admits callers, as on /rpc."""

    def pages(self) -> Iterator[web.AbstractRouteDef]:
        """The card, open to everybody."""
        if find_spec("a2a") is not None:
            from aiohttp import web

            yield web.get(CARD, self._show_card)

    def routes(self, runs: AgentRuns) -> Iterable[web.AbstractRouteDef]:
        """JSON-RPC of A2A, behind the guard."""
        if find_spec("a2a") is None:
            return ()
        from aiohttp import web

        dispatchers: list[JsonRpcDispatcher] = []

        async def ask(request: web.Request) -> web.StreamResponse:
            from agentd.apps.a2a.bridge import dispatcher, respond

            if not dispatchers:  # importing the SDK takes a second: only on first use
                dispatchers.append(dispatcher(self.wiring.call, runs))
            return await respond(request, dispatchers[0], ESCAPED * self.wiring.settings().rpc.max_prompt_bytes)

        return [web.post(RPC + "{end:/?}", ask)]  # clients that join addresses write /a2a/

    async def _show_card(self, request: web.Request) -> web.Response:
        from a2a.server.request_handlers.response_helpers import agent_card_to_dict
        from aiohttp import web

        from agentd.apps.a2a.bridge import base_of

        text = json.dumps(agent_card_to_dict(self._card(base_of(request))))
        kept = {"Cache-Control": "max-age=60", "ETag": f'"{sha256(text.encode()).hexdigest()}"'}
        return web.json_response(text=text, headers=kept)

    def _card(self, base: str) -> AgentCard:
        """The public card: address, access, and the official acts."""
        from a2a.types import (
            AgentCapabilities,
            AgentCard,
            AgentInterface,
            AgentSkill,
            HTTPAuthSecurityScheme,
            SecurityRequirement,
            SecurityScheme,
            StringList,
        )

        official = [tool for tool in self.wiring.tools_of(_ANYBODY).tools if tool.official]
        skills = [
            AgentSkill(
                id=tool.name,
                name=str(tool.annotations.get("title") or tool.name),
                description=tool.description,
                tags=["letter"],
            )
            for tool in official
        ]
        ask = AgentSkill(id="ask", name="Ask the office", description="Questions to the counter.", tags=["questions"])
        bearer = SecurityScheme(http_auth_security_scheme=HTTPAuthSecurityScheme(scheme="Bearer"))
        return AgentCard(
            name="agentd",
            description="The agent of a public service counter: it answers questions and issues letters.",
            version=version("agentd"),
            supported_interfaces=[
                AgentInterface(url=base + RPC, protocol_binding="JSONRPC", protocol_version=number)
                for number in ("1.0", "0.3")
            ],
            capabilities=AgentCapabilities(streaming=True, push_notifications=False),
            security_schemes={"bearer": bearer},
            security_requirements=[SecurityRequirement(schemes={"bearer": StringList()})],
            default_input_modes=["text/plain"],
            default_output_modes=["text/plain", "application/pdf"],
            skills=[ask, *skills],
        )
