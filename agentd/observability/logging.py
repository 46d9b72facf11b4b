"""Structured logs without citizens' data, for the operator."""

from __future__ import annotations

import logging
import os
import sys
from contextlib import suppress
from typing import Any, TextIO, cast

import structlog

from hardening.logs import failures, in_line, log_to

PRIVATE = frozenset(
    {"prompt", "response", "arguments", "input", "output", "text", "body", "content", "authorization", "api_key"}
)
"""Keys whose values are replaced by their length, at any depth."""


class StandardError:
    """Writes to the current `sys.stderr`, even if a test has replaced it since.

    On a full disk it drops lines without an error, so that the logged work continues.
    """

    def write(self, text: str) -> None:
        with suppress(OSError):
            sys.stderr.write(text)

    def flush(self) -> None:
        with suppress(OSError):
            sys.stderr.flush()


def configure(level: str = "info", *, console: bool | None = None) -> None:
    """Log to standard error: JSON lines, or readable lines on a terminal. Uncaught errors are logged there, masked."""
    readable = sys.stderr.isatty() if console is None else console
    number = logging.getLevelNamesMapping()[level.upper()]
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            shorten_failure,
            redact,
            structlog.processors.TimeStamper(fmt="iso", utc=True),  # after redact, which would mask a date's digits
            structlog.dev.ConsoleRenderer() if readable else structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(cast(TextIO, StandardError())),
        cache_logger_on_first_use=True,
    )
    log = structlog.get_logger("agentd")
    log_to(
        cast(TextIO, StandardError()),
        max(number, logging.WARNING),
        lambda error: log.critical("process.uncaught", exc_info=error),
    )


def shorten_failure(_logger: Any, _method: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    """Replace `exc_info` by `failure`: the types and code places of the error and its causes."""
    given = event.pop("exc_info", None)
    if given is True:
        given = sys.exc_info()
    error = given[1] if isinstance(given, tuple) else given
    return {**event, "failure": failures(error)} if isinstance(error, BaseException) else event


def redact(_logger: Any, _method: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    """Remove citizens' words from a log line and mask numbers in the rest."""
    return {key: discreet(value, key) for key, value in event.items()}


def discreet(value: Any, key: str = "") -> Any:
    """A log value without citizens' words, at every depth; an object that isn't JSON becomes its type's name."""
    if key in PRIVATE and value:
        return f"[{len(str(value))} characters]"
    if isinstance(value, dict):
        return {str(inner): discreet(each, str(inner)) for inner, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [discreet(each) for each in value]
    if isinstance(value, str | os.PathLike):
        return in_line(os.fspath(value))
    if isinstance(value, int) and abs(value) >= 100_000:
        return in_line(str(value))
    return value if value is None or isinstance(value, int | float) else type(value).__name__
