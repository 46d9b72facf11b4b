"""Gemini (`type = "gemini"`) through google-genai. It does no tool calling of Gemini's own: actions are plain JSON.

Settings of its own in client.toml: `thinking_budget` (tokens; default 0 for the flash models, whose thinking would eat
the few tokens of an action, else the model's own).
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from agentd.errors import ProviderFailure
from agentd.messages import ModelRequest, Usage
from bridges.hosted import Finish, HostedModel, Piece, kind_of_status, retry_after

BLOCKED = frozenset(
    {"SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY", "MODEL_ARMOR"}
)
SCHEMA_KEYWORDS = frozenset(
    {"$id", "$defs", "$ref", "$anchor", "type", "format", "title", "description", "enum", "items", "prefixItems"}
    | {"minItems", "maxItems", "minimum", "maximum", "anyOf", "oneOf", "properties", "additionalProperties", "required"}
)
"""What `responseJsonSchema` takes (documented with GenerationConfig); others are dropped, `const` becomes `enum`."""


class GeminiModel(HostedModel):
    """Google's models, or whatever speaks their protocol at `endpoint`."""

    default_model = "gemini-2.5-flash"
    package = "google.genai"
    extra = "gemini"

    def missing_key(self) -> str | None:
        """Gemini always needs one."""
        if self.settings.api_key:
            return None
        return f"no API key: {self.settings.api_key_name or 'api_key in client.toml'} is not set"

    def make_client(self, package: Any) -> Any:
        """One attempt a request: its own retries would sleep up to 10 s outside every time limit."""
        types = package.types
        options = types.HttpOptions(
            timeout=int(self.settings.timeout_s * 1000),
            retry_options=types.HttpRetryOptions(attempts=1),
            **_address(self.settings.endpoint),
        )
        return package.Client(api_key=self.settings.api_key, http_options=options)

    async def pieces(self, client: Any, request: ModelRequest, model: str, *, streaming: bool) -> AsyncGenerator[Piece]:
        """`streamGenerateContent` or `generateContent`."""
        asked = {"model": model, "contents": _contents(request), "config": self._config(request, model)}
        if streaming:
            async for chunk in await client.aio.models.generate_content_stream(**asked):
                yield _piece(chunk)
        else:
            yield _piece(await client.aio.models.generate_content(**asked))

    def failure(self, error: Exception) -> ProviderFailure:
        """google-genai's errors, and those of aiohttp below it."""
        import aiohttp
        from google.genai import errors

        if isinstance(error, errors.APIError):
            return _api_failure(error)
        if isinstance(error, aiohttp.ClientConnectorError):
            return ProviderFailure("connect", f"cannot reach {error.host}:{error.port}")
        if isinstance(error, aiohttp.ClientError):
            return ProviderFailure("unavailable", f"the connection broke off ({type(error).__name__})")
        if isinstance(error, OSError):
            return ProviderFailure("connect", f"cannot reach the provider ({error})")
        return ProviderFailure("unavailable", f"an answer that cannot be read ({type(error).__name__})")

    async def close_client(self, client: Any) -> None:
        """Both halves of the client."""
        await client.aio.aclose()
        client.close()

    def _config(self, request: ModelRequest, model: str) -> dict[str, Any]:
        from google.genai import types

        config: dict[str, Any] = {
            "temperature": request.temperature,
            "max_output_tokens": request.max_tokens,
            "automatic_function_calling": {"disable": True},
        }
        if system := "\n\n".join(message.content for message in request.messages if message.role == "system"):
            config["system_instruction"] = system
        budget = self.settings.settings.get("thinking_budget", 0 if "2.5-flash" in model else None)
        if budget is not None:
            config["thinking_config"] = types.ThinkingConfig(thinking_budget=budget)
        if request.json_schema is not None:
            config["response_mime_type"] = "application/json"
            config["response_json_schema"] = supported(request.json_schema)
        return config


def supported(schema: Any) -> Any:
    """The part of a JSON Schema that Gemini takes."""
    if isinstance(schema, list):
        return [supported(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept: dict[str, Any] = {}
    for keyword, value in schema.items():
        if keyword == "const":
            kept["enum"] = [value]
        elif keyword in ("properties", "$defs"):
            kept[keyword] = {name: supported(inner) for name, inner in value.items()}
        elif keyword == "enum":
            kept[keyword] = value
        elif keyword in SCHEMA_KEYWORDS:
            kept[keyword] = supported(value)
    return kept


def _address(endpoint: str | None) -> dict[str, str]:
    """`https://host/v1beta` is a base address and an API version to google-genai."""
    if not endpoint:
        return {}
    parts = urlsplit(endpoint)
    path, _, version = parts.path.rstrip("/").rpartition("/")
    if not re.fullmatch(r"v\d+(alpha|beta)?\d*", version):
        path, version = parts.path, "v1beta"
    return {"base_url": urlunsplit((parts.scheme, parts.netloc, path, "", "")), "api_version": version}


def _contents(request: ModelRequest) -> list[dict[str, Any]]:
    """The turns without the system's, which go beside them; a request of system messages alone becomes a user's."""
    roles = {"user": "user", "assistant": "model"}
    turns = [message for message in request.messages if message.role != "system"] or request.messages[-1:]
    return [{"role": roles.get(turn.role, "user"), "parts": [{"text": turn.content}]} for turn in turns]


def _piece(chunk: Any) -> Piece:
    """One response or one event of a stream. A block and a cut raise nothing in google-genai: both are raised here."""
    usage = None
    if counted := chunk.usage_metadata:
        written = (counted.candidates_token_count or 0) + (counted.thoughts_token_count or 0)
        usage = Usage(input_tokens=counted.prompt_token_count or 0, output_tokens=written)
    if chunk.prompt_feedback and chunk.prompt_feedback.block_reason:
        return Piece(finish="blocked", detail=_name(chunk.prompt_feedback.block_reason), usage=usage)
    if not chunk.candidates:
        return Piece(usage=usage)
    candidate = chunk.candidates[0]
    parts = (candidate.content.parts if candidate.content else None) or []
    text = "".join(part.text or "" for part in parts if not part.thought)
    reason = _name(candidate.finish_reason) if candidate.finish_reason else ""
    return Piece(text=text, finish=_finish(reason), detail=reason, usage=usage)


def _finish(reason: str) -> Finish | None:
    if reason in ("", "FINISH_REASON_UNSPECIFIED"):
        return None
    if reason in BLOCKED:
        return "blocked"
    return "cut" if reason == "MAX_TOKENS" else "whole"


def _name(value: Any) -> str:
    return str(getattr(value, "value", value))


def _api_failure(error: Any) -> ProviderFailure:
    message = str(error.message or error.status or f"HTTP {error.code}")
    kind = kind_of_status(int(error.code or 500))
    if kind == "bad_request" and ("API_KEY" in str(error.details) or "API key" in message):
        kind = "auth"  # Gemini answers 400 to a wrong key
    elif kind == "bad_request" and error.status == "FAILED_PRECONDITION":
        kind = "auth"  # the account, its billing or its country: not the request
    wait = retry_after(getattr(error.response, "headers", None))
    if wait is None and (asked := re.search(r"'retryDelay': '(\d+(?:\.\d+)?)s'", str(error.details))):
        wait = float(asked[1])
    return ProviderFailure(kind, message, retry_after_s=wait)
