"""The door of every route: Host, Origin, token, rate. It answers nothing itself but refusals.

Every route needs a caller unless it was declared open (health, and pages that hold no data). A refusal on /rpc is a
JSON-RPC error with the HTTP status that fits (401, 403, 413, 415, 429); what a method answers is always 200 or 204.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from aiohttp import hdrs, web
from aiohttp.typedefs import Handler, Middleware
from multidict import istr

from agentd.access import Access, Approach
from agentd.errors import Forbidden, InvalidRequest, NotFound
from agentd.http.refusals import Refused, refusal
from agentd.messages import Caller, Scope
from agentd.rpc.dispatch import Limiter

CALLER: web.RequestKey[Caller] = web.RequestKey("caller", Caller)
RPC_PATH = "/rpc"
PAGE_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data: blob:; frame-src 'self' blob:; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""On every page; `setdefault`, so that a page may bring a Content-Security-Policy of its own."""

_LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "[::1]"})
_LOOPBACK_PEERS = frozenset({"127.0.0.1", "::1", "::ffff:127.0.0.1"})
_PROXY_HEADERS = (hdrs.X_FORWARDED_FOR, hdrs.FORWARDED, hdrs.VIA, istr("X-Real-IP"))
SESSION_KEY = istr("Agentd-Session-Key")
"""A visitor's key for what this request names; on a WebSocket, for every message that brings none itself."""
_FETCH_SITE = istr("Sec-Fetch-Site")


class Guard:
    """The middleware. `hosts` are names besides loopback's that a Host header may have (with or without port)."""

    def __init__(self, access: Access, limiter: Limiter, hosts: frozenset[str] = frozenset()) -> None:
        self._access = access
        self._limiter = limiter
        self._hosts = frozenset(host.lower() for host in hosts)
        self._known_hosts: set[str] = set()
        self._open: set[web.AbstractRoute] = set()
        self._pages: set[web.AbstractRoute] = set()
        self._scopes: dict[web.AbstractRoute, tuple[Scope, ...]] = {}
        self._metered_within: set[web.AbstractRoute] = set()

    def open(self, *routes: web.AbstractRoute) -> None:
        """Declare routes that need no caller and show no data of anybody."""
        self._open.update(routes)

    def only_for(self, scopes: tuple[Scope, ...], *routes: web.AbstractRoute) -> None:
        """Declare that these routes need one of these scopes (or admin)."""
        self._scopes.update(dict.fromkeys(routes, scopes))

    def metered_within(self, route: web.AbstractRoute) -> None:
        """Declare a route that checks scopes and rates itself (JSON-RPC: each call of a batch for itself)."""
        self._metered_within.add(route)

    def pages(self, *routes: web.AbstractRoute) -> None:
        """Declare open routes that are pages for browsers: they get PAGE_HEADERS."""
        self._open.update(routes)
        self._pages.update(routes)

    def middleware(self) -> Middleware:
        """As aiohttp wants it."""

        @web.middleware
        async def guarded(request: web.Request, handler: Handler) -> web.StreamResponse:
            try:
                headers = request.headers
                route = request.match_info.route
                origin = headers.get(hdrs.ORIGIN)
                if headers.get(hdrs.HOST) not in self._known_hosts:
                    self._check_host(request)
                if request.method == "OPTIONS":
                    return self._preflight(origin)
                if route not in self._open:
                    caller = self._access.admit(_approach(request, origin))
                    request[CALLER] = caller.with_key(headers.get(SESSION_KEY))
                    if route not in self._metered_within:
                        self._check_scope(route, caller)
                        self._limiter.charge(caller)
                response = await handler(request)
            except web.HTTPException as error:
                if error.status < 400:
                    raise
                return refusal(_of_aiohttp(error), rpc=request.path == RPC_PATH)
            except Exception as error:
                if isinstance(error, ConnectionError) and _gone(request):
                    raise  # nobody is there to be answered
                return refusal(error, rpc=request.path == RPC_PATH)
            if route in self._pages:
                for name, value in PAGE_HEADERS.items():
                    response.headers.setdefault(name, value)
            return response

        return guarded

    async def allow(self, request: web.Request, response: web.StreamResponse) -> None:
        """Let a page of a listed Origin read this response. A signal, since streams are prepared by their handlers."""
        origin = request.headers.get(hdrs.ORIGIN)
        if origin is not None and self._access.lists(origin):
            response.headers.update({"Access-Control-Allow-Origin": origin, "Vary": "Origin"})

    def _check_host(self, request: web.Request) -> None:
        """A name that is not ours is somebody's DNS pointing here (rebinding)."""
        if _unix(request):
            return
        host = request.headers.get(hdrs.HOST, "")
        name = host.lower()
        bare = name.rpartition(":")[0] if ":" in name and not name.endswith("]") else name
        if bare in _LOOPBACK_NAMES or name in self._hosts or bare in self._hosts:
            if len(self._known_hosts) < 64:
                self._known_hosts.add(host)
            return
        raise Forbidden("This daemon is not known by that Host name; list it in [rpc] allowed_hosts")

    def _check_scope(self, route: web.AbstractRoute, caller: Caller) -> None:
        scopes = self._scopes.get(route)
        if scopes is not None and not caller.may(*scopes):
            raise Forbidden(f"This needs the scope {' or '.join(sorted({*scopes, 'admin'}))}")

    def _preflight(self, origin: str | None) -> web.Response:
        if origin is None or not self._access.lists(origin):
            raise Forbidden("Pages of other origins may not call this daemon")
        return web.Response(
            status=204,
            headers={
                "Access-Control-Allow-Methods": "GET, POST",
                "Access-Control-Allow-Headers": "Authorization, Content-Type, Last-Event-ID, Agentd-Session-Key",
                "Access-Control-Max-Age": "600",
            },
        )


