"""Guards all routes: checks Host, Origin, token and rate. It answers only refusals and preflights itself.

Every route needs a caller unless it is declared open (health, and pages without data). A refusal on /rpc is a JSON-RPC
error with a fitting HTTP status (401, 403, 413, 415, 429); a method's answer is always 200 or 204.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import urlsplit

from aiohttp import HttpVersion11, hdrs, web
from aiohttp.typedefs import Handler, Middleware
from multidict import istr

from agentd.access import Access, Approach, RateLimiter
from agentd.errors import Forbidden, InvalidRequest, NotFound
from agentd.http.leases import ADMITTED, Admitted
from agentd.http.refusals import Refused, refusal
from agentd.messages import Caller, Scope

CALLER: web.RequestKey[Caller] = web.RequestKey("caller", Caller)
ADDRESS: web.RequestKey[str] = web.RequestKey("address", str)
"""The address for which failed tries count: the peer's, or the one that a trusted proxy saw."""
RPC_PATH = "/rpc"
PAGE_HEADERS = {
    # nothing from other origins, nothing inline; `blob:` is for printing or previewing a letter
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; frame-src 'self' blob:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""Headers of every page; a page may set its own value of each, e.g. of Content-Security-Policy."""

_LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "[::1]"})
_LOOPBACK_PEERS = frozenset({"127.0.0.1", "::1", "::ffff:127.0.0.1"})
_PROXY_HEADERS = frozenset(
    "forwarded via x-real-ip true-client-ip client-ip x-client-ip x-cluster-client-ip x-original-host x-original-url "
    "x-proxyuser-ip fastly-client-ip cdn-loop x-azure-clientip x-azure-socketip".split()
)
_PROXY_PREFIXES = ("x-forwarded", "cf-", "x-envoy-", "x-amzn-", "x-arr-", "fly-")
_WITHOUT_TOKEN_S = 10.0
"""Seconds within which the body of a caller without a token must arrive."""
COOKIE = "agentd-token"
"""A paired kiosk's token: HttpOnly, SameSite=Strict, read only from the daemon's own pages."""
SESSION_KEY = istr("Agentd-Session-Key")
"""The header with a visitor's session key. On a WebSocket it counts for every message without its own key."""
KEY_COOKIE = "agentd-session-key"
KEY_PATHS = ("/events/", "/artifacts/")
"""Paths that a browser fetches without a page's headers, so that a cookie holds the key (agentd/http/visit.py)."""
_FETCH_SITE = istr("Sec-Fetch-Site")


class Rule(NamedTuple):
    """What a route requires of its caller; by default any admitted caller."""

    scopes: tuple[Scope, ...] | None = None
    """One of these scopes (or admin) is needed; None if the route checks scopes itself."""
    metered_within: bool = False
    """The route checks scopes and rates itself (JSON-RPC does so for each call of a batch)."""
    open: bool = False
    """The route needs no caller and shows nobody's data."""
    page: bool = False
    """The route is open and a page for browsers, which gets PAGE_HEADERS."""


USUAL = Rule()


@dataclass(eq=False)
class Guard:
    """The middleware."""

    access: Access
    limiter: RateLimiter
    hosts: frozenset[str] = frozenset()
    """The names allowed in a Host header besides loopback's, with or without port."""
    proxies: frozenset[str] = frozenset()
    """The peers (addresses, `unix`) whose X-Forwarded-For is trusted, since any program can send one."""
    body_s: float = 30.0
    """Seconds within which the body of a caller with a token must arrive; others get at most ten."""

    def __post_init__(self) -> None:
        self._hosts = _LOOPBACK_NAMES.union(map(str.lower, self.hosts))
        self._rules: dict[web.AbstractRoute, Rule] = {}

    def declare(self, rule: Rule, *routes: web.AbstractRoute) -> None:
        """Set another rule than the default for these routes."""
        self._rules.update(dict.fromkeys(routes, rule))

    def middleware(self) -> Middleware:

        @web.middleware
        async def guarded(request: web.Request, handler: Handler) -> web.StreamResponse:
            try:
                response = await self._let_in(request, handler)
            except web.HTTPException as error:
                if error.status < 400:
                    raise
                return refusal(_of_aiohttp(error), rpc=request.path == RPC_PATH)
            except Exception as error:
                if isinstance(error, ConnectionError) and (request.transport is None or request.transport.is_closing()):
                    return web.Response()  # the client is gone
                return refusal(error, rpc=request.path == RPC_PATH)
            if self._rules.get(request.match_info.route, USUAL).page:
                for name, value in PAGE_HEADERS.items():
                    response.headers.setdefault(name, value)
            return response

        return guarded

    async def _let_in(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        headers = request.headers
        rule = self._rules.get(request.match_info.route, USUAL)
        self._check_host(request)
        request[ADDRESS] = _address(request, self.proxies)
        origin = headers.get(hdrs.ORIGIN)
        if request.method == "OPTIONS":
            return self._preflight(origin)
        has_token = False
        if not (rule.open or rule.page):
            own = origin is None or is_own(origin, request)
            approach = _approach(request, origin, own=own)
            caller = self.access.admit(approach)
            request[ADMITTED] = Admitted(self.access, approach, caller)
            request[CALLER] = caller.with_key(headers.get(SESSION_KEY) or (_kept_key(request) if own else None))
            has_token = approach.token is not None and self.access.closed
            if not rule.metered_within:
                if rule.scopes is not None and not caller.may(*rule.scopes):
                    raise Forbidden(f"This needs the scope {' or '.join(sorted({*rule.scopes, 'admin'}))}")
                self.limiter.charge(caller)
        if headers.get(hdrs.CONTENT_ENCODING, "identity").lower() != "identity":
            raise Refused(415, InvalidRequest("The body must not be compressed"))
        if request.content.is_eof():
            return await handler(request)
        body_s = self.body_s if has_token else min(_WITHOUT_TOKEN_S, self.body_s)
        too_slow = Refused(408, InvalidRequest("The body did not arrive in time"))  # for the handler that reads it
        late = asyncio.get_running_loop().call_later(body_s, request.content.set_exception, too_slow)
        try:
            return await handler(request)
        finally:
            late.cancel()
            if request.content.exception() is too_slow:  # aiohttp still drains the body, and would log our own error
                request.content.set_exception(TimeoutError())

    async def allow(self, request: web.Request, response: web.StreamResponse) -> None:
        """Let pages of a listed Origin read this response. It is a signal, since handlers of streams prepare them."""
        origin = request.headers.get(hdrs.ORIGIN)
        if origin in self.access.origins:
            response.headers.update({"Access-Control-Allow-Origin": origin, "Vary": "Origin"})

    def _check_host(self, request: web.Request) -> None:
        """Raises Forbidden for an unknown Host name, which may come from DNS rebinding."""
        name = request.headers.get(hdrs.HOST, "").lower()
        if self._hosts.isdisjoint((name, _bare(name))) and not _unix(request):
            raise Forbidden("This daemon is not known by that Host name; list it in [rpc] allowed_hosts")

    def _preflight(self, origin: str | None) -> web.Response:
        if origin not in self.access.origins:
            raise Forbidden("Pages of other origins may not call this daemon")
        return web.Response(
            status=204,
            headers={
                "Access-Control-Allow-Methods": "GET, POST",
                "Access-Control-Allow-Headers": "Authorization, Content-Type, Last-Event-ID, Agentd-Session-Key",
                "Access-Control-Max-Age": "600",
            },
        )


def _unix(request: web.Request) -> bool:
    transport = request.transport
    return transport is not None and isinstance(transport.get_extra_info("sockname"), (str, bytes))


def _local(request: web.Request) -> bool:
    """Whether the request is from a program on this machine: over the unix socket, or from a loopback peer to a
    loopback name without signs of a proxy. HTTP/1.0 is the only sign of a bare nginx `proxy_pass`."""
    if request.remote not in _LOOPBACK_PEERS:
        return _unix(request)
    named = _bare(request.headers.get(hdrs.HOST, "").lower()) in _LOOPBACK_NAMES
    return named and request.version >= HttpVersion11 and not any(map(_of_proxy, request.headers))


@lru_cache(256)
def _of_proxy(header: str) -> bool:
    name = header.lower()
    return name in _PROXY_HEADERS or name.startswith(_PROXY_PREFIXES)


def _address(request: web.Request, proxies: frozenset[str]) -> str:
    """The caller's address. A trusted proxy appends it to X-Forwarded-For, whose earlier part may be forged."""
    peer = request.remote or "unix"
    if peer in proxies and (forwarded := request.headers.getall(hdrs.X_FORWARDED_FOR, ())):
        return forwarded[-1].rpartition(",")[2].strip()[:64] or peer
    return peer


def _bare(host: str) -> str:
    """The name of a Host header without its port."""
    return host.rpartition(":")[0] if ":" in host and not host.endswith("]") else host


def _approach(request: web.Request, origin: str | None, *, own: bool) -> Approach:
    return Approach(
        token=_token(request, own=own),
        origin=origin,
        own_origin=own and origin is not None,
        site=request.headers.get(_FETCH_SITE),
        local=_local(request),
        address=request[ADDRESS],
    )


def _token(request: web.Request, *, own: bool) -> str | None:
    """The bearer token, else, on the daemon's own pages, a paired page's cookie. A token in the URL is ignored, since
    URLs are logged and shown."""
    authorization = request.headers.get(hdrs.AUTHORIZATION)
    if authorization is not None:
        kind, _, token = authorization.partition(" ")
        return token.strip() if kind.lower() == "bearer" else ""
    return request.cookies.get(COOKIE) if own and hdrs.COOKIE in request.headers else None


def _kept_key(request: web.Request) -> str | None:
    """The visitor's key from the cookie, on paths that a page can't fetch with headers."""
    asked = hdrs.COOKIE in request.headers and request.path.startswith(KEY_PATHS)
    return request.cookies.get(KEY_COOKIE) if asked else None


def is_own(origin: str, request: web.Request) -> bool:
    """Whether this is the Origin of the daemon's own pages, i.e. equals the request's Host."""
    parts = urlsplit(origin)
    return parts.scheme in ("http", "https") and parts.netloc.lower() == request.headers.get(hdrs.HOST, "").lower()


def _of_aiohttp(error: web.HTTPException) -> Refused:
    if isinstance(error, web.HTTPNotFound):
        return Refused(404, NotFound("Nothing is at this address"))
    if isinstance(error, web.HTTPMethodNotAllowed):
        allowed = ", ".join(sorted(error.allowed_methods))
        calls = "; JSON-RPC calls go to POST /rpc" if error.method == "POST" else ""
        return Refused(405, InvalidRequest(f"{error.method} is not for this address; use {allowed}{calls}"))
    if isinstance(error, web.HTTPRequestEntityTooLarge):
        return Refused(413, InvalidRequest("The body is too large"))
    return Refused(error.status, InvalidRequest(error.reason))
