"""Who has proven who they are: found after a restart, asked of the database only for sessions that may have."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import sqlalchemy as sa

from agentd.apps.residents.identity import Identities, Identity
from agentd.runs.run_database import sqlite_engine
from agentd.runs.store import RunStore
from agentd.testing import ManualClock


async def test_a_proof_outlasts_its_process_and_other_sessions_cost_no_look(tmp_path: Path) -> None:
    store, clock = RunStore(sqlite_engine(tmp_path / "agentd.db")), ManualClock()
    await Identities(store, clock, 600.0).keep(Identity("s1", "3175064501900003", "pin", "Siti"))
    later = Identities(store, clock, 600.0)
    assert await later.of("s2") is None
    statements: list[str] = []

    @sa.event.listens_for(store.engine, "before_cursor_execute")
    def noted(_db: Any, _cursor: Any, statement: str, *_: Any) -> None:
        statements.append(statement)

    assert await later.of("s2") is await later.used("s3") is None
    assert statements == []
    found = await later.of("s1")
    assert found is not None
    assert found.display_name == "Siti"
    await later.keep(Identity("s2", "3175064501900004", "pin", "Budi"))
    assert await later.of("s2") is not None
    assert await later.forget("s1")
    assert await later.of("s1") is None
    store.close()
