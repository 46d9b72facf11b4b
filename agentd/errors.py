"""The tree of errors with their JSON-RPC codes and HTTP statuses. rpc/ and http/ format them for the wire, each in one
place.

    AgentdError
    ├── ProtocolError    ParseError InvalidRequest MethodNotFound InvalidParams InternalError: the envelope is wrong
    ├── ToolError        UnknownTool UnboundTool ToolExecution GroundingError
    ├── AgentError       InvalidResponse MaxSteps ProviderUnavailable Cancelled BudgetExceeded
    ├── AccessError      NotFound Conflict Unauthorized Forbidden Busy RateLimited Draining
    └── ConfigError      client.toml is wrong: every problem at once, with file and line
    ProviderFailure      one provider failed at one attempt: the fallback chain's own, never on the wire

An error's message is for the developer who must act; `user_message` is for the citizen, in the citizen's language.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Literal, get_args

Language = Literal["id", "en", "jv"]
"""The languages of the daemon's own texts; the first is the office's. docs/languages.md says how to add one."""
FaultKind = Literal[
    "rate_limit", "unavailable", "timeout", "connect", "auth", "not_found", "bad_output", "blocked", "bad_request"
]


@cache
def _user_messages(language: Language) -> dict[str, str]:
    return tomllib.loads(Path(__file__).with_name("user_messages").joinpath(f"{language}.toml").read_text("utf-8"))


def in_each_language(key: str) -> dict[Language, str]:
    """A text of the packs in each language, for an error's `user_message`."""
    return {language: _user_messages(language)[key] for language in get_args(Language)}


class AgentdError(Exception):
    """Something went wrong inside agentd."""

    code: ClassVar[int] = -32603
    type: ClassVar[str] = "internal"
    status: ClassVar[int] = 500
    """The HTTP status of a request that it refuses. A method's JSON-RPC answer is always 200."""

    def __init__(self, message: str | None = None, **data: Any) -> None:
        self.message = message or (type(self).__doc__ or "").splitlines()[0]
        self.data = data
        super().__init__(self.message)

    def json(self) -> dict[str, Any]:
        """The JSON for a record, from which `raised` makes the error again."""
        return {"type": self.type, "message": self.message, "data": self.data}

    def user_message(self, language: Language = "id") -> str:
        """The text for the citizen: `user_message` in the error's data (one text or one per language), else the text of
        its type."""
        own = self.data.get("user_message")
        if isinstance(own, dict):
            own = own[language]
        said = _user_messages(language)
        return str(own or said.get(self.type, said[AgentdError.type]))


class ProtocolError(AgentdError):
    """The JSON-RPC envelope is wrong."""


class ParseError(ProtocolError):
    """Parse error: the body is not JSON."""

    code, type, status = -32700, "parse_error", 400


class InvalidRequest(ProtocolError):
    """Invalid Request: not a JSON-RPC 2.0 object."""

    code, type, status = -32600, "invalid_request", 400


class MethodNotFound(ProtocolError):
    """Method not found."""

    code, type, status = -32601, "method_not_found", 404


class InvalidParams(ProtocolError):
    """Invalid params."""

    code, type, status = -32602, "invalid_params", 400


class InternalError(ProtocolError):
    """Internal error."""

    code, type = -32603, "internal"


class ToolError(AgentdError):
    """A tool could not do what was asked."""


class UnknownTool(ToolError):
    """No configured server offers this tool."""

    code, type = -32001, "unknown_tool"


class UnboundTool(ToolError):
    """The tool is named in the configuration but bound to no server that offers it."""

    code, type = -32002, "unbound_tool"


class ToolExecution(ToolError):
    """The tool's execution failed."""

    code, type = -32003, "tool_execution"


class GroundingError(ToolError):
    """An official call held values that the citizen never gave."""

    code, type = -32015, "grounding"


class AgentError(AgentdError):
    """The run could not reach an answer."""


class InvalidResponse(AgentError):
    """No model gave an action in the required JSON form."""

    code, type = -32004, "invalid_response"


class MaxSteps(AgentError):
    """The run used up its tool calls."""

    code, type = -32005, "max_steps"


class ProviderUnavailable(AgentError):
    """No language model could be reached."""

    code, type, status = -32006, "provider_unavailable", 503


class Cancelled(AgentError):
    """The run was cancelled."""

    code, type = -32007, "cancelled"


class BudgetExceeded(AgentError):
    """The run used up its time or its tokens."""

    code, type = -32009, "budget_exceeded"


class AccessError(AgentdError):
    """The caller may not, or not now."""


class Busy(AccessError):
    """The daemon is at capacity; try again after `retry_after_s`."""

    code, type, status = -32008, "busy", 503


class NotFound(AccessError):
    """Nothing of that name is here for this caller."""

    code, type, status = -32010, "not_found", 404


class Conflict(AccessError):
    """That does not fit what has happened already."""

    code, type, status = -32011, "conflict", 409


class Unauthorized(AccessError):
    """A valid bearer token is needed."""

    code, type, status = -32012, "unauthorized", 401


class Forbidden(AccessError):
    """The caller's scopes do not allow this."""

    code, type, status = -32013, "forbidden", 403


class RateLimited(AccessError):
    """Too many requests from this caller; try again after `retry_after_s`."""

    code, type, status = -32014, "rate_limited", 429


class Draining(AccessError):
    """The daemon is stopping and takes no new work."""

    code, type, status = -32016, "draining", 503


class ProviderFailure(Exception):
    """One provider failed at one attempt: why, and when it may be asked again (seconds, when it said so)."""

    def __init__(self, kind: FaultKind, message: str, *, retry_after_s: float | None = None) -> None:
        self.kind: FaultKind = kind
        self.message = message
        self.retry_after_s = retry_after_s
        super().__init__(f"{kind}: {message}")


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong in a configuration file: where (1-based line), what, and what to do."""

    file: Path
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.text}"


class ConfigError(AgentdError):
    """The configuration is wrong."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        super().__init__("\n".join(str(problem) for problem in problems))


class CommandError(Exception):
    """A command can't do its work; the text says why and what to do."""


class PluginError(CommandError):
    """An installed plug-in cannot be used; the text says which and why."""


def leaves(root: type[AgentdError]) -> list[type[AgentdError]]:
    """The subclasses of `root` without subclasses of their own, in the tree's order."""
    below = [leaf for child in root.__subclasses__() for leaf in leaves(child)]
    return below or [root]


BY_TYPE: dict[str, type[AgentdError]] = {leaf.type: leaf for leaf in leaves(AgentdError) if leaf is not ConfigError}
"""`data.type` on the wire → the error class with its code and text."""


def raised(record: dict[str, Any]) -> AgentdError:
    """The error of a record that `AgentdError.json` made; one of an unknown type is plain."""
    return BY_TYPE.get(record["type"], AgentdError)(record["message"], **record.get("data", {}))
