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

    def __init_subclass__(cls, **own: Any) -> None:
        """`own`: its `code`, `type` and `status`, where they are not those of its parent."""
        for name, value in own.items():
            setattr(cls, name, value)

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


class ParseError(ProtocolError, code=-32700, type="parse_error", status=400):
    """Parse error: the body is not JSON."""


class InvalidRequest(ProtocolError, code=-32600, type="invalid_request", status=400):
    """Invalid Request: not a JSON-RPC 2.0 object."""


class MethodNotFound(ProtocolError, code=-32601, type="method_not_found", status=404):
    """Method not found."""


class InvalidParams(ProtocolError, code=-32602, type="invalid_params", status=400):
    """Invalid params."""


class InternalError(ProtocolError, code=-32603, type="internal"):
    """Internal error."""


class ToolError(AgentdError):
    """A tool could not do what was asked."""


class UnknownTool(ToolError, code=-32001, type="unknown_tool"):
    """No configured server offers this tool."""


class UnboundTool(ToolError, code=-32002, type="unbound_tool"):
    """The tool is named in the configuration but bound to no server that offers it."""


class ToolExecution(ToolError, code=-32003, type="tool_execution"):
    """The tool's execution failed."""


class GroundingError(ToolError, code=-32015, type="grounding"):
    """An official call held values that the citizen never gave."""


class AgentError(AgentdError):
    """The run could not reach an answer."""


class InvalidResponse(AgentError, code=-32004, type="invalid_response"):
    """No model gave an action in the required JSON form."""


class MaxSteps(AgentError, code=-32005, type="max_steps"):
    """The run used up its tool calls."""


class ProviderUnavailable(AgentError, code=-32006, type="provider_unavailable", status=503):
    """No language model could be reached."""


class Cancelled(AgentError, code=-32007, type="cancelled"):
    """The run was cancelled."""


class BudgetExceeded(AgentError, code=-32009, type="budget_exceeded"):
    """The run used up its time or its tokens."""


class AccessError(AgentdError):
    """The caller may not, or not now."""


class Busy(AccessError, code=-32008, type="busy", status=503):
    """The daemon is at capacity; try again after `retry_after_s`."""


class NotFound(AccessError, code=-32010, type="not_found", status=404):
    """Nothing of that name is here for this caller."""


class Conflict(AccessError, code=-32011, type="conflict", status=409):
    """That does not fit what has happened already."""


class Unauthorized(AccessError, code=-32012, type="unauthorized", status=401):
    """A valid bearer token is needed."""


class Forbidden(AccessError, code=-32013, type="forbidden", status=403):
    """The caller's scopes do not allow this."""


class RateLimited(AccessError, code=-32014, type="rate_limited", status=429):
    """Too many requests from this caller; try again after `retry_after_s`."""


class Draining(AccessError, code=-32016, type="draining", status=503):
    """The daemon is stopping and takes no new work."""


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
