"""The app that pairs a kiosk's page with the daemon: POST /pair with a code from `agentd kiosk pair`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from agentd.application import App

if TYPE_CHECKING:
    from aiohttp import web


class Kiosks(App):
    """/pair, open to everybody who has a code."""

    def pages(self) -> Iterable[web.AbstractRouteDef]:
        """POST /pair."""
        from agentd.apps.pairing.codes import Pairing
        from agentd.apps.pairing.endpoint import PairEndpoint

        wiring = self.wiring
        return PairEndpoint(Pairing(wiring.settings().state, wiring.tokens), wiring.audit, wiring.clock.now).routes()
