"""`python -m servers.time`: start the server `time`. Exits with status 2 if DEFAULT_TIMEZONE is not a time zone."""

from __future__ import annotations

from servers.common.serve import serve, stopped_by
from servers.time.server import create_server
from servers.time.zones import UnknownZone

if __name__ == "__main__":
    with stopped_by(UnknownZone):
        server = create_server()
    serve(server)
