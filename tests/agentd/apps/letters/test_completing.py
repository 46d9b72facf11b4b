"""What nobody has to say is seen before it is agreed to, and what was agreed to stays as it is."""

from __future__ import annotations

from typing import Any

import pytest

from agentd.agent.approval import ApprovalNeeded, Approved
from agentd.apps.letters.completing import completed
from agentd.apps.letters.grounding import Grounded
from agentd.messages import Basis, Consent
from agentd.testing import MemoryTools
from tests.agentd.apps.letters.letters import call, letter

NIK = "3175064501900003"
SAID = (f"Nama saya Budi Santoso, NIK {NIK}",)


async def test_the_summary_shows_the_sex_and_the_citizenship_that_the_letter_will_print() -> None:
    host = Grounded(Approved(MemoryTools({letter().name: lambda arguments: {"number": "1"}})))
    with pytest.raises(ApprovalNeeded) as waits:
        await host.call(call({"nama": "Budi Santoso", "nik": NIK}, *SAID))
    assert waits.value.arguments["jenis_kelamin"] == "Perempuan"
    assert "- Jenis kelamin: Perempuan" in waits.value.summary and "- Kewarganegaraan: WNI" in waits.value.summary


async def test_the_completed_call_that_was_agreed_to_is_made_exactly_so() -> None:
    tools = MemoryTools({letter().name: lambda arguments: {"number": "1"}})
    host = Grounded(Approved(tools))
    seen = completed(call({"nama": "Budi Santoso", "nik": NIK}, *SAID)).input
    consent = Consent(approval_id="a", tool=letter().name, arguments=seen, by="citizen")
    assert (await host.call(call(seen, *SAID).model_copy(update={"consent": consent}))).success
    assert [made.input for made in tools.calls] == [seen]


@pytest.mark.parametrize(
    ("given", "added"),
    [
        ({"nik": NIK, "jenis_kelamin": "Laki-laki", "kewarganegaraan": "WNA"}, {}),
        ({"nik": "31750645"}, {"kewarganegaraan": "WNI"}),
        ({"nik": NIK, "kewarganegaraan": ""}, {"kewarganegaraan": "WNI", "jenis_kelamin": "Perempuan"}),
    ],
)
def test_only_what_is_open_and_known_is_added(given: dict[str, Any], added: dict[str, Any]) -> None:
    assert completed(call(given)).input == given | added


def test_the_basis_says_that_nobody_said_it() -> None:
    basis = Basis(level="declared", sources={"nik": "citizen"})
    made = completed(call({"nik": NIK}).model_copy(update={"basis": basis}))
    assert made.basis is not None
    assert made.basis.sources == {"nik": "citizen", "kewarganegaraan": "default", "jenis_kelamin": "derived"}


def test_a_tool_that_is_not_official_gets_its_arguments_as_they_are() -> None:
    tool = letter().model_copy(update={"official": False})
    assert completed(call({"nik": NIK}, tool=tool)).input == {"nik": NIK}
