"""Citizens' requests that wait for an officer: queue number, status code, requirements seen. It decides none.

A request stores no personal data: its run does, and the run's state is the request's. An ended status is stored,
so that the code still answers once the run is gone.
"""

from __future__ import annotations

import secrets
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal
from uuid import uuid4
from zoneinfo import ZoneInfo

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from agentd.apps.residents.replies import in_each_language, replies
from agentd.clock import day_in, iso
from agentd.errors import InvalidParams, NotFound
from agentd.messages import Caller, ToolInfo
from agentd.ports import Clock
from agentd.runs.approvals import Review
from agentd.runs.records import PendingApproval, RunRecord
from agentd.runs.store import RunStore
from agentd.runs.visibility import kept, opens

Status = Literal["incomplete", "under_review", "waiting_signature", "ready", "fetched", "cancelled"]
ENDED = frozenset({"ready", "fetched", "cancelled"})
_LETTERS = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
_CODE = 16
"""Characters of a code, out of 31: 79 random bits."""

TABLES = sa.MetaData()
REQUESTS = sa.Table(
    "agentd_requests",
    TABLES,
    sa.Column("request_id", sa.String(40), primary_key=True),
    sa.Column("code", sa.String(40), nullable=False, unique=True),
    sa.Column("run_id", sa.String(200), nullable=False, unique=True),
    sa.Column("session_id", sa.String(200), nullable=False),
    sa.Column("owner", sa.String(200), nullable=False),
    sa.Column("key_hash", sa.String(64)),
    sa.Column("tool", sa.String(200), nullable=False),
    sa.Column("title", sa.String(200), nullable=False),
    sa.Column("series", sa.String(20), nullable=False),
    sa.Column("day", sa.String(10), nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("level", sa.String(20), nullable=False),
    sa.Column("requirements", sa.JSON, nullable=False),
    sa.Column("status", sa.String(20), nullable=False),
    sa.Column("created_at", sa.String(40), nullable=False),
    sa.Column("letter", sa.String(200)),
    sa.UniqueConstraint("series", "day", "number"),
)


@dataclass(frozen=True, slots=True)
class Request:
    """One request. `requirements` maps what is to be shown to whether an officer saw it (None: not yet checked)."""

    request_id: str
    code: str
    run_id: str
    session_id: str
    owner: str
    key_hash: str | None
    tool: str
    title: str
    series: str
    day: str
    number: int
    level: str
    requirements: dict[str, bool | None] = field(hash=False)
    status: Status
    created_at: str
    letter: str | None = None
    """The number of the letter that is ready."""

    @property
    def queue_number(self) -> str:
        """`SKD-014`: the number that is called out; it gives no access."""
        return f"{self.series}-{self.number:03d}"

    def shown(self) -> dict[str, Any]:
        """The wire form."""
        names = ("request_id", "code", "tool", "title", "status", "queue_number", "level", "created_at", "run_id")
        seen = [{"requirement": name, "seen": bool(seen)} for name, seen in self.requirements.items()]
        return {**{name: getattr(self, name) for name in (*names, "letter")}, "requirements": seen}


class Requests:
    def __init__(self, store: RunStore, clock: Clock, zone: ZoneInfo) -> None:
        store.add_tables(TABLES)
        self._store = store
        self._clock, self._zone = clock, zone

    async def open(self, row: RunRecord, approval: PendingApproval, tool: ToolInfo) -> Review:
        """Open the run's request, or return the one it has, with the text for the citizen."""
        session = await self._store.sessions.get(row.session_id)
        now = iso(self._clock.now())
        made = Request(
            request_id=uuid4().hex,
            code=new_code(),
            run_id=row.run_id,
            session_id=row.session_id,
            owner=row.owner,
            key_hash=None if session is None else session.key_hash,
            tool=tool.name,
            title=title_of(tool),
            series=series_of(tool),
            day=day_in(self._zone, now),
            number=0,
            level=(approval.basis or {}).get("level", "declared"),
            requirements={str(name): None for name in tool.meta.get("agentd/requirements") or ()},
            status="under_review",
            created_at=now,
        )

        def work(db: Connection) -> Request:
            if known := _one(db, REQUESTS.c.run_id == row.run_id):
                return known
            same = sa.and_(REQUESTS.c.series == made.series, REQUESTS.c.day == made.day)
            last = db.execute(sa.select(sa.func.max(REQUESTS.c.number)).where(same)).scalar() or 0
            numbered = replace(made, number=last + 1)
            db.execute(REQUESTS.insert(), asdict(numbered))
            return numbered

        opened = await self._store.writes.do(work)
        words = replies()[row.brief.language].waits.format(number=opened.queue_number, code=opened.code)
        return Review(opened.request_id, words)

    async def list(self, caller: Caller, limit: int, status: Status | None = None) -> list[Request]:
        """Newest first: all for staff, their own session's for a visitor; `status` filters by the present status."""
        query = sa.select(REQUESTS).order_by(REQUESTS.c.created_at.desc(), REQUESTS.c.number.desc())
        if not caller.may("staff"):
            mine = kept(caller.session_key) if caller.session_key is not None else ""
            query = query.where(REQUESTS.c.owner == caller.id, REQUESTS.c.key_hash == mine)
        is_open = REQUESTS.c.status.not_in(ENDED)  # the stored status may be out of date
        if status is not None:
            query = query.where(is_open | (REQUESTS.c.status == status))

        def work(db: Connection) -> list[Request]:
            others = db.execute(sa.select(sa.func.count()).where(is_open)).scalar_one() if status is not None else 0
            return [Request(**one) for one in db.execute(query.limit(limit + others)).mappings()]

        found = [await self._current(one) for one in await self._store.writes.do(work)]
        return [one for one in found if status in (None, one.status)][:limit]

    async def get(self, request_id: str, caller: Caller) -> Request:
        """One request with its present status. Raises NotFound."""
        found = await self._store.writes.do(lambda db: _one(db, REQUESTS.c.request_id == request_id))
        if found is None or not _may_see(found, caller):
            raise NotFound("there is no such request")
        return await self._current(found)

    async def by_code(self, code: str) -> Request | None:
        """The request with this code and its present status; blanks, dashes and case are ignored."""
        plain = _plain(code)
        if len(plain) != _CODE:
            return None
        found = await self._store.writes.do(lambda db: _one(db, REQUESTS.c.code == written(plain)))
        return None if found is None else await self._current(found)

    async def check(self, request: Request, requirement: str, *, seen: bool) -> Request:
        """Set or clear the tick of one of the request's requirements."""

        def work(db: Connection) -> Request:
            same = REQUESTS.c.request_id == request.request_id
            ticked = {**(_one(db, same, alone=True) or request).requirements, requirement: seen}  # row locked
            db.execute(REQUESTS.update().where(same).values(requirements=ticked))
            return replace(request, requirements=ticked)

        return await self._current(await self._store.writes.do(work))

    async def check_complete(self, request_id: str) -> None:
        """Raise InvalidParams, naming what was not shown, if an officer noted that something is missing."""
        found = await self._store.writes.do(lambda db: _one(db, REQUESTS.c.request_id == request_id))
        if found is None or False not in found.requirements.values():
            return
        lacking = "; ".join(name for name, seen in found.requirements.items() if not seen)
        said = in_each_language("incomplete", documents=lacking)
        message = f"the request is incomplete, not seen: {lacking}. Tick by Request.check what was shown since"
        raise InvalidParams(message, field="approved", user_message=said)

    async def hand_over(self, request: Request) -> Request:
        """Mark a ready letter as fetched."""
        return await self._turned(request, "fetched")

    async def seen(self, run_id: str) -> tuple[str, ...]:
        """The requirements that an officer ticked for a run."""
        found = await self._store.writes.do(lambda db: _one(db, REQUESTS.c.run_id == run_id))
        return () if found is None else tuple(name for name, seen in found.requirements.items() if seen)

    async def settle(self, session_id: str) -> None:
        """Store the present status of a session's requests before its runs are deleted."""
        query = sa.select(REQUESTS).where(REQUESTS.c.session_id == session_id)
        for one in await self._store.writes.do(lambda db: [Request(**row) for row in db.execute(query).mappings()]):
            await self._current(one)

    async def _current(self, request: Request) -> Request:
        """The request with its run's present status; an ended request is returned without a look-up."""
        if request.status in ENDED:
            return request
        run = await self._store.run(request.run_id)
        status = status_of(request, run)
        return request if status == request.status else await self._turned(request, status, _letter(request, run))

    async def _turned(self, request: Request, status: Status, letter: str | None = None) -> Request:
        """Store a new status and the ready letter; if another change came first, return that one."""
        same = REQUESTS.c.request_id == request.request_id

        def work(db: Connection) -> Request:
            query = REQUESTS.update().where(same, REQUESTS.c.status == request.status)
            done = db.execute(query.values(status=status, letter=letter)).rowcount
            return replace(request, status=status, letter=letter) if done else _one(db, same) or request

        return await self._store.writes.do(work)


def status_of(request: Request, run: RunRecord | None) -> Status:
    """A request's status from its run; an ended status stays, also once the run is deleted."""
    if request.status in ENDED:
        return request.status
    if _deed(request, run) is not None:
        return "ready"  # also if its run was cancelled while the letter was being made
    if run is None or run.status in ("completed", "failed", "cancelled"):
        return "cancelled"
    return _waits_for(request, run) if run.status == "needs_approval" else "waiting_signature"


def _deed(request: Request, run: RunRecord | None) -> dict[str, Any] | None:
    """The successful step of the requested tool, or None."""
    steps = (run.outcome or {}).get("steps", []) if run is not None else []
    return next((step for step in steps if step["tool"] == request.tool and step["success"]), None)


def _letter(request: Request, run: RunRecord | None) -> str | None:
    output = (_deed(request, run) or {}).get("output")
    return output.get("number") if isinstance(output, dict) else None


def _waits_for(request: Request, run: RunRecord) -> Status:
    if False in request.requirements.values():
        return "incomplete"
    agreed = () if run.approval is None else run.approval.approvals
    officers = [one for one in agreed if one["by"] != request.owner]  # without the citizen's own yes
    return "waiting_signature" if officers else "under_review"


def title_of(tool: ToolInfo) -> str:
    """A tool's title for people."""
    return str(tool.annotations.get("title") or tool.name.removeprefix("generate_").replace("_", " ").title())


def series_of(tool: ToolInfo) -> str:
    """The prefix of a queue number: the first letter of each word of the title."""
    return "".join(word[0] for word in title_of(tool).split() if word[0].isalpha()).upper()[:10] or "P"


def new_code() -> str:
    """A random code in groups of four."""
    return written("".join(secrets.choice(_LETTERS) for _ in range(_CODE)))


def written(plain: str) -> str:
    """A code in groups of four."""
    return "-".join(plain[at : at + 4] for at in range(0, len(plain), 4))


def _plain(code: str) -> str:
    return "".join(char for char in code.upper() if char.isascii() and char.isalnum())


def _may_see(request: Request, caller: Caller) -> bool:
    return caller.may("staff") or (request.owner == caller.id and opens(caller.session_key, [request.key_hash]))


def _one(db: Connection, where: sa.ColumnElement[bool], *, alone: bool = False) -> Request | None:
    """The request that matches; `alone` locks its row until the transaction ends."""
    query = sa.select(REQUESTS).where(where)
    row = db.execute(query.with_for_update() if alone else query).mappings().first()
    return None if row is None else Request(**row)
