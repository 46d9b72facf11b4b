"""How apps stand around the tools: without one that judges official calls, none is made."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import EntryPoint
from types import SimpleNamespace
from typing import Any, cast

import pytest

from agentd import plugins
from agentd.application import App, Wiring, policed
from agentd.apps.letters.app import Letters
from agentd.config import sections
from agentd.errors import PluginError
from agentd.messages import ToolCall
from agentd.plugins import apps
from agentd.ports import CallPolicy
from agentd.rpc.methods import table
from agentd.testing import MemoryTools
from tests.agentd.apps.letters.letters import call, letter

WIRING = cast("Wiring", SimpleNamespace(meaning=None))  # these apps are asked for nothing that needs more


def host() -> MemoryTools:
    tool = letter()
    return MemoryTools({tool.name: lambda _: {"number": "1"}}, [tool])


async def test_without_an_app_that_judges_it_no_official_call_is_made() -> None:
    """A stale installation had no letters app: a scripted model with an invented citizen got as far as the yes."""
    tools = host()
    refused = await policed(tools, [App(WIRING)]).call(call({"nama": "Budi Santoso"}, "nama saya Budi Santoso"))
    assert (refused.success, refused.error_type) == (False, "tool_execution")
    assert "pip install 'agentd[letters]'" in refused.message
    assert tools.calls == []


async def test_with_the_letters_app_what_was_said_goes_on_to_the_yes_and_what_was_not_is_refused() -> None:
    tools = policed(host(), [Letters(WIRING)])
    assert (await tools.call(call({"nama": "Budi Santoso"}, "buatkan surat"))).error_type == "grounding"
    assert (await tools.call(call({"nama": "Budi Santoso"}, "nama saya Budi Santoso"))).pending


@pytest.mark.parametrize("keys", [{}, {"additionalProperties": False}], ids=["silent", "closed"])
async def test_arguments_that_a_tool_does_not_have_are_read_by_nobody(keys: dict[str, Any]) -> None:
    """20,000 of them took one reader, who reads for every session, half a minute."""
    read: list[ToolCall] = []

    class Reader(CallPolicy):
        async def before(self, call: ToolCall) -> ToolCall:
            read.append(call)
            return call

    class Reading(App):
        judges_official_calls = True

        def policies(self) -> tuple[CallPolicy, ...]:
            return (Reader(),)

    tool = letter().model_copy(update={"input_schema": letter().input_schema | keys})
    unknown = {f"k{number}": number for number in range(20_000)}
    wanted = call({"nama": "Budi", **unknown}, "nama saya Budi", tool=tool)
    refused = await policed(host(), [Reading(WIRING)]).call(wanted)
    assert (refused.success, read) == (False, [])
    assert len(refused.message) < 1000


def test_what_ships_has_an_app_that_judges_official_calls() -> None:
    shipped = ["A2A", "Analytics", "Channels", "Graph", "Letters", "OpenAI", "Kiosks", "Residents"]
    assert [app.__name__ for app in apps()] == shipped
    assert any(app.judges_official_calls for app in apps())


def test_two_methods_of_one_name_are_refused() -> None:
    """Else an app could take the place of Agent.approve."""
    (approve,) = [one for one in table() if one.name == "Agent.approve"]
    with pytest.raises(PluginError, match=r"Agent\.approve"):
        table([approve])


@pytest.mark.parametrize(
    ("module", "use", "kind"),
    [
        (plugins, apps, "app"),
        (plugins, lambda: plugins.plugin(plugins.TOOL_HOSTS, "loket"), "tool host"),
        (sections, sections.kinds.__wrapped__, "section"),
    ],
)
def test_a_plugin_that_cannot_be_loaded_is_named(
    module: Any, use: Callable[[], object], kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "installed", lambda group: {"loket": EntryPoint("loket", "agentd.nowhere:It", group)})
    with pytest.raises(PluginError, match=rf"the {kind} `loket` \(agentd\.nowhere:It\).*No module named"):
        use()
