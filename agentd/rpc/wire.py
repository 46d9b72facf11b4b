"""Turns errors into JSON-RPC error objects, in one place, from the one table. It knows no HTTP and runs no method."""

from __future__ import annotations

from typing import Any

import structlog

from agentd.agent.languages import own
from agentd.errors import AgentdError, InternalError, Language
from agentd.installed import advice

log = structlog.get_logger(__name__)


def error_object(error: BaseException, language: Language = "id") -> dict[str, Any]:
    """`{code, message, data: {type, user_message, …}}` of an error.

    A missing extra becomes an internal error that says the command. What else isn't an AgentdError becomes a plain
    internal error: its text stays in the log, never on the wire. An error's own `data` may carry `user_message` (said
    instead of the table's words) and `language` (of the run it ended).
    """
    if isinstance(error, ModuleNotFoundError) and (how := advice(error)):
        log.error("extra.missing", advice=how)
        error = InternalError(how)
    if not isinstance(error, AgentdError):
        log.error("rpc.internal_error", error_type=type(error).__name__, exc_info=error)
        error = InternalError("Internal error")
    extra = dict(error.data)
    language = own(extra.pop("language", None)) or language
    data = {"type": error.type, **extra, "user_message": error.user_message(language)}
    return {"code": error.code, "message": error.message, "data": data}
