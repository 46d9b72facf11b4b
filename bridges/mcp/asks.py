"""What a server may ask for during a call: a question to the user, or a model's turn. The hooks decide the answers.

Without a hook the capability isn't declared, and the SDK refuses a server that asks anyway.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mcp.client.session import ClientRequestContext, ElicitationFnT, SamplingFnT
from mcp_types import (
    INTERNAL_ERROR,
    CreateMessageRequestParams,
    CreateMessageResult,
    CreateMessageResultWithTools,
    ElicitRequestFormParams,
    ElicitRequestParams,
    ElicitResult,
    ErrorData,
    TextContent,
)

from agentd.messages import ChatMessage

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Question:
    """A form that a server wants the user to fill in; `schema` is the JSON Schema of the answer."""

    server: str
    message: str
    schema: Mapping[str, Any]


@dataclass(frozen=True)
class Sample:
    """A server's request for a turn of a model."""

    server: str
    messages: tuple[ChatMessage, ...]
    max_tokens: int


OnElicit = Callable[[Question], Awaitable[dict[str, Any] | None]]
"""Returns the answer, or None when the user declines. Missing fields get their schema's default."""

OnSample = Callable[[Sample], Awaitable[str]]
"""Returns the model's text."""


def elicitation(server: str, ask: OnElicit | None) -> ElicitationFnT | None:
    """Wrap a hook as the SDK's callback. URL questions are declined: nobody here can open one safely."""
    if ask is None:
        return None

    async def answer(
        context: ClientRequestContext,  # noqa: ARG001 - named by the SDK's protocol
        params: ElicitRequestParams,
    ) -> ElicitResult | ErrorData:
        if not isinstance(params, ElicitRequestFormParams):
            return ElicitResult(action="decline")
        try:
            content = await ask(Question(server, params.message, params.requested_schema))
        except Exception as error:
            return _failed(server, "question", error)
        if content is None:
            return ElicitResult(action="decline")
        return ElicitResult(action="accept", content=_defaults(params.requested_schema) | content)

    return answer


def sampling(server: str, ask: OnSample | None) -> SamplingFnT | None:
    """Wrap a hook as the SDK's callback. Only text blocks are passed on."""
    if ask is None:
        return None

    async def answer(
        context: ClientRequestContext,  # noqa: ARG001 - named by the SDK's protocol
        params: CreateMessageRequestParams,
    ) -> CreateMessageResult | CreateMessageResultWithTools | ErrorData:
        messages = [ChatMessage(role="system", content=params.system_prompt)] if params.system_prompt else []
        for message in params.messages:
            texts = [block.text for block in message.content_as_list if isinstance(block, TextContent)]
            messages.append(ChatMessage(role=message.role, content="\n".join(texts)))
        try:
            text = await ask(Sample(server, tuple(messages), params.max_tokens))
        except Exception as error:
            return _failed(server, "request for a model's turn", error)
        return CreateMessageResult(role="assistant", content=TextContent(text=text), model="agentd")

    return answer


def _defaults(schema: Mapping[str, Any]) -> dict[str, Any]:
    fields = schema.get("properties") or {}
    return {name: field["default"] for name, field in fields.items() if isinstance(field, dict) and "default" in field}


def _failed(server: str, what: str, error: Exception) -> ErrorData:
    logger.warning("server %s: its %s could not be answered (%s)", server, what, type(error).__name__)
    return ErrorData(code=INTERNAL_ERROR, message=f"The host could not answer the {what}.")
