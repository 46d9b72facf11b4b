"""The callers that nobody has to configure. Others have a token in the TokenStore."""

from __future__ import annotations

from agentd.messages import Caller

LOCAL = Caller(id="local", scopes=frozenset({"admin"}))
"""A program on this machine, where no token is configured."""
OWN_PAGE = Caller(id="kiosk", scopes=frozenset({"kiosk"}))
"""The daemon's own page in a browser on this machine, where no token is configured."""
TOKEN_OF_ENVIRONMENT = Caller(id="admin", scopes=frozenset({"admin"}))
"""The holder of AGENTD_TOKEN."""
OWN_SERVER = Caller(id="own-server", scopes=frozenset({"model"}))
"""An MCP server of the daemon's own that may use its models (`model = true`)."""
RESERVED = frozenset({LOCAL.id, OWN_PAGE.id, TOKEN_OF_ENVIRONMENT.id, OWN_SERVER.id})
