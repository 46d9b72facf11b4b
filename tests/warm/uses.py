"""First-use work of a daemon or a letter server, done in the template so that its forks needn't repeat it.

It looks up words, builds schemas, compiles patterns and reads fonts. It starts no thread and leaves nothing open.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any


def build_models() -> None:
    """Build the pydantic models of MCP and of our wires, which are otherwise built at first use."""
    from pydantic import BaseModel

    for model in set(_below(BaseModel)):
        if not model.__pydantic_complete__:
            with suppress(Exception):  # such a model is unused
                model.model_rebuild(raise_errors=False)


def _below(model: Any) -> Iterator[Any]:
    for each in model.__subclasses__():
        yield each
        yield from _below(each)


def a_letter_read() -> None:
    """Read a citizen's request for a letter with the shipped letters, as a daemon does."""
    from agentd.agent.toolset import Toolset
    from agentd.agent.turn_policy import Offer, Turn
    from agentd.apps.letters.evidence.fields.field import form
    from agentd.apps.letters.policies.grounding import ungrounded
    from agentd.apps.letters.policies.turns import LetterTurns
    from agentd.messages import Said, ToolCall, ToolInfo
    from servers.certificate.letters.catalogue import Catalogue
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
    """Create a letter server with its tools and issue a letter."""
    import anyio

    from servers.certificate.server import create_server
    from tests.servers.certificate.letters import DOMISILI, open_service

    with tempfile.TemporaryDirectory() as folder:
        service = open_service(Path(folder))
        server = create_server(service)
        anyio.run(server.list_tools)
        service.issue(service.catalogue.types["surat_keterangan_domisili"], DOMISILI)
        service.close()


def passages_kept(folder: Path) -> None:
    """Keep the vectors of a schema's tables, for which each server with a state of its own took five seconds."""
    import numpy as np

    from servers.graphiti.embedding import Embedder, Vector

    passages = Embedder.passages

    def kept(embedder: Embedder, texts: list[str]) -> list[Vector]:
        file = folder / f"{hashlib.sha256(repr(texts).encode()).hexdigest()}.npy"
        if not file.exists():
            np.save(part := folder / f"{os.getpid()}.npy", passages(embedder, texts))
            part.replace(file)
        return list(np.load(file))

    Embedder.passages = kept  # type: ignore[method-assign]


def dbos_migrated() -> None:
    """Migrate one database of DBOS, which empty ones then get a copy of: a quarter of a start was DBOS's migrations."""
    import sqlalchemy as sa
    from dbos._sys_db_sqlite import SQLiteSystemDatabase

    migrate: Any = SQLiteSystemDatabase.run_migrations
    migrated = sqlite3.connect(":memory:", check_same_thread=False)
    migrate(SimpleNamespace(engine=sa.create_engine("sqlite://", creator=lambda: migrated, poolclass=sa.StaticPool)))

    def copied(database: Any) -> None:
        with closing(database.engine.raw_connection()) as connection:
            fresh = not connection.driver_connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            if fresh:
                migrated.backup(connection.driver_connection)
        if not fresh:
            migrate(database)

    SQLiteSystemDatabase.run_migrations = copied  # type: ignore[method-assign]
