"""Issued letters reach the register that lists them: none is lost, none is sent once it stands there (`write_log`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from agentd.agent.policies import PolicedTools
from agentd.apps.residents.identity import Identities, Identity
from agentd.apps.residents.letter_log import LetterLog, Listed
from agentd.apps.residents.register import Register
from agentd.audit import AuditTrail
from agentd.messages import Basis, ToolCall, ToolInfo, ToolOutcome
from agentd.runs.run_database import sqlite_engine
from agentd.runs.store import RunStore
from agentd.testing import ManualClock, MemoryTools

LETTER = ToolInfo(name="generate_surat_alamat", server="forms", meta={"agentd/official": True, "agentd/letter": True})
GIVEN = {"nama": "Sari", "nik": "3174 0552 0392 0004", "telepon": "0812", "keperluan": "bank", "status": "Kawin"}
BASIS = Basis(level="declared", sources={"keperluan": "citizen", "status": "register"}, seen=("KTP (asli)",))


@dataclass
class Desk:
    """The register, which can be away, and what it was sent."""

    folder: Path
    store: RunStore
    away: bool = False
    wanted: bool = True
    sent: list[dict[str, Any]] = field(default_factory=list)
    clock: ManualClock = field(default_factory=ManualClock)

    def __post_init__(self) -> None:
        self.audit = AuditTrail(self.folder, self.clock)
        self.identities = Identities(self.store, self.clock, 600.0)
        self.letters = LetterLog(self.store, Register(self.asked), self.clock, self.audit, lambda: self.wanted)

    async def asked(self, tool: str, arguments: dict[str, Any]) -> ToolOutcome:
        assert tool == "log_letter"
        if self.away:
            return ToolOutcome(success=False, message="log_surat is read-only for this account")
        self.sent.append(arguments["letter"])
        return ToolOutcome(success=True, output={"new": True})

    async def issue(self, number: str | None = "001/SA/2026", tool: ToolInfo = LETTER) -> None:
        output = {"number": number, "title": "Surat Alamat", "file_name": "sa-001.pdf"}
        listed = Listed(self.letters, self.identities, self.clock)
        tools = PolicedTools(MemoryTools({tool.name: lambda _: output}, [tool]), [listed])
        made = ToolCall(tool=tool, input=GIVEN, run_id="r1", session_id="s1", step=1, basis=BASIS)
        assert (await tools.call(made)).success


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    store = RunStore(sqlite_engine(tmp_path / "agentd.db"))
    made = Desk(tmp_path, store)
    yield made
    made.audit.close()
    store.close()


async def test_a_letter_is_sent_with_what_the_lists_need_and_then_forgotten(desk: Desk) -> None:
    await desk.issue()
    assert (await desk.letters.send(), await desk.letters.send()) == (1, 0)
    assert desk.sent == [
        {
            "number": "001/SA/2026",
            "title": "Surat Alamat",
            "file_name": "sa-001.pdf",
            "nik": "3174055203920004",
            "nama": "Sari",
            "telepon": "0812",
            "form": {"keperluan": "bank"},
            "seen": ["KTP (asli)"],
            "issued_at": "2026-01-05T02:00:00.000+00:00",
        }
    ]


async def test_who_is_verified_is_the_applicant_whomever_the_letter_names(desk: Desk) -> None:
    await desk.identities.keep(Identity("s1", "3175061708859001", "pin", "Budi Contoh"))
    await desk.issue()
    await desk.letters.send()
    assert [(one["nik"], one["nama"]) for one in desk.sent] == [("3175061708859001", "Budi Contoh")]


async def test_a_register_that_is_away_loses_nothing_and_the_office_hears_it_once(desk: Desk) -> None:
    desk.away = True
    await desk.issue()
    await desk.issue("002/SA/2026")
    await desk.issue()  # the step of a daemon that was killed is made again
    assert [await desk.letters.send() for _ in range(3)] == [0, 0, 0]
    told = [entry.subject for entry in desk.audit.entries() if entry.action == "letter.unlisted"]
    assert (sorted(told), desk.letters.refused) == (["001/SA/2026", "002/SA/2026"], 2)
    again = Desk(desk.folder, desk.store)  # after a restart
    assert await again.letters.send() == 2
    assert sorted(one["number"] for one in again.sent) == ["001/SA/2026", "002/SA/2026"]
    again.audit.close()


@pytest.mark.parametrize(
    ("wanted", "tool", "number"),
    [
        (False, LETTER, "001/SA/2026"),
        (True, ToolInfo(name="get_current_time", server="time"), "001/SA/2026"),
        (True, LETTER, None),
    ],
    ids=["not wanted", "no letter", "without a number"],
)
async def test_nothing_else_is_kept(desk: Desk, wanted: bool, tool: ToolInfo, number: str | None) -> None:
    desk.wanted = wanted
    await desk.issue(number, tool)
    assert (await desk.letters.send(), desk.sent) == (0, [])
