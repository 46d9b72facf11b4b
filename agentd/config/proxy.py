"""Whether client.toml has a proxy before the daemon. Then no caller counts as local, and all need a token."""

from __future__ import annotations

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
    where = _setting(settings)
    if where is None:
        return None
    return settings.problem(where, f"`{where[-1]}` is set and no token exists: {_ADVICE}")


def _setting(settings: Settings) -> Path | None:
    for name in ("allowed_hosts", "allowed_origins", "trusted_proxies"):
        if getattr(settings.rpc, name):
            return "rpc", name
    for index, server in enumerate(settings.servers):
        public = urlsplit(server.env.get("VERIFY_BASE_URL", "")).hostname
        if public is not None and public not in LOOPBACK:
            return "servers", index, "verify_base_url"
    return None
