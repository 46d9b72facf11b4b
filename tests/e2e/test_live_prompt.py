"""What a server says of itself reaches the next prompt, with no other change than that server's restart (seed 002)."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.daemon import running

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


@contextmanager
def capturing() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """An OpenAI-compatible endpoint that keeps what it was asked and always answers the same."""
    asked: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            content = json.dumps({"action": "final", "response": "Baik"})
            piece = {"id": "1", "object": "chat.completion.chunk", "created": 0, "model": "m"}
            delta = {**piece, "choices": [{"index": 0, "delta": {"content": content}, "finish_reason": None}]}
            end = {**piece, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            for value in (delta, end):
                self.wfile.write(f"data: {json.dumps(value)}\n\n".encode())
            self.wfile.write(b"data: [DONE]\n\n")

        def log_message(self, *_: object) -> None:
            """Keep the tests' output clean."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()


def test_new_instructions_and_schema_are_in_the_next_prompt_after_that_server_alone_restarted(tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(SERVER)
    (tmp_path / "instructions.txt").write_text("Ambil nomor antrean dahulu.")
    (tmp_path / "description.txt").write_text("Nomor antrean.")
    with capturing() as (url, asked):
        config = CONFIG.replace("URL", url).replace("SERVER", str(tmp_path / "server.py"))
        with running(tmp_path, "x", config=config, env={"WIRE_KEY": "k"}) as daemon:
            daemon.call("Agent.run", prompt="Halo", session_id="a")
            first = asked[-1]["messages"]
            assert "Ambil nomor antrean dahulu." in first[0]["content"]
            assert "ticket(counter): Nomor antrean." in first[0]["content"]
            assert "Halo" in first[-1]["content"]

            (tmp_path / "instructions.txt").write_text("Tanyakan keperluan dahulu.")
            (tmp_path / "description.txt").write_text("Karcis.")
            os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)
            before = daemon.call("System.health")["servers"][0]["restarts"]
            waited = threading.Event()
            for _ in range(200):
                server = daemon.call("System.health")["servers"][0]
                if server["state"] == "up" and server["restarts"] > before:
                    break
                waited.wait(0.1)
            daemon.call("Agent.run", prompt="Halo", session_id="b")
            second = asked[-1]["messages"][0]["content"]
            assert "Tanyakan keperluan dahulu." in second
            assert "ticket(counter): Karcis." in second
            assert "Ambil nomor antrean" not in second


def test_the_stable_part_of_the_prompt_is_the_same_from_turn_to_turn(tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(SERVER)
    (tmp_path / "instructions.txt").write_text("x")
    (tmp_path / "description.txt").write_text("y")
    with capturing() as (url, asked):
        config = CONFIG.replace("URL", url).replace("SERVER", str(tmp_path / "server.py"))
        with running(tmp_path, "x", config=config, env={"WIRE_KEY": "k"}) as daemon:
            for prompt in ("Halo", "Selamat siang"):
                daemon.call("Agent.run", prompt=prompt, session_id="s")
    one, two = (request["messages"] for request in asked)
    assert two[: len(one)] == one
