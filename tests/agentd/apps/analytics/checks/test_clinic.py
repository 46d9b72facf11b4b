"""Plans for a clinic's books that were wrong with 100 points, beside right ones. Issue 19."""

from __future__ import annotations

from datetime import date

import pytest

from agentd.apps.analytics.checks import left_out
from agentd.apps.analytics.checks.accounting import unaccounted
from agentd.apps.analytics.checks.other_readings import other_readings
from agentd.apps.analytics.schema import Schema
from tests.agentd.apps.analytics.scripts import of, table

PATIENT = table(
    "patient",
    "patient_id identifier INTEGER key, patient_name descriptive, city descriptive empty, joined_date descriptive TEXT",
)
APPOINTMENT = table(
    "appointment",
    "appointment_id identifier INTEGER key, patient_id identifier INTEGER, "
    "doctor_id identifier INTEGER, status descriptive, fee financial_amount DECIMAL, "
    "paid financial_amount DECIMAL empty",
)
TABLES = [PATIENT, APPOINTMENT]


@pytest.mark.parametrize(
    ("question", "query", "found"),
    [
        ("How many appointments were cancelled?", "SELECT COUNT(*) AS n FROM appointment", "cancelled"),
        (
            "How many appointments were not cancelled?",
            "SELECT COUNT(*) AS n FROM appointment WHERE status = 'cancelled'",
            "status = 'cancelled'",
        ),
        (
            "How many appointments were not cancelled?",
            "SELECT COUNT(*) AS n FROM appointment WHERE status <> 'cancelled'",
            "",
        ),
        (
            "How many patients are not in Bandung?",
            "SELECT COUNT(*) AS n FROM patient WHERE city <> 'Bandung' OR city IS NULL",
            "",
        ),
        (
            "How many appointments?",
            "SELECT COUNT(DISTINCT doctor_id) AS n FROM appointment",
            "COUNT(DISTINCT doctor_id)",
        ),
        (
            "How many appointments per patient, including patients without any?",
            "SELECT p.patient_name, COUNT(*) AS n FROM patient p LEFT JOIN appointment a "
            "ON a.patient_id = p.patient_id GROUP BY p.patient_id, p.patient_name",
            "COUNT(*)",
        ),
        (
            "How many appointments per patient, including patients without any?",
            "SELECT p.patient_name, COUNT(a.appointment_id) AS n FROM patient p "
            "LEFT JOIN appointment a ON a.patient_id = p.patient_id GROUP BY p.patient_id, p.patient_name",
            "",
        ),
    ],
)
def test_what_is_denied_unread_or_counted_from_nothing_is_doubted(question: str, query: str, found: str) -> None:
    assert unaccounted(question, of(query), Schema.read(TABLES), date(2024, 4, 15)) == ([found] if found else [])


@pytest.mark.parametrize(
    ("question", "query", "other"),
    [
        (
            "How many patients are called Budi?",
            "SELECT COUNT(DISTINCT patient_name) AS n FROM patient WHERE patient_name = 'Budi'",
            "COUNT(DISTINCT patient_id)",
        ),
        (
            "How many patients are not in Bandung?",
            "SELECT COUNT(*) AS n FROM patient WHERE city <> 'Bandung'",
            "city <> 'Bandung' OR city IS NULL",
        ),
        (
            "Who joined last?",
            "SELECT patient_name FROM patient ORDER BY joined_date DESC LIMIT 1",
            "joined_date LIKE '__/__/____'",
        ),
    ],
)
def test_names_empty_cells_and_days_as_text_are_read_otherwise(question: str, query: str, other: str) -> None:
    assert other in [each.other for each in other_readings(question, of(query), Schema.read(TABLES, dialect="sqlite"))]


def test_a_difference_tells_of_the_rows_that_it_loses() -> None:
    _, names = left_out.watched("SELECT SUM(fee - paid) AS t FROM appointment", Schema.read(TABLES, dialect="sqlite"))
    assert list(names.values()) == ["COUNT paid"]
