"""What the daemon says of a call beside its arguments (`_meta`): who asked, who approved. Arguments never say so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp.server.mcpserver import Context

from servers.certificate.basis import Basis, read_basis
from servers.certificate.languages import LANGUAGES, OfficeWords, words
from servers.certificate.records import Approval, Consent

IDEMPOTENCY_KEY, SESSION_ID = "agentd/idempotency_key", "agentd/session_id"
CALLER, CALLER_SCOPES, APPROVED_BY = "agentd/caller", "agentd/caller_scopes", "agentd/approved_by"
PROPOSED, APPROVALS, BASIS = "agentd/proposed", "agentd/approvals", "agentd/basis"


def meta_of(context: Context[None, Any]) -> Mapping[str, Any]:
    """What the client sent beside the arguments."""
    return context.request_context.meta or {}


def spoken(meta: Mapping[str, Any], office: OfficeWords) -> OfficeWords:
    """The words of the language that the daemon says is asked in; the office's where there are none of it."""
    language = meta.get("agentd/language")
    return words(language) if isinstance(language, str) and language in LANGUAGES else office


def is_staff(meta: Mapping[str, Any]) -> bool:
    """Whether the daemon says that an officer asks."""
    scopes = meta.get(CALLER_SCOPES)
    return isinstance(scopes, list) and not {"staff", "admin"}.isdisjoint(map(str, scopes))


def may_name_paths(meta: Mapping[str, Any]) -> bool:
    """Whether to read a path of this machine: for an admin of the daemon, and without a daemon for who runs us."""
    scopes = meta.get(CALLER_SCOPES)
    return SESSION_ID not in meta if scopes is None else isinstance(scopes, list) and "admin" in scopes


def consent_of(meta: Mapping[str, Any]) -> Consent:
    """Who asked, who approved what; read tolerantly, for a missing or odd word must not stop a letter."""
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
    """On what the letter rests, as the daemon says; without its word, on what the citizen declares."""
    return read_basis(meta.get(BASIS))


def text_of(meta: Mapping[str, Any], key: str) -> str | None:
    """A text that isn't empty, or None."""
    value = meta.get(key)
    return value if isinstance(value, str) and value else None
