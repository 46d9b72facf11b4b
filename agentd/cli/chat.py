"""`agentd chat`: a conversation in the terminal, over STDIO. It reaches the agent through a client."""

from __future__ import annotations

import argparse
import asyncio
import shutil
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

from agentd.cli import options

HELP = """\
/agent on|off|toggle   answer by the agent with its tools, or straight by the model
/log                   the model requests and tool calls of the last answer
/steps                 the tool calls of the last answer, with their results
/open [N]              open the last answer's file (the Nth of several) in this desktop's viewer
/tools                 the tools and servers there are
/provider [ID]         which provider answers first
/model [NAME]          which model
/reset                 begin a new conversation
/help                  this
/exit                  leave   (: works for / everywhere)"""
KEYS = {"y": True, "ya": True, "yes": True, "n": False, "b": False, "batal": False, "no": False}
"""What is typed where a call waits for a yes."""
OPENERS = ("xdg-open", "open")
"""What shows a file on a desktop: Linux', macOS'."""
WORDS = ("/agent", "/log", "/open", "/steps", "/tools", "/provider", "/model", "/reset", "/help", "/exit")


def register(commands: Any) -> None:
    """Add the command's words."""
    parser = commands.add_parser("chat", help="talk with the agent in the terminal")
    options.add(parser, listen=True)
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Converse until /exit or the end of the input."""
    settings = options.settings(given)
    return asyncio.run(_converse(settings))


async def _converse(settings: Any) -> int:
    from agentd.cli.client import opened

    async with opened(settings) as client:
        chat = Chat(client, print)
        read = _reader(lambda: chat.prompt)
        if sys.stdin.isatty():
            print(f"agentd ({client.where}); /help lists the commands")
        while (line := await read()) is not None:
            if not await chat.line(line):
                break
    return 0


def _reader(prompt: Callable[[], str]) -> Callable[[], Awaitable[str | None]]:
    """Lines from the keyboard (with history and completion) or, piped, from standard input."""
    if not sys.stdin.isatty():

        async def plain() -> str | None:
            line = await asyncio.to_thread(sys.stdin.readline)
            return line.rstrip("\n") if line else None

        return plain

    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import WordCompleter
    from prompt_toolkit.history import InMemoryHistory

    words = WordCompleter([*WORDS, *(word.replace("/", ":") for word in WORDS)], sentence=True)
    session: PromptSession[str] = PromptSession(completer=words, history=InMemoryHistory())

    async def typed() -> str | None:
        try:
            return await session.prompt_async(prompt())
        except EOFError:
            return None
        except KeyboardInterrupt:
            return ""

    return typed


def card(approval: dict[str, Any]) -> list[str]:
    """A call that waits, as a card: what is done, each value, and where it comes from."""
    sources = approval.get("sources") or {}
    values = {name: value for name, value in approval["arguments"].items() if value is not None}
    wide = max(map(len, values), default=0)
    rows = [
        f"│ {name:<{wide}}  {value}" + (f"  [{sources[name]}]" if sources.get(name) else "")
        for name, value in values.items()
    ]
    return [f"┌ {approval['tool']}", *rows, "└ " + str(approval["summary"]).replace("\n", "\n  ")]


class Chat:
    """The state of one conversation: a line in, lines out through `say`."""

    def __init__(self, client: Any, say: Callable[[str], None]) -> None:
        self._client = client
        self._say = say
        self._agent = True
        self._provider: str | None = None
        self._model: str | None = None
        self._last: dict[str, Any] = {}
        self._said: list[dict[str, str]] = []
        self._session = uuid4().hex
        self.waiting: dict[str, Any] | None = None
        """The run that waits for a yes, as it was answered."""

    @property
    def prompt(self) -> str:
        """`agent> ` while the agent answers, `model> ` while the model does; a question while a call waits."""
        if self.waiting is not None:
            return "y = ya/yes, n = batal/no, or write what is to be changed> "
        return "agent> " if self._agent else "model> "

    async def line(self, text: str) -> bool:
        """Do what the line says. False when it was the last."""
        text = text.strip()
        if not text:
            return True
        if text[0] in "/:":
            word, _, rest = text[1:].partition(" ")
            return await self._command(word.lower(), rest.strip())
        from agentd.cli.client import Refused

        waiting, self.waiting = self.waiting, None
        try:
            if waiting is not None and text.casefold() in KEYS:
                await self._decide(waiting, KEYS[text.casefold()])
                return True
            await (self._ask_agent(text) if self._agent else self._ask_model(text))
        except Refused as error:
            self._say(f"! {error}")
            self._last = error.error.get("data") or {}
        return True

    async def _ask_agent(self, text: str) -> None:
        from agentd.cli.client import talk

        chosen = {key: value for key, value in (("provider", self._provider), ("model", self._model)) if value}
        self._show(await talk(self._client, text, {"session_id": self._session, "options": chosen}))

    async def _decide(self, waiting: dict[str, Any], approved: bool) -> None:
        asked = {"run_id": waiting["run_id"], "approval_id": waiting["approval"]["approval_id"], "approved": approved}
        self._show(await self._client.call("Agent.approve", asked))

    def _show(self, outcome: dict[str, Any]) -> None:
        """The answer; where a call waits for a yes, its card."""
        self._last = outcome
        if outcome["status"] == "needs_approval":
            self.waiting = outcome
            for line in card(outcome["approval"]):
                self._say(line)
        else:
            self._say(outcome["response"])
        for artifact in self._last["artifacts"]:
            self._say(f"→ {artifact.get('path') or artifact['uri']}  (/open)")

    async def _ask_model(self, text: str) -> None:
        model = "/".join(part for part in (self._provider, self._model) if part) or None
        self._said.append({"role": "user", "content": text})
        answer = await self._client.raw(self._said, model)
        self._said.append({"role": "assistant", "content": answer})
        self._say(answer)

    async def _command(self, word: str, rest: str) -> bool:
        if word in ("exit", "quit"):
            return False
        acts: dict[str, Callable[[str], Awaitable[None]]] = {
            "agent": self._switch,
            "log": self._show_log,
            "open": self._open,
            "steps": self._show_steps,
            "tools": self._show_tools,
            "provider": self._choose_provider,
            "model": self._choose_model,
            "reset": self._reset,
            "help": self._help,
        }
        if word in acts:
            await acts[word](rest)
        else:
            self._say(f"! there is no command /{word}; /help lists them")
        return True

    async def _switch(self, rest: str) -> None:
        wanted = {"on": True, "off": False, "toggle": not self._agent, "": self._agent}
        if rest not in wanted:
            self._say("! /agent on, /agent off or /agent toggle")
            return
        self._agent = wanted[rest]
        self._say(f"agent {'on' if self._agent else 'off'}")

    async def _show_log(self, _: str) -> None:
        for line in self._last.get("logs") or ["(belum ada)"]:
            self._say(line)

    async def _open(self, rest: str) -> None:
        files = self._last.get("artifacts") or []
        number = int(rest) if rest.isdecimal() else 1
        if not 1 <= number <= len(files):
            self._say("! the last answer has no such file")
            return
        path = files[number - 1].get("path")
        opener = next(filter(None, map(shutil.which, OPENERS)), None)
        if path is None or opener is None:
            self._say(f"! nothing here opens it: {path or files[number - 1]['uri']}")
            return
        process = await asyncio.create_subprocess_exec(
            *(opener, path), stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, start_new_session=True
        )
        if code := await process.wait():
            self._say(f"! {Path(opener).name} {path}: exit {code}")

    async def _show_steps(self, _: str) -> None:
        steps = self._last.get("steps") or []
        if not steps:
            self._say("(tidak ada tool yang dipanggil)")
        for number, step in enumerate(steps, start=1):
            how = "ok" if step["success"] else "gagal"
            self._say(f"{number}. {step['tool']} @ {step['server']} [{how}, {step['duration_ms']:.0f} ms]")
            self._say(f"   input:  {step['input']}")
            self._say(f"   output: {step['output'] if step['output'] is not None else step['message']}")

    async def _show_tools(self, _: str) -> None:
        from agentd.cli.tools import lines

        for line in lines(await self._client.call("Tools.list")):
            self._say(line)

    async def _choose_provider(self, rest: str) -> None:
        providers = (await self._client.call("Models.list"))["providers"]
        known = [provider["id"] for provider in providers]
        if rest and rest not in known:
            self._say(f"! unknown provider {rest}; known: {', '.join(known)}")
            return
        self._provider = rest or self._provider
        for provider in providers:
            mark = "*" if provider["id"] == (self._provider or known[0]) else " "
            self._say(f"{mark} {provider['id']}: {provider['state']}")

    async def _choose_model(self, rest: str) -> None:
        providers = (await self._client.call("Models.list"))["providers"]
        known = [model["name"] for provider in providers for model in provider["models"]]
        if rest and rest not in known:
            self._say(f"! unknown model {rest}; known: {', '.join(known)}")
            return
        self._model = rest or self._model
        self._say(f"model: {self._model or '(the provider chooses)'}; known: {', '.join(known)}")

    async def _reset(self, _: str) -> None:
        self._session, self._said, self._last = uuid4().hex, [], {}
        self._say("percakapan baru")

    async def _help(self, _: str) -> None:
        self._say(HELP)
