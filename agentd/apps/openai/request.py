"""Reads a chat completion request of OpenAI's protocol: the fields that are honoured."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from aiohttp import web
from pydantic import BaseModel, Field, ValidationError

from agentd.errors import InvalidParams
from agentd.messages import ChatMessage, Role
from agentd.rpc.params import wanted

MAX_TOKENS = 1024
"""The limit if the caller gives none."""
_TEXT_ALONE = "it should be text, or a list of parts of type text: nothing else is read here"


class _Ask(BaseModel, frozen=True, extra="ignore"):
    """A part of a request; what a client sends besides is ignored."""


class _TextPart(_Ask):
    type: Literal["text"]
    text: str


class _Message(_Ask):
    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: str | list[_TextPart] | None = None

    def as_chat(self) -> ChatMessage:
        """The message for the port; unknown roles are mapped to the nearest known one."""
        roles: dict[str, Role] = {"developer": "system", "tool": "user"}
        text = self.content if isinstance(self.content, str) else "".join(part.text for part in self.content or [])
        known: Any = self.role
        return ChatMessage(role=roles.get(self.role, known), content=text)


class _NamedSchema(_Ask):
    schema_: dict[str, Any] = Field(alias="schema")


class _PlainFormat(_Ask):
    type: Literal["text", "json_object"]


class _SchemaFormat(_Ask):
    type: Literal["json_schema"]
    json_schema: _NamedSchema


class _StreamOptions(_Ask):
    include_usage: bool = False


class Completion(_Ask):
    """The fields of a chat completion request that are honoured."""

    model: str
    messages: Annotated[list[_Message], Field(min_length=1)]
    stream: bool = False
    stream_options: _StreamOptions | None = None
    response_format: _PlainFormat | _SchemaFormat | None = Field(default=None, discriminator="type")
    grammar: str | None = None
    temperature: float | None = Field(default=None, ge=0, le=2)
    max_tokens: int | None = Field(default=None, ge=1)
    max_completion_tokens: int | None = Field(default=None, ge=1)
    metadata: dict[str, Any] | None = None
    n: Literal[1] | None = None
    stop: None = None
    tools: Annotated[list[Any], Field(max_length=0)] | None = None

    def limit(self) -> int:
        """The maximum number of tokens of the answer."""
        return self.max_completion_tokens or self.max_tokens or MAX_TOKENS

    def constraint(self) -> dict[str, Any]:
        """`json_schema` and `grammar` for the port's request."""
        schema: dict[str, Any] | None = None
        if isinstance(self.response_format, _SchemaFormat):
            schema = self.response_format.json_schema.schema_
        elif self.response_format is not None and self.response_format.type == "json_object":
            schema = {"type": "object"}
        return {"json_schema": schema, "grammar": self.grammar}


async def read_completion(request: web.Request) -> Completion:
    """Parse the request's body. Raises InvalidParams that names the field."""
    if request.content_type != "application/json":
        raise InvalidParams("Content-Type must be application/json")
    try:
        return Completion.model_validate_json(await request.read())
    except ValidationError as error:
        first = error.errors()[0]
        named = [str(part) for part in first["loc"]]
        of_text = "content" in named
        where = ".".join(named[: named.index("content") + 1] if of_text else named)
        hints = {
            "n": "one answer a request",
            "stop": "not offered here; cut the text at the caller",
            "tools": "not offered here; the model `agent` calls tools itself",
        }
        problem = _TEXT_ALONE if of_text else hints.get(where, wanted(first))
        raise InvalidParams(f"{where or 'the body'}: {problem}", **({"field": where} if where else {})) from None
