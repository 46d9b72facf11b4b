"""What apps bring to client.toml, and that the daemon knows no server by its name."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

from agentd.apps.letters.section import LettersSettings
from agentd.config import load, sections, shipped

ROOT = Path(__file__).parents[2]
DAEMON = ROOT / "agentd"
SHOWN = DAEMON / "rpc" / "methods"
"""Their examples show a server's answer as it is on the wire."""


def server_names() -> set[str]:
    """Those that ship: of every office's client.toml, and of the packages."""
    offices = [tomllib.loads(file.read_text(encoding="utf-8")) for file in ROOT.glob("profiles/*/client.toml")]
    packages = {folder.parent.name for folder in ROOT.glob("servers/*/__main__.py")}
    return packages | {server["name"] for office in offices for server in office.get("servers", ())}


def texts(source: str) -> Iterator[str]:
    """The strings of a module."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def test_no_server_is_named_by_a_string_in_the_daemon() -> None:
    names = server_names()
    assert {"certificate", "residents", "time", "graphiti_server", "mysql_mcp_server"} <= names
    found = {
        (file.relative_to(ROOT).as_posix(), text)
        for file in DAEMON.rglob("*.py")
        if not file.is_relative_to(DAEMON / "apps") and not file.is_relative_to(SHOWN)
        for text in texts(file.read_text(encoding="utf-8"))
        if text in names
    }
    assert found == set()


def test_an_app_says_which_server_it_speaks_to_unless_client_toml_does(tmp_path: Path) -> None:
    settings = load(shipped("client.toml"), environ={})
    speaks_to = {key: settings.server_of(key) for key in (*sections.kinds(), "none")}
    own = {"letters": "certificate", "residents": "residents", "books": "sim_testgeluran_server"}
    assert speaks_to == {"analytics": "", "channels": "", "none": "", **own}
    assert settings.store.session_servers == ["graphiti_server"]
    file = tmp_path / "client.toml"
    text = shipped("client.toml").read_text(encoding="utf-8")
    said = '[letters]\nserver = "time"\nassurance = "pin"\n'
    own, _, _ = text.partition("[letters]")
    file.write_text(f"{own}{said}[store]\nsession_servers = []\n", encoding="utf-8")
    told = load(file, environ={})
    assert (told.server_of("letters"), told.section(LettersSettings).assurance) == ("time", "pin")
    assert told.store.session_servers == []
