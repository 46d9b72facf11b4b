"""`python -m servers.time`: start the server `time`."""

from __future__ import annotations

import sys

from servers.common.serve import serve
from servers.time.server import create_server
from servers.time.zones import UnknownZone


def main() -> None:
    """Run the server. Exits with status 2 if DEFAULT_TIMEZONE is not a time zone."""
    try:
        server = create_server()
    except UnknownZone as error:
        print(f"DEFAULT_TIMEZONE: {error}", file=sys.stderr)  # noqa: T201 - standard error is the log here
        raise SystemExit(2) from error
    serve(server)


if __name__ == "__main__":
    main()
