"""What agentd tells its operator: structured logs with citizens' data taken out. Metrics and traces join it here."""

from __future__ import annotations

import logging
import sys
from typing import Any

import structlog

from agentd.agent.masking import mask_all

_PRIVATE = frozenset({"prompt", "response", "arguments", "input", "output", "text", "body", "authorization", "api_key"})


def configure(level: str = "info", *, console: bool | None = None) -> None:
    """Log to standard error: JSON lines, or readable ones on a terminal."""
    readable = sys.stderr.isatty() if console is None else console
    number = logging.getLevelNamesMapping()[level.upper()]
    logging.basicConfig(level=max(number, logging.WARNING), stream=sys.stderr, format="%(message)s")
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.dict_tracebacks,
            redact,
            structlog.dev.ConsoleRenderer() if readable else structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )


def redact(_logger: Any, _method: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    """Take what a citizen said out of a log line, and mask numbers everywhere else."""
    return {
        key: f"[{len(str(value))} characters]" if key in _PRIVATE and value else mask_all(value)
        for key, value in event.items()
    }
