"""Checks results against the output schemas of their tools, in bounded time and without the schemas' regular
expressions: a server writes them, and no expression can be interrupted.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from functools import cache
from typing import Any

from mcp_types import CallToolResult

HERE_S = 0.01
"""CPU seconds of a check on the event loop; a longer one begins again in a thread."""
_UNCHECKED = frozenset({"patternProperties", "uniqueItems", "unevaluatedProperties", "unevaluatedItems"})
_ends: ContextVar[float] = ContextVar("ends", default=math.inf)


class TooLong(Exception):
    """A check used up its time."""


class ResultCheck:
    """The check of one connection's results. Takes the place of the SDK's, `ClientSession.validate_tool_result`."""

    def __init__(self, longest_s: float) -> None:
        """`longest_s`: CPU seconds of one check."""
        self._longest_s = longest_s
        self._schemas: Mapping[str, Any] = {}
        self._validators: dict[str, Any] = {}

    def know(self, schemas: Mapping[str, Any]) -> None:
        """Check by these output schemas from now on, by the tool's name."""
        self._schemas, self._validators = schemas, {}

    async def __call__(self, name: str, result: CallToolResult) -> None:
        """Raise an exception if the result doesn't fit its tool's schema or the schema can't be used."""
        schema = self._schemas.get(name)
        if schema is None:
            return
        if result.structured_content is None and "structured_content" not in result.model_fields_set:
            raise RuntimeError(f"tool {name} has an output schema but gave no structured content")
        if (validator := self._validators.get(name)) is None:
            validator = self._validators[name] = _validator(schema)
        try:
            _check(validator, result.structured_content, HERE_S)
        except TooLong:
            await asyncio.to_thread(_check, validator, result.structured_content, self._longest_s)


def _check(validator: Any, value: Any, budget_s: float) -> None:
    before = _ends.set(time.thread_time() + budget_s)
    try:
        for error in validator.iter_errors(value):
            raise RuntimeError(f"the result breaks its schema: {error.validator}")
    finally:
        _ends.reset(before)


def _validator(schema: Any) -> Any:
    from jsonschema.validators import validator_for
    from referencing import Registry

    return _timed(validator_for(schema))(_without_expressions(schema), registry=Registry())


@cache
def _timed(dialect: Any) -> Any:
    """The dialect's validator with a look at the clock before each keyword."""
    from jsonschema.validators import extend

    def timed(keyword: Callable[..., Iterable[Any] | None]) -> Callable[..., Iterable[Any] | None]:
        def checked(*given: Any) -> Iterable[Any] | None:
            if time.thread_time() > _ends.get():
                raise TooLong
            return keyword(*given)

        return checked

    keywords = {**dialect.VALIDATORS, "anyOf": _counted(lambda fit: fit > 0), "oneOf": _counted(lambda fit: fit == 1)}
    return extend(dialect, {name: timed(keyword) for name, keyword in keywords.items()})


def _counted(enough: Callable[[int], bool]) -> Callable[..., Iterable[Any]]:
    """A keyword of alternatives that keeps no errors of those that don't fit: of references that multiply, they would
    fill the memory."""
    from jsonschema import ValidationError

    def checked(validator: Any, rules: Any, value: Any, _schema: Any) -> Iterable[Any]:
        if not enough(sum(next(validator.descend(value, rule), None) is None for rule in rules)):
            yield ValidationError("not one of the alternatives")

    return checked


def _without_expressions(rule: Any) -> Any:
    """The schema without what runs an expression or can't be interrupted, and without a part's own `$schema`, which
    would bring another validator. A property may have a keyword's name: only what has the keyword's form goes."""
    if isinstance(rule, list):
        return [_without_expressions(inner) for inner in rule]
    if not isinstance(rule, dict):
        return rule
    gone = {name for name in ("pattern", "$schema") if isinstance(rule.get(name), str)} | _UNCHECKED
    if "patternProperties" in rule:
        gone.add("additionalProperties")
    return {name: _without_expressions(inner) for name, inner in rule.items() if name not in gone}
