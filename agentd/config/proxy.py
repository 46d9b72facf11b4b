"""Whether client.toml has a proxy before the daemon. Then no caller counts as local, and all need a token."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from agentd.config.lines import Path
from agentd.config.load import Settings
from agentd.errors import Problem

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_ADVICE = (
    "the daemon stands behind a proxy then, where everybody would come from this machine: make a token first, by "
    "`agentd token add NAME --scope admin`, or set AGENTD_TOKEN"
)


def behind_proxy(settings: Settings) -> Problem | None:
    """The setting that implies a proxy (file, line, remedy), or None."""
    where = next(_signs(settings), None)
    return settings.problem(where, f"`{where[-1]}` is set and no token exists: {_ADVICE}") if where else None


def _signs(settings: Settings) -> Iterator[Path]:
    named = ("allowed_hosts", "allowed_origins", "trusted_proxies")
    yield from (("rpc", name) for name in named if getattr(settings.rpc, name))
    for index, server in enumerate(settings.servers):
        if urlsplit(server.env.get("VERIFY_BASE_URL", "")).hostname not in (None, *LOOPBACK):
            yield "servers", index, "verify_base_url"
