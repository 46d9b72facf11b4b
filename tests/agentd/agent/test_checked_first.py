"""What a server would refuse is said before anybody is asked for a yes (`agentd/checked_by` in a tool's `_meta`)."""

from __future__ import annotations

import pytest

from agentd.agent.approval import Approved
from agentd.agent.policies import PolicedTools
from agentd.messages import Consent, ToolCall, ToolInfo, ToolOutcome
from agentd.ports import ProgressSink
from agentd.testing import MemoryTools
from tests.agentd.apps.letters.letters import call, letter

CHECKED = letter().model_copy(update={"meta": {**letter().meta, "agentd/checked_by": "check_letter"}})


class Checking(MemoryTools):
    """A server whose letters are checked by a tool of its own, which answers this."""

    def __init__(self, answer: ToolOutcome) -> None:
        checker = ToolInfo(name="check_letter", server=CHECKED.server, annotations={"readOnlyHint": True})
        super().__init__({CHECKED.name: lambda _: {"number": "1"}, checker.name: lambda _: None}, [CHECKED, checker])
        self.answer = answer

    async def call(self, call: ToolCall, on_progress: ProgressSink | None = None) -> ToolOutcome:
        made = await super().call(call, on_progress)
        return self.answer if call.tool.name == "check_letter" else made


async def test_nobody_is_asked_about_what_the_server_would_refuse() -> None:
    wrong = ToolOutcome(success=False, message="NIK: harus 16 angka", output={"error": "invalid_fields"})
    tools = Checking(wrong)
    assert await Approved(tools).before(call({"nik": "12"}, tool=CHECKED)) == wrong
    assert [made.input for made in tools.calls] == [{"tool": CHECKED.name, "arguments": {"nik": "12"}}]


@pytest.mark.parametrize(
    "answer",
    [ToolOutcome(success=True, output={"warnings": []}), ToolOutcome(success=False, message="it is down")],
    ids=["nothing wrong", "nobody there to say"],
)
async def test_what_the_server_does_not_refuse_is_asked_about(answer: ToolOutcome) -> None:
    waits = await Approved(Checking(answer)).before(call({"nik": "12"}, tool=CHECKED))
    assert isinstance(waits, ToolOutcome) and waits.pending


async def test_what_was_agreed_to_is_called_without_another_check() -> None:
    tools = Checking(ToolOutcome(success=False, output={"error": "invalid_fields"}))
    consent = Consent(approval_id="a", tool=CHECKED.name, arguments={"nik": "12"}, by="citizen")
    agreed = call({"nik": "12"}, tool=CHECKED).model_copy(update={"consent": consent})
    assert (await PolicedTools(tools, [Approved(tools)]).call(agreed)).success
    assert [made.tool.name for made in tools.calls] == [CHECKED.name]
