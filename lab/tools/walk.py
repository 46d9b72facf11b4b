"""`python -m lab.tools.walk` prints the files that a prompt passes through, from HTTP to the letter.

It starts a daemon in this process and the certificate server beside it, and requests a letter over HTTP: the prompt,
then the yes. The model is scripted. It prints the project's files on the call stack at three moments; a task's or
thread's stack includes the stack of the code that started it:

- the prompt's call stops for a human's approval
- the approved call is sent to its server
- the server renames the letter's file to its final name

This is the path of a reader who follows the calls downwards and steps over each call that has returned by then: a
policy that lets the call pass, the model's turn, a row that is written. The way to the model's turn is printed
separately, and so is the longest path within the grounding check (`ungrounded`) of the same call, on its first run.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextvars import ContextVar, copy_context
from functools import cache
from inspect import currentframe
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
LETTER = "generate_surat_keterangan_domisili"
STARTED: ContextVar[tuple[str, ...]] = ContextVar("files on the stack that started this", default=())
TURN = asyncio.BaseEventLoop.run_forever.__code__
Walk = dict[str, list[str]]
"""{moment: files, in call order}."""


def files() -> tuple[str, ...]:
    """The project's files on the current call stack, outermost first, without duplicates."""
    return tuple(dict.fromkeys((*STARTED.get(), *reversed(list(_project(currentframe()))))))


def _project(frame: FrameType | None) -> Iterator[str]:
    while frame is not None and frame.f_code is not TURN:  # callers of the event loop are not part of the path
        if file := _file(frame.f_code.co_filename):
            yield file
        frame = frame.f_back


@cache
def _file(name: str) -> str:
    """The file's path in the project; empty for others' files."""
    path = Path(name)
    ours = path.is_relative_to(ROOT) and path.parts[len(ROOT.parts)] in ("agentd", "bridges", "servers")
    return str(path.relative_to(ROOT)) if ours else ""


class Following(asyncio.DefaultEventLoopPolicy):
    """Creates event loops whose tasks record the stack that started them."""

    def new_event_loop(self) -> asyncio.AbstractEventLoop:
        """An event loop with the recording task factory."""
        loop = super().new_event_loop()
        loop.set_task_factory(_following)
        return loop


def _following(loop: asyncio.AbstractEventLoop, coro: Any, context: Any = None, **more: Any) -> asyncio.Task[Any]:
    own = context or copy_context()
    own.run(STARTED.set, files() if asyncio.current_task(loop) else ())
    return asyncio.Task(coro, loop=loop, context=own, **more)


def watch(moments: dict[Any, str], seen: Walk) -> None:
    """Record the stack whenever this thread enters one of these code objects."""
    import anyio.to_thread

    threads = (anyio.to_thread.run_sync.__code__, asyncio.to_thread.__code__)

    def entered(frame: FrameType, event: str, _: object) -> None:
        if event != "call":
            return
        if frame.f_code in threads:
            STARTED.set(files())  # the thread receives a copy of the context
        elif (moment := moments.get(frame.f_code)) is not None and frame.f_locals.get("name", LETTER) == LETTER:
            seen.setdefault(moment, []).extend(file for file in files() if file not in seen[moment])

    sys.setprofile(entered)


