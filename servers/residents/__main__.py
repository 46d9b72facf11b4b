"""`python -m servers.residents`: start the server `residents`, or run `check`, `import FILE` or `pin`."""

from __future__ import annotations

import logging
import sys

from servers.common import clock
from servers.common.serve import serve, stopped_by
from servers.residents import cli
from servers.residents.configured import ConfiguredRegister
from servers.residents.locks import Locks
from servers.residents.resident import RegisterError
from servers.residents.server import create_server
from servers.residents.settings import Settings, SettingsError
from servers.residents.verification import Verification


def main() -> None:
    """Run the server or a command. Exits with status 2 if a setting is wrong; calls report a register that is down."""
    if sys.argv[1:2] and sys.argv[1] in (*cli.COMMANDS, "-h", "--help"):
        raise SystemExit(cli.main(sys.argv[1:]))
    with stopped_by(SettingsError, RegisterError):
        settings = Settings.from_env()
        register = ConfiguredRegister(settings)
        locks = Locks(settings.locks, lambda: clock.now().timestamp())
    if register.notice is not None:
        logging.getLogger(__name__).warning("no RESIDENTS_URL is configured: the residents are a made-up sample")
    serve(create_server(Verification(register, locks), register.issued_log if settings.write_log else None))


if __name__ == "__main__":
    main()
