"""Caches what was read of a session's messages, for that session only. Reads nothing itself."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import partial
from threading import Lock
from typing import Any, Concatenate, ParamSpec, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

Given = ParamSpec("Given")


class Caching:
    """Keeps what was read of a form's conversation: for one call (`cached`), or for its session too (`remember`)."""

    def __init__(self, readings: Readings, form: Hashable) -> None:
        self._readings, self._form = readings, form
        self._judged: dict[Hashable, Any] = {}

    def cached(self, key: Hashable, judge: Callable[[], Value]) -> Value:
        """A judgement of a message, cached for this call."""
        if key not in self._judged:
            self._judged[key] = judge()
        judged: Value = self._judged[key]
        return judged

    def remember(self, key: Hashable, read: Callable[[], Value]) -> Value:
        """A reading of a text for this form, cached for the session."""
        return self.cached(key, lambda: self._readings.remember((key, self._form), read))


Owner = TypeVar("Owner", bound=Caching)


def once(judge: Callable[Concatenate[Owner, Given], Value]) -> Callable[Concatenate[Owner, Given], Value]:
    """Caches for the call what a function says of a case and hashable arguments."""

    def cached(case: Owner, /, *of: Given.args, **named: Given.kwargs) -> Value:
        return case.cached((judge, *of), partial(judge, case, *of, **named))

    return cached


def remembered(read: Callable[Concatenate[Owner, Given], Value]) -> Callable[Concatenate[Owner, Given], Value]:
    """The same, for the session: it depends on the form and the arguments alone."""

    def cached(case: Owner, /, *of: Given.args, **named: Given.kwargs) -> Value:
        return case.remember((read, *of), partial(read, case, *of, **named))

    return cached


MOST_READINGS = 16_384
"""The most readings of one session; each serves all forms and values that are judged."""
MOST_SESSIONS, MOST_TOGETHER = 256, 32_768
"""The most sessions, and the most readings of all sessions together (about 1.5 kB each). Reading has no side effects: a
dropped session only costs time."""


class Readings:
    """The readings of one session, at most `MOST_READINGS`. Calls are judged in threads, hence the lock."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()
        self._lock = Lock()

    @property
    def count(self) -> int:
        """The number of cached readings."""
        return len(self._kept)

    def remember(self, key: Hashable, read: Callable[[], Value]) -> Value:
        """The cached reading for a key, or the result of `read`, which runs without the lock."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                kept: Value = self._kept[key]
                return kept
        value = read()
        with self._lock:
            _put(self._kept, key, value, MOST_READINGS)
        return value


class SessionReadings:
    """The readings of each session by its id, at most `MOST_SESSIONS` sessions and `MOST_TOGETHER` readings."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[str, Readings] = OrderedDict()
        self._lock = Lock()

    def of(self, session_id: str) -> Readings:
        """The session's readings, created empty if needed. A call without a session gets a cache that isn't kept."""
        if not session_id:
            return Readings()
        with self._lock:
            readings = self._sessions.pop(session_id, Readings())
            _put(self._sessions, session_id, readings, MOST_SESSIONS)
            while len(self._sessions) > 1 and sum(one.count for one in self._sessions.values()) > MOST_TOGETHER:
                self._sessions.popitem(last=False)
        return readings

    def forget(self, session_id: str) -> None:
        """Drop this session's readings; every other session keeps its own."""
        with self._lock:
            self._sessions.pop(session_id, None)


def _put(kept: OrderedDict[Key, Value], key: Key, value: Value, most: int) -> None:
    """Keep a value as the most recently used, and drop the least recently used if there are too many."""
    kept[key] = value
    kept.move_to_end(key)
    if len(kept) > most:
        kept.popitem(last=False)
