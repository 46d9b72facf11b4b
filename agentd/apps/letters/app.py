"""The app for official letters: its call policies, turn policy and pages. It neither draws nor signs a letter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from agentd.application import App, SchemaReading, Wiring
from agentd.apps.letters.evidence.reading.readings import SessionReadings
from agentd.apps.letters.pages import list_method
from agentd.apps.letters.policies.described import Described
from agentd.apps.letters.policies.grounding import Grounded
from agentd.apps.letters.policies.lookups import LookUps
from agentd.apps.letters.policies.turns import LetterTurns
from agentd.messages import ToolInfo
from agentd.ports import CallPolicy, Meaning
from agentd.runs.agent_api import AgentRuns

if TYPE_CHECKING:
    from aiohttp import web

    from agentd.application import InternalCall


class Letters(App):
    """Grounding for official calls, and the pages around letters: /kiosk, /desk, /verify, /preview, /pictures."""

    methods = (list_method.list_letters,)
    static = Path(__file__).parent / "web" / "static"
    judges_official_calls = True

    def __init__(self, wiring: Wiring) -> None:
        super().__init__(wiring)
        self._readings = SessionReadings()
        self._described = Described(wiring.meaning)
        self.turns = LetterTurns(self._readings, self._described, wiring.meaning, self._server)

    @staticmethod
    async def read_schema(tool: ToolInfo, meaning: Meaning | None) -> SchemaReading:
        """How evidence reads each field of a schema, and the mistakes in the schema."""
        from agentd.apps.letters.explain import explained, mistakes

        return SchemaReading(tuple(explained(await Described(meaning).learn(tool))), tuple(mistakes(tool)))

    def policies(self) -> Iterable[CallPolicy]:
        """Official calls may use only what the citizen said or a tool found; look-ups, only what they named."""
        meaning = self.wiring.meaning
        return Grounded(self._readings, self._described, meaning), LookUps(meaning)

    def pages(self) -> Iterator[web.AbstractRouteDef]:
        """/verify and /qr.svg, open to everybody."""
        from agentd.apps.letters.pages.qr import ROUTE
        from agentd.apps.letters.pages.verify import VerifyPages

        yield ROUTE
        yield from VerifyPages(self._letter_server(), self.wiring.clock).routes()

    def routes(self, runs: AgentRuns) -> Iterable[web.AbstractRouteDef]:
        """/preview and /pictures."""
        from agentd.apps.letters.pages.pictures import PicturesEndpoint
        from agentd.apps.letters.pages.preview import PreviewEndpoint

        return [*PreviewEndpoint(self._letter_server()).routes(), *PicturesEndpoint(runs).routes()]

    async def forget(self, session_id: str) -> None:
        """Forget what was read of this session for evidence; other sessions keep theirs."""
        self._readings.forget(session_id)

    def _letter_server(self) -> InternalCall:
        return self.wiring.internal_tools(self._server)

    def _server(self) -> str:
        return self.wiring.settings().server_of("letters")
