"""Parts of a plan that the question gives no reason for. Each wrong plan here had 100 points."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from agentd.apps.analytics.checks.accounting import unaccounted
from agentd.apps.analytics.plan import Plan
from agentd.apps.analytics.schema import Schema
from tests.agentd.apps.analytics.scripts import of, table

TODAY = date(1998, 5, 6)


ORDERS = table(
    "Orders",
    "OrderID identifier key, CustomerID identifier, OrderDate temporal, "
    "ShippedDate temporal empty, RequiredDate temporal, Total financial_amount, "
    "Freight financial_amount, ShipRegion descriptive empty, ShipCountry descriptive",
    purpose="Data order.",
)
CUSTOMERS = table(
    "Customers",
    "CustomerID identifier key, CompanyName descriptive, Country descriptive, Fax descriptive empty",
    purpose="Data customer.",
)
LINES = table(
    "Order Details", "OrderID identifier, UnitPrice financial_amount, Quantity quantitative, Discount financial_amount"
)


def doubts(question: str, query: str) -> list[str]:
    return unaccounted(question, of(query), Schema.read([ORDERS, CUSTOMERS, LINES]), TODAY)


@pytest.mark.parametrize(
    ("question", "query"),
    [
        ("How many orders are there?", "SELECT COUNT(*) AS n FROM Orders"),
        (
            "Berapa total nilai order Juli 1996?",
            "SELECT SUM(Total) AS t FROM Orders WHERE OrderDate >= '1996-07-01' AND OrderDate < '1996-08-01'",
        ),
        (
            "Total freight per negara, 3 terbesar",
            "SELECT ShipCountry AS c, SUM(Freight) AS f FROM Orders GROUP BY ShipCountry ORDER BY f DESC LIMIT 3",
        ),
        ("Berapa order ke Germany?", "SELECT COUNT(*) AS n FROM Orders WHERE ShipCountry = 'Germany'"),
        ("Berapa order yang belum dikirim?", "SELECT COUNT(*) AS n FROM Orders WHERE ShippedDate IS NULL"),
        (
            "Customer dengan order terbanyak?",
            "SELECT c.CompanyName AS n, COUNT(*) AS k FROM Orders o JOIN Customers c ON o.CustomerID = "
            "c.CustomerID GROUP BY c.CustomerID, c.CompanyName ORDER BY k DESC LIMIT 1",
        ),
        (
            "Orders per customer?",
            "SELECT c.CompanyName, COUNT(*) AS n FROM Orders o JOIN Customers c ON o.CustomerID = c.CustomerID "
            "GROUP BY o.CustomerID, c.CompanyName",
        ),
        ("Which customers are in Brazil?", "SELECT CompanyName AS n FROM Customers WHERE Country = 'Brazil'"),
        (
            "Berapa pelanggan tanpa order?",
            "SELECT COUNT(*) AS n FROM Customers c LEFT JOIN Orders o ON o.CustomerID = c.CustomerID WHERE "
            "o.OrderID IS NULL",
        ),
        ("Berapa nilai penjualan?", "SELECT SUM(UnitPrice * Quantity) AS t FROM `Order Details`"),
        (
            "Berapa order yang sudah lewat required date?",
            "SELECT COUNT(*) AS n FROM Orders WHERE RequiredDate < '1998-05-06'",
        ),
        ("Berapa order tertinggi?", "SELECT MAX(Total) AS t FROM Orders"),
        ("Order dengan freight antara 10 dan 20?", "SELECT OrderID AS n FROM Orders WHERE Freight BETWEEN 10 AND 20"),
        ("Berapa negara yang berbeda?", "SELECT COUNT(DISTINCT Country) AS n FROM Customers"),
    ],
)
def test_what_is_said_is_accounted_for(question: str, query: str) -> None:
    assert doubts(question, query) == []


@pytest.mark.parametrize(
    ("question", "query", "doubt"),
    [
        # conditions
        (
            "How many orders are there?",
            "SELECT COUNT(*) AS n FROM Orders WHERE ShipRegion IS NULL",
            "ShipRegion IS NULL",
        ),
        (
            "Berapa ongkos kirim order?",
            "SELECT SUM(Freight) AS f FROM Orders WHERE ShipRegion IS NULL",
            "ShipRegion IS NULL",
        ),
        (
            "Berapa order ke Germany?",
            "SELECT COUNT(*) AS n FROM Orders WHERE ShipCountry <> 'Germany'",
            "ShipCountry <> 'Germany'",
        ),
        (
            "Berapa order yang belum dikirim?",
            "SELECT COUNT(*) AS n FROM Orders WHERE ShippedDate > RequiredDate",
            "ShippedDate > RequiredDate",
        ),
        (
            "customers without a fax?",
            "SELECT COUNT(*) AS n FROM Customers WHERE Fax IS NULL AND Country IS NULL",
            "Country IS NULL",
        ),
        # periods
        ("Berapa order Juli 1996?", "SELECT COUNT(*) AS n FROM Orders WHERE OrderDate >= '1996-07-01'", "OrderDate"),
        (
            "Berapa total nilai order Juli 1996?",
            "SELECT SUM(Total) AS t FROM Orders WHERE RequiredDate BETWEEN '1996-07-01' AND '1996-07-31'",
            "RequiredDate",
        ),
        (
            "How many orders are there?",
            "SELECT COUNT(CASE WHEN OrderDate >= '1996-07-01' THEN 1 END) AS n FROM Orders",
            "OrderDate >= '1996-07-01'",
        ),
        # aggregates
        ("Berapa total nilai order?", "SELECT MAX(Total) AS t FROM Orders", "MAX(Total)"),
        ("Berapa total nilai order?", "SELECT COUNT(Total) AS t FROM Orders", "COUNT(Total)"),
        (
            "Customer dengan total order terbesar?",
            "SELECT c.CompanyName AS n, MAX(o.Total) AS t FROM Orders o JOIN Customers c ON o.CustomerID = "
            "c.CustomerID GROUP BY c.CustomerID, c.CompanyName ORDER BY t DESC LIMIT 1",
            "MAX(o.Total)",
        ),
        (
            "Porsi order ke Germany?",
            "SELECT COUNT(CASE WHEN ShipCountry = 'Germany' THEN 1 ELSE 0 END) AS n FROM Orders",
            "COUNT(CASE WHEN ShipCountry = 'Germany' THEN 1 ELSE 0 END)",
        ),
        ("How many orders are there?", "SELECT SUM(Total) AS t FROM Orders", "SUM(Total)"),
        (
            "How many distinct countries do customers come from?",
            "SELECT COUNT(DISTINCT Fax) AS n FROM Customers",
            "COUNT(DISTINCT Fax)",
        ),
        (
            "Berapa pendapatan per customer?",
            "SELECT c.CompanyName AS n, COUNT(*) AS k FROM Customers c GROUP BY c.CompanyName",
            "sales",
        ),
        # figures
        ("Berapa total nilai order?", "SELECT SUM(Freight) AS t FROM Orders", "Freight"),
        ("Berapa ongkos kirim semua order?", "SELECT SUM(Total) AS t FROM Orders", "Total"),
        ("Berapa nilai penjualan?", "SELECT SUM(Discount * Quantity) AS t FROM `Order Details`", ""),
        # groups and what is shown
        (
            "Total freight per negara?",
            "SELECT ShipRegion AS r, SUM(Freight) AS f FROM Orders GROUP BY ShipRegion",
            "GROUP BY ShipRegion",
        ),
        (
            "Total freight per negara?",
            "SELECT ShipRegion AS c, SUM(Freight) AS f FROM Orders GROUP BY ShipRegion",
            "country",
        ),
        (
            "Rata-rata freight per order?",
            "SELECT OrderID AS o, AVG(Freight) AS f FROM Orders GROUP BY OrderID",
            "GROUP BY OrderID",
        ),
        ("Rata-rata freight?", "SELECT AVG(Freight) AS f FROM Orders GROUP BY ShipCountry", "GROUP BY ShipCountry"),
        ("Which customers are in Brazil?", "SELECT Fax AS n FROM Customers WHERE Country = 'Brazil'", "Fax"),
    ],
)
def test_what_nobody_said_is_a_doubt(question: str, query: str, doubt: str) -> None:
    found = doubts(question, query)
    assert (doubt in found) if doubt else found


def test_a_text_that_no_dialect_reads_is_accounted_for_by_nothing() -> None:
    plan = Plan([{"purpose": "", "query": "SELEC 1", "result_key": "R"}], None, [{"result_key": "O"}], "", {}, [])
    assert unaccounted("How many orders are there?", plan, Schema.read([ORDERS]), TODAY) == ["R", "O"]


FREIGHT = {"field_name": "Freight", "aggregation": "SUM", "alias": "TOTAL"}
GERMANY = {"field_or_expression": "ShipCountry", "operator": "=", "value": "Germany"}


@pytest.mark.parametrize(
    ("question", "part", "found"),
    [
        ("What is the total freight?", {"select_columns": [FREIGHT]}, []),
        ("What is the total of all orders?", {"select_columns": [FREIGHT]}, ["Freight"]),
        ("What is the total freight to Germany?", {"select_columns": [FREIGHT], "filters": [GERMANY]}, []),
        (
            "What is the total freight?",
            {"select_columns": [FREIGHT], "filters": [GERMANY]},
            ["ShipCountry = 'Germany'"],
        ),
        ("Total freight per ship country?", {"select_columns": [{"field_name": "ShipCountry"}, FREIGHT]}, []),
        (
            "Total freight per ship country?",
            {"select_columns": [{"field_name": "CustomerID"}, FREIGHT], "group_by": ["CustomerID"]},
            ["GROUP BY CustomerID", "CustomerID", "country", "per ship"],
        ),
    ],
)
def test_an_operation_is_accounted_for_as_its_select_is(question: str, part: dict[str, Any], found: list[str]) -> None:
    filters = {"logical_operator": "AND", "conditions": part.get("filters", [])}
    operation = {"operation_id": "o", "result_key": "O", "main_table": "Orders", **part, "filters": filters}
    plan = Plan([], operations=[operation])
    assert unaccounted(question, plan, Schema.read([ORDERS, CUSTOMERS, LINES]), TODAY) == found


def test_a_follow_up_on_another_matter_need_not_read_what_was_asked_before() -> None:
    plan, schema = of("SELECT COUNT(*) FROM Customers", "R"), Schema.read([ORDERS, CUSTOMERS])
    assert unaccounted("How many customers?", plan, schema, TODAY, ["What is the total freight?"]) == []


BOUNDS = "SUM(CASE WHEN OrderDate >= '2021-02-01' AND OrderDate {} '2021-03-01' THEN Total END) AS february"


@pytest.mark.parametrize(
    ("question", "query", "found"),
    [
        ("How many orders are there?", "SELECT COUNT(*) AS n FROM Suppliers", ["Suppliers"]),
        (
            "Total of the orders from Acme?",
            "SELECT SUM(Orders.Total) AS total FROM Orders JOIN Suppliers ON Orders.SupplierNo = Suppliers.SupplierID "
            "WHERE Suppliers.Name = 'Acme'",
            [],
        ),
        ("Ada berapa supplier?", "SELECT COUNT(*) AS n FROM mastersupplier", []),
        (
            "How many customers per country?",
            "SELECT CompanyName AS country, COUNT(*) AS n FROM Customers GROUP BY CompanyName",
            ["CompanyName AS country"],
        ),
        ("Total of the orders in February and March 2021", f"SELECT {BOUNDS.format('<')} FROM Orders", []),
        ("Total of the orders in February and March 2021", f"SELECT {BOUNDS.format('>')} FROM Orders", ["OrderDate"]),
        (
            "Total of the orders in February and March 2021",
            f"SELECT {BOUNDS.format('>')} FROM Orders WHERE OrderDate < '2021-04-01'",
            [],
        ),
        (
            "Which customers have no orders?",
            "SELECT CompanyName FROM Customers LEFT JOIN Orders ON Orders.CustomerID = Customers.CustomerID "
            "WHERE Orders.ShipRegion IS NULL",
            ["Orders.ShipRegion IS NULL"],
        ),
    ],
)
def test_what_was_not_consulted_is_misnamed_or_bound_once_has_no_reason(
    question: str, query: str, found: list[str]
) -> None:
    assert [each for each in doubts(question, query) if each in (*found, "OrderDate", "Suppliers")] == found
    assert found or not doubts(question, query)


PAPERS = table(
    "papers", "paper_id identifier key, title descriptive, publication_year quantitative, pages quantitative"
)


@pytest.mark.parametrize(("column", "doubted"), [("publication_year", []), ("pages", ["pages = 1997"])])
def test_a_number_that_may_be_a_year_is_left_to_the_check_of_periods_in_a_year_s_column_alone(
    column: str, doubted: list[str]
) -> None:
    plan = of(f"SELECT COUNT(*) AS n FROM papers WHERE {column} = 1997")
    found = unaccounted("How many papers were published last year?", plan, Schema.read([PAPERS]), TODAY)
    assert [each for each in found if "1997" in each] == doubted


@pytest.mark.parametrize(("asked", "doubted"), [("orders by suppliers", []), ("orders", ["Suppliers"])])
def test_a_table_that_only_the_plan_reads_needs_a_word_of_the_question(asked: str, doubted: list[str]) -> None:
    """Its columns are known, but the search for the question's words did not find it."""
    suppliers = {**table("Suppliers", "SupplierNo identifier key, Name descriptive"), "unasked": True}
    query = "SELECT COUNT(*) AS n FROM Orders JOIN Suppliers ON Orders.CustomerID = Suppliers.SupplierNo"
    found = unaccounted(f"How many {asked}?", of(query), Schema.read([ORDERS, suppliers]), TODAY)
    assert [each for each in found if each == "Suppliers"] == doubted
