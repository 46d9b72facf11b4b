"""Durable queues of messages to answer and answers to send, in order per chat. It calls no service.

A message is stored before its service may forget it, and deleted in the transaction that stores its answer; an answer
is deleted once the service has it. All of a chat is deleted with its session. Only keyed hashes stay: of messages' ids
for as long as a service may resend them, and of the chats that said "stop".
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from agentd.apps.channels.tables import (
    CHANGE_CHAT,
    CHANGE_OUTBOX,
    CHATS,
    INBOX,
    INSERT,
    LINKS,
    MARKED,
    OUTBOX,
    REMOVE,
    SEEN_MARKS,
    STANDING,
    STOPPED,
    TABLES,
    WAITS,
)
from agentd.clock import SLACK, iso
from agentd.errors import Language
from agentd.ports import Clock
from agentd.runs.store import RunStore
from hardening.files import replace

SEEN = timedelta(days=8)
"""How long marks are kept: WhatsApp resends unconfirmed messages for up to seven days, Telegram for one."""
LINK = timedelta(minutes=15)
KEY_FILE = "channels.key"

ChatKey = tuple[str, str]
"""A chat: its channel's name and the service's id for it."""
Out = tuple[int, dict[str, Any]]
"""An answer that is not yet known to be sent: its number and content."""
Standing = tuple["Chat | None", Out | None, "Letter | None"]
"""A chat's state, its oldest unsent answer and its oldest unanswered message."""
BEGUN = "begun"
"""Key in an answer's body: the id under which its sending was begun."""


@dataclass(frozen=True, slots=True)
class Chat:
    """One chat. `visit` derives the visitor's key; `approval_id` of `run_id` is what its last buttons decide."""

    channel: str
    chat: str
    visit: str
    language: Language
    heard_at: str
    session_id: str | None = None
    run_id: str | None = None
    approval_id: str | None = None
    confirm: str | None = None
    """The hash of the sign-in page's number; until it is written in the chat, nothing else has effect."""
    tries: int = 0


