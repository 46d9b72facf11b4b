"""OpenSID's tables on a MariaDB of its own, once for each module of tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.mariadb import MariaDB, mariadb
from tests.servers.residents import opensid


@pytest.fixture(scope="module")
def maria() -> Iterator[MariaDB]:
    with mariadb("opensid") as server:
        opensid.make(server)
        yield server
