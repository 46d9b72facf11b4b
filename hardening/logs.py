"""What may stand in a log: the program's own words and places. Never a value, a local variable or an error's text.

Names and numbers of citizens reach a log by four ways, and each is closed here: values beside an event, texts of
exceptions (and of their causes), lines of other libraries that were put together with values, and local variables.
"""

from __future__ import annotations

import ast
import linecache
import logging
import os
import re
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice
from typing import Any, TextIO

OURS = ("__main__", "agentd", "bridges", "clients", "servers")
CAUSES, FRAMES = 8, 6
AGAIN_S = 60.0
_NUMBER = re.compile(r"(?<![0-9a-f])(?=\d*[a-f])(?P<id>[0-9a-f]{32}(?:[0-9a-f]{8})?)(?![0-9a-f])|\d(?:[ .-]?\d){5,}")
"""A number; or a random id of ours, in which digits stand side by side by chance."""
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def log_to(stream: TextIO, level: int | str, report: Callable[[BaseException | None], None]) -> None:
    """One handler on `stream` for the whole process; `report` takes what nobody caught, anywhere: Python would print
    the error's text."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(DiscreetFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    logging.raiseExceptions = False  # it would print a record that can't be formatted, arguments and all
    sys.excepthook = lambda _kind, error, _trace: report(error)
    threading.excepthook = lambda given: report(given.exc_value)
    sys.unraisablehook = lambda given: report(given.exc_value)


class Due:
    """Which reasons of a trouble that lasts are due in the log: a new one at once, the same again after AGAIN_S."""

    def __init__(self) -> None:
        self._from: dict[str, float] = {}

    def now(self, reason: str) -> bool:
        """Whether the reason is due; if so, it counts as logged."""
        if due := time.monotonic() >= self._from.get(reason, 0.0):
            self._from[reason] = time.monotonic() + AGAIN_S
        return due


def mask(text: str) -> str:
    """Runs of six digits and more (NIK, KK, phone, however spaced) keep their first two only: `31••••`.

    Ids of 32 or 40 hexadecimal digits, as the daemon makes for runs and sessions, stay whole.
    """
    return _NUMBER.sub(lambda found: found["id"] or found[0][:2] + "••••", text)


def in_line(text: str) -> str:
    """The masked text for a line of the log: control characters and changes of direction, on which a terminal would
    act, become blanks."""
    return _CONTROL.sub(" ", mask(text))


def failures(error: BaseException) -> list[dict[str, Any]]:
    """[{type, at}] of an error and its causes, the newest first: types and places, innermost first."""
    return [{"type": _kind(one), "at": _places(one)} for one in islice(_causes(error), CAUSES)]


def _causes(error: BaseException) -> Iterator[BaseException]:
    waiting, seen = [error], set[int]()
    while waiting:
        one = waiting.pop(0)
        if id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        if isinstance(one, BaseExceptionGroup):
            waiting += one.exceptions
        cause = one.__cause__ or (None if one.__suppress_context__ else one.__context__)
        waiting += [cause] if cause is not None else []


def _kind(error: BaseException) -> str:
    """The type; with the system's own word for the number of an OSError."""
    name = type(error).__name__
    return f"{name}: {os.strerror(error.errno)}" if isinstance(error, OSError) and error.errno else name


def _places(error: BaseException) -> list[str]:
    frames = traceback.extract_tb(error.__traceback__)[-FRAMES:]
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in reversed(frames)]


class DiscreetFormatter(logging.Formatter):
    """Lines of the standard library's loggers. Ours are printed as written, with numbers masked.

    Of everybody else's only a text that stands in the caller's source is printed, without its arguments: what was put
    together at run time may quote anybody. Of an exception: types and places.
    """

    def format(self, record: logging.LogRecord) -> str:
        line = f"{record.levelname} {record.name}: {in_line(' '.join(self._text(record).split()))}"
        if record.exc_info and record.exc_info[1] is not None:
            causes = (f"{one['type']} at {' < '.join(one['at'])}" for one in failures(record.exc_info[1]))
            line += f" [{'; '.join(causes)}]"
        return line

    def _text(self, record: logging.LogRecord) -> str:
        if record.name.partition(".")[0] in OURS:
            return record.getMessage()
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
