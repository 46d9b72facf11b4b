"""What may stand in a server's log: our own words and places. Never a citizen's value, nor an error's text."""

from __future__ import annotations

import ast
import linecache
import logging
import os
import re
import sys
import threading
import traceback
from functools import cache
from typing import Any

FRAMES = 6
_NUMBER = re.compile(r"\d(?:[ .-]?\d){5,}")


def log_to_stderr() -> None:
    """One handler on standard error for the whole process; LOG_LEVEL (default WARNING) sets how much is said.

    What nobody caught is shown the same way: Python would print the error's text.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(DiscreetFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(os.environ.get("LOG_LEVEL", "WARNING").upper())
    logging.raiseExceptions = False  # it would print a record that can't be formatted, arguments and all
    sys.excepthook = lambda kind, error, trace: _tell((kind, error, trace))
    threading.excepthook = lambda given: _tell((given.exc_type, given.exc_value, given.exc_traceback))
    sys.unraisablehook = lambda given: _tell((given.exc_type, given.exc_value, given.exc_traceback))


def _tell(exc_info: Any) -> None:
    logging.getLogger("servers").critical("not caught", exc_info=exc_info)


class DiscreetFormatter(logging.Formatter):
    """A line of log without anybody's data.

    Our own messages are printed as written, with long numbers masked. Of everybody else's only a text that stands in
    the caller's source is, without its arguments: what was put together at run time may quote anybody. Of an
    exception, its type and where it was raised, without its text (a validation error quotes what it rejects).
    """

    def format(self, record: logging.LogRecord) -> str:
        ours = record.name in ("__main__", "servers") or record.name.startswith("servers.")
        text = record.getMessage() if ours else _template(record)
        masked = _NUMBER.sub(lambda found: found[0][:2] + "••••", " ".join(text.split()))
        line = f"{record.levelname} {record.name}: {masked}"
        if record.exc_info and record.exc_info[0] is not None:
            kind, _, trace = record.exc_info
            frames = traceback.extract_tb(trace)[-FRAMES:]
            places = " < ".join(f"{f.filename}:{f.lineno} {f.name}" for f in reversed(frames))
            line += f" [{kind.__name__} at {places}]"
        return line


def _template(record: logging.LogRecord) -> str:
    text = str(record.msg)
    return text if text in _constants(record.pathname) else f"(said at {record.pathname}:{record.lineno})"


@cache
def _constants(path: str) -> frozenset[str]:
    """Every text that stands in a source file as it is; none where there is no source."""
    try:
        tree = ast.parse("".join(linecache.getlines(path)))
    except (SyntaxError, ValueError, RecursionError):
        return frozenset()
    return frozenset(
        node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and type(node.value) is str
    )
