"""The seed ERP twice: in a private MariaDB (root, and `reader` with SELECT only) and as a SQLite file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from servers.common import erp
from tests.mariadb import MariaDB, load_erp, mariadb


@pytest.fixture(scope="session")
def maria() -> Iterator[MariaDB]:
    with mariadb() as server:
        load_erp(server)
        server.execute(
            "CREATE TABLE every_type (id INT PRIMARY KEY, big BIGINT UNSIGNED, money DECIMAL(30,10), ratio DOUBLE, "
            "day DATE, moment DATETIME(6), span TIME, bytes BLOB, flags BIT(3), doc JSON, sort ENUM('a','b'), t TEXT)",
            "INSERT INTO every_type VALUES (1, 18446744073709551615, 125000000.5, 0.1, '2023-01-15', "
            "'2023-01-15 09:30:00.000001', '-27:15:00', x'00ff', b'101', '{\"a\": 1.50}', 'b', 'naïve 😀'), "
            "(2, 42, 12345678901234567890.0123456789, 1e300, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)",
        )
        yield server


@pytest.fixture(scope="session")
def sqlite_erp(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return erp.build(tmp_path_factory.mktemp("erp") / "erp.db")
