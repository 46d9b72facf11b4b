"""`agentd tools add | import | export | try` on a real server and a real file (issue 21)."""

from __future__ import annotations

import json
import os
import subprocess
import tomllib
from pathlib import Path

import pytest
import structlog.testing

from agentd import config
from agentd.messages import AgentOptions, Caller, Catalogue, ServerState, ToolInfo
from agentd.profiles import KnownProfiles, agent_profile, toolset_for
from tests import warm
from tests.daemon import HEAD, TOKEN, final, running

SERVER = """
import os
from pathlib import Path

from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations

server = MCPServer("weather")
(Path(os.environ["AGENTD_STATE"]) / "sky").touch()

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
def office(tmp_path: Path) -> Path:
    """A folder with a client.toml and a weather server's program; its daemon is not running."""
    (tmp_path / "client.toml").write_text("# ours\n" + HEAD)
    (tmp_path / "script.jsonl").write_text('{"action":"final","response":"Halo"}\n')
    (tmp_path / "weather.py").write_text(SERVER)
    return tmp_path


def tools(office: Path, *words: str, cwd: Path | None = None) -> tuple[int, str, str]:
    """(exit code, standard output, standard error) of `agentd tools …`, a process of its own."""
    where = ["--config", str(office / "client.toml"), "--state", str(office / "state"), "--listen", "127.0.0.1:1"]
    command = [warm.command(), "tools", words[0], *(where if words[0] != "export" else where[:4]), *words[1:]]
    done = subprocess.run(
        command, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False
    )
    return done.returncode, done.stdout, done.stderr


def test_a_server_is_added_shown_and_called_by_hand(office: Path) -> None:
    command = ("weather", "--", warm.python(), str(office / "weather.py"))
    code, told, _ = tools(office, "add", "--for", "staff", "--approval", "staff", *command)
    assert code == 0
    assert "look(city, days): Looks at the sky." in told and "! doesn't say whether it changes something" in told
    text = (office / "client.toml").read_text()
    assert text.startswith("# ours\n" + HEAD.rstrip())
    [entry] = tomllib.loads(text)["servers"]
    assert (entry["for"], entry["approval"]) == (["staff"], {"send_alarm": "staff"})
    code, _, errors = tools(office, "add", *command)
    said = "nothing was added after this line, the new entry is wrong: two [[servers]] are called `weather`"
    assert code == 2 and f"client.toml:{len(text.splitlines())}: {said}" in errors
    assert (office / "client.toml").read_text() == text

    code, told, _ = tools(office, "try", "--input", '{"city": "Jakarta"}', "look")
    assert code == 0 and "Jakarta 1" in told
    assert tools(office, "try", "--input", "{}", "looks")[0] == 2
    code, _, errors = tools(office, "try", "--input", "{}", "look")
    assert code == 1 and "city" in errors
    code, _, errors = tools(office, "try", "look")
    assert code == 2 and "no terminal for the form: give the arguments by --input" in errors
    assert "--input is not JSON" in tools(office, "try", "--input", "{", "look")[2]
    alarm = ("--input", '{"city": "Jakarta"}', "send_alarm")
    code, _, errors = tools(office, "try", *alarm)
    assert code == 1 and "nothing was called; --yes agrees in advance" in errors
    code, told, _ = tools(office, "try", "--yes", *alarm)
    assert code == 0 and "Jakarta" in told

    code, exported, _ = tools(office, "export")
    assert code == 0 and json.loads(exported)["mcpServers"]["weather"]["command"] == warm.python()
    (office / "theirs.json").write_text(exported.replace('"weather"', '"again"'))
    assert tools(office, "import", str(office / "theirs.json"))[0] == 0
    there = [one["name"] for one in tomllib.loads((office / "client.toml").read_text())["servers"]]
    assert there == ["weather", "again"]
    code, _, errors = tools(office, "import", str(office / "theirs.json"))
    assert code == 0 and "left out, client.toml has a server of this name" in errors


@pytest.mark.parametrize("words", [("weather.py",), ("-m", "weather")])
def test_a_server_named_from_the_current_folder_starts_wherever_the_daemon_does(
    office: Path, words: tuple[str, ...]
) -> None:
    command = ("--approval", "never", "weather", "--", warm.python(), *words)
    assert tools(office, "add", *command, cwd=office)[0] == 0
    code, told, errors = tools(office, "try", "--input", '{"city": "Jakarta"}', "look", cwd=Path("/"))
    assert code == 0 and "Jakarta 1" in told, errors


