"""`agentd chat`: a conversation in the terminal, over stdio, through a client of the agent."""

from __future__ import annotations

import argparse
import asyncio
import shutil
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

from agentd.agent.language import detect, own_language
from agentd.agent.languages import own
from agentd.cli import options
from clients.chat_lines import Lines, lines
from clients.connected import with_client

OPENERS = ("xdg-open", "open")
"""Programs that open a file on Linux' or macOS' desktop."""
WORDS = ("/agent", "/log", "/open", "/steps", "/tools", "/provider", "/model", "/reset", "/help", "/exit")


def register(commands: Any) -> None:
    options.command(commands, "chat", "chat with the agent in the terminal", run, listen=True)


def run(given: argparse.Namespace) -> int:
    """Converse until /exit or the end of the input."""
    settings = options.settings(given)
    return with_client(settings, lambda client: _converse(Chat(client, print, settings.agent.language), client.where))


async def _converse(chat: Chat, where: str) -> int:
    read = _reader(lambda: chat.prompt)
    if sys.stdin.isatty():
        print(chat.lines.hello.format(where=where))
    while (line := await read()) is not None:
        if not await chat.line(line):
            break
    return 0


def _reader(prompt: Callable[[], str]) -> Callable[[], Awaitable[str | None]]:
    """A reader of lines from the keyboard (with history and completion) or, if piped, from standard input."""
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


def card(approval: dict[str, Any], said: Lines) -> list[str]:
    """A pending call as a card: what to check, then the values that the citizen did not give."""
    head, *rows = str(approval["summary"]).rstrip().split("\n")
    words = {"register": said.register, "officer": said.officer, "default": said.default, "derived": said.derived}
    found: dict[str, list[str]] = {}
    for name, source in (approval.get("sources") or {}).items():
        if source in words and (value := approval["arguments"].get(name)) is not None:
            found.setdefault(words[source], []).append(str(value))
    sources = [f"  ({source}: {', '.join(values)})" for source, values in found.items()]
    framed = [f"│ {row}".rstrip() for row in rows[:-1]] + [f"└ {row}" for row in rows[-1:]]
    return [f"┌ {head}", *framed, *sources]


