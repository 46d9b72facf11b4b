"""What a daemon or a letter server does at its first use alone, done in the template: the forks have it done.

Words are looked up, schemas built, patterns compiled and fonts read. It starts no thread and opens nothing that stays.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any


def build_models() -> None:
    """Those of MCP and of our own wires are left unbuilt until they are used."""
    from pydantic import BaseModel

    for model in set(_below(BaseModel)):
        if not model.__pydantic_complete__:
            with suppress(Exception):  # one that nobody uses
                model.model_rebuild(raise_errors=False)


def _below(model: Any) -> Iterator[Any]:
    for each in model.__subclasses__():
        yield each
        yield from _below(each)


def a_letter_read() -> None:
    """A citizen's request for a letter, among those that ship, read as a daemon reads it."""
    from agentd.agent.toolset import Toolset
    from agentd.agent.turn_policy import Offer, Turn
    from agentd.apps.letters.evidence.fields import form
    from agentd.apps.letters.grounding import ungrounded
    from agentd.apps.letters.turns import LetterTurns
    from agentd.messages import Said, ToolCall, ToolInfo
    from servers.certificate.catalogue import Catalogue
    from servers.certificate.settings import SHIPPED_LETTERS
    from servers.certificate.tools import generate_tool

    made = [generate_tool(letter, "id") for letter in Catalogue((SHIPPED_LETTERS,)).types.values()]
    letters = tuple(
        ToolInfo(name=one.name, server="certificate", official=True, input_schema=one.input_schema, meta=one.meta or {})
        for one in made
    )
    for letter in letters:
        form(letter.input_schema)
    (home,) = (letter for letter in letters if letter.name == "generate_surat_keterangan_domisili")
    words = "Saya mau surat domisili. Nama saya Budi Santoso, lahir di Jakarta 15 Januari 1990, Islam"
    said = (Said(by="citizen", order=1, text=words),)
    values = {"nama": "Budi Santoso", "tempat_lahir": "Jakarta", "agama": "Islam"}
    ungrounded(ToolCall(tool=home, input=values, run_id="", session_id="", step=0, said=said))
    LetterTurns().offer(Turn(words, Toolset(letters, ()), said=said), Offer(letters))


def a_letter_issued() -> None:
    """A letter server with its tools, and a letter of it."""
    import anyio

    from servers.certificate.server import create_server
    from tests.servers.certificate.letters import DOMISILI, open_service

    with tempfile.TemporaryDirectory() as folder:
        service = open_service(Path(folder))
        server = create_server(service)
        anyio.run(server.list_tools)
        service.issue(service.catalogue.types["surat_keterangan_domisili"], DOMISILI)
        service.close()
