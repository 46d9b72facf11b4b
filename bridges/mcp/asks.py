"""What a server may ask for during a call: a question to the user. The hook decides the answer.

Without it the capability isn't declared, and the SDK refuses a server that asks anyway, as it does for a model's turn.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mcp.client.session import ClientRequestContext, ElicitationFnT
from mcp_types import (
    INTERNAL_ERROR,
    ElicitRequestFormParams,
    ElicitRequestParams,
    ElicitResult,
    ErrorData,
)

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Question:
    """A form that a server wants the user to fill in; `schema` is the JSON Schema of the answer."""

    server: str
    message: str
    schema: Mapping[str, Any]


OnElicit = Callable[[Question], Awaitable[dict[str, Any] | None]]
"""Returns the answer, or None when the user declines. Missing fields get their schema's default."""


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
            logger.warning("server %s: its question could not be answered (%s)", server, type(error).__name__)
            return ErrorData(code=INTERNAL_ERROR, message="The host could not answer the question.")
        if content is None:
            return ElicitResult(action="decline")
        return ElicitResult(action="accept", content=_defaults(params.requested_schema) | content)

    return answer


def _defaults(schema: Mapping[str, Any]) -> dict[str, Any]:
    fields = schema.get("properties") or {}
    return {name: field["default"] for name, field in fields.items() if isinstance(field, dict) and "default" in field}
