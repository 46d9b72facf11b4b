"""Extracts the JSON object from a model's reply, whatever surrounds it. It judges no content."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

_FENCE = re.compile(r"```(?:json)?\s*(.*?)```", re.DOTALL | re.IGNORECASE)
_DECODER = json.JSONDecoder(strict=False)
STARTS_TRIED = 100
"""The most opening braces tried: each failure costs time for all text before it, whose lines json's error counts."""


class Unreadable(ValueError):
    """The text has no JSON object; the message shows the text."""


def json_object(text: str) -> dict[str, Any]:
    """The first JSON object of the text: bare, fenced, as a JSON string, or within words. Raises Unreadable."""
    for candidate in (text, *_FENCE.findall(text)):
        try:
            value = _DECODER.decode(candidate.strip())
        except (ValueError, RecursionError):
            continue
        if isinstance(value, str) and value != text:
            return json_object(value)
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        if isinstance(value, dict):
            return value
    for value in _amid(text):
        return value
    shown = " ".join(text.split())[:120]
    raise Unreadable(f"the reply holds no JSON object: {shown!r}")


def _amid(text: str) -> Iterator[dict[str, Any]]:
    """The objects that begin at the first opening braces of a text."""
    start = text.find("{")
    for _ in range(STARTS_TRIED):
        if start == -1:
            return
        try:
            value, _ = _DECODER.raw_decode(text, start)
        except RecursionError:
            return  # nested too deeply, as is everything inside it
        except ValueError:
            value = None
        if isinstance(value, dict):
            yield value
        start = text.find("{", start + 1)


def unwrapped(value: dict[str, Any], *expected: str) -> dict[str, Any]:
    """The object with one of the expected keys: the value itself, or the only object inside it that has one."""
    if any(key in value for key in expected):
        return value
    inner = [each for each in value.values() if isinstance(each, dict) and any(key in each for key in expected)]
    return inner[0] if len(inner) == 1 else value


def texts(value: Any) -> list[str]:
    """A list of strings from a list, one string, or nothing."""
    if isinstance(value, str):
        return [value.strip()] if value.strip() else []
    if isinstance(value, dict):
        return texts(list(value.values()))
    if isinstance(value, list):
        return [text for each in value for text in texts(each)]
    return [] if value is None or isinstance(value, bool) else [str(value)]