async def walk(folder: Path) -> Walk:
    """Request one letter and return {moment: files}. Raises AssertionError when none was issued."""
    import mcp

    from agentd import config
    from agentd.agent.approval import summary
    from agentd.app import served
    from agentd.messages import Said, ToolCall
    from agentd.observability import logging as logs
    from agentd.startup import started
    from agentd.testing import ScriptedModel
    from tests.daemon import HEAD, call, final
    from tests.e2e.test_main_job import LETTER as CALLED
    from tests.e2e.test_main_job import WORDS

    assert call(LETTER, **CALLED["input"]) == CALLED
    server = f'[[servers]]\nname = "certificate"\ncommand = {json.dumps(sys.executable)}\nworkdir = "{ROOT}"\n'
    server += f'args = ["-m", "lab.tools.walk", "--server", {json.dumps(str(folder / "server.json"))}]\n'
    (folder / "client.toml").write_text(HEAD + server)
    (folder / "script.jsonl").write_text(f"{json.dumps(CALLED)}\n{json.dumps(final('Selesai.'))}\n")
    settings = config.load(str(folder / "client.toml"), state=str(folder / "state"), listen="127.0.0.1:0")
    logs.configure("ERROR")
    seen: Walk = {}
    moments = {ScriptedModel.turn.__code__: "model", summary.__code__: "asked", mcp.Client.call_tool.__code__: "called"}
    async with started(settings) as made, served(made) as addresses:
        watch(moments, seen)
        for prompt in (WORDS, "ya, benar"):
            outcome = await asyncio.to_thread(_asked, addresses[0], prompt)
        sys.setprofile(None)
        tool = made.tools.catalogue().tool(LETTER)
    assert outcome["artifacts"] and tool is not None, outcome
    said = (Said(by="citizen", order=0, text=WORDS),)
    asked = ToolCall(tool=tool, input=CALLED["input"], run_id="walk", session_id="walk", step=1, said=said)
    seen["grounding"] = grounding(asked)
    seen["kept"] = json.loads((folder / "server.json").read_text())
    return seen


def grounding(call: Any) -> list[str]:
    """The longest stack (by number of files) below the grounding check of a call whose arguments are all proven."""
    from agentd.apps.letters.policies.grounding import ungrounded

    longest: list[str] = []

    def entered(frame: FrameType, event: str, _: object) -> None:
        nonlocal longest
        if event == "call":
            stack = list(dict.fromkeys(_project(frame)))
            below = stack[: stack.index(checked) + 1] if checked in stack else []
            longest = max(longest, below, key=len)

    checked = str(Path(ungrounded.__code__.co_filename).relative_to(ROOT))
    sys.setprofile(entered)
    missing = ungrounded(call)
    sys.setprofile(None)
    assert not missing, missing
    return longest[::-1]


def _asked(address: str, prompt: str) -> dict[str, Any]:
    params = {"prompt": prompt, "session_id": "walk"}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "Agent.run", "params": params}).encode()
    request = urllib.request.Request(f"{address}/rpc", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=170) as response:
        answer = json.load(response)
    outcome: dict[str, Any] = answer["result"]
    return outcome


def serve(report: Path) -> None:
    """Run the certificate server and record the stack at the moment a letter's file is renamed."""
    from servers.certificate.__main__ import main

    def audited(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "os.rename" and str(arguments[1]).endswith(".pdf"):
            report.write_text(json.dumps(files()))

    sys.addaudithook(audited)
    watch({}, {})
    main()


def main() -> None:
    """Print the files as described above."""
    parser = argparse.ArgumentParser(prog="python -m lab.tools.walk", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--server", metavar="FILE", type=Path, help=argparse.SUPPRESS)  # the started server
    report = parser.parse_args().server
    asyncio.set_event_loop_policy(Following())
    if report:
        sys.argv[1:] = []
        serve(report)
        return
    with tempfile.TemporaryDirectory() as name:
        seen = asyncio.run(walk(Path(name)))
    whole = list(dict.fromkeys(file for moment in ("called", "asked", "kept") for file in seen[moment]))
    aside = [file for file in seen["model"] if file not in whole]
    said = [*whole, f"{len(whole)} files from HTTP to the letter"]
    said += [f"On the way to the model's turn: {', '.join(aside)} ({len(aside)} more)"]
    said += [f"In the check of grounding: {', '.join(seen['grounding'])} ({len(seen['grounding'])} files)"]
    sys.stdout.write("\n".join((*said, "")))


if __name__ == "__main__":
    main()
