"""Reads what the daemon sends in a call's `_meta`: who asked, who approved. Arguments are never trusted for this."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from mcp.server.mcpserver import Context

from servers.certificate.languages import LANGUAGES, OfficeWords, words
from servers.certificate.letters.basis import DECLARED, Basis, Level, Source
from servers.certificate.register.records import Approval, Consent

IDEMPOTENCY_KEY, SESSION_ID = "agentd/idempotency_key", "agentd/session_id"
CALLER, CALLER_SCOPES, APPROVED_BY = "agentd/caller", "agentd/caller_scopes", "agentd/approved_by"
PROPOSED, APPROVALS, BASIS = "agentd/proposed", "agentd/approvals", "agentd/basis"


def meta_of(context: Context[None, Any]) -> Mapping[str, Any]:
    """Return the metadata that the client sent with the arguments."""
    return context.request_context.meta or {}


def spoken(meta: Mapping[str, Any], office: OfficeWords) -> OfficeWords:
    """Return the words of the call's language, or the office's if that language is not supported."""
    language = meta.get("agentd/language")
    return words(language) if isinstance(language, str) and language in LANGUAGES else office


def is_staff(meta: Mapping[str, Any]) -> bool:
    """Return whether the daemon says that an officer is asking."""
    scopes = meta.get(CALLER_SCOPES)
    return isinstance(scopes, list) and not {"staff", "admin"}.isdisjoint(map(str, scopes))


def may_name_paths(meta: Mapping[str, Any]) -> bool:
    """Return whether local paths may be read: for admins of the daemon, and for any caller without a daemon."""
    scopes = meta.get(CALLER_SCOPES)
    return SESSION_ID not in meta if scopes is None else isinstance(scopes, list) and "admin" in scopes


def consent_of(meta: Mapping[str, Any]) -> Consent:
    """Return who asked and who approved what, read tolerantly: a missing or invalid value must not stop a letter."""
    proposed, approvals = meta.get(PROPOSED), meta.get(APPROVALS)
    return Consent(
        proposed_by=text_of(meta, CALLER),
        proposed=proposed if isinstance(proposed, dict) else None,
        approved_by=text_of(meta, APPROVED_BY),
        approvals=tuple(
            Approval(by=by, at=text_of(one, "at"))
            for one in (approvals if isinstance(approvals, list) else [])
            if isinstance(one, dict) and (by := text_of(one, "by"))
        ),
    )


def basis_of(meta: Mapping[str, Any]) -> Basis:
    """Return the letter's basis as the daemon says; an invalid part counts as the lowest, and stops no letter."""
    given = meta.get(BASIS)
    if not isinstance(given, Mapping):
        return DECLARED
    level, seen, sources = (given.get(name) for name in ("level", "seen", "sources"))
    return Basis(
        level=level if level in get_args(Level) else "declared",
        seen=tuple(one for one in (seen if isinstance(seen, list) else []) if isinstance(one, str)),
        sources={
            str(name): source
            for name, source in (sources if isinstance(sources, Mapping) else {}).items()
            if source in get_args(Source)
        },
    )


def text_of(meta: Mapping[str, Any], key: str) -> str | None:
    """Return a non-empty string, or None."""
    value = meta.get(key)
    return value if isinstance(value, str) and value else None
