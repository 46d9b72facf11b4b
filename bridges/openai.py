"""Any OpenAI-compatible endpoint (`type = "openai"`: DeepSeek, Groq, vLLM, …) through the openai package."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from typing import Any, Literal

from agentd.errors import ProviderFailure
from agentd.messages import Constraint, ModelRequest, ProviderSettings, Usage
from bridges.answers import Finish, Piece
from bridges.hosted import BOUNDED, CONNECT_S, HostedModel, OwnKeys, kind_of_status, retry_after

FORMATS = ("json_schema", "json_object", "none")
"""From the strongest to the weakest."""
UNSUPPORTED = ("max_tokens", "temperature")
"""Parameters that OpenAI's reasoning models refuse: they want `max_completion_tokens`, and choose their temperature."""
NOT_SUPPORTED = re.compile("unsupported|not support")
REFUSALS = ("response_format", "json_schema", "json_object", "structured output")
"""Words in the error of an endpoint that can't enforce a response format."""
THOUGHTS = ("reasoning_content", "reasoning")
"""Where DeepSeek, vLLM and Groq put thoughts; OpenAI only counts them."""
TOO_LONG = ("context length", "context_length", "context size", "context_size", "context window")
"""Words in an error that says the prompt exceeds the model's context; another provider's context may be larger."""


class OpenAIKeys(OwnKeys):
    """This type's own keys in client.toml."""

    response_format: Literal["json_schema", "json_object", "none"] | None = None
    """`json_object` is for endpoints without schemas. Default: the strongest that the endpoint doesn't refuse."""
    grammar: bool = False
    """Whether the endpoint takes a field `grammar`, as llama.cpp's server does."""


class OpenAIModel(HostedModel):
    """Chat completions at `endpoint` (OpenAI's own by default)."""

    default_model = "gpt-4o-mini"
    default_endpoint = "https://api.openai.com/v1"
    package = "openai"
    keys = OpenAIKeys

    def __init__(self, settings: ProviderSettings) -> None:
        super().__init__(settings)
        self._refused: set[tuple[str, str]] = set()
        """(model, what the endpoint has refused for it): response formats and the parameters in UNSUPPORTED."""

    def make_client(self, package: Any) -> Any:
        """Create the client; it requires a key, which endpoints without keys ignore."""
        return package.AsyncOpenAI(
            api_key=self.settings.api_key or "none",
            base_url=self.settings.endpoint,
            max_retries=0,
            timeout=package.Timeout(self.settings.timeout_s, connect=CONNECT_S),
            http_client=package.DefaultAsyncHttpxClient(**BOUNDED),
        )

    async def asked(self, request: ModelRequest, model: str, *, again: bool) -> dict[str, Any]:
        """Return the arguments of `/chat/completions`, without what the endpoint has refused for this model."""
        del again  # nothing else to send
        limit = "max_tokens" if (model, "max_tokens") not in self._refused else "max_completion_tokens"
        return {
            "model": model,
            "messages": [{"role": message.role, "content": message.content} for message in request.messages],
            limit: self.most_tokens(request, model),
            **({} if (model, "temperature") in self._refused else {"temperature": request.temperature}),
            **self._constraint(request, model),
        }

    async def pieces(self, client: Any, asked: dict[str, Any], *, streaming: bool) -> AsyncGenerator[Piece]:
        """Call `/chat/completions`, with server-sent events when streaming."""
        if not streaming:
            answer = await client.chat.completions.create(**asked)
            yield _piece(answer, answer.choices[0].message if answer.choices else None)
            return
        stream = await client.chat.completions.create(stream=True, stream_options={"include_usage": True}, **asked)
        async with stream:
            async for chunk in stream:
                yield _piece(chunk, chunk.choices[0].delta if chunk.choices else None)

    def weakened(self, error: Exception, asked: dict[str, Any]) -> bool:
        """Ask this model from now on in the next weaker format, or without the parameter that it doesn't support."""
        import openai

        if not isinstance(error, openai.BadRequestError | openai.UnprocessableEntityError):
            return False
        said = error.message.casefold()
        refused = [name for name in UNSUPPORTED if name in asked and f"'{name}'" in said and NOT_SUPPORTED.search(said)]
        form = asked.get("response_format", {}).get("type")
        if form and self.own.response_format is None and any(word in said for word in REFUSALS):
            refused.append(form)
        self._refused.update((asked["model"], name) for name in refused)
        return bool(refused)

    def refusal(self, error: Exception) -> ProviderFailure | None:
        import openai

        if isinstance(error, openai.APIStatusError):
            wait = retry_after(error.response.headers)
            kind = kind_of_status(error.status_code)
            if kind == "bad_request" and any(word in f"{error.message} {error.body}".casefold() for word in TOO_LONG):
                kind = "unavailable"
            return ProviderFailure(kind, error.message, retry_after_s=wait)
        if isinstance(error, openai.APIError) and not isinstance(error, openai.APIConnectionError):
            return ProviderFailure("unavailable", error.message)
        return None

    async def close_client(self, client: Any) -> None:
        await client.close()

    def constraint(self) -> Constraint:
        """Return the constraint of the settings, or the strongest that the endpoint has not refused."""
        if self.own.grammar:
            return "grammar"
        return "json_schema" if self._form(self.model) == "json_schema" else "none"

    def honoured(self, asked: dict[str, Any]) -> Constraint:
        """Return the constraint sent: a grammar before a schema; `json_object` enforces no schema."""
        if "extra_body" in asked:
            return "grammar"
        return "json_schema" if asked.get("response_format", {}).get("type") == "json_schema" else "none"

    def _form(self, model: str) -> str:
        return self.own.response_format or next(form for form in FORMATS if (model, form) not in self._refused)

    def _constraint(self, request: ModelRequest, model: str) -> dict[str, Any]:
        if request.grammar is not None and self.own.grammar:
            return {"extra_body": {"grammar": request.grammar}}
        form = self._form(model)
        if request.json_schema is None or form == "none":
            return {}
        if form == "json_object":
            return {"response_format": {"type": "json_object"}}
        # Not `strict`: it allows no optional fields, which tools have. The loop checks the answer anyway.
        named = {"name": "action", "schema": request.json_schema, "strict": False}
        return {"response_format": {"type": "json_schema", "json_schema": named}}


def _piece(answer: Any, said: Any) -> Piece:
    usage, thought = None, any(getattr(said, name, None) for name in THOUGHTS)
    if counted := getattr(answer, "usage", None):
        usage = Usage(input_tokens=counted.prompt_tokens or 0, output_tokens=counted.completion_tokens or 0)
        thought |= bool(getattr(counted.completion_tokens_details, "reasoning_tokens", 0))
    if said is None:
        return Piece(usage=usage, thought=thought)
    reason = answer.choices[0].finish_reason
    finish: Finish | None = "whole" if reason else None
    if reason == "content_filter" or getattr(said, "refusal", None):
        finish = "blocked"
    elif reason == "length":
        finish = "cut"
    return Piece(text=said.content or "", finish=finish, detail=reason or "", usage=usage, thought=thought)
