"""Servers from other programs' files into client.toml, and back: nothing lost, no secret written down (issue 21)."""

from __future__ import annotations

import json
import tomllib

import pytest

from agentd.apps.setup.entries import added, exported, lines, new_server, read
from agentd.config.schema import ServerEntry

CLAUDE = {
    "mcpServers": {
        "file system": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "/home/a b"]},
        "weather": {
            "command": "uvx",
            "args": ["w"],
            "env": {"WEATHER_API_KEY": "sk-123", "CITY": "Jakarta"},
            "cwd": "w",
        },
    }
}
VS_CODE = """{
  // where VS Code keeps them: https://code.visualstudio.com
  "inputs": [{"type": "promptString", "id": "token", "password": true}],
  "servers": {
    "github": {"type": "http", "url": "https://api.example.org/mcp", "headers": {"A": "Bearer ${input:token}"}},
    "local": {"type": "stdio", "command": "python3", "args": ["-m", "x"], "env": {"HOST": "${env:HOST}"},},
  }, /* the end */
}"""
CURSOR = {"mcpServers": {"books": {"url": "https://books.example/mcp", "headers": {"X-Key": "${env:BOOKS_KEY}"}}}}


def test_what_claude_desktop_has_is_taken_over_without_its_secrets() -> None:
    servers, notes = read(json.dumps(CLAUDE))
    assert servers == [
        ServerEntry(
            name="file-system", command="npx", args=["-y", "@modelcontextprotocol/server-filesystem", "/home/a b"]
        ),
        ServerEntry(
            name="weather",
            command="uvx",
            args=["w"],
            env={"CITY": "Jakarta"},
            pass_env=["WEATHER_API_KEY"],
            workdir="w",
        ),
    ]
    assert notes == ["weather: set WEATHER_API_KEY in agentd's environment"]
    assert "sk-123" not in lines(servers[1])


def test_what_vs_code_has_is_read_over_its_comments() -> None:
    [github, local], notes = read(VS_CODE)
    assert (github.url, local.pass_env) == ("https://api.example.org/mcp", ["HOST"])
    assert notes[0] == "github: `${input:token}` is asked for there; write it in"


def test_what_cursor_takes_from_its_environment_becomes_a_credential() -> None:
    [books], _ = read(json.dumps(CURSOR))
    assert dict(books.headers) == {"X-Key": "${BOOKS_KEY}"}


def test_a_secret_that_stands_in_a_header_is_named_and_not_copied() -> None:
    given = {"Authorization": "Bearer sk-123", "X-API-Key": "sk-4", "X-Office": "front desk"}
    (books,), notes = read(json.dumps({"mcpServers": {"my books": {"url": "https://x/mcp", "headers": given}}}))
    assert dict(books.headers) == {
        "Authorization": "Bearer ${my_books_authorization}",
        "X-API-Key": "${my_books_x_api_key}",
        "X-Office": "front desk",
    }
    assert len(notes) == 2 and "credential `my_books_authorization`" in notes[0]
    written = ServerEntry(name="my", url="https://x/mcp", headers=given)
    assert "sk-" not in json.dumps(exported([written]))


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ({"type": "sse", "url": "https://x/sse"}, "old HTTP+SSE"),
        ({"args": []}, "neither"),
        (3, "neither"),
        ({"command": "x", "disabled": True}, "disabled there"),
    ],
)
def test_what_cannot_be_taken_over_is_said(entry: object, why: str) -> None:
    servers, [note] = read(json.dumps({"mcpServers": {"odd": entry}}))
    assert servers == [] and note.startswith("odd: left out") and why in note


@pytest.mark.parametrize("text", ["[]", "{}", '{"mcpServers": 3}', "{", '{"servers": {}}'])
def test_a_file_without_servers_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        read(text)


@pytest.mark.parametrize(
    "part",
    [
        *({"args": "-y x"}, {"args": 5}, {"args": {"a": 1}}, {"env": ["A=1"]}, {"env": "A"}, {"headers": [1]}),
        *({"command": ["sh", "-c", "x"]}, {"url": 1}, {"cwd": ["/"]}),
    ],
)
def test_an_entry_of_another_form_is_left_out_and_said(part: dict[str, object]) -> None:
    [name] = part
    servers, notes = read(json.dumps({"mcpServers": {"x": {"command": "a", **part}, "y": {"command": "b"}}}))
    assert [one.name for one in servers] == ["y"]
    assert notes == [f"x: left out, its {name} has another form than it should"]


def test_half_a_character_and_no_end_of_brackets_are_refused() -> None:
    with pytest.raises(ValueError, match="surrogates"):
        read('{"mcpServers": {"x": {"command": "\\ud800"}}}')
    with pytest.raises((ValueError, RecursionError)):
        read('{"mcpServers": ' + "[" * 100_000)


def test_no_value_writes_a_line_of_its_own() -> None:
    hostile = 'x"\n[[servers]]\nname = "y"\ncommand = "sh\x7f\u2028'
    servers, _ = read(
        json.dumps({"mcpServers": {hostile: {"command": hostile, "args": [hostile], "env": {"A": hostile}}}})
    )
    [entry] = tomllib.loads(added("", servers))["servers"]
    assert (entry["command"], entry["args"], entry["env"]) == (hostile, [hostile], {"A": hostile})


def test_entries_stand_at_the_end_of_the_file_and_its_comments_stay() -> None:
    text = '# the office\nmodel = "m"  # ours\n'
    odd = new_server(
        name="odd",
        command='a"b',
        args=["\\", "ü\n"],
        env={"A": "x y"},
        audience=["staff"],
        approval={"do-it": "citizen"},
    )
    whole = added(text, [odd, new_server(name="far", url="https://x/mcp", audience=[])])
    assert whole.startswith(text)
    first, second = tomllib.loads(whole)["servers"]
    assert first == {
        "name": "odd",
        "command": 'a"b',
        "args": ["\\", "ü\n"],
        "env": {"A": "x y"},
        "approval": {"do-it": "citizen"},
        "for": ["staff"],
    }
    assert second == {"name": "far", "url": "https://x/mcp", "for": []}


def test_what_is_exported_comes_back_and_names_secrets_without_showing_them() -> None:
    entries = [
        ServerEntry(name="time", command="python3", args=["-m", "servers.time"], default_city="Jakarta"),
        ServerEntry(name="far", url="https://x/mcp", headers={"Authorization": "Bearer ${far_token}"}),
        ServerEntry(name="keyed", command="k", pass_env=["K_KEY"], credentials=["k_token"]),
    ]
    made = exported(entries)
    assert made["mcpServers"]["far"]["headers"] == {"Authorization": "Bearer ${env:far_token}"}
    assert made["mcpServers"]["keyed"]["env"] == {"K_KEY": "${env:K_KEY}", "K_TOKEN": "${env:K_TOKEN}"}
    [time, far, keyed], _ = read(json.dumps(made))
    env = {"DEFAULT_CITY": "Jakarta"}
    assert time == ServerEntry(name="time", command="python3", args=["-m", "servers.time"], env=env)
    assert dict(far.headers) == {"Authorization": "Bearer ${far_token}"}
    assert keyed.pass_env == ["K_KEY", "K_TOKEN"]
