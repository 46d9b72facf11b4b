"""Converts a server's result to a ToolOutcome. No I/O: artifacts.py collects the files."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import orjson
from mcp_types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
)
from pydantic_core import from_json

from agentd.messages import Artifact, ToolOutcome, json_int
from bridges.mcp.lines import too_many

_QUOTED = re.compile(r" \[type=\w+, input_value=.*, input_type=\w+\]\n +For further information visit https://\S+")
"""How a server on the Python SDK quotes its input in an error: citizens' data that doesn't help to fix anything."""


def outcome_of(result: CallToolResult, artifacts: tuple[Artifact, ...]) -> ToolOutcome:
    """Return a result as the agent sees it: its structured content, else its text, parsed if that is a JSON object."""
    texts = [text for block in result.content if (text := _text(block)) is not None]
    failed = bool(result.is_error)
    texts = [_QUOTED.sub("", text) for text in texts] if failed else texts
    output = plain(result.structured_content) if result.structured_content is not None else _read(texts)
    if files := {data: kind for block in result.content for data, kind in _file(block)}:
        output = _without(output, files)
    message = next((text.strip() for text in texts if text.strip()), "") or _error_text(output)
    if not message:
        made = ", ".join(artifact.name for artifact in artifacts)
        message = "The tool failed and did not say why." if failed else made
    return ToolOutcome(
        success=not failed,
        output=output,
        message=message,
        artifacts=artifacts,
        error_type="tool_execution" if failed else None,
        meta={name: plain(value) for name, value in (result.meta or {}).items() if name.startswith("agentd/")},
    )


def _text(block: ContentBlock) -> str | None:
    """The block's words: its text, or where it links to; None for a file."""
    if isinstance(block, ResourceLink) and urlsplit(block.uri).scheme != "file":
        return f"{block.title or block.name}: {block.uri}"
    return block.text if isinstance(block, TextContent) else None


def _file(block: ContentBlock) -> Iterator[tuple[str, str]]:
    """Yield the base64 text and the media type, if the block is a file."""
    match block:
        case ImageContent(data=data, mime_type=kind) | AudioContent(data=data, mime_type=kind) if data:
            yield data, kind
        case EmbeddedResource(resource=BlobResourceContents(blob=data, mime_type=kind)) if data:
            yield data, kind or "file"


def _without(value: Any, files: Mapping[str, str]) -> Any:
    """The output with a file's media type for its bytes, which some servers repeat there."""
    if isinstance(value, dict):
        return {name: _without(inner, files) for name, inner in value.items()}
    if isinstance(value, list):
        return [_without(inner, files) for inner in value]
    return f"({files[value]})" if isinstance(value, str) and value in files else value


def failure(message: str, error_type: str = "tool_execution") -> ToolOutcome:
    """Return the outcome of a failed call."""
    return ToolOutcome(success=False, message=message, error_type=error_type)


def plain(value: Any) -> Any:
    """Make a value writable for every JSON library: NaN becomes null, half a surrogate pair `?`, a number of more than
    64 bits its digits."""
    try:
        return orjson.loads(orjson.dumps(value))
    except orjson.JSONEncodeError:
        text = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace").decode()
        return json.loads(text, parse_constant=lambda _: None, parse_int=json_int)


def _read(texts: list[str]) -> Any:
    """The output in a result's text blocks: the object if a single one holds JSON that is no deeper and no larger
    than a message may be, else the joined text."""
    if len(texts) == 1 and texts[0].lstrip().startswith("{"):
        with suppress(ValueError):
            if not too_many(value := from_json(texts[0])):
                return plain(value)
    return "\n".join(texts) if texts else None


def _error_text(output: Any) -> str:
    """Return the first of `{"error": {"message": …}}`, `{"error": …}` and `{"message": …}` that is present."""
    if not isinstance(output, dict):
        return ""
    error = output.get("error")
    for text in (error.get("message") if isinstance(error, dict) else error, output.get("message")):
        if isinstance(text, str) and text.strip():
            return text.strip()
    return ""
