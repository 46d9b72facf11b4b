"""The app that answers from the books: Analytics.ask, and `ask_books` for the staff's agent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from agentd.application import App, QuestionKind
from agentd.apps.analytics import method
from agentd.apps.analytics.books_tool import Books, Verbatim
from agentd.apps.analytics.section import AnalyticsSettings, BooksSettings
from agentd.apps.analytics.servers import NEEDED
from agentd.ports import ChatModel, OwnTool
from agentd.runs.agent_api import AgentRuns
from agentd.runs.execution import Result, RunContext
from agentd.runs.records import RunBrief

if TYPE_CHECKING:
    from aiohttp import web

    from agentd.apps.analytics.run import AnalyticsRun


class Analytics(App):
    """Analytics.ask, its tool, the page /ask, and its tables as files."""

    static = Path(__file__).parent / "web" / "static"
    methods = (method.ask,)

    @cached_property
    def _run(self) -> AnalyticsRun:
        """Created at the first question, because most daemons get none."""
        from agentd.apps.analytics.nodes.node_context import Ports
        from agentd.apps.analytics.planner.examples import ExampleLibrary
        from agentd.apps.analytics.run import AnalyticsRun

        wiring = self.wiring
        settings = wiring.settings()
        books = settings.section(BooksSettings)
        proposed = None if books.url is None else settings.file.parent / books.glossary
        return AnalyticsRun(
            Ports(wiring.model, wiring.tools, wiring.tools_of, wiring.clock, wiring.barred),
            past=wiring.store.sessions.turns,
            plan_style=lambda: wiring.settings().section(AnalyticsSettings).plan_style,
            examples=ExampleLibrary(settings.state / "analytics", shipped=books.url is None, books=proposed),
            currency=books.currency,
        )

    def own_tools(self) -> Iterable[OwnTool]:
        return (Books(self.wiring.clock, self._execute, self.wiring.store.run),)

    def wrap_model(self, inner: ChatModel) -> ChatModel:
        """Makes the tool's answer the agent's answer, verbatim."""
        return Verbatim(inner)

    async def _execute(self, context: RunContext) -> Result:
        return await self._run.execute(context)

    def routes(self, runs: AgentRuns) -> Iterable[web.AbstractRouteDef]:
        """/tables."""
        from agentd.apps.analytics.tables import TablesEndpoint

        return TablesEndpoint(runs).routes()

    def questions(self) -> Mapping[str, QuestionKind]:
        deadline_s = self.wiring.settings().section(AnalyticsSettings).deadline_s
        brief = RunBrief(deadline_s=deadline_s, deadline_of="[analytics]")
        return {"analytics": QuestionKind(self._execute, frozenset(NEEDED), brief)}
