"""What a question asks for and no part of its plan is of, and parts that are of something else. Each had 100 points."""

from __future__ import annotations

import pytest

from agentd.apps.analytics.checks.accounting import unaccounted
from agentd.apps.analytics.checks.coverage import uncovered
from agentd.apps.analytics.plan import qualified
from agentd.apps.analytics.question.comparisons import bounds_of
from agentd.apps.analytics.schema import Schema
from tests.agentd.apps.analytics.checks.test_accounting import TODAY, doubts
from tests.agentd.apps.analytics.scripts import of


@pytest.mark.parametrize(
    ("question", "query", "doubt"),
    [
        # what is asked for, and no part is of
        ("Berapa order per negara?", "SELECT COUNT(*) AS n FROM Orders", "per negara"),
        ("Order terakhir tanggal berapa?", "SELECT MAX(Total) AS t FROM Orders", "tanggal berapa"),
        ("Berapa jumlah order?", "SELECT OrderID FROM Orders ORDER BY OrderID LIMIT 1", "order"),
        ("Berapa nilai order tertinggi?", "SELECT MAX(OrderDate) AS t FROM Orders", "nilai"),
        # dates that are not the table's own, compared or not
        ("Order terakhir tanggal berapa?", "SELECT MAX(RequiredDate) AS t FROM Orders", "RequiredDate"),
        (
            "Total order 1996",
            "SELECT STRFTIME('%Y-%m', OrderDate) AS m, SUM(Total) AS t FROM Orders WHERE OrderDate >= '1996-01-01' "
            "AND OrderDate < '1997-01-01' GROUP BY STRFTIME('%Y-%m', OrderDate)",
            "GROUP BY OrderDate",
        ),
        # what a list shows is what its rows are chosen by
        (
            "Which customers are in Brazil?",
            "SELECT Country AS customer FROM Customers WHERE Country = 'Brazil'",
            "Country",
        ),
        # a quantity times what is worth nothing, and less than nothing of it
        ("Berapa nilai penjualan?", "SELECT SUM(Discount * Quantity) AS t FROM `Order Details`", "Discount, Quantity"),
        ("Berapa diskon?", "SELECT SUM(Discount) AS t FROM `Order Details` WHERE Discount < 0", "Discount < 0"),
        # rows of no other where nobody denies any, a better figure in a condition
        (
            "Berapa pelanggan per negara?",
            "SELECT c.Country, COUNT(*) AS n FROM Customers c LEFT JOIN Orders o ON o.CustomerID = c.CustomerID WHERE "
            "o.OrderID IS NULL GROUP BY c.Country",
            "o.OrderID IS NULL",
        ),
        ("Berapa produk terjual?", "SELECT COUNT(*) AS n FROM `Order Details`", "quantity"),
        ("Orders with a total above 5", "SELECT OrderID FROM Orders WHERE Freight > 5", "Freight > 5"),
    ],
)
def test_what_is_asked_for_and_not_planned_is_a_doubt(question: str, query: str, doubt: str) -> None:
    assert doubt in doubts(question, query)


@pytest.mark.parametrize(
    ("question", "query"),
    [
        ("Berapa order per negara?", "SELECT ShipCountry, COUNT(*) AS n FROM Orders GROUP BY ShipCountry"),
        ("Kapan order terakhir?", "SELECT MAX(OrderDate) AS t FROM Orders"),
        (
            "Total order per bulan tahun 1996",
            "SELECT STRFTIME('%Y-%m', OrderDate) AS m, SUM(Total) AS t FROM Orders WHERE OrderDate >= '1996-01-01' "
            "AND OrderDate < '1997-01-01' GROUP BY STRFTIME('%Y-%m', OrderDate)",
        ),
        ("Orders with a freight above 5", "SELECT OrderID FROM Orders WHERE Freight > 5"),
        (
            "Average shipping time in days?",
            "SELECT AVG(julianday(ShippedDate) - julianday(OrderDate)) AS d FROM Orders",
        ),
        (
            "Berapa produk yang tidak pernah terjual?",
            "SELECT COUNT(*) AS n FROM Products LEFT JOIN `Order Details` ON `Order Details`.ProductID = "
            "Products.ProductID WHERE `Order Details`.ProductID IS NULL",
        ),
    ],
)
def test_what_is_planned_as_asked_is_none(question: str, query: str) -> None:
    assert doubts(question, query) == []


