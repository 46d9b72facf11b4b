"""The tables of chats (chats, queued messages and answers, marks of those seen) and their SQL statements."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

TABLES = sa.MetaData()
_CHAT = (sa.Column("channel", sa.String(40), primary_key=True), sa.Column("chat", sa.String(100), primary_key=True))
CHATS = sa.Table(
    "agentd_chats",
    TABLES,
    *_CHAT,
    sa.Column("visit", sa.String(40), nullable=False),
    sa.Column("session_id", sa.String(200), index=True),
    sa.Column("language", sa.String(8), nullable=False),
    sa.Column("heard_at", sa.String(40), nullable=False),
    sa.Column("run_id", sa.String(200)),
    sa.Column("approval_id", sa.String(100)),
    sa.Column("confirm", sa.String(64)),
    sa.Column("tries", sa.Integer, nullable=False),
)


def _of_chat() -> tuple[sa.Column[Any], ...]:
    number = sa.Column("number", sa.Integer, primary_key=True)
    return (
        number,
        sa.Column("channel", sa.String(40), nullable=False),
        sa.Column("chat", sa.String(100), nullable=False),
    )


INBOX = sa.Table("agentd_chat_inbox", TABLES, *_of_chat(), sa.Column("mark", sa.String(64)), sa.Column("body", sa.JSON))
OUTBOX = sa.Table("agentd_chat_outbox", TABLES, *_of_chat(), sa.Column("body", sa.JSON, nullable=False))
WAITS = sa.Table("agentd_chat_waits", TABLES, *_of_chat(), sa.Column("run_id", sa.String(200), nullable=False))
LINKS = sa.Table(
    "agentd_chat_links",
    TABLES,
    *_of_chat(),
    sa.Column("code", sa.String(64), nullable=False),
    sa.Column("until", sa.String(40), nullable=False),
)
SEEN_MARKS = sa.Table(
    "agentd_chat_seen", TABLES, sa.Column("mark", sa.String(64), primary_key=True), sa.Column("at", sa.String(40))
)
STOPPED = sa.Table("agentd_chat_stopped", TABLES, sa.Column("mark", sa.String(64), primary_key=True))


def _here(table: sa.FromClause) -> sa.ColumnElement[bool]:
    return sa.and_(table.c.channel == sa.bindparam("at_channel"), table.c.chat == sa.bindparam("at_chat"))


def _standing() -> sa.Select[Any]:
    """One chat with its oldest answer and its oldest message; NULL for each that is missing."""

    def oldest(table: sa.Table) -> sa.ColumnElement[bool]:
        rows = table.alias()
        return table.c.number == sa.select(sa.func.min(rows.c.number)).where(_here(rows)).scalar_subquery()

    one = sa.select(sa.literal(1).label("one")).subquery()
    joined = one.outerjoin(CHATS, _here(CHATS)).outerjoin(OUTBOX, oldest(OUTBOX)).outerjoin(INBOX, oldest(INBOX))
    wanted = (OUTBOX.c.number, OUTBOX.c.body, INBOX.c.number, INBOX.c.mark, INBOX.c.body)
    return sa.select(*CHATS.c, *wanted).select_from(joined)


# Built once: building a statement costs more than running it. Binds: a chat `at_channel` and `at_chat`, a row `of`.
STANDING = _standing()
CHANGE_CHAT = CHATS.update().where(_here(CHATS))
CHANGE_OUTBOX = OUTBOX.update().where(OUTBOX.c.number == sa.bindparam("of"))
INSERT = {table: table.insert() for table in TABLES.tables.values()}
REMOVE = {table: table.delete().where(table.c.number == sa.bindparam("of")) for table in (INBOX, OUTBOX)}
MARKED = {table: sa.select(table.c.mark).where(table.c.mark == sa.bindparam("of")) for table in (SEEN_MARKS, STOPPED)}
