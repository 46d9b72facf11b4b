"""What a model invented, left empty or wrote as null reaches no tool that is not official."""

from __future__ import annotations

from typing import Any

import pytest

from agentd.apps.letters.policies.lookups import LookUps
from agentd.messages import Said, ToolCall, ToolInfo, ToolOutcome

ENROL = ToolInfo(
    name="enrol",
    server="school",
    description="Enrols a pupil.",
    input_schema={
        "type": "object",
        "properties": {
            "name": {"type": "string", "format": "person-name"},
            "born": {"type": "string", "format": "date"},
            "school": {"type": "string"},
            "remark": {"type": "string"},
        },
        "required": ["name", "born", "remark"],
    },
)


@pytest.mark.parametrize(
    ("said", "given", "becomes"),
    [
        ("Nabila, umur 6 tahun, kelas 1", {"name": "Nabila", "born": "2020-01-01"}, "born"),
        ("Nabila, lahir 1-1-20", {"name": "Nabila", "born": "2020-01-01"}, {"name", "born"}),
        ("Nabila, tanggal 5", {"name": "Nabila", "born": "2026-12-05"}, {"name", "born"}),
        ("Mau daftar", {"name": "", "born": ""}, "required: `name`, `born`"),
        ("Nabila, 1 Januari 2020", {"name": "Nabila", "born": "2020-01-01", "school": "null"}, {"name", "born"}),
    ],
)
async def test_an_invented_birthday_an_empty_name_and_a_written_null_reach_no_tool(
    said: str, given: dict[str, Any], becomes: str | set[str]
) -> None:
    turns = [Said(by="citizen", order=1, text=said, day="2026-12-01")]
    call = ToolCall(tool=ENROL, input={"remark": "", **given}, run_id="r", session_id="s", step=1, said=tuple(turns))
    made = await LookUps().before(call)
    if isinstance(becomes, str):
        assert isinstance(made, ToolOutcome) and (becomes in made.missing or made.message == becomes)
    else:
        assert isinstance(made, ToolCall) and made.input.keys() == {"remark", *becomes}
