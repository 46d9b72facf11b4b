"""Serves OpenAI's protocol: the daemon's models, and the agent as the model `agent`. The guard admits callers."""

from __future__ import annotations

from collections.abc import Iterable

from aiohttp import web

from agentd.application import App
from agentd.apps.openai.agent_model import AgentModel
from agentd.apps.openai.api import OpenAIApi
from agentd.runs.agent_api import AgentRuns


class OpenAI(App):
    """/v1/chat/completions and /v1/models."""

    def routes(self, runs: AgentRuns) -> Iterable[web.AbstractRouteDef]:
        """The endpoints, behind the guard."""
        agent = AgentModel(runs, self.wiring.settings().rpc.max_prompt_bytes)
        return OpenAIApi(self.wiring.model, self.wiring.providers, agent).routes()