def _gone(request: web.Request) -> bool:
    return request.transport is None or request.transport.is_closing()


def _unix(request: web.Request) -> bool:
    transport = request.transport
    return transport is not None and isinstance(transport.get_extra_info("sockname"), (str, bytes))


def _local(request: web.Request) -> bool:
    """True for this machine's own programs: a loopback peer without a proxy's traces, or the unix socket."""
    if request.remote in _LOOPBACK_PEERS:
        return not any(name in request.headers for name in _PROXY_HEADERS)
    return _unix(request)


def _approach(request: web.Request, origin: str | None) -> Approach:
    headers = request.headers
    return Approach(
        token=_token(request),
        origin=origin,
        own_origin=origin is not None and _is_own(origin, request),
        site=headers.get(_FETCH_SITE),
        local=_local(request),
    )


def _token(request: web.Request) -> str | None:
    """The bearer token. One in the address counts for nothing: addresses are logged and shown."""
    authorization = request.headers.get(hdrs.AUTHORIZATION)
    if authorization is not None:
        kind, _, token = authorization.partition(" ")
        return token.strip() if kind.lower() == "bearer" else ""
    return None


def _is_own(origin: str, request: web.Request) -> bool:
    parts = urlsplit(origin)
    return parts.scheme in ("http", "https") and parts.netloc.lower() == request.headers.get(hdrs.HOST, "").lower()


def _of_aiohttp(error: web.HTTPException) -> Refused:
    if isinstance(error, web.HTTPNotFound):
        return Refused(404, NotFound("Nothing is at this address"))
    if isinstance(error, web.HTTPMethodNotAllowed):
        allowed = ", ".join(sorted(error.allowed_methods))
        return Refused(405, InvalidRequest(f"{error.method} is not for this address; use {allowed}"))
    if isinstance(error, web.HTTPRequestEntityTooLarge):
        return Refused(413, InvalidRequest("The body is too large"))
    return Refused(error.status, InvalidRequest(error.reason))
