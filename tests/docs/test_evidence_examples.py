"""The conversations of docs/evidence-examples.md come to their calls; its tool is explained as it stands there."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from mcp.server.mcpserver import MCPServer

from agentd.apps.letters.explain import explained
from agentd.messages import ToolInfo
from lab.eval.evidence import offices
from lab.eval.evidence.trials import Trial, refused, session
from tests.docs.pages import DOCS, titled

FILES = titled(DOCS / "evidence-examples.md")


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


@pytest.mark.parametrize("page", ["death.toml", "campus.toml"])
async def test_a_letter_made_by_configuration_comes_to_its_call(page: str, tmp_path: Path) -> None:
    file = tmp_path / page
    file.write_text(FILES[page], encoding="utf-8")
    verdicts = {trial.id: (trial.honest, await refused(trial)) for trial in offices.trials(file)}
    assert {key: found for key, (honest, found) in verdicts.items() if bool(found) is honest} == {}


async def test_the_clinics_tool_is_explained_and_comes_to_its_call() -> None:
    tool = await clinic()
    assert list(explained(tool)) == FILES["explained.txt"].splitlines()
    (talk,) = tomllib.loads(FILES["clinic.toml"])["talk"]
    said = session(*talk["said"])
    assert await refused(Trial("call", "clinic", "en", True, tool, talk["call"], said)) == frozenset()
    for name, value in talk["refused"].items():
        wrong = {**talk["call"], name: value}
        assert await refused(Trial(name, "clinic", "en", False, tool, wrong, said)) == {name}
