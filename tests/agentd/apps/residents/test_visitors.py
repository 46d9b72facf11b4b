"""What the daemon asks the register about a verified visitor, and for how long it keeps the answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agentd.apps.residents.corrections import Corrections
from agentd.apps.residents.identity import FAMILIES, Identities, Identity
from agentd.apps.residents.policy import Visitors
from agentd.apps.residents.register import Register
from agentd.messages import ToolOutcome
from agentd.runs.run_database import sqlite_engine
from agentd.runs.store import RunStore
from agentd.testing import ManualClock

NIK, WIFE = "3174050101900001", "3174054101900002"


class Asked:
    """A register with one family, and whom it was asked for."""

    def __init__(self, store: RunStore) -> None:
        self.niks: list[str] = []
        self.away = False
        self.clock = ManualClock()
        self.identities = Identities(store, self.clock, 600.0)
        self.visitors = Visitors(self.identities, Register(self.answer), Corrections(store, self.clock))

    async def answer(self, tool: str, arguments: dict[str, Any]) -> ToolOutcome:
        assert tool == "list_family"
        self.niks.append(arguments["nik"])
        if self.away:
            return ToolOutcome(success=False, message="down")
        members = [{"nik": nik, "nama": f"Warga {nik}"} for nik in (NIK, WIFE)]
        return ToolOutcome(success=True, output={"members": members if arguments["nik"] in (NIK, WIFE) else []})

    async def verified(self, session_id: str, nik: str = NIK) -> None:
        await self.identities.keep(Identity(session_id, nik, "pin", "B***"))

    async def who(self, session_id: str) -> str | None:
        known = await self.visitors.known(session_id)
        return None if known is None else known.resident["nik"]


async def test_the_register_is_asked_once_a_visit(tmp_path: Path) -> None:
    store = RunStore(sqlite_engine(tmp_path / "agentd.db"))
    at = Asked(store)
    await at.verified("s")
    assert [await at.who("s") for _ in range(5)] == [NIK] * 5
    assert at.niks == [NIK]
    await at.verified("other")
    assert (await at.who("other"), at.niks) == (NIK, [NIK, NIK])
    await at.identities.forget("s")
    assert await at.who("s") is None
    await at.verified("s", WIFE)  # the next visitor of this session
    assert (await at.who("s"), at.niks) == (WIFE, [NIK, NIK, WIFE])
    await at.verified("s", WIFE)  # a new proof is a new visit: what an officer has corrected shows
    assert (await at.who("s"), at.niks[3:]) == (WIFE, [WIFE])
    at.clock.advance(601)
    assert await at.who("s") is None
    assert at.identities.family(Identity("s", WIFE, "pin", "")) == ()
    store.close()


async def test_a_register_that_is_away_is_asked_again(tmp_path: Path) -> None:
    store = RunStore(sqlite_engine(tmp_path / "agentd.db"))
    at = Asked(store)
    at.away = True
    await at.verified("s")
    assert await at.who("s") is None
    at.away = False
    assert await at.who("s") == NIK
    store.close()


async def test_visits_that_nobody_ended_are_bounded(tmp_path: Path) -> None:
    store = RunStore(sqlite_engine(tmp_path / "agentd.db"))
    at = Asked(store)
    for number in range(FAMILIES + 1):
        at.identities.keep_family(Identity(f"s{number}", NIK, "pin", ""), ({"nik": NIK},))
    assert at.identities.family(Identity("s0", NIK, "pin", "")) == ()
    assert at.identities.family(Identity(f"s{FAMILIES}", NIK, "pin", "")) == ({"nik": NIK},)
    store.close()