SALES = {
    "table_name": "sales",
    "columns": [
        {"name": "total", "classification": "financial_amount"},
        {"name": "currency", "classification": "descriptive", "sample_values": ["IDR", "USD"]},
        {"name": "status", "classification": "descriptive"},
        {"name": "open", "classification": "descriptive"},
    ],
}


@pytest.mark.parametrize(
    ("question", "query", "found"),
    [
        ("How many open sales are there?", "SELECT COUNT(*) AS n FROM sales WHERE status = 'open'", []),
        ("How many open sales are there?", "SELECT COUNT(*) AS n FROM sales WHERE open = 1", []),
        ("Berapa penjualan?", "SELECT COUNT(*) AS n FROM sales", ["sales"]),
        ("Penjualan per mata uang?", "SELECT currency, SUM(total) AS n FROM sales GROUP BY currency", []),
        ("Penjualan per mata uang?", "SELECT SUM(total) AS n FROM sales", ["currency", "per mata uang"]),
    ],
)
def test_sales_are_counted_where_their_number_is_asked_for(question: str, query: str, found: list[str]) -> None:
    plan = of(query, "N")
    assert unaccounted(question, plan, Schema.read([SALES]), TODAY) == found


def test_what_is_counted_may_be_chosen_by_a_column_of_its_name() -> None:
    flagged = {"table_name": "customers", "columns": [{"name": "active"}, {"name": "id"}]}
    plans = {
        "SELECT COUNT(*) AS n FROM customers": ["active"],
        "SELECT COUNT(*) AS n FROM customers WHERE active = 1": [],
    }
    for query, found in plans.items():
        plan = of(query, "N")
        assert uncovered("How many active customers?", plan, schema=Schema.read([flagged])) == found


PETS = {
    "table_name": "Pets",
    "columns": [
        {"name": "PetID", "classification": "identifier", "is_primary_key": True},
        {"name": "PetType", "classification": "descriptive"},
        {"name": "weight", "classification": "quantitative"},
    ],
}


@pytest.mark.parametrize("name", ["PetType", "pettype"])
def test_a_column_is_read_as_the_schema_spells_it(name: str) -> None:
    plan = of(f"SELECT {name}, MAX(weight) AS n FROM Pets GROUP BY {name}", "N")
    assert unaccounted("The maximum weight for each type of pet", plan, Schema.read([PETS]), TODAY) == []


@pytest.mark.parametrize(
    ("question", "doubts"),
    [("How many pets do students have?", []), ("How many students are there?", ["has_pet"])],
)
def test_a_joined_table_may_be_named_by_a_short_word_and_is_told_by_its_name(question: str, doubts: list[str]) -> None:
    plan = of("SELECT COUNT(*) AS n FROM Student AS T1 JOIN has_pet AS T2 ON T1.StuID = T2.StuID", "N")
    assert uncovered(question, plan) == doubts


@pytest.mark.parametrize("bound", ["older than", "younger than", "heavier than", "shorter than"])
def test_a_comparative_says_that_its_bound_is_exclusive(bound: str) -> None:
    assert any(20.0 in numbers for _, _, numbers in bounds_of(f"Students who are {bound} 20"))


@pytest.mark.parametrize(
    ("query", "spelled"),
    [
        ("select pettype, pets.weight from pets", "select Pets.PetType, Pets.weight from Pets"),
        (
            'select "pettype" as weight from pets p order by WEIGHT',
            'select p."PetType" as weight from Pets p order by WEIGHT',
        ),
    ],
)
def test_a_query_is_judged_in_the_schemas_spelling(query: str, spelled: str) -> None:
    assert qualified(of(query), Schema.read([PETS])).queries[0]["query"] == spelled
