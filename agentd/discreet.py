"""What may stand in a log: the program's own words and places. Never a value, a local variable or an error's text.

Names and numbers of citizens reach a log by four ways, and each is closed here: values beside an event, texts of
exceptions (and of their causes), lines of other libraries that were put together with values, and local variables.
"""

from __future__ import annotations

import ast
import linecache
import logging
import os
import traceback
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Any

from agentd.agent.masking import mask, mask_all

PRIVATE = frozenset(
    {"prompt", "response", "arguments", "input", "output", "text", "body", "content", "authorization", "api_key"}
)
"""Keys whose value is replaced by its length, however deep they stand."""
OURS = ("agentd", "bridges", "clients")
CAUSES, FRAMES = 8, 6


def discreet(value: Any, key: str = "") -> Any:
    """A value of a log line without what a citizen said, at every depth; an object that isn't JSON is its type."""
    if key in PRIVATE and value:
        return f"[{len(value) if isinstance(value, str) else len(str(value))} characters]"
    if isinstance(value, dict):
        return {str(inner): discreet(each, str(inner)) for inner, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [discreet(each) for each in value]
    if value is None or isinstance(value, str | int | float):
        return mask_all(value)
    return mask(os.fspath(value)) if isinstance(value, os.PathLike) else type(value).__name__


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
        line = f"{record.levelname} {record.name}: {mask(' '.join(self._text(record).split()))}"
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
