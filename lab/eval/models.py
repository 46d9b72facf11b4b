"""Runs `agentd models try` on the embedded model and on stand-ins for hosted ones, and returns the figures.

The stand-ins speak Gemini's, Ollama's and OpenAI's protocols on this machine and always answer right, so a wrong figure
of theirs points to the daemon.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any

from aiohttp import web

from agentd import config
from agentd.app import served
from agentd.cli.client import Client
from agentd.messages import AgentOptions, Caller
from agentd.observability import logging as logs
from agentd.startup import started
from clients.models_try import COLUMNS, Expected, canned, row, tried
from tests.bridges.wires import WIRES, Answer, Wire

SAYS = {"": "Silakan, apa yang bisa kami bantu?", "id": "Silakan, apa yang bisa kami bantu?", "en": "What can we do?"}
INPUTS: dict[str, dict[str, str]] = {
    "Syarat surat keterangan usaha apa saja?": {"letter_type": "surat_keterangan_usaha"},
    "What do I need for a domicile letter?": {"letter_type": "surat_keterangan_domisili"},
    "Syarat SKTM apa ya?": {"letter_type": "surat_keterangan_tidak_mampu"},
}
LETTER = {
    **{"nama": "Budi Santoso", "nik": "3172051203900004", "tempat_lahir": "Jakarta", "tanggal_lahir": "12 Maret 1990"},
    **{"agama": "Islam", "status_perkawinan": "Belum Kawin", "pekerjaan": "Karyawan Swasta", "rt": "003", "rw": "002"},
    **{"alamat_domisili": "Jalan Melati nomor 5", "keperluan": "melamar kerja"},
}


def run() -> dict[str, Any]:
    """One row per provider."""
    return asyncio.run(_run())


async def _run() -> dict[str, Any]:
    logs.configure("error")
    async with AsyncExitStack() as stack:
        state = stack.enter_context(tempfile.TemporaryDirectory(prefix="agentd-models-"))
        settings = config.load(None, state=state, listen="127.0.0.1:0")
        embedded = next(one for one in settings.providers if one.type == "llamacpp")
        wires = [await stack.enter_async_context(_standing_in(kind)) for kind in WIRES.values()]
        providers = (embedded, *(wire.settings(id=f"fake-{wire.type}") for wire in wires))
        made = await stack.enter_async_context(
            started(replace(settings, default_provider=embedded.id, providers=providers))
        )
        await made.host.ready()
        await made.chain.warm(made.profile(Caller(id="models", scopes=frozenset({"admin"})), AgentOptions()).prefix)
        (address,) = await stack.enter_async_context(served(made))
        client = await stack.enter_async_context(Client.to(address, settings.admin_token))
        rows = []
        for provider in providers:
            shown = row(provider.id, [await tried(client, provider.id, turn) for turn in canned()])
            rows.append(dict(zip(("provider", *(name for name, _ in COLUMNS)), shown.split(), strict=True)))
    return {"models": rows}


def _standing_in(kind: type[Wire]) -> Wire:
    class StandingIn(kind):  # type: ignore[misc, valid-type]
        async def _serve(self, request: web.Request) -> web.StreamResponse:
            self.answers = (Answer(_right(list(_texts(await request.json())))),)
            response: web.StreamResponse = await super()._serve(request)
            return response

    return StandingIn()


def _texts(value: Any) -> Iterator[str]:
    """Every string in a request, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)


def _right(texts: list[str]) -> str:
    """The right answer to the last known turn in the request."""
    said, last = max(
        ((turn, at) for turn in canned() for at, text in enumerate(texts) if f'"request":"{turn.words}"' in text),
        key=lambda found: found[1],
    )
    return json.dumps(_action(said, called=texts[last].startswith('{"tool_result"')))


def _action(turn: Expected, *, called: bool) -> dict[str, Any]:
    if called or not turn.tool:
        return {"action": "final", "response": SAYS[turn.language]}
    needed = LETTER if turn.tool.startswith("generate_") else INPUTS.get(turn.words, {})
    return {"action": "call_tool", "tool": turn.tool, "input": needed}


if __name__ == "__main__":
    print(json.dumps(run(), indent=1))
