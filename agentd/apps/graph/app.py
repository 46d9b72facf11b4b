"""The app for questions to the graph: a method and a kind of run. The text2cypher server handles Cypher."""

from __future__ import annotations

from collections.abc import Mapping

from agentd.application import App, QuestionKind
from agentd.apps.graph import method
from agentd.apps.graph.run import SERVER, GraphRun


class Graph(App):
    """Graph.ask."""

    methods = (method.ask,)

    def questions(self) -> Mapping[str, QuestionKind]:
        run = GraphRun(self.wiring.tools, self.wiring.tools_of)
        return {"graph": QuestionKind(run.execute, frozenset({SERVER}))}
