"""A caller's agent is put together once for all runs of its kind, and again after a reload or a server's news."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from agentd import config
from agentd.config import Settings
from agentd.config.schema import ToolSettings
from agentd.messages import AgentOptions, Caller, Catalogue, ServerState, ToolInfo
from agentd.profiles import KnownProfiles
from tests.daemon import HEAD

State = Literal["up", "starting", "down"]
KIOSK, STAFF = (Caller(id=scope, scopes=frozenset({scope})) for scope in ("kiosk", "staff"))


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    (tmp_path / "client.toml").write_text(HEAD)
    return config.load(tmp_path / "client.toml", state=str(tmp_path / "state"))


def catalogue(*tools: str, state: State = "up") -> Catalogue:
    return Catalogue(
        servers=(ServerState(name="s", state=state),), tools=tuple(ToolInfo(name=name, server="s") for name in tools)
    )


def test_runs_of_one_kind_of_caller_share_a_profile(settings: Settings) -> None:
    known, there = KnownProfiles(), catalogue("one")
    first = known.of(settings, there, KIOSK, AgentOptions(session_id="a"))
    other = Caller(id="another kiosk", scopes=KIOSK.scopes)
    assert known.of(settings, there, other, AgentOptions(session_id="b", run_id="r")) is first
    staff = known.of(settings, there, STAFF, AgentOptions())
    assert [tool.approval for tool in (*first.toolset.tools, *staff.toolset.tools)] == ["citizen", "staff"]
    assert known.of(settings, there, KIOSK, AgentOptions(max_steps=2)).limits.max_steps == 2


def test_another_catalogue_or_configuration_makes_it_again(settings: Settings) -> None:
    known = KnownProfiles()
    known.of(settings, catalogue("one"), KIOSK, AgentOptions())
    grown = catalogue("one", "two")
    assert len(known.of(settings, grown, KIOSK, AgentOptions()).toolset.tools) == 2
    reloaded = replace(settings, prompt_template="Baru.")
    assert known.of(reloaded, grown, KIOSK, AgentOptions()).prefix[0].content == "Baru."


@pytest.mark.parametrize(("state", "offered"), [("up", ["one"]), ("starting", ["one"]), ("down", [])])
def test_a_server_that_starts_again_keeps_its_tools_as_calls_wait_for_it(
    settings: Settings, state: State, offered: list[str]
) -> None:
    profile = KnownProfiles().of(settings, catalogue("one", state=state), KIOSK, AgentOptions())
    assert [tool.name for tool in profile.toolset.tools] == offered


def test_a_tool_that_its_server_has_not_listed_yet_is_offered_to_no_model(settings: Settings) -> None:
    bound = replace(settings, tools=(ToolSettings(name="one", server="s"),))
    toolset = KnownProfiles().of(bound, catalogue(state="starting"), KIOSK, AgentOptions()).toolset
    assert (toolset.tools, [tool.name for tool in toolset.asleep]) == ((), ["one"])
