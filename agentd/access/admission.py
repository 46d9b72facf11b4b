"""Decides whose a request is and whether it is admitted. It reads no request, file or socket.

docs/wire.md says what a fresh machine allows and what the first token changes.
"""

from __future__ import annotations

import hmac
import secrets
from dataclasses import InitVar, dataclass
from typing import NamedTuple

from agentd.access.rates import FailedTries
from agentd.access.tokens import LOCAL, OWN_PAGE, OWN_SERVER, TOKEN_OF_ENVIRONMENT, TokenStore, digest
from agentd.access.used import LastUse
from agentd.errors import Forbidden, Unauthorized
from agentd.messages import Caller


class Approach(NamedTuple):
    """How a request arrived. `site` is the browser's Sec-Fetch-Site; `local` means loopback or the unix socket."""

    token: str | None
    origin: str | None
    own_origin: bool
    site: str | None
    local: bool
    address: str = ""
    """The address for which failed tries count: the peer's, or the one that a trusted proxy names."""


@dataclass(eq=False)
class Access:
    """Decides which caller a request comes from."""

    tokens: TokenStore
    admin_token: InitVar[str | None] = None
    origins: frozenset[str] = frozenset()
    """The Origins of other pages that may call."""
    required: bool = False
    """Nobody is admitted without a token, even while none exists (behind a proxy)."""
    used: LastUse | None = None

    def __post_init__(self, admin_token: str | None) -> None:
        self._tries = FailedTries()
        self._admin_digest = digest(admin_token) if admin_token else None
        self.model_token = "agd_" + secrets.token_urlsafe(32)
        """The token of the daemon's own servers, new at each start; it only allows the use of the models."""
        self._model_digest = digest(self.model_token)

    @property
    def closed(self) -> bool:
        """Whether everybody needs a token."""
        return self.required or self._admin_digest is not None or self.tokens.closed

    def admit(self, approach: Approach) -> Caller:
        """The caller of a new request. Raises Unauthorized, Forbidden, and RateLimited after ten wrong tokens a minute.

        A valid token always passes, since it can't be guessed; so nobody can lock out others at the same address.
        """
        try:
            return self.caller_of(approach)
        except Unauthorized:
            if approach.token is not None:
                self._tries.failed(approach.address)
            raise

    def caller_of(self, approach: Approach) -> Caller:
        """The current caller for this approach. Raises Unauthorized, Forbidden.

        While no token is configured, a program on this machine is admin, the daemon's own page is a kiosk, and nobody
        else is admitted; an unknown token is then ignored, since many clients always send one. Once a token is
        configured, everybody needs one. A browser page of an unlisted Origin is never admitted.
        """
        page = approach.own_origin or approach.site == "same-origin"
        if approach.origin is not None:
            if not approach.own_origin and approach.origin not in self.origins:
                raise Forbidden("Pages of this Origin may not call; list it in [rpc] allowed_origins")
        elif approach.site in ("cross-site", "same-site"):
            raise Forbidden("A page of another site may not call")
        if approach.token is not None and (caller := self._holder(approach.token)) is not None:
            return caller
        if self.closed:
            if approach.token is None:
                raise Unauthorized("A bearer token is needed: Authorization: Bearer TOKEN")
            raise Unauthorized("The bearer token is not known here; it may have been revoked")
        if not approach.local:
            raise Unauthorized("From another machine a bearer token is needed; make one by `agentd token add`")
        if page or approach.site == "none":
            return OWN_PAGE
        if approach.origin is not None:
            raise Unauthorized("A page of another origin needs a bearer token; make one by `agentd token add`")
        return LOCAL

    def _holder(self, token: str) -> Caller | None:
        given = digest(token)
        if self._admin_digest is not None and hmac.compare_digest(given, self._admin_digest):
            return TOKEN_OF_ENVIRONMENT
        if hmac.compare_digest(given, self._model_digest):
            return OWN_SERVER
        holder = self.tokens.holder(token)
        if holder is not None and self.used is not None:
            self.used.note(holder.id)
        return holder