class Chat:
    """One conversation: takes lines, and prints through `say`."""

    def __init__(self, client: Any, say: Callable[[str], None], language: str = "auto") -> None:
        self._client = client
        self._say = say
        self._fixed = own(language)
        self._spoken: str | None = None
        """The code of the language written last."""
        self._agent = True
        self._provider: str | None = None
        self._model: str | None = None
        self._last: dict[str, Any] = {}
        self._said: list[dict[str, str]] = []
        self._session = uuid4().hex
        self.waiting: dict[str, Any] | None = None
        """The outcome of the run that waits for a yes."""

    @property
    def lines(self) -> Lines:
        """The texts in the language of the answers; in English until there is one."""
        return lines()[self._fixed or own_language(self._spoken or "en")]

    @property
    def prompt(self) -> str:
        """`agent> ` if the agent answers, `model> ` if the model does; a question while a call is pending."""
        if self.waiting is not None:
            return self.lines.decide
        return "agent> " if self._agent else "model> "

    async def line(self, text: str) -> bool:
        """Handle a line. Returns False if it was the last."""
        text = text.strip()
        if not text:
            return True
        if text[0] in "/:":
            word, _, rest = text[1:].partition(" ")
            return await self._command(word.lower(), rest.strip())
        from agentd.cli.client import Refused

        waiting, self.waiting = self.waiting, None
        try:
            if waiting is not None and text.casefold() in self.lines.yes | self.lines.no:
                await self._decide(waiting, text.casefold() in self.lines.yes)
                return True
            self._spoken = detect(text, self._spoken if self._last or self._said else None)
            await (self._ask_agent(text) if self._agent else self._ask_model(text))
        except Refused as error:
            self._say(f"! {error.said}")
            self._last = error.error.get("data") or {}
        return True

    async def _ask_agent(self, text: str) -> None:
        chosen = {key: value for key, value in (("provider", self._provider), ("model", self._model)) if value}
        asked = {"prompt": text, "session_id": self._session, "options": chosen}
        self._show(await self._client.call("Agent.run", asked))

    async def _decide(self, waiting: dict[str, Any], approved: bool) -> None:
        asked = {"run_id": waiting["run_id"], "approval_id": waiting["approval"]["approval_id"], "approved": approved}
        self._show(await self._client.call("Agent.approve", asked))

    def _show(self, outcome: dict[str, Any]) -> None:
        """Print the answer, or the card of a pending call."""
        self._last = outcome
        if outcome["status"] == "needs_approval":
            self.waiting = outcome
            for line in card(outcome["approval"], self.lines):
                self._say(line)
        else:
            self._say(outcome["response"])
        for artifact in self._last["artifacts"]:
            self._say(f"→ {artifact.get('path') or artifact['uri']}  (/open)")

    async def _ask_model(self, text: str) -> None:
        """Print the model's answer, without agent and tools. Raises Refused."""
        from agentd.cli.client import Refused

        model = "/".join(part for part in (self._provider, self._model) if part) or "raw"
        self._said.append({"role": "user", "content": text})
        asked = {"model": model, "messages": self._said}
        async with self._client.asked("POST", "/v1/chat/completions", json=asked) as response:
            answer = await response.json()
        if "choices" not in answer:
            raise Refused(answer.get("error", {}))
        said = str(answer["choices"][0]["message"]["content"])
        self._said.append({"role": "assistant", "content": said})
        self._say(said)

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
            self._refuse("command", word=f"/{word}")
        return True

    async def _switch(self, rest: str) -> None:
        wanted = {"on": True, "off": False, "toggle": not self._agent, "": self._agent}
        if rest not in wanted:
            self._refuse("agent")
            return
        self._agent = wanted[rest]
        self._say(self.lines.agent_on if self._agent else self.lines.agent_off)

    async def _show_log(self, _: str) -> None:
        for line in self._last.get("logs") or [self.lines.no_log]:
            self._say(line)

    async def _open(self, rest: str) -> None:
        files = self._last.get("artifacts") or []
        number = int(rest) if rest.isdecimal() else 1
        if not 1 <= number <= len(files):
            self._refuse("file")
            return
        path = files[number - 1].get("path")
        opener = next(filter(None, map(shutil.which, OPENERS)), None)
        if path is None or opener is None:
            self._refuse("opener", file=path or files[number - 1]["uri"])
            return
        process = await asyncio.create_subprocess_exec(
            *(opener, path), stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, start_new_session=True
        )
        if code := await process.wait():
            self._say(f"! {Path(opener).name} {path}: exit {code}")

    async def _show_steps(self, _: str) -> None:
        steps = self._last.get("steps") or []
        if not steps:
            self._say(self.lines.no_steps)
        for number, step in enumerate(steps, start=1):
            how = self.lines.done if step["success"] else self.lines.failed
            self._say(f"{number}. {step['tool']} @ {step['server']} [{how}, {step['duration_ms']:.0f} ms]")
            self._say(f"   input:  {step['input']}")
            self._say(f"   output: {step['output'] if step['output'] is not None else step['message']}")

    async def _show_tools(self, _: str) -> None:
        from clients.tools import lines as listed

        for line in listed(await self._client.call("Tools.list")):
            self._say(line)

    async def _choose_provider(self, rest: str) -> None:
        providers = (await self._client.call("Models.list"))["providers"]
        known = [provider["id"] for provider in providers]
        if rest and rest not in known:
            self._refuse("provider", name=rest, known=", ".join(known))
            return
        self._provider = rest or self._provider
        for provider in providers:
            mark = "*" if provider["id"] == (self._provider or known[0]) else " "
            self._say(f"{mark} {provider['id']}: {provider['state']}")

    async def _choose_model(self, rest: str) -> None:
        providers = (await self._client.call("Models.list"))["providers"]
        known = [model["name"] for provider in providers for model in provider["models"]]
        if rest and rest not in known:
            self._refuse("model", name=rest, known=", ".join(known))
            return
        self._model = rest or self._model
        self._say(self.lines.model.format(chosen=self._model or self.lines.any_model, known=", ".join(known)))

    async def _reset(self, _: str) -> None:
        self._session, self._said, self._last = uuid4().hex, [], {}
        self._say(self.lines.new)

    async def _help(self, _: str) -> None:
        self._say(self.lines.help)

    def _refuse(self, what: str, **values: str) -> None:
        self._say("! " + self.lines.refused[what].format(**values))
