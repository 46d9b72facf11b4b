"""A tool that a stranger wrote, asked for as people talk: what no rule proves is shown to be checked, then entered."""

from __future__ import annotations

import json
from pathlib import Path

from tests.daemon import HEAD, call, final, running, server_entry

CLINIC = """
import json, os
from pathlib import Path
from mcp.server.mcpserver import MCPServer

server = MCPServer("clinic")

@server.tool(meta={"agentd/official": True})
def book_visit(owner_name: str, pet_name: str, appointment_date: str) -> str:
    (Path(os.environ["AGENTD_STATE"]) / "booked.json").write_text(json.dumps([owner_name, pet_name, appointment_date]))
    return "booked"

server.run()
"""
ARGUMENTS = {"owner_name": "Nora Quist", "pet_name": "Biscuit", "appointment_date": "1 December 2026"}


def test_a_strangers_tool_waits_for_a_yes_with_what_to_check_named(tmp_path: Path) -> None:
    (tmp_path / "clinic.py").write_text(CLINIC)
    config = HEAD + server_entry("clinic", "clinic.py", workdir=str(tmp_path))
    invented = call("book_visit", **{**ARGUMENTS, "owner_name": "John Doe"})
    turns = (
        final("What is your name?"),
        invented,
        final("Your name?"),
        call("book_visit", **ARGUMENTS),
        final("Done."),
    )
    booked = tmp_path / "state" / "booked.json"
    with running(tmp_path, *turns, config=config) as daemon:
        daemon.call("Agent.run", prompt="Biscuit keeps limping, could we come on 1 December 2026?", session_id="s")
        refused = daemon.call("Agent.run", prompt="It is my dog that limps", session_id="s")
        assert refused["status"] == "completed"
        output = refused["steps"][0]["output"]
        assert output["missing"] == ["owner_name"]
        assert "offered" not in output  # the pet's name is shown to be checked before the yes
        asked = daemon.call("Agent.run", prompt="Nora Quist", session_id="s")
        assert (asked["status"], asked["approval"]["arguments"]) == ("needs_approval", ARGUMENTS)
        assert "Please check these first, as we are not sure of them: " in asked["approval"]["summary"]
        assert not booked.exists()
        assert daemon.call("Agent.run", prompt="yes", session_id="s")["status"] == "completed"
    assert json.loads(booked.read_text()) == list(ARGUMENTS.values())


def test_what_a_model_quotes_is_entered_in_the_citizens_words_after_the_yes(tmp_path: Path) -> None:
    (tmp_path / "clinic.py").write_text(
        CLINIC.replace("import json, os", "import json, os\nfrom datetime import date")
        .replace("appointment_date: str", "appointment_date: date, reason: str")
        .replace("appointment_date]", "appointment_date.isoformat(), reason]")
    )
    config = HEAD + server_entry("clinic", "clinic.py", workdir=str(tmp_path))
    arguments = {**ARGUMENTS, "appointment_date": "2026-12-28", "reason": "A dog with a limp"}
    quotes = {"appointment_date": "right after the long holiday", "reason": "my dog keeps limping n wont eat"}
    quoted = {**call("book_visit", **arguments), "quotes": quotes}
    turns = (final("Your name, and your pet's?"), quoted, final("His card."), final("Done."))
    with running(tmp_path, *turns, config=config) as daemon:
        daemon.call("Agent.run", prompt="my dog keeps limping n wont eat", session_id="s")
        said = "Nora Quist, and he is called Biscuit. We would come right after the long holiday"
        asked = daemon.call("Agent.run", prompt=said, session_id="s")
        assert asked["approval"]["arguments"] == {**arguments, "reason": quotes["reason"]}
        daemon.call("Agent.run", prompt="What should we bring?", session_id="s")
        decided = {"run_id": asked["run_id"], "approval_id": asked["approval"]["approval_id"], "approved": True}
        agreed = daemon.call("Agent.approve", **decided)
        assert agreed["status"] == "completed"
    booked = json.loads((tmp_path / "state" / "booked.json").read_text())
    assert booked == [*list(arguments.values())[:3], quotes["reason"]]
