"""`make demo-servers`: eight third-party servers, each added by its README's command, answer in `agentd chat`.

`agentd tools add NAME -- COMMAND` writes each server's lines while the daemon runs. `npx` and `uvx` fetch the packages,
so their registries must be reachable. The model is a table of questions: it calls the tool and repeats its result.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.server import SimpleHTTPRequestHandler
from pathlib import Path
from typing import Any, NamedTuple

from lab.eval.openings.host import serving
from tests import http_server
from tests.daemon import AGENTD, TOKEN, Daemon
from tests.ports import free_port

CONFIG = """\
default_provider = "table"
prompt_template = "Help. {{{{custom_instruction}}}} {{{{language_guidance}}}} {{{{tool_guidance}}}}"

[[providers]]
id = "table"
type = "openai"
endpoint = "{endpoint}"
model = "table"
"""
NPM, PYPI = ("npx", "-y"), ("uvx",)
PATIENCE_S = 600
PASSED = [name for name in os.environ if name.startswith(("UV_", "npm_config_")) or name == "SSL_CERT_FILE"]
"""Variables that `npx` and `uvx` may need here to reach their registries; servers get none of them by default."""


class Other(NamedTuple):
    """One server: the words that add it, a question, the call that answers it, and text the answer must contain."""

    name: str
    add: tuple[str, ...]
    question: str
    tool: str
    arguments: dict[str, Any]
    says: str


def others(folder: Path, page: str, remote: str) -> list[Other]:
    """The eight servers, over the files that `_made` creates."""
    notes, repository, database = folder / "notes", folder / "repository", folder / "stock.db"
    memory = f"MEMORY_FILE_PATH={folder / 'memory.jsonl'}"
    files = ("filesystem", "--", *NPM, "@modelcontextprotocol/server-filesystem", str(notes))
    git = ("git", "--", *PYPI, "mcp-server-git", "--repository", str(repository))
    fetch = ("fetch", "--", *PYPI, "mcp-server-fetch", "--allow-private-ips")
    letter = str(notes / "desk.txt")
    return [
        Other("filesystem", files, f"What is in {letter}?", "read_text_file", {"path": letter}, "Desk 2 opens at nine"),
        Other("fetch", fetch, f"What does {page} say?", "fetch", {"url": page}, "closed on Friday"),
        Other("git", git, f"What changed in {repository}?", "git_status", {"repo_path": str(repository)}, "new.txt"),
        Other(
            "sqlite",
            ("sqlite", "--", *PYPI, "--with", "mcp<2", "mcp-server-sqlite", "--db-path", str(database)),
            *("Which tables are there?", "list_tables", {}, "boxes"),
        ),
        Other(
            "time",
            ("time", "--", *PYPI, "mcp-server-time"),
            *("What time is it in Asia/Tokyo?", "get_current_time", {"timezone": "Asia/Tokyo"}, "+09:00"),
        ),
        Other(
            "memory",
            ("--env", memory, "memory", "--", *NPM, "@modelcontextprotocol/server-memory"),
            *("What do you remember?", "read_graph", {}, "the key is with Ani"),
        ),
        Other(
            "everything",
            ("everything", "--", *NPM, "@modelcontextprotocol/server-everything"),
            *("How much is 17 and 25?", "get-sum", {"a": 17, "b": 25}, "42"),
        ),
        Other(
            "remote",
            ("--url", remote, "remote"),
            *("Please echo: good morning", "remote__echo", {"message": "good morning"}, "Echo: good morning"),
        ),
    ]


def main() -> int:
    """Return 0 when each server was added and answered."""
    argparse.ArgumentParser(prog="python -m lab.demo.others", description=__doc__).parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="agentd-others-")))
        page, remote = stack.enter_context(_page(_made(folder))), stack.enter_context(_remote())
        all_ = others(folder, page, remote)
        endpoint = stack.enter_context(serving(functools.partial(_answer, all_)))
        daemon = Daemon(folder, (), CONFIG.format(endpoint=endpoint)).start()
        stack.callback(daemon.kill)
        answered = [_shown(daemon, one) for one in all_]
    print(f"\n{sum(answered)} of {len(answered)} servers were added and answered")
    return 0 if all(answered) else 1


def _answer(all_: list[Other], asked: dict[str, Any]) -> str:
    """The call that the table has for the last question, or the result once there is one."""
    last = asked["messages"][-1]["content"]
    if '"tool_result"' in last:
        result = json.loads(last[last.index("{") : last.rindex("}") + 1])["tool_result"]
        return json.dumps({"action": "final", "response": f"{result['message'] or result['output']}"})
    one = next(one for one in all_ if one.question in last)
    return json.dumps({"action": "call_tool", "tool": one.tool, "input": one.arguments})


def _shown(daemon: Daemon, one: Other) -> bool:
    """Add the server and ask it, printing what was typed and answered; return whether it answered as expected."""
    env = {**os.environ, "AGENTD_TOKEN": TOKEN}
    flags = ["--config", str(daemon.config), "--state", str(daemon.state), "--listen", daemon.url.rpartition("/")[2]]
    print(f"\n$ agentd tools add {' '.join(one.add)}", flush=True)
    began = time.monotonic()
    passed = [word for name in PASSED for word in ("--pass-env", name)]
    add: list[str | Path] = [AGENTD, "tools", "add", *flags, "--approval", "never", *passed, *one.add]
    added = subprocess.run(add, env=env, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    took = time.monotonic() - began
    if added.returncode:
        print(added.stdout + added.stderr)
        return False
    print(
        "\n".join(f"  {line}" for line in daemon.config.read_text().rpartition("[[servers]]")[2].strip().splitlines())
    )
    chat: list[str | Path] = [AGENTD, "chat", *flags]
    said = subprocess.run(
        chat, input=f"{one.question}\n", env=env, capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    print(f"added in {took:.1f} s\nagent> {one.question}\n{said.stdout.strip()[:400]}{said.stderr[-400:]}")
    return one.says in said.stdout


def _made(folder: Path) -> Path:
    """Create the files that the servers are asked about; return the folder of the web page."""
    for name in ("notes", "repository", "page"):
        (folder / name).mkdir()
    (folder / "notes" / "desk.txt").write_text("Desk 2 opens at nine.\n")
    (folder / "page" / "index.html").write_text("<html><body><p>The office is closed on Friday.</p></body></html>\n")
    subprocess.run(["git", "init", "--quiet", folder / "repository"], check=True)
    (folder / "repository" / "new.txt").write_text("new\n")
    with sqlite3.connect(folder / "stock.db") as database:
        database.execute("CREATE TABLE boxes (n INTEGER)")
    known = {"type": "entity", "name": "desk 2", "entityType": "desk", "observations": ["the key is with Ani"]}
    (folder / "memory.jsonl").write_text(json.dumps(known) + "\n")
    return folder / "page"


@contextmanager
def _page(folder: Path) -> Iterator[str]:
    """Serve the page on this machine and yield its address."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Log nothing."""

    with http_server.serving(functools.partial(Quiet, directory=str(folder))) as url:
        yield f"{url}/index.html"


@contextmanager
def _remote() -> Iterator[str]:
    """Start a Streamable HTTP server with its README's command and yield its address."""
    port = free_port()
    command = [*NPM, "@modelcontextprotocol/server-everything", "streamableHttp"]
    process = subprocess.Popen(
        command, env={**os.environ, "PORT": str(port)}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stderr is not None
        if not any("listening" in line for line in process.stderr):
            raise SystemExit("the Streamable HTTP server did not start")
        threading.Thread(target=process.stderr.read, daemon=True).start()
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        process.wait(30)


if __name__ == "__main__":
    sys.exit(main())
