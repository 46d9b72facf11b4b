"""`python -m servers.time`: start the server `time`."""

from __future__ import annotations

from servers.common.serve import serve, stopped_by
from servers.time.server import create_server
from servers.time.zones import UnknownZone


def main() -> None:
    """Run the server. Exits with status 2 if DEFAULT_TIMEZONE is not a time zone."""
    with stopped_by(UnknownZone):
        server = create_server()
    serve(server)


if __name__ == "__main__":
    main()
