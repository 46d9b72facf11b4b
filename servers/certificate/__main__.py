"""`python -m servers.certificate`: start the server `certificate`, or run a `letters` command."""

from __future__ import annotations

import os
import sys

from servers.certificate import cli
from servers.certificate.office import OfficeError
from servers.certificate.register.database import LedgerError
from servers.certificate.server import create_server
from servers.certificate.settings import Settings, SettingsError
from servers.common.serve import serve, stopped_by


def main() -> None:
    """Run the server or a `letters` command. Exits with status 2 if a setting or the office file is wrong."""
    os.environ.pop("TZ", None)  # the office has its own zone; pyHanko signs in this one, and fails if nobody knows it
    if sys.argv[1:2] == ["letters"]:
        raise SystemExit(cli.main(sys.argv[2:]))
    with stopped_by(SettingsError, OfficeError, LedgerError):
        service = cli.open_service(Settings.from_env())
    try:
        serve(create_server(service))
    finally:
        service.close()


if __name__ == "__main__":
    main()
