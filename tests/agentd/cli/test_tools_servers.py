"""`agentd tools add | import | export | try` on a real server and a real file (issue 21)."""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path

import pytest

from agentd import config
from agentd.cli import main
from agentd.cli.tools_try import form, read
from agentd.messages import AgentOptions, Caller, Catalogue, ServerState, ToolInfo
from agentd.profiles import agent_profile, toolset_for
from tests.daemon import HEAD

SERVER = """
from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations

server = MCPServer("weather")

@server.tool(annotations=ToolAnnotations(readOnlyHint=True))
def look(city: str, days: int = 1) -> str:
    "Looks at the sky."
    return f"{city} {days}"

@server.tool()
def send_alarm(city: str) -> str:
    "Wakes everybody."
    return city

server.run()
"""


@pytest.fixture
def office(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a client.toml and a weather server's program; its daemon is not running."""
    # this process is the tests' too: the command must not close it to others or take over its log
    monkeypatch.setattr("os.umask", lambda _: 0)
    monkeypatch.setattr("agentd.process.close_to_others", lambda: None)
    monkeypatch.setattr("agentd.observability.logging.configure", lambda *_, **__: None)
    (tmp_path / "client.toml").write_text("# ours\n" + HEAD)
    (tmp_path / "script.jsonl").write_text('{"action":"final","response":"Halo"}\n')
    (tmp_path / "weather.py").write_text(SERVER)
    return tmp_path


def tools(office: Path, *words: str) -> int:
    where = ["--config", str(office / "client.toml"), "--state", str(office / "state"), "--listen", "127.0.0.1:1"]
    return main(["tools", words[0], *(where if words[0] != "export" else where[:4]), *words[1:]])


def test_a_server_is_added_shown_and_called_by_hand(office: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ("weather", "--", sys.executable, str(office / "weather.py"))
    assert tools(office, "add", "--for", "staff", "--approval", "staff", *command) == 0
    told = capsys.readouterr().out
    assert "look(city, days): Looks at the sky." in told and "! doesn't say whether it changes something" in told
    text = (office / "client.toml").read_text()
    assert text.startswith("# ours\n" + HEAD.rstrip())
    [entry] = tomllib.loads(text)["servers"]
    assert (entry["for"], entry["approval"]) == (["staff"], {"send_alarm": "staff"})

    assert tools(office, "try", "--input", '{"city": "Jakarta"}', "look") == 0
    assert '"Jakarta 1"' in capsys.readouterr().out.replace("'", '"')
    assert tools(office, "try", "looks") == 2

    assert tools(office, "export") == 0
    exported = capsys.readouterr().out
    assert json.loads(exported)["mcpServers"]["weather"]["command"] == sys.executable
    (office / "theirs.json").write_text(exported.replace('"weather"', '"again"'))
    assert tools(office, "import", str(office / "theirs.json")) == 0
    assert [one["name"] for one in tomllib.loads((office / "client.toml").read_text())["servers"]] == [
        "weather",
        "again",
    ]
    assert tools(office, "import", str(office / "theirs.json")) == 0
    assert "left out, client.toml has a server of this name" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("weather", "--", "no-such-mcp-server"), 1, "does not start: "),
        (("weather",), 2, "agentd tools add"),
        (("weather", "--for", "staff", "--", "x"), 2, "agentd tools add"),
        (("--for", "citizens", "weather", "--", "x"), 2, "should be 'kiosk', 'chat', 'staff', 'admin' or 'model'"),
        (("we ather", "--", "x"), 2, "should match pattern"),
    ],
)
def test_what_does_not_work_is_said_and_nothing_is_written(
    office: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], code: int, told: str
) -> None:
    before = (office / "client.toml").read_text()
    assert tools(office, "add", *words) == code
    shown = capsys.readouterr()
    assert told in shown.out + shown.err
    assert (office / "client.toml").read_text() == before
    assert sorted(each.name for each in office.iterdir() if each.suffix in (".toml", ".new")) == ["client.toml"]


def test_a_file_that_cannot_be_changed_is_said_without_a_trace(
    office: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (office / ".client.toml.new").mkdir()  # what would be written beside it first; root may write anything else
    assert tools(office, "add", "weather", "--", "x") == 2
    assert "can't be changed (Is a directory); name another by --config" in capsys.readouterr().err


def test_a_rule_at_the_server_is_its_tools_rule(office: Path) -> None:
    with (office / "client.toml").open("a") as file:
        file.write('[[servers]]\nname = "weather"\ncommand = "x"\napproval = { send_alarm = "never" }\n')
    settings = config.load(office / "client.toml", state=str(office / "state"))
    there = Catalogue(
        tools=tuple(ToolInfo(name=name, server="weather") for name in ("send_alarm", "other")),
        servers=(ServerState(name="weather", state="up"),),
    )
    caller = Caller(id="k", scopes=frozenset({"kiosk"}))
    rules = {tool.name: tool.approval for tool in toolset_for(settings, there, caller).tools}
    assert rules == {"send_alarm": "never", "other": "citizen"}
    assert "- other()" in agent_profile(settings, there, caller, AgentOptions()).prefix[0].content


def test_a_form_asks_each_field_until_it_is_of_its_kind() -> None:
    schema = {
        "properties": {
            "city": {"type": "string", "description": "Where."},
            "days": {"type": ["integer", "null"]},
            "unit": {"enum": ["C", "F"]},
            "loud": {"type": "boolean"},
            "more": {"type": "array"},
        },
        "required": ["city", "unit"],
    }
    answers = iter(["Jakarta", "two", "2", "k", "f", "", "[1"])
    asked: list[str] = []

    def ask(question: str) -> str:
        asked.append(question)
        return next(answers, "")

    assert form({"input_schema": schema}, ask) == {"city": "Jakarta", "days": 2, "unit": "F"}
    assert asked[0] == "city (string) Where.: " and asked[1] == "days (integer, optional): "


@pytest.mark.parametrize(
    ("said", "kind", "value"),
    [("3", "number", 3), ("TRUE", "boolean", True), ('{"a": 1}', "object", {"a": 1}), ("007", "string", "007")],
)
def test_what_is_typed_becomes_a_value_of_its_kind(said: str, kind: str, value: object) -> None:
    assert read(said, kind) == value


@pytest.mark.parametrize(("said", "kind"), [("true", "integer"), ("1", "boolean"), ("x", "number"), ("{}", "array")])
def test_a_value_of_another_kind_is_refused(said: str, kind: str) -> None:
    with pytest.raises(ValueError, match="is wanted"):
        read(said, kind)
