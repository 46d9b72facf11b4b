"""What the operator reads: structured logs with citizens' data taken out. Metrics and traces join it here."""

from __future__ import annotations

import logging
import sys
import threading
from contextlib import suppress
from typing import Any, TextIO, cast

import structlog

from agentd.discreet import DiscreetFormatter, discreet, failures


class StandardError:
    """Standard error as it is when a line is written, also where a test has replaced it since.

    A log on a full disk loses lines; what was to be logged goes on, and is answered.
    """

    def write(self, text: str) -> None:
        """Write it there."""
        with suppress(OSError):
            sys.stderr.write(text)

    def flush(self) -> None:
        """Let it go out."""
        with suppress(OSError):
            sys.stderr.flush()


def configure(level: str = "info", *, console: bool | None = None) -> None:
    """Log to standard error: JSON lines, or readable ones on a terminal. Uncaught errors go there too, discreetly."""
    readable = sys.stderr.isatty() if console is None else console
    number = logging.getLevelNamesMapping()[level.upper()]
    handler = logging.StreamHandler(StandardError())
    handler.setFormatter(DiscreetFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(max(number, logging.WARNING))
    logging.raiseExceptions = False  # it would print a record that can't be formatted, arguments and all
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            shorten_failure,
            redact,
            structlog.processors.TimeStamper(fmt="iso", utc=True),  # behind it: a date's digits would be masked, too
            structlog.dev.ConsoleRenderer() if readable else structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(cast(TextIO, StandardError())),
        cache_logger_on_first_use=True,
    )
    _log_uncaught()


def shorten_failure(_logger: Any, _method: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    """In place of a traceback: `failure`, the types and places of an error and its causes."""
    given = event.pop("exc_info", None)
    if given is True:
        given = sys.exc_info()
    error = given[1] if isinstance(given, tuple) else given
    return {**event, "failure": failures(error)} if isinstance(error, BaseException) else event


def redact(_logger: Any, _method: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    """Take what a citizen said out of a log line, and mask numbers everywhere else."""
    return {key: discreet(value, key) for key, value in event.items()}


def _log_uncaught() -> None:
    """Python would print the error's text for what nobody caught: in the main thread, in others, while collecting."""
    log = structlog.get_logger("agentd")

    def report(error: BaseException | None) -> None:
        log.critical("process.uncaught", exc_info=error)

    sys.excepthook = lambda _kind, error, _trace: report(error)
    threading.excepthook = lambda given: report(given.exc_value)
    sys.unraisablehook = lambda given: report(given.exc_value)
