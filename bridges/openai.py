"""Any OpenAI-compatible endpoint (`type = "openai"`: DeepSeek, Groq, vLLM, …) through the openai package.

Settings of its own in client.toml: `response_format` ("json_schema", "json_object" for endpoints without schemas,
"none"; by default the strongest one the endpoint doesn't refuse), `grammar = true` (it accepts a `grammar` field, like
llama.cpp's server).
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from agentd.errors import ProviderFailure
from agentd.messages import Constraint, ModelRequest, Usage
from bridges.hosted import BOUNDED, CONNECT_S, Finish, HostedModel, Piece, kind_of_status, retry_after

FORMATS = ("json_schema", "json_object", "none")
"""From the strongest to the weakest."""
REFUSALS = ("response_format", "json_schema", "json_object", "structured output")
"""Words in the error of an endpoint that can't enforce a response format."""
TOO_LONG = ("context length", "context_length", "context size", "context_size", "context window")
"""Words in an error that says the prompt exceeds the model's context; another provider's context may be larger."""


class OpenAIModel(HostedModel):
    """Chat completions at `endpoint` (OpenAI's own by default)."""

    default_model = "gpt-4o-mini"
    default_endpoint = "https://api.openai.com/v1"
    package = "openai"

    _refused = 0
    """How many of FORMATS the endpoint has refused."""

    def make_client(self, package: Any) -> Any:
        """Create the client; it requires a key, which endpoints without keys ignore."""
        return package.AsyncOpenAI(
            api_key=self.settings.api_key or "none",
            base_url=self.settings.endpoint,
            max_retries=0,
            timeout=package.Timeout(self.settings.timeout_s, connect=CONNECT_S),
            http_client=package.DefaultAsyncHttpxClient(**BOUNDED),
        )

    async def pieces(self, client: Any, request: ModelRequest, model: str, *, streaming: bool) -> AsyncGenerator[Piece]:
        """Call `/chat/completions`, with server-sent events when streaming; weaken a response format if refused."""
        import openai

        while True:
            try:
                async with aclosing(self._asked(client, request, model, streaming=streaming)) as arriving:
                    async for piece in arriving:
                        yield piece
                return
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                if not self._weaker(request, error.message):
                    raise

    def _weaker(self, request: ModelRequest, refusal: str) -> bool:
        """Switch to the next weaker format for all later requests; False if the refusal is not about the format."""
        about_form = any(word in refusal.casefold() for word in REFUSALS)
        if (
            not about_form
            or "response_format" in self.settings.settings
            or "response_format" not in self._constraint(request)
        ):
            return False
        self._refused += 1
        return True

    async def _asked(self, client: Any, request: ModelRequest, model: str, *, streaming: bool) -> AsyncGenerator[Piece]:
        asked: dict[str, Any] = {
            "model": model,
            "messages": [{"role": message.role, "content": message.content} for message in request.messages],
            "max_tokens": request.max_tokens,
            "temperature": request.temperature,
            **self._constraint(request),
        }
        if not streaming:
            answer = await client.chat.completions.create(**asked)
            yield _piece(answer, answer.choices[0].message if answer.choices else None)
            return
        stream = await client.chat.completions.create(stream=True, stream_options={"include_usage": True}, **asked)
        async with stream:
            async for chunk in stream:
                yield _piece(chunk, chunk.choices[0].delta if chunk.choices else None)

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
        own = self.settings.settings
        if own.get("grammar") is True:
            return "grammar"
        return "json_schema" if self._form == "json_schema" else "none"

    def honoured(self, request: ModelRequest) -> Constraint:
        """Return the constraint sent with this request: a grammar before a schema; `json_object` enforces no schema."""
        sent = self._constraint(request)
        if "extra_body" in sent:
            return "grammar"
        return "json_schema" if sent.get("response_format", {}).get("type") == "json_schema" else "none"

    @property
    def _form(self) -> str:
        return str(self.settings.settings.get("response_format", FORMATS[self._refused]))

    def _constraint(self, request: ModelRequest) -> dict[str, Any]:
        own = self.settings.settings
        if request.grammar is not None and own.get("grammar") is True:
            return {"extra_body": {"grammar": request.grammar}}
        form = self._form
        if request.json_schema is None or form == "none":
            return {}
        if form == "json_object":
            return {"response_format": {"type": "json_object"}}
        # Not `strict`: it allows no optional fields, which tools have. The loop checks the answer anyway.
        named = {"name": "action", "schema": request.json_schema, "strict": False}
        return {"response_format": {"type": "json_schema", "json_schema": named}}


def _piece(answer: Any, said: Any) -> Piece:
    usage = None
    if counted := getattr(answer, "usage", None):
        usage = Usage(input_tokens=counted.prompt_tokens or 0, output_tokens=counted.completion_tokens or 0)
    if said is None:
        return Piece(usage=usage)
    reason = answer.choices[0].finish_reason
    finish: Finish | None = "whole" if reason else None
    if reason == "content_filter" or getattr(said, "refusal", None):
        finish = "blocked"
    elif reason == "length":
        finish = "cut"
    return Piece(text=said.content or "", finish=finish, detail=reason or "", usage=usage)
