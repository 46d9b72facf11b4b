"""The conversations of docs/evidence-examples.md end in what they ask for; its tool is explained as it stands there."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from mcp.server.mcpserver import MCPServer

from agentd.apps.letters.explain import explained
from agentd.messages import ToolInfo
from lab.eval.evidence.offices import ROOT, letter
from lab.eval.evidence.trials import Trial, refused, session
from tests.daemon import HEAD, call, final, running, server_entry
from tests.docs.pages import DOCS, titled
from tests.e2e.test_true_letters import printed

FILES = titled(DOCS / "evidence-examples.md")
PAGES = ("death.toml", "campus.toml", "clinic.toml")


async def clinic() -> ToolInfo:
    """The page's server as the daemon sees it."""
    made: dict[str, Any] = {"__name__": "clinic"}
    exec(compile(FILES["clinic.py"], "clinic.py", "exec"), made)
    server = made["server"]
    assert isinstance(server, MCPServer)
    (tool,) = await server.list_tools()
    assert (tool.meta or {})["agentd/official"] is True
    return ToolInfo(
        name=tool.name,
        server="clinic",
        official=True,
        description=tool.description or "",
        input_schema=tool.input_schema,
    )


async def example(page: str) -> tuple[ToolInfo, dict[str, Any]]:
    """The tool of an example, with all that it requires, and the conversation."""
    data = tomllib.loads(FILES[page])
    (office,) = data.get("office", [None])
    (talk,) = (office or data)["talk"]
    return letter(ROOT / office["letter"]) if office else await clinic(), talk


async def test_the_clinics_tool_is_explained() -> None:
    assert list(explained(await clinic())) == FILES["explained.txt"].splitlines()


@pytest.mark.parametrize("page", PAGES)
async def test_a_conversation_comes_to_its_call(page: str) -> None:
    tool, talk = await example(page)
    said = session(*talk["said"])
    assert await refused(Trial("call", page, "id", True, tool, talk["call"], said)) == frozenset()
    for name, value in talk["refused"].items():
        wrong = {**talk["call"], name: value}
        assert await refused(Trial(name, page, "id", False, tool, wrong, said)) == {name}


@pytest.mark.parametrize("page", PAGES)
async def test_a_conversation_ends_in_what_it_asks_for(page: str, tmp_path: Path) -> None:
    tool, talk = await example(page)
    said = [line for line in talk["said"] if not line.startswith("A: ")]
    turns = [final(line.removeprefix("A: ")) for line in talk["said"] if line.startswith("A: ")]
    (tmp_path / "clinic.py").write_text(FILES["clinic.py"])
    servers = server_entry("certificate", letters_dir=str(DOCS / "letters" / "examples"), start_timeout_s=120)
    servers += server_entry("clinic", tmp_path / "clinic.py", start_timeout_s=120)
    turns += [call(tool.name, **talk["call"]), final("Selesai.")]
    with running(tmp_path, *turns, config=HEAD + servers) as daemon:
        session_id = daemon.call("Session.create")["session_id"]
        *_, waits = [daemon.call("Agent.run", prompt=line, session_id=session_id) for line in said]
        assert (waits["status"], waits["approval"]["arguments"]) == ("needs_approval", talk["call"]), waits["response"]
        done = daemon.call("Agent.run", prompt="ya", session_id=session_id)
        assert done["steps"][-1]["success"], done["response"]
        paper = printed(daemon, done) if done["artifacts"] else done["steps"][-1]["output"]["result"]
    named = {value for value in talk["call"].values() if isinstance(value, str) and "-" not in value}
    assert all(value in paper for value in named), (named, paper)
