"""Turns errors into JSON-RPC error objects, from the table in agentd/errors.py. No HTTP."""

from __future__ import annotations

from typing import Any

import structlog

from agentd.agent.languages import own
from agentd.errors import AgentdError, InternalError, Language
from agentd.installed import advice

log = structlog.get_logger(__name__)


def error_object(error: BaseException, language: Language = "id") -> dict[str, Any]:
    """Return the error as `{code, message, data: {type, user_message, …}}`.

    A missing extra becomes an internal error with the install command. Any other exception that is no AgentdError
    becomes a plain internal error; its text goes only to the log. The error's `data` may hold `user_message` (which
    replaces the table's) and `language` (of the run that it ended).
    """
    if how := advice(error):
        log.error("extra.missing", advice=how)
        error = InternalError(how)
    if not isinstance(error, AgentdError):
        log.error("rpc.internal_error", error_type=type(error).__name__, exc_info=error)
        error = InternalError("Internal error")
    extra = dict(error.data)
    language = own(extra.pop("language", None)) or language
    data = {"type": error.type, **extra, "user_message": error.user_message(language)}
    return {"code": error.code, "message": error.message, "data": data}
