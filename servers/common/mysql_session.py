"""Read-only sessions of MariaDB and MySQL: opening, restricting and killing. It runs no other statements."""

from __future__ import annotations

import logging

from pymysql.constants import FIELD_TYPE
from pymysql.converters import conversions
from sqlalchemy import pool
from sqlalchemy.engine import URL
from sqlalchemy.exc import SQLAlchemyError

from servers.common.async_engine import AsyncEngine, create_async_engine
from servers.common.database_errors import reason
from servers.common.session import CONNECT_SECONDS, Session
from servers.common.values import date_time_text, decimal_text

log = logging.getLogger(__name__)

GROUP_CONCAT_BYTES = 2**20
"""MySQL's default would silently cut results at 1024."""
SQL_MODE = "STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION"
"""Fixed: with ANSI_QUOTES or NO_BACKSLASH_ESCAPES the server would read quotes differently from our checks."""
DECODERS = conversions | {
    FIELD_TYPE.NEWDECIMAL: decimal_text,
    FIELD_TYPE.DECIMAL: decimal_text,
    FIELD_TYPE.DATE: str,
    FIELD_TYPE.DATETIME: date_time_text,
    FIELD_TYPE.TIMESTAMP: date_time_text,
    FIELD_TYPE.BIT: int.from_bytes,
}
"""How both drivers decode the server's text: directly to JSON form, which is faster than via Decimal and date."""


class MySQLSessions:
    """Sessions of MariaDB and MySQL."""

    grace_seconds = 0.5
    reads_what_is_left = True

    def engine(self, url: URL) -> AsyncEngine:
        """Create an engine without a pool: one connection per session."""
        return create_async_engine(
            url,
            poolclass=pool.NullPool,
            isolation_level="AUTOCOMMIT",
            hide_parameters=True,
            connect_args={
                "connect_timeout": CONNECT_SECONDS,
                "local_infile": False,
                "autocommit": True,
                "conv": DECODERS,
            },
        )

    async def restrict(self, session: Session, timeout_seconds: float) -> None:
        """Make the server itself enforce read-only, time-limited sessions with one statement per text."""
        connection, driver = session.connection, session.driver
        # COM_SET_OPTION disables multiple statements in one text; both drivers enable them and can't undo it.
        await driver._execute_command(0x1B, b"\x01\x00")
        await (driver._read_packet if hasattr(driver, "_read_packet") else driver.read_packet)()
        limits = (
            f"tx_read_only=1, max_statement_time={max(timeout_seconds, 0.001):.3f}"
            if getattr(connection.dialect, "is_mariadb", False)
            else f"transaction_read_only=1, max_execution_time={max(timeout_seconds * 1000, 1):.0f}"
        )
        await connection.exec_driver_sql(
            f"SET SESSION {limits}, lock_wait_timeout=2, group_concat_max_len={GROUP_CONCAT_BYTES}, "
            f"sql_mode='{SQL_MODE}'"
        )
        session.thread_id = int((await connection.exec_driver_sql("SELECT CONNECTION_ID()")).scalar_one())

    async def kill(self, session: Session, engine: AsyncEngine) -> None:
        """Stop on the server what this session is running."""
        try:
            async with engine.connect() as side:
                await side.exec_driver_sql(f"KILL QUERY {session.thread_id:d}")
        except (SQLAlchemyError, OSError) as error:
            log.warning("a query could not be killed (%s); the server's own time limit ends it", reason(error))
