"""Part of the drill: attacks that a rule must stop: hidden calls in Cypher, endless SQL, a clock set back. It runs in
this process and the processes that execute SQL; it starts no daemon.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from agentd.access import TokenStore
from agentd.apps.pairing.codes import Pairing
from agentd.errors import Unauthorized
from lab.drill.attacks import Attack
from servers.common.database import Database, DatabaseError
from servers.residents.locks import LOCK_SECONDS, TRIES, Locks
from servers.residents.sample import SampleRegister
from servers.residents.verification import Verification
from servers.text2cypher.cypher.guard import NotReadOnlyError, ensure_read_only
from servers.text2cypher.cypher.tokens import CypherSyntaxError
from tests.servers.common.greedy import GREEDY, file_of
from tests.servers.residents.test_verification import BUDI, RIGHT
from tests.servers.text2cypher.test_read_only import HIDDEN

SQL_LIMIT_S = 0.3
DAYS_BACK = (1, 30, 3 * 365)
PINS = range(118_000, 128_000)


def guards(folder: Path) -> list[Attack]:
    """Try Cypher that hides a call, SQL that never ends, a clock set back, and PINs in a row."""
    folder.mkdir()
    passed = sum(not _refused(query) for query in HIDDEN)
    lost, longest = asyncio.run(_greedy(file_of(folder / "greedy.db")))
    said = f"all ended; the longest took {longest:.1f} s (limit {SQL_LIMIT_S} s)"
    return [
        Attack("Cypher that hides a call or a load", len(HIDDEN), "refused", passed),
        Attack("greedy SQL on SQLite", len(GREEDY), said, lost),
        _clock_set_back(folder),
        _every_pin(folder),
    ]


def _every_pin(folder: Path) -> Attack:
    """Try PINs for one NIK one after the other, including the right one."""
    locks = Locks(folder / "pins.db", lambda: 0.0)
    desk = Verification(SampleRegister(), locks)
    reasons = [desk.verify(nik=BUDI, card=None, pin=f"{number:06d}").reason for number in PINS]
    locks.close()
    assert int(RIGHT) in PINS
    heard = f"{reasons.count('not_verified')} wrong, {reasons.count('locked')} locked"
    return Attack("PINs of one NIK tried in a row, the right one among them", len(reasons), heard, reasons.count(None))


def _clock_set_back(folder: Path) -> Attack:
    """Set the clock back by days and try a kiosk's code and a PIN locked after three wrong attempts."""
    lost, now = 0, datetime.now(UTC)
    for days in DAYS_BACK:
        pairing = Pairing(folder / "state", TokenStore(folder / "state" / "access.json"))
        code, _ = pairing.begin(None, now)
        with suppress(Unauthorized):
            lost += pairing.end(code, now - timedelta(days=days)) is not None
        clock = [now.timestamp()]
        locks = Locks(folder / f"locks{days}.db", lambda clock=clock: clock[0])  # type: ignore[misc]
        for _ in range(TRIES):
            locks.take("3174055203920004")
        clock[0] -= days * 86_400
        lost += locks.take("3174055203920004").granted
        clock[0] += LOCK_SECONDS
        lost += not locks.take("3174055203920004").granted
        locks.close()
    heard = "the code is void; the lock ends after its 15 minutes"
    return Attack("codes and locks after the clock was set back", 3 * len(DAYS_BACK), heard, lost)


def _refused(query: str) -> bool:
    try:
        ensure_read_only(query)
    except (NotReadOnlyError, CypherSyntaxError):
        return True
    return False


async def _greedy(file: Path) -> tuple[int, float]:
    database = Database(f"sqlite+aiosqlite:///{file}")
    lost, longest = 0, 0.0
    for statement in GREEDY:
        began = time.monotonic()
        try:
            await database.fetch(statement, timeout_seconds=SQL_LIMIT_S)
            lost += 1
        except DatabaseError:
            longest = max(longest, time.monotonic() - began)
    return lost, longest
