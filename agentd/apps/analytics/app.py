"""The app that answers from the books: Analytics.ask, and `ask_books` for the agent of the staff. It plans nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from agentd.application import App, QuestionKind, Wiring
from agentd.apps.analytics import method
from agentd.apps.analytics.books_tool import Books, Verbatim
from agentd.apps.analytics.examples import ExampleLibrary
from agentd.apps.analytics.run import AnalyticsRun
from agentd.ports import ChatModel, ToolHost
from agentd.runs.api import Runs

if TYPE_CHECKING:
    from aiohttp import web


class Analytics(App):
    """Analytics.ask, its tool, the page /ask, and its tables as files."""

    static = Path(__file__).parent / "web" / "static"
    methods = (method.ask,)

    def __init__(self, wiring: Wiring) -> None:
        super().__init__(wiring)
        self._run = AnalyticsRun(
            wiring.model,
            wiring.tools,
            wiring.tools_of,
            wiring.clock,
            past=wiring.store.sessions.turns,
            plan_style=lambda: wiring.settings().analytics.plan_style,
            examples=ExampleLibrary(wiring.settings().state / "analytics", shipped=wiring.settings().books.url is None),
            currency=wiring.settings().books.currency,
            barred=wiring.barred,
        )

    def add_tools(self, inner: ToolHost) -> ToolHost:
        """`ask_books`."""
        return Books(inner, self.wiring.clock, self._run.execute, self.wiring.store.run)

    def wrap_model(self, inner: ChatModel) -> ChatModel:
        """The tool's answer is the agent's answer, word for word."""
        return Verbatim(inner)

    def routes(self, runs: Runs) -> Iterable[web.AbstractRouteDef]:
        """/tables."""
        from agentd.apps.analytics.tables import TablesEndpoint

        return TablesEndpoint(runs).routes()

    def questions(self) -> Mapping[str, QuestionKind]:
        """Runs of kind `analytics`."""
        return {"analytics": QuestionKind(self._run.execute, self.wiring.settings().analytics.deadline_s)}