def test_a_client_toml_that_is_a_link_stays_one(office: Path) -> None:
    """The link was replaced by a copy, and its relative paths were read from the folder of the link."""
    real, file = office / "releases" / "client.toml", office / "client.toml"
    real.parent.mkdir()
    real.write_text(file.read_text() + '\n[[servers]]\nname = "old"\ncommand = "true"\nworkdir = "."\n')
    file.unlink()
    file.symlink_to(real)
    command = ("--approval", "never", "weather", "--", warm.python(), str(office / "weather.py"))
    code, _, errors = tools(office, "add", *command)
    assert (code, file.is_symlink()) == (0, True), errors
    assert [one["name"] for one in tomllib.loads(real.read_text())["servers"]] == ["old", "weather"]


def test_a_running_daemon_has_the_tools_of_what_was_added_when_the_command_ends(tmp_path: Path) -> None:
    """One asked at once had no such tool while the server was only starting."""
    program = tmp_path / "weather.py"
    program.write_text(f"import time\ntime.sleep(1)\n{SERVER}")
    with running(tmp_path, final("Halo"), config=HEAD) as daemon:
        place = ["--config", daemon.config, "--state", daemon.state, "--listen", daemon.url.rpartition("/")[2]]
        command = [warm.command(), "tools", "add", *place, "weather", "--", warm.python(), program]
        env = {**os.environ, "AGENTD_TOKEN": TOKEN}

        def run() -> subprocess.CompletedProcess[str]:
            return subprocess.run(command, stdin=subprocess.DEVNULL, env=env, capture_output=True, text=True)

        done = run()
        assert (done.returncode, done.stderr) == (0, "")
        assert "no terminal to ask in; use --approval" in done.stdout
        assert done.stdout.endswith("the running daemon has loaded it\n")
        assert "look" in {tool["name"] for tool in daemon.call("Tools.list")["tools"]}
        (tmp_path / "other.toml").write_text(HEAD)
        command[command.index(daemon.config)], command[command.index("weather")] = tmp_path / "other.toml", "rain"
        done = run()
        assert (done.returncode, "reads another client.toml: it has no rain" in done.stderr) == (1, True), done


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("weather", "--", "no-such-mcp-server"), 1, "does not start: "),
        (("weather", "--for", "staff", "--", "x"), 2, "agentd tools add"),
        (("--for", "citizens", "weather", "--", "x"), 2, "should be 'kiosk', 'chat', 'staff', 'admin' or 'model'"),
    ],
)
def test_what_does_not_work_is_said_and_nothing_is_written(
    office: Path, words: tuple[str, ...], code: int, told: str
) -> None:
    before = (office / "client.toml").read_text()
    ended, shown, errors = tools(office, "add", *words)
    assert ended == code and told in shown + errors
    assert ".client.toml.new" not in errors, "the file that it is about is the office's own"
    assert (office / "client.toml").read_text() == before
    assert sorted(each.name for each in office.iterdir() if each.suffix in (".toml", ".new")) == ["client.toml"]


def test_a_file_that_cannot_be_changed_is_said_without_a_trace(office: Path) -> None:
    (office / ".client.toml.new").mkdir()  # what would be written beside it first; root may write anything else
    code, _, errors = tools(office, "add", "weather", "--", "x")
    assert code == 2 and "can't be changed (Is a directory); name another by --config" in errors


def test_a_tool_whose_calls_need_evidence_is_asked_for_or_given_by_a_flag(office: Path) -> None:
    command = ("weather", "--", warm.python(), str(office / "weather.py"))
    code, told, _ = tools(office, "add", "--approval", "official", *command)
    assert code == 0 and 'official = ["send_alarm"]' in told and "approval =" not in told
    [entry] = tomllib.loads((office / "client.toml").read_text())["servers"]
    assert entry["official"] == ["send_alarm"]


def test_an_official_tool_of_a_server_is_known_before_the_server_lists_it(office: Path) -> None:
    with (office / "client.toml").open("a") as file:
        file.write('[[servers]]\nname = "weather"\ncommand = "x"\nofficial = ["send_alarm", "ghost"]\n')
    settings = config.load(office / "client.toml", state=str(office / "state"))
    caller = Caller(id="k", scopes=frozenset({"kiosk"}))
    down = Catalogue(servers=(ServerState(name="weather", state="down"),))
    before = toolset_for(settings, down, caller)
    assert [(tool.name, tool.official, tool.approval) for tool in before.every] == [
        ("ghost", True, "citizen"),
        ("send_alarm", True, "citizen"),
    ]
    listed = (ToolInfo(name="send_alarm", server="weather"), ToolInfo(name="look", server="weather"))
    up = Catalogue(tools=listed, servers=(ServerState(name="weather", state="up"),))
    with structlog.testing.capture_logs() as logs:
        toolset = KnownProfiles().of(settings, up, caller, AgentOptions()).toolset
    assert {tool.name: tool.official for tool in toolset.every} == {"send_alarm": True, "look": False}
    assert [entry["tools"] for entry in logs if entry["event"] == "tools.not_offered"] == [["ghost"]]


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
