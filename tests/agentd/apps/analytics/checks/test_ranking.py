"""What is picked as the most of something is ranked by that, not by a key or a day (issue 19)."""

from __future__ import annotations

import pytest

from agentd.apps.analytics.checks.accounting import unaccounted
from agentd.apps.analytics.schema import Schema
from tests.agentd.apps.analytics.checks.test_accounting import CUSTOMERS, TODAY, doubts
from tests.agentd.apps.analytics.scripts import of, table

RANKED = "SELECT OrderID FROM (SELECT OrderID, RANK() OVER (ORDER BY {} DESC) AS r FROM Orders) t WHERE r = 1"


@pytest.mark.parametrize(
    ("question", "query", "found"),
    [
        (
            "Which order has the highest freight?",
            "SELECT OrderID FROM Orders ORDER BY OrderDate DESC LIMIT 1",
            "ORDER BY OrderDate",
        ),
        ("Order dengan freight terbesar?", RANKED.format("OrderID"), "ORDER BY OrderID"),
        ("Order dengan freight terbesar?", RANKED.format("Freight"), ""),
        ("Which is the latest order?", "SELECT OrderID FROM Orders ORDER BY OrderDate DESC LIMIT 1", ""),
        ("The oldest order?", "SELECT OrderID FROM Orders ORDER BY OrderDate DESC LIMIT 1", "ORDER BY OrderDate DESC"),
        ("Order paling baru?", "SELECT OrderID FROM Orders ORDER BY OrderDate LIMIT 1", "ORDER BY OrderDate"),
        ("The oldest order?", "SELECT OrderID FROM Orders ORDER BY OrderDate LIMIT 1", ""),
    ],
)
def test_the_most_is_ranked_by_what_was_asked(question: str, query: str, found: str) -> None:
    assert [each for each in doubts(question, query) if each.startswith("ORDER")] == ([found] if found else [])


@pytest.mark.parametrize(
    ("question", "doubted"), [("Total freight Mei 1998?", True), ("Freight shipped in May 1998?", False)]
)
def test_a_figure_s_own_words_are_no_reason_for_another_day(question: str, doubted: bool) -> None:
    query = "SELECT SUM(Freight) AS f FROM Orders WHERE ShippedDate >= '1998-05-01' AND ShippedDate <= '1998-05-31'"
    assert ("ShippedDate" in doubts(question, query)) is doubted


@pytest.mark.parametrize(
    ("condition", "doubted"), [("ShippedDate > RequiredDate", False), ("ShippedDate < RequiredDate", True)]
)
def test_what_is_late_came_after_it_was_due(condition: str, doubted: bool) -> None:
    found = doubts("How many orders were shipped late?", f"SELECT COUNT(*) AS n FROM Orders WHERE {condition}")
    assert (condition in found) is doubted


def test_a_table_that_only_ties_two_others_needs_no_word() -> None:
    query = (
        "SELECT COUNT(DISTINCT o.OrderID) AS n FROM Orders o JOIN Links k ON k.OrderID = o.OrderID "
        "JOIN Customers c ON c.CustomerID = k.CustomerID WHERE c.Country = 'Brazil'"
    )
    assert doubts("How many orders of customers in Brazil?", query) == []


@pytest.mark.parametrize(("question", "found"), [("Country names of customers", []), ("Country names", ["Country"])])
def test_what_two_tables_have_is_shown_of_the_one_that_is_said(question: str, found: list[str]) -> None:
    other = table("Suppliers", "Country descriptive")
    schema = Schema.read([CUSTOMERS, other])
    plan = of("SELECT Country FROM Customers", "R")
    assert [each for each in unaccounted(question, plan, schema, TODAY) if each == "Country"] == found


def test_an_amount_is_shown_that_rows_are_chosen_by_beside_a_said_one() -> None:
    query = "SELECT OrderID, Total, Freight FROM Orders WHERE Total < Freight"
    assert doubts("Orders below their freight", query) == []


PRODUCTS = table(
    "Products", "ProductID identifier key, ProductName descriptive, UnitPrice financial_amount, Weight quantitative"
)
SALES = table(
    "OrderLines",
    "LineID identifier key, OrderID identifier, ProductID identifier, UnitPrice financial_amount, "
    "Quantity quantitative",
)
SOLD = "Products p JOIN OrderLines l ON l.ProductID = p.ProductID GROUP BY p.ProductID, p.ProductName"


@pytest.mark.parametrize(
    ("question", "query", "word"),
    [
        ("Produk termahal?", f"SELECT p.ProductName, SUM(l.UnitPrice * l.Quantity) AS n FROM {SOLD}", "termahal"),
        ("Most expensive product?", f"SELECT p.ProductName, SUM(l.Quantity) AS n FROM {SOLD}", "most expensive"),
        ("Most expensive product?", f"SELECT p.ProductName, AVG(l.UnitPrice) AS n FROM {SOLD}", ""),
        ("Most expensive product?", "SELECT ProductName, Weight AS n FROM Products", "most expensive"),
        ("Most expensive product?", "SELECT ProductName, UnitPrice AS n FROM Products", ""),
        ("Heaviest product?", "SELECT ProductName, Weight AS n FROM Products", ""),
        ("Heaviest product?", "SELECT ProductName, UnitPrice AS n FROM Products", "heaviest"),
        (
            "Most expensive order?",
            "SELECT OrderID, SUM(UnitPrice * Quantity) AS n FROM OrderLines GROUP BY OrderID",
            "",
        ),
    ],
)
def test_a_property_s_superlative_is_ranked_by_its_column(question: str, query: str, word: str) -> None:
    """The most expensive product is not the one that earned the most; an order has no price but that of its lines."""
    plan, schema = of(f"{query} ORDER BY n DESC LIMIT 1", "R"), Schema.read([PRODUCTS, SALES])
    found = unaccounted(question, plan, schema, TODAY)
    assert [each for each in found if each in ("termahal", "most expensive", "heaviest")] == ([word] if word else [])
