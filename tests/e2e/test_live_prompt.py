"""What a server says of itself reaches the next prompt, with no other change than that server's restart (seed 002)."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from tests.daemon import running
from tests.e2e.told_model import told_model
from tests.waiting import until

SERVER = """
import sys
from pathlib import Path
from mcp.server.mcpserver import MCPServer

here = Path(__file__).parent
(here / "pid").write_text(str(__import__("os").getpid()))
server = MCPServer("desk", instructions=(here / "instructions.txt").read_text())

@server.tool(description=(here / "description.txt").read_text())
def ticket(counter: str) -> str:
    return counter

server.run()
"""
CONFIG = """
default_provider = "wire"
prompt_template = "Layani warga. {{custom_instruction}} {{language_guidance}} {{tool_guidance}}"

[[providers]]
id = "wire"
type = "openai"
endpoint = "URL/v1"
api_key = "WIRE_KEY"
models = ["m"]

[[servers]]
name = "desk"
command = "python3"
args = ["SERVER"]
"""


def test_new_instructions_and_schema_are_in_the_next_prompt_after_that_server_alone_restarted(tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(SERVER)
    (tmp_path / "instructions.txt").write_text("Ambil nomor antrean dahulu.")
    (tmp_path / "description.txt").write_text("Nomor antrean.")
    with told_model() as model:
        config = CONFIG.replace("URL", model.endpoint).replace("SERVER", str(tmp_path / "server.py"))
        with running(tmp_path, "x", config=config, env={"WIRE_KEY": "k"}) as daemon:
            daemon.call("Agent.run", prompt="Halo", session_id="a")
            first = model.sent[-1]["messages"]
            assert "Ambil nomor antrean dahulu." in first[0]["content"]
            assert "ticket(counter): Nomor antrean." in first[0]["content"]
            assert "Halo" in first[-1]["content"]

            (tmp_path / "instructions.txt").write_text("Tanyakan keperluan dahulu.")
            (tmp_path / "description.txt").write_text("Karcis.")
            os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)
            until(lambda: daemon.call("System.health")["servers"][0]["restarts"], "the server's restart")
            daemon.call("Agent.run", prompt="Halo", session_id="b")
            second = model.sent[-1]["messages"][0]["content"]
            assert "Tanyakan keperluan dahulu." in second
            assert "ticket(counter): Karcis." in second
            assert "Ambil nomor antrean" not in second


def test_the_stable_part_of_the_prompt_is_the_same_from_turn_to_turn(tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(SERVER)
    (tmp_path / "instructions.txt").write_text("x")
    (tmp_path / "description.txt").write_text("y")
    with told_model() as model:
        config = CONFIG.replace("URL", model.endpoint).replace("SERVER", str(tmp_path / "server.py"))
        with running(tmp_path, "x", config=config, env={"WIRE_KEY": "k"}) as daemon:
            for prompt in ("Halo", "Selamat siang"):
                daemon.call("Agent.run", prompt=prompt, session_id="s")
    one, two = (request["messages"] for request in model.sent)
    assert two[: len(one)] == one
