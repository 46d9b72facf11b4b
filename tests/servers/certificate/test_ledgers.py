"""The register in MariaDB and PostgreSQL, for several nodes (issue 5: MariaDB or PostgreSQL by URL)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from servers.certificate.issuing.issued import IssueError
from servers.certificate.register.database import LedgerError
from servers.certificate.register.ledger import Ledger
from servers.certificate.register.records import Consent, KeyConflict
from servers.certificate.register.tables import guards_present
from tests.mariadb import mariadb
from tests.postgresql import postgresql
from tests.servers.certificate.letters import DOMISILI, issue, left_by_an_earlier_version, open_service
from tests.servers.certificate.test_drills import KEYS, assert_sound, run_four


@pytest.fixture(scope="module", params=["mariadb", "postgresql"])
def url(request: pytest.FixtureRequest) -> Iterator[str]:
    if request.param == "postgresql":
        with postgresql() as server:
            yield server
    else:
        with mariadb("letters") as database:
            yield database.url(driver="mariadb")


@pytest.fixture(scope="module")
def state(url: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archive and the key that belong to the database."""
    return tmp_path_factory.mktemp("state")


def test_four_nodes_share_a_register_and_lose_nothing_to_kills(url: str, state: Path) -> None:
    env = {"LETTERS_DATABASE_URL": url}
    run_four(state, env)
    service = open_service(state, **env)
    assert_sound(service, len(KEYS))
    again = issue(service, DOMISILI | {"keperluan": f"Keperluan {KEYS[0]}"}, KEYS[0])
    assert again.already_issued
    with pytest.raises(IssueError) as caught:
        issue(service, DOMISILI, KEYS[0])
    assert caught.value.kind == "idempotency_conflict" and isinstance(caught.value.__cause__, KeyConflict)


def test_a_days_letters_are_listed(url: str, state: Path) -> None:
    service = open_service(state, LETTERS_DATABASE_URL=url)
    issued = issue(service, DOMISILI | {"keperluan": "Daftar hari ini"})
    assert issued.number in [row.number for row in service.ledger.of_day(service.now().date())]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE letters SET answers = '{}'",
        "UPDATE letters SET sha256 = NULL WHERE status <> 'reserved'",
        "UPDATE letters SET status = 'reserved'",
        "UPDATE letters SET approved_by = 'somebody'",
        "UPDATE letters SET issued_at = '2026-01-01' WHERE status <> 'reserved'",
        "UPDATE letters SET number = LOWER(number)",
        "DELETE FROM letters",
        "DELETE FROM letter_entries",
        "UPDATE letter_entries SET at = ''",
    ],
)
def test_the_database_itself_refuses_to_change_an_issued_letter(url: str, statement: str, state: Path) -> None:
    service = open_service(state, LETTERS_DATABASE_URL=url)
    issue(service, consent=Consent(approved_by="kiosk"))
    engine = service.ledger._database.engine
    with engine.begin() as connection, pytest.raises(sa.exc.DBAPIError, match="not changed or deleted"):
        connection.execute(sa.text(statement))


def test_a_register_of_an_earlier_version_goes_on(url: str, state: Path) -> None:
    service = open_service(state, LETTERS_DATABASE_URL=url)
    earlier = issue(service, DOMISILI | {"keperluan": "Sebelum"})
    left_by_an_earlier_version(service)
    later = open_service(state, LETTERS_DATABASE_URL=url)
    row = later.ledger.by_number(earlier.number)
    assert row is not None and row.approved_by is None
    assert later.void(row, "salah", "meja-1").voided_by == "meja-1"
    assert issue(later, DOMISILI | {"keperluan": "Sesudah"}).sha256
    events = [one.event for one in later.ledger.entries()]
    assert events == ["begun", *["kept"] * (len(events) - 5), "voided", "key", "reserved", "issued"] and len(events) > 5
    with later.ledger._database.engine.connect() as connection:
        assert "letters_keep" not in guards_present(connection)


@pytest.mark.slow
def test_a_database_that_is_away_is_a_clear_error_without_its_password(tmp_path: Path) -> None:
    ledger = Ledger("mariadb://root:geheim@127.0.0.1:9/letters")
    with pytest.raises(LedgerError) as caught:
        ledger.all()
    assert "geheim" not in str(caught.value)
    with pytest.raises(LedgerError, match="LETTERS_DATABASE_URL"):
        Ledger("oracle://x")
