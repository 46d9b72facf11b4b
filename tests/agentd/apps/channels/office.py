"""The channels app with an in-memory channel and an office that echoes messages. Not a test."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from inspect import isawaitable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from aiohttp import web

from agentd.application import Wiring
from agentd.apps.channels.app import Channels
from agentd.apps.channels.port import ChannelSettings, Incoming
from agentd.apps.channels.testing import MemoryChannel
from agentd.errors import NotFound
from agentd.http.guard import ADDRESS
from agentd.messages import AgentOutcome, Artifact, Caller
from agentd.runs.run_database import sqlite_engine
from agentd.runs.store import RunStore
from agentd.testing import ManualClock
from tests.bridges.channels.whatsapp_server import delivery, signed

ENTRY = ChannelSettings(name="chat", type="memory", public_url="https://surat.example", rate_per_minute=20)


PATIENCE_S = 300.0


def text(words: str, number: int = 1, chat: str = "77", **more: Any) -> Incoming:
    return Incoming(id=f"{chat}-{number}", chat=chat, **{"kind": "text", **more}, text=words)


@dataclass
class Office:
    """The methods that the app calls; runs echo the prompt unless `answers` says otherwise."""

    asked: list[tuple[str, dict[str, Any], Caller]] = field(default_factory=list)
    answers: dict[str, Any] = field(default_factory=dict)

    async def __call__(self, name: str, params: dict[str, Any], caller: Caller) -> Any:
        self.asked.append((name, params, caller))
        if name in self.answers:
            answer = self.answers[name]
            answer = answer(params) if callable(answer) else answer
            return await answer if isawaitable(answer) else answer
        if name == "Session.create":
            return {"session_id": f"s{len(self.asked)}", "session_key": caller.session_key}
        if name == "Agent.run":
            return outcome(params, response=f"jawaban: {params['prompt']}")
        raise NotFound(name)

    def prompts(self) -> list[str]:
        return [params["prompt"] for name, params, _ in self.asked if name == "Agent.run"]


def outcome(params: dict[str, Any], **more: Any) -> AgentOutcome:
    ids = {"run_id": params["run_id"], "session_id": params.get("session_id", "s")}
    return AgentOutcome(**ids, **{"status": "completed", **more})


def pages(app: Channels) -> web.Application:
    """The app's pages as the daemon serves them, with a guard that admits everyone."""

    @web.middleware
    async def guarded(request: web.Request, handler: Any) -> Any:
        request[ADDRESS] = "127.0.0.1"
        return await handler(request)

    served = web.Application(middlewares=[guarded])
    served.add_routes(app.pages())
    return served


async def deliver(service: Any, *messages: Any, times: int = 1, **value: Any) -> None:
    """WhatsApp brings these to the webhook, signed."""
    body = delivery(*messages, **value)
    for _ in range(times):
        assert (await service.post("/channels/chat", data=body, headers=signed(body))).status == 200


@dataclass
class Desk:
    """A running app with its channel."""

    app: Channels
    channel: MemoryChannel
    office: Office
    clock: ManualClock
    state: Path

    async def until(self, there: Callable[[], Any]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not there():  # noqa: ASYNC110   # the awaited result may be in a database
                await asyncio.sleep(0.005)

    def texts(self, chat: str = "77") -> list[str]:
        return [message.text for message in self.channel.sent if message.chat == chat]


@dataclass
class Files:
    """The runs' files, all in one folder."""

    folder: Path

    async def artifact(self, run_id: str, name: str, caller: Caller) -> tuple[Artifact, Path]:
        assert caller.session_key, run_id
        if not (self.folder / name).exists():
            raise NotFound(name)
        file = Artifact(name=name, uri=f"/artifacts/{run_id}/{name}", media_type="application/pdf", sha256="0")
        return file, self.folder / name


@asynccontextmanager
async def serving(
    state: Path, office: Office, channel: Any = None, clock: ManualClock | None = None
) -> AsyncIterator[Desk]:
    channel, clock = channel or MemoryChannel(), clock or ManualClock()
    store = RunStore(sqlite_engine(state / "agentd.db"))
    entries = SimpleNamespace(channels=(ENTRY,))
    read: Any = SimpleNamespace(state=state, section=lambda _: entries, file=state / "client.toml")
    nothing: Any = None
    wiring = Wiring(
        **dict.fromkeys(
            ("model", "providers", "tools", "tools_of", "barred", "audit", "tokens", "internal_tools"), nothing
        ),
        settings=lambda: read,
        clock=clock,
        store=store,
        call=office,
    )
    app = Channels(wiring, lambda _: channel)
    async with app.serving():
        app.routes(Files(state))  # type: ignore[arg-type]   # the app only requests the runs' files
        yield Desk(app, channel, office, clock, state)
    store.close()


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with serving(tmp_path, Office()) as one:
        yield one