@dataclass(frozen=True, slots=True)
class Letter:
    """A stored message to answer, with its number and its mark (the id of the run that answers it)."""

    number: int
    mark: str
    body: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a message: texts and files to send, and the new state of the chat."""

    messages: tuple[dict[str, Any], ...] = ()
    chat: Chat | None = None
    """None: delete the chat."""
    awaits: str | None = None
    """A run whose result will be sent later."""
    link: str | None = None
    """The code of the sign-in link in this answer."""
    ends: tuple[str, ...] = ()
    """Runs whose results are no longer awaited."""


class Mailbox:
    """Reads and writes the tables, with one short transaction per method."""

    def __init__(self, store: RunStore, state: Path, clock: Clock) -> None:
        store.add_tables(TABLES)
        self._writes = store.writes
        self._clock = clock
        self._file = state / KEY_FILE

    @cached_property
    def _secret(self) -> bytes:
        """32 random bytes, created atomically on first use; only the owner can read the file."""
        if not self._file.exists():
            replace(self._file, secrets.token_bytes(32))
        return self._file.read_bytes()

    def mark(self, *parts: str) -> str:
        """A keyed hash, e.g. of a message's id, a chat or a code."""
        return hmac.new(self._secret, "\0".join(parts).encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()

    def key_of(self, chat: Chat) -> str:
        """The key of this chat's visitor; it is derived and never stored."""
        digest = hmac.digest(self._secret, f"key\0{chat.channel}\0{chat.chat}\0{chat.visit}".encode(), "sha256")
        return base64.urlsafe_b64encode(digest).decode().rstrip("=")

    async def unseen(self, marks: Sequence[str]) -> set[str]:
        query = sa.select(SEEN_MARKS.c.mark).where(SEEN_MARKS.c.mark.in_(marks))
        known = await self._writes.do(lambda db: {row[0] for row in db.execute(query)})
        return {mark for mark in marks if mark not in known}

    async def keep(
        self,
        chat_key: ChatKey,
        mark: str,
        language: Language,
        body: dict[str, Any] | None,
        says: dict[str, Any] | None = None,
    ) -> None:
        """Store a message once; a new chat begins with it, and `stop` deletes the chat's queued messages and answers.

        Without a `body`, only its mark is stored, and `says` is sent. After "stop", everything else of the chat is
        ignored until it starts again.
        """
        now, stop, kind = iso(self._clock.now()), self.mark("stop", *chat_key), "" if body is None else body["kind"]
        me = {"channel": chat_key[0], "chat": chat_key[1]}

        def work(db: Connection) -> None:
            if db.execute(MARKED[SEEN_MARKS], {"of": mark}).first():
                return
            db.execute(INSERT[SEEN_MARKS], {"mark": mark, "at": now})
            if kind in ("start", "stop"):
                db.execute(STOPPED.delete().where(STOPPED.c.mark == stop))
            elif db.execute(MARKED[STOPPED], {"of": stop}).first():
                return
            if says is not None:
                db.execute(INSERT[OUTBOX], {**me, "body": says})
            if body is None:
                return
            if kind == "stop":
                db.execute(INSERT[STOPPED], {"mark": stop})
                for table in (INBOX, OUTBOX):
                    db.execute(table.delete().where(_mine(table, chat_key)))
            if db.execute(CHANGE_CHAT, {**_at(chat_key), "heard_at": now}).rowcount == 0:
                db.execute(INSERT[CHATS], asdict(Chat(*chat_key, secrets.token_hex(16), language, now)))
            db.execute(INSERT[INBOX], {**me, "mark": mark, "body": body})

        await self._writes.do(work)

    async def open(self, session_id: str | None = None) -> list[ChatKey]:
        """(channel, chat) of every chat with something to do; or of a session's chat, if anything is due."""
        tables = (INBOX, OUTBOX) if session_id is None else (INBOX, OUTBOX, WAITS)
        left = sa.union(*(sa.select(table.c.channel, table.c.chat) for table in tables)).subquery()
        query = sa.select(left.c.channel, left.c.chat)
        if session_id is not None:
            here = (CHATS.c.channel == left.c.channel) & (CHATS.c.chat == left.c.chat)
            query = query.join(CHATS, here).where(CHATS.c.session_id == session_id)
        return [(row[0], row[1]) for row in await self._writes.do(lambda db: list(db.execute(query)))]

    async def look(self, chat_key: ChatKey) -> Standing:
        """The state of a chat: the chat, its oldest answer, its oldest message; each None if there is none."""
        return await self._writes.do(lambda db: _standing(db, chat_key))

    async def put(self, chat: Chat) -> None:
        """Store the state of a chat, unless it was deleted meanwhile."""
        await self._writes.do(lambda db: db.execute(CHANGE_CHAT, _state(chat)))

    async def note(self, number: int, body: dict[str, Any]) -> None:
        """Store how far the sending of an answer has come, before the next step."""
        await self._writes.do(lambda db: db.execute(CHANGE_OUTBOX, {"of": number, "body": body}))

    async def sent(self, chat_key: ChatKey, number: int) -> bool:
        """Delete an answer that the service has. Returns whether the chat has more to do."""

        def work(db: Connection) -> bool:
            db.execute(REMOVE[OUTBOX], {"of": number})
            _, out, letter = _standing(db, chat_key)
            return out is not None or letter is not None

        return await self._writes.do(work)

    async def answer(self, chat_key: ChatKey, answer: Answer, number: int | None = None) -> Standing:
        """Delete the message `number` and store its answer, in one transaction. Returns the chat's new state."""
        until = iso(self._clock.now() + LINK)
        me = {"channel": chat_key[0], "chat": chat_key[1]}

        def work(db: Connection) -> Standing:
            if number is not None:
                db.execute(REMOVE[INBOX], {"of": number})
            if answer.chat is None:
                db.execute(CHATS.delete().where(_mine(CHATS, chat_key)))
            elif not db.execute(CHANGE_CHAT, _state(answer.chat)).rowcount:
                return None, None, None  # the session was deleted meanwhile
            for body in answer.messages:
                db.execute(INSERT[OUTBOX], {**me, "body": body})
            if answer.ends:
                db.execute(WAITS.delete().where(WAITS.c.run_id.in_(answer.ends)))
            if answer.awaits is not None:
                db.execute(INSERT[WAITS], {**me, "run_id": answer.awaits})
            if answer.link is not None:
                db.execute(LINKS.delete().where(_mine(LINKS, chat_key)))
                db.execute(INSERT[LINKS], {**me, "code": self.mark("link", answer.link), "until": until})
            return _standing(db, chat_key)

        return await self._writes.do(work)

    async def waiting(self) -> list[tuple[ChatKey, str]]:
        """(chat, run_id) of the runs whose result is sent later, after an officer's decision."""
        rows = await self._writes.do(lambda db: list(db.execute(sa.select(WAITS)).mappings()))
        return [((row["channel"], row["chat"]), row["run_id"]) for row in rows]

    async def linked(self, code: str) -> Chat | None:
        """The chat whose sign-in link has this code, while the link is valid."""
        now = self._clock.now()
        holds = LINKS.c.until.between(iso(now), iso(now + LINK + SLACK))  # none from before the clock was set back
        valid = sa.select(LINKS).where(LINKS.c.code == self.mark("link", code), holds)
        found = await self._writes.do(lambda db: db.execute(valid).mappings().first())
        return None if found is None else (await self.look((found["channel"], found["chat"])))[0]

    async def unlink(self, code: str) -> None:
        """Delete a sign-in link: it is valid for one sign-in."""
        await self._writes.do(lambda db: db.execute(LINKS.delete().where(LINKS.c.code == self.mark("link", code))))

    async def forget(self, session_id: str) -> None:
        """Delete everything of a deleted session's chat."""

        def work(db: Connection) -> None:
            mine = sa.select(CHATS.c.channel, CHATS.c.chat).where(CHATS.c.session_id == session_id)
            for channel, chat in list(db.execute(mine)):
                for table in (INBOX, OUTBOX, WAITS, LINKS, CHATS):
                    db.execute(table.delete().where(_mine(table, (channel, chat))))

        await self._writes.do(work)

    async def tidy(self) -> None:
        """Delete expired marks and links, and idle chats without a session."""
        now = self._clock.now()

        def work(db: Connection) -> None:
            db.execute(SEEN_MARKS.delete().where(SEEN_MARKS.c.at < iso(now - SEEN)))
            db.execute(LINKS.delete().where(LINKS.c.until < iso(now)))
            idle = sa.and_(CHATS.c.session_id.is_(None), CHATS.c.heard_at < iso(now - timedelta(days=1)))
            db.execute(CHATS.delete().where(idle))

        await self._writes.do(work)


def _standing(db: Connection, chat_key: ChatKey) -> Standing:
    row = db.execute(STANDING, _at(chat_key)).mappings().one()
    chat = {column.name: row[column] for column in CHATS.columns}
    return (
        None if chat["chat"] is None else Chat(**chat),
        None if row[OUTBOX.c.number] is None else (row[OUTBOX.c.number], row[OUTBOX.c.body]),
        None if row[INBOX.c.number] is None else Letter(row[INBOX.c.number], row[INBOX.c.mark], row[INBOX.c.body]),
    )


def _mine(table: sa.Table, chat_key: ChatKey) -> sa.ColumnElement[bool]:
    return sa.and_(table.c.channel == chat_key[0], table.c.chat == chat_key[1])


def _at(chat_key: ChatKey) -> dict[str, Any]:
    return {"at_channel": chat_key[0], "at_chat": chat_key[1]}


def _state(chat: Chat) -> dict[str, Any]:
    """The columns that an answer changes: all but `heard_at`, which is set when a message comes."""
    return _at((chat.channel, chat.chat)) | {name: v for name, v in asdict(chat).items() if name != "heard_at"}
