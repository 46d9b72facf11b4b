"""The app that asks the graph: its method and its kind of run. Cypher is the text2cypher server's business."""

from __future__ import annotations

from collections.abc import Mapping

from agentd.application import App, QuestionKind
from agentd.apps.graph import method
from agentd.apps.graph.run import SERVER, GraphRun


class Graph(App):
    """Graph.ask."""

    methods = (method.ask,)

    def questions(self) -> Mapping[str, QuestionKind]:
        """Runs of kind `graph`."""
        run = GraphRun(self.wiring.tools, self.wiring.tools_of)
        return {"graph": QuestionKind(run.execute, frozenset({SERVER}))}
