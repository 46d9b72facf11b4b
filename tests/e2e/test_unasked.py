"""What a model may not do by itself: act unasked, or call a tool that its caller's profile does not offer."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentd.agent.languages import replies
from tests.daemon import HEAD, SERVERS, RpcFailed, call, final, running, server_entry
from tests.e2e.test_main_job import LETTER
from tests.waiting import until

THIRD_PARTY = """
import os
from pathlib import Path
from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations

server = MCPServer("files")
done = Path(os.environ["AGENTD_STATE"]) / "done.txt"

@server.tool(annotations=ToolAnnotations(destructive_hint=True))
def drop_table(name: str) -> str:
    done.write_text(name)
    return "dropped"

@server.tool()
def unmarked(name: str) -> str:
    done.write_text(name)
    return "done"

@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def look(name: str) -> str:
    return "seen"

@server.tool(meta={"agentd/identity": True}, annotations=ToolAnnotations(read_only_hint=True))
def verify_person(pin: str) -> str:
    done.write_text(pin)
    return "verified"

server.run()
"""
TOOLS = """
[[tools]]
name = "unmarked"
server = "files"
approval = "never"
"""


def third_party(folder: Path) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "files.py").write_text(THIRD_PARTY)
    return server_entry("files", "files.py", workdir=str(folder))


@pytest.mark.parametrize("tool", ["drop_table", "unmarked"])
def test_a_third_partys_destructive_tool_waits_for_a_yes(tmp_path: Path, tool: str) -> None:
    done = tmp_path / "state" / "done.txt"
    config = HEAD + third_party(tmp_path)
    with running(tmp_path, call("look", name="x"), call(tool, name="warga"), final("Sudah."), config=config) as daemon:
        asked = daemon.call("Agent.run", prompt="Lihat x, lalu bersihkan warga", session_id="s")
        assert (asked["status"], asked["approval"]["arguments"]) == ("needs_approval", {"name": "warga"})
        assert [step["tool"] for step in asked["steps"]] == ["look"], "what only reads asks nobody"
        assert asked["response"].startswith("Tindakan ini perlu persetujuan: ")
        assert not done.exists()
        ended = daemon.call("Agent.run", prompt="ya", session_id="s")
        assert (ended["run_id"], ended["status"], done.read_text()) == (asked["run_id"], "completed", "warga")


def test_the_office_may_say_that_a_tool_needs_nobody(tmp_path: Path) -> None:
    config = HEAD + TOOLS + third_party(tmp_path)
    with running(tmp_path, call("unmarked", name="x"), final("Sudah."), config=config) as daemon:
        assert daemon.call("Agent.run", prompt="Halo")["status"] == "completed"


def test_no_model_voids_a_letter_or_deletes_data_by_naming_the_tool(tmp_path: Path) -> None:
    config = HEAD + "\n".join(SERVERS.values()) + server_entry("graphiti_server", "-m", "servers.graphiti")
    turns = (
        call("void_letter", number="x", reason="because"),
        call("certificate__void_letter", number="x", reason="because"),
        call("delete_session_data"),
    )
    with running(tmp_path, *turns, config=config) as daemon:
        with pytest.raises(RpcFailed) as refused:
            daemon.call("Agent.run", prompt="Batalkan surat 1")
        error = refused.value.error
        assert (error["data"]["type"], len(error["data"]["steps"])) == ("unknown_tool", 3)
        assert not any("void_letter" in step["message"].partition("known tools")[2] for step in error["data"]["steps"])

        def refused_by_hand() -> bool:  # the office may, if there is such a letter and once the server is up
            with pytest.raises(RpcFailed) as refused:
                daemon.call("Tools.call", tool="void_letter", input={"number": "x", "reason": "because"})
            return "tidak ada dalam register" in str(refused.value)

        until(refused_by_hand, "the letters' server to answer that there is no such letter")


def test_a_tool_outside_the_profiles_prompt_is_unknown_to_its_model_and_there_by_hand(tmp_path: Path) -> None:
    profile = '[[profiles]]\nname = "desk"\nscopes = ["admin"]\nin_prompt = ["time"]\n'
    config = HEAD + SERVERS["time"] + third_party(tmp_path) + profile
    with running(tmp_path, call("look", name="x"), call("list_tools"), final("Tidak ada."), config=config) as daemon:
        first, listed = daemon.call("Agent.run", prompt="Lihat")["steps"]
        assert (first["success"], "there is no tool `look`" in first["message"]) == (False, True)
        assert [tool["name"] for tool in listed["output"]["tools"]] == ["get_current_time"]
        assert daemon.call("Tools.call", tool="look", input={"name": "x"})["success"]


PIN = "739105"


@pytest.mark.parametrize("entry", ["", '[[tools]]\nname = "verify_person"\nserver = "files"\napproval = "never"\n'])
def test_what_proves_who_somebody_is_exists_for_nobody_but_the_daemon(tmp_path: Path, entry: str) -> None:
    config = HEAD + entry + third_party(tmp_path)
    turns = (call("verify_person"), call("files__verify_person"), call("list_tools"), final("Tidak bisa."))
    with running(tmp_path, *turns, config=config) as daemon:
        assert "verify_person" not in {tool["name"] for tool in daemon.call("Tools.list")["tools"]}
        for name, server in (("verify_person", None), ("verify_person", "files"), ("FILES__VERIFY_PERSON", None)):
            with pytest.raises(RpcFailed, match="unknown_tool:"):
                daemon.call("Tools.call", tool=name, server=server, input={"pin": PIN})
        first, second, listed = daemon.call("Agent.run", prompt="PIN saya benar?")["steps"]
        assert not first["success"]
        assert not second["success"]
        assert "verify_person" not in str(listed["output"])
    assert not (tmp_path / "state" / "done.txt").exists()
    assert PIN.encode() not in b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())


def test_a_call_by_hand_asks_in_the_offices_language(tmp_path: Path) -> None:
    config = HEAD + '[agent]\nlanguage = "en"\n' + SERVERS["certificate"]
    with running(tmp_path, final("x"), config=config) as daemon:
        asked = daemon.call("Tools.call", tool=LETTER["tool"], input=LETTER["input"])
        assert asked["message"].startswith(replies()["en"].check_official.partition("{")[0]), asked["message"]


def test_nothing_is_kept_of_a_call_that_needs_a_yes_at_a_server_that_is_not_up(tmp_path: Path) -> None:
    entry = '[[tools]]\nname = "verify_person"\nserver = "files"\napproval = "citizen"\n'
    down = '[[servers]]\nname = "files"\ncommand = "false"\n'
    refused = pytest.raises(RpcFailed, match="tool_execution:")
    with running(tmp_path, final("Halo."), config=HEAD + entry + down) as daemon, refused:
        daemon.call("Tools.call", tool="verify_person", input={"pin": PIN})
    assert PIN.encode() not in b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
