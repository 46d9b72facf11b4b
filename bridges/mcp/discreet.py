"""Keeps servers' messages out of the log: the SDK's log lines quote them, and they contain citizens' data."""

from __future__ import annotations

import logging

_QUOTING = ("client", "mcp.client.streamable_http", "mcp.shared.jsonrpc_dispatcher", "mcp.client.client", "httpx2")


class Discreet(logging.Filter):
    """Passes warnings and errors without their arguments and with only the exception's type; drops everything else."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.levelno < logging.WARNING:
            return False
        template = str(record.msg)
        kind = record.exc_info[0] if record.exc_info else None
        record.msg = f"{template} [{kind.__name__}]" if kind is not None else template
        record.args, record.exc_info, record.exc_text = None, None, None
        return True


def quiet_the_sdk() -> None:
    """Install the filter on the SDK's loggers; repeated calls do nothing."""
    for name in _QUOTING:
        target = logging.getLogger(name)
        if not any(isinstance(existing, Discreet) for existing in target.filters):
            target.addFilter(Discreet())
