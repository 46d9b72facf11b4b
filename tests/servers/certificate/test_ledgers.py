"""The register in MariaDB and PostgreSQL, for several nodes (issue 5: MariaDB or PostgreSQL by URL)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from servers.certificate.issuing import IssueError
from servers.certificate.ledger import KeyConflict, Ledger, LedgerError
from tests.mariadb import mariadb
from tests.postgresql import postgresql
from tests.servers.certificate.letters import DOMISILI, issue, open_service
from tests.servers.certificate.test_drills import KEYS, assert_sound, run_four


@pytest.fixture(scope="module", params=["mariadb", "postgresql"])
def url(request: pytest.FixtureRequest) -> Iterator[str]:
    if request.param == "postgresql":
        with postgresql() as server:
            yield server
    else:
        with mariadb("letters") as database:
            yield database.url(driver="mariadb")


def test_four_nodes_share_a_register_and_lose_nothing_to_kills(url: str, tmp_path: Path) -> None:
    env = {"LETTERS_DATABASE_URL": url}
    run_four(tmp_path, env)
    service = open_service(tmp_path, **env)
    assert_sound(service, len(KEYS))
    again = issue(service, DOMISILI | {"keperluan": f"Keperluan {KEYS[0]}"}, KEYS[0])
    assert again.already_issued
    with pytest.raises(IssueError) as caught:
        issue(service, DOMISILI, KEYS[0])
    assert caught.value.kind == "idempotency_conflict" and isinstance(caught.value.__cause__, KeyConflict)
    service.close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE letters SET answers = '{}'",
        "UPDATE letters SET sha256 = NULL WHERE status <> 'reserved'",
        "UPDATE letters SET status = 'reserved'",
        "UPDATE letters SET approved_by = 'somebody'",
        "DELETE FROM letters",
    ],
)
def test_the_database_itself_refuses_to_change_an_issued_letter(url: str, statement: str, tmp_path: Path) -> None:
    service = open_service(tmp_path, LETTERS_DATABASE_URL=url)
    issue(service, approved_by="kiosk")
    with service.ledger._engine.begin() as connection, pytest.raises(sa.exc.DBAPIError, match="not changed or deleted"):
        connection.execute(sa.text(statement.replace("DELETE FROM letters", "DELETE FROM letters WHERE id > 0")))
    service.close()


def test_a_register_of_an_earlier_version_goes_on(url: str, tmp_path: Path) -> None:
    service = open_service(tmp_path, LETTERS_DATABASE_URL=url)
    earlier = issue(service, DOMISILI | {"keperluan": "Sebelum"})
    with service.ledger._engine.begin() as connection:
        for column in ("approved_by", "voided_by"):
            if connection.dialect.name == "postgresql":
                connection.execute(sa.text("DROP TRIGGER IF EXISTS letters_keep ON letters"))
            else:
                connection.execute(sa.text("DROP TRIGGER IF EXISTS letters_keep"))
            connection.execute(sa.text(f"ALTER TABLE letters DROP COLUMN {column}"))
    service.close()
    later = open_service(tmp_path, LETTERS_DATABASE_URL=url)
    row = later.ledger.by_number(earlier.number)
    assert row is not None and row.approved_by is None
    assert later.ledger.void(row, "salah", later.now(), "meja-1").voided_by == "meja-1"
    later.close()


def test_a_database_that_is_away_is_a_clear_error_without_its_password(tmp_path: Path) -> None:
    ledger = Ledger("mariadb://root:geheim@127.0.0.1:9/letters")
    with pytest.raises(LedgerError) as caught:
        ledger.all()
    assert "geheim" not in str(caught.value)
    with pytest.raises(LedgerError, match="LETTERS_DATABASE_URL"):
        Ledger("oracle://x")
