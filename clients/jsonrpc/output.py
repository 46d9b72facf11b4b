"""Output of `jsonrpc-cli`: JSON, errors and lists of methods, in colour on a terminal."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from typing import Any

_TOKENS = re.compile(r'("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)')
_KEY, _TEXT, _WORD, _NUMBER, _RED, _BOLD, _DIM, _OFF = (
    f"\x1b[{code}m" for code in ("34", "32", "35", "36", "31;1", "1", "2", "0")
)


class Printer:
    """Prints to one stream, in colour if it is a terminal."""

    def __init__(self, stream: Any, color: str) -> None:
        self._stream = stream
        self._color = color == "always" or (color == "auto" and stream.isatty() and "NO_COLOR" not in os.environ)

    def value(self, value: Any) -> None:
        """Print indented JSON."""
        self._print(self._json(json.dumps(value, indent=2, ensure_ascii=False)))

    def line(self, value: Any) -> None:
        """Print one line of JSON and flush."""
        self._print(self._json(json.dumps(value, ensure_ascii=False)))
        self._stream.flush()

    def raw(self, body: bytes) -> None:
        """Print the body unchanged."""
        self._print(body.decode("utf-8", "replace"))

    def error(self, error: Any) -> None:
        """Print a JSON-RPC error: its code and message, then its data."""
        if not isinstance(error, dict):
            self._print(str(error))
            return
        self._print(self._painted(_RED, f"error {error.get('code')}: {error.get('message')}"))
        if error.get("data") is not None:
            self.value(error["data"])

    def methods(self, document: Any) -> None:
        """Print the methods of an OpenRPC document with their parameters; any other value as JSON."""
        if not isinstance(document, dict) or not isinstance(document.get("methods"), list):
            self.value(document)
            return
        for method in document["methods"]:
            words = " ".join(_parameter(one) for one in method.get("params", ()))
            self._print(f"{self._painted(_BOLD, method['name'])} {words}".rstrip())
            if method.get("summary"):
                self._print(self._painted(_DIM, f"    {method['summary']}"))

    def _json(self, text: str) -> str:
        return "".join(self._coloured(text)) if self._color else text

    def _coloured(self, text: str) -> Iterator[str]:
        end = 0
        for match in _TOKENS.finditer(text):
            string, colon, _, number = match.groups()
            paint = (_KEY if colon else _TEXT) if string else _NUMBER if number else _WORD
            yield text[end : match.start()] + paint + (string or match.group()) + _OFF + (colon or "")
            end = match.end()
        yield text[end:]

    def _painted(self, paint: str, text: str) -> str:
        return f"{paint}{text}{_OFF}" if self._color else text

    def _print(self, text: str) -> None:
        print(text, file=self._stream)


def _parameter(one: dict[str, Any]) -> str:
    schema = one.get("schema") or {}
    kinds = [kind for kind in (schema, *schema.get("anyOf", ())) if kind.get("type") not in (None, "null")]
    kind = kinds[0]["type"] if kinds else ""
    if not kind:
        kind = "object" if any("$ref" in option for option in schema.get("anyOf", (schema,))) else "any"
    return f"{one['name']}={kind}" if one.get("required") else f"[{one['name']}={kind}]"
