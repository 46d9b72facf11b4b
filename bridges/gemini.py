"""Gemini (`type = "gemini"`) through google-genai: sends requests, maps errors. Data shapes: gemini_shapes.py."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from pydantic import Field

from agentd.errors import ProviderFailure
from agentd.messages import Constraint, ModelRequest, ProviderSettings
from bridges.answers import Piece
from bridges.gemini_cache import PrefixCache
from bridges.gemini_shapes import FORMS, Form, constraint, contents, piece, system_text
from bridges.hosted import BOUNDED, HostedModel, OwnKeys, kind_of_status, retry_after

ABOUT_FORM = re.compile(r"schema|too many states|function|tool_?config|mime", re.IGNORECASE)
ABOUT_THINKING = re.compile(r"thinking|budget", re.IGNORECASE)
"""Match the messages of a 400 by what it refused; the request is then sent again without it."""


class GeminiKeys(OwnKeys):
    """Gemini's own keys in client.toml."""

    thinking_budget: int | None = None
    """Tokens; default 0 for 2.5-flash models, whose thinking would use up the few tokens of an action, else the
    model's own."""
    functions: bool = False
    """Send actions as functions, one of which must be called, before Gemini has refused the response schema."""
    cache_s: float = Field(default=0.0, ge=0)
    """Seconds that Google caches the stable start of the prompt, which costs storage; 0: no caching."""


class GeminiModel(HostedModel):
    """Google's models, or any server that speaks their protocol at `endpoint`."""

    default_model = "gemini-2.5-flash"
    default_endpoint = "https://generativelanguage.googleapis.com"
    package = "google.genai"
    extra = "gemini"
    keys = GeminiKeys

    def __init__(self, settings: ProviderSettings) -> None:
        super().__init__(settings)
        self._refused = FORMS.index("functions") if self.own.functions else 0
        """How many of FORMS Gemini has refused, which are not used any more."""
        self._thinking = True
        self._cache = PrefixCache(self.own.cache_s)

    def missing_key(self) -> str | None:
        """Return why the key is missing, or None: Gemini always needs a key."""
        if self.settings.api_key:
            return None
        return f"no API key: {self.settings.api_key_name or 'api_key in client.toml'} is not set"

    def make_client(self, package: Any) -> Any:
        """Make a client that tries once: its own retries would sleep up to 10 s outside every time limit."""
        import httpx2

        types = package.types
        self._http = httpx2.AsyncClient(**BOUNDED)
        options = types.HttpOptions(
            timeout=int(self.settings.timeout_s * 1000),
            httpx_async_client=self._http,
            retry_options=types.HttpRetryOptions(attempts=1),
            **_address(self.settings.endpoint),
        )
        return package.Client(api_key=self.settings.api_key, http_options=options)

    async def asked(self, request: ModelRequest, model: str, *, again: bool) -> dict[str, Any]:
        """Return the arguments of `generateContent`; a cached start of the prompt is named instead of sent."""
        config: dict[str, Any] = {
            "temperature": request.temperature,
            "max_output_tokens": self.most_tokens(request, model),
            "automatic_function_calling": {"disable": True},
        }
        if request.json_schema is not None:
            config |= constraint(request.json_schema, FORMS[self._refused])
        budget = 0 if self.own.thinking_budget is None and "2.5-flash" in model else self.own.thinking_budget
        if budget is not None and self._thinking:
            config["thinking_config"] = {"thinking_budget": budget}
        start, rest = request.messages[: request.stable], request.messages[request.stable :]
        cacheable = not again and self.own.cache_s > 0 and rest and not system_text(rest) and "tools" not in config
        if cacheable and (name := await self._cache.name(self._client, start, model)):
            return {"model": model, "config": {**config, "cached_content": name}, "contents": contents(rest)}
        if system := system_text(request.messages):
            config["system_instruction"] = system
        turns = contents(request.messages) or [{"role": "user", "parts": [{"text": request.messages[-1].content}]}]
        return {"model": model, "config": config, "contents": turns}

    async def pieces(self, client: Any, asked: dict[str, Any], *, streaming: bool) -> AsyncGenerator[Piece]:
        """Call `streamGenerateContent` or `generateContent`."""
        tools = asked["config"].get("tools", ())
        offered = {one["name"] for tool in tools for one in tool["function_declarations"]}
        if streaming:
            async for chunk in await client.aio.models.generate_content_stream(**asked):
                yield piece(chunk, offered)
        else:
            yield piece(await client.aio.models.generate_content(**asked), offered)

    def weakened(self, error: Any, asked: dict[str, Any]) -> bool:
        """Leave out the refused part of the config from now on, or the cached start that Google no longer has."""
        from google.genai import errors

        if not isinstance(error, errors.ClientError):
            return False
        config, message = asked["config"], str(error.message or "")
        if "cached_content" in config and (error.code in (403, 404) or "cache" in message.casefold()):
            self._cache.forget(config["cached_content"])
            return True
        if error.code != 400 or "API key" in message:
            return False
        if "thinking_config" in config and ABOUT_THINKING.search(message):
            self._thinking = False
            return True
        sent: Form = "functions" if "tools" in config else "schema"
        if not ABOUT_FORM.search(message) or self.honoured(asked) == "none":
            return False
        self._refused = max(self._refused, FORMS.index(sent) + 1)
        return True

    def constraint(self) -> Constraint:
        """Return `json_schema` until Gemini has refused both the response schema and functions."""
        return "none" if FORMS[self._refused] == "none" else "json_schema"

    def honoured(self, asked: dict[str, Any]) -> Constraint:
        return "json_schema" if asked["config"].keys() & {"response_json_schema", "tools"} else "none"

    def refusal(self, error: Exception) -> ProviderFailure | None:
        from google.genai import errors

        return _api_failure(error) if isinstance(error, errors.APIError) else None

    async def close_client(self, client: Any) -> None:
        """Close our own part of the client, and its synchronous one."""
        await self._http.aclose()
        client.close()


def _address(endpoint: str | None) -> dict[str, str]:
    """Split `https://host/v1beta` into google-genai's base URL and API version."""
    if not endpoint:
        return {}
    parts = urlsplit(endpoint)
    path, _, version = parts.path.rstrip("/").rpartition("/")
    if not re.fullmatch(r"v\d+(alpha|beta)?\d*", version):
        path, version = parts.path, "v1beta"
    return {"base_url": urlunsplit((parts.scheme, parts.netloc, path, "", "")), "api_version": version}


def _api_failure(error: Any) -> ProviderFailure:
    message = str(error.message or error.status or f"HTTP {error.code}")
    kind = kind_of_status(int(error.code or 500))
    if kind == "bad_request" and ("API_KEY" in str(error.details) or "API key" in message):
        kind = "auth"  # Gemini answers 400 for a wrong key
    elif kind == "bad_request" and error.status == "FAILED_PRECONDITION":
        kind = "auth"  # a problem of the account, its billing or its country, not of the request
    wait = retry_after(getattr(error.response, "headers", None))
    if wait is None and (asked := re.search(r"'retryDelay': '(\d+(?:\.\d+)?)s'", str(error.details))):
        wait = float(asked[1])
    return ProviderFailure(kind, message, retry_after_s=wait)
