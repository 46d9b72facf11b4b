"""Two readings of a question are compared by their rows, and where these differ both are said. Issue 19."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agentd.apps.analytics.checks.other_readings import other_readings
from agentd.apps.analytics.schema import Schema
from tests.agentd.apps.analytics.office import SCHEMA, Office, plan
from tests.agentd.apps.analytics.scripts import SALES, of, table

CUSTOMERS = table("Customers", "Id identifier key, Name descriptive, Age quantitative")
FEES = table("Fees", "FeeId identifier key, Fee financial_amount, CurrencyCode descriptive")
ORDERS = table(
    "Orders",
    "OrderId identifier key, CustomerId identifier, OrderDate temporal, "
    "ShippedDate temporal, Total financial_amount, Rate quantitative, "
    "Tax quantitative, Note descriptive, Bonus financial_amount empty",
)
PERSONS = table("Persons", "PersonId identifier key, Name descriptive")
PEOPLE = table("People", "Id identifier key, BirthDate temporal, HireDate temporal")
ROWS = """
CREATE TABLE Customers (Id, Name, Age); INSERT INTO Customers VALUES (1,'A',30),(2,'B',40),(3,'C',40);
CREATE TABLE Orders (OrderId, CustomerId, OrderDate, ShippedDate, Total, Rate, Tax, Note, Bonus);
INSERT INTO Orders VALUES (1,1,'2021-01-05','2021-01-08',10,0.1,11,'',NULL),
    (2,1,'2021-01-30','2021-02-02',20,0,0,NULL,5),(3,2,'2021-02-03','2021-02-04',30,0.2,11,'x',7);
CREATE TABLE Persons (PersonId, Name); INSERT INTO Persons VALUES (1,'A'),(2,'A');
CREATE TABLE Fees (FeeId, Fee, CurrencyCode); INSERT INTO Fees VALUES (1,10,'IDR'),(2,20,'USD');
CREATE TABLE People (Id, BirthDate, HireDate); INSERT INTO People VALUES (1,'1990-01-01','2015-03-01');
"""
JANUARY = "{0} >= '2021-01-01' AND {0} < '2021-02-01'"
SHIPPED = f"SELECT COUNT(*) AS n FROM Orders WHERE {JANUARY.format('OrderDate')}"
JOINED = "FROM Customers JOIN Orders ON Orders.CustomerId = Customers.Id"


def differing(question: str, query: str) -> list[tuple[str, str]]:
    made, schema = of(query, "R"), Schema.read([CUSTOMERS, ORDERS, PEOPLE, PERSONS, FEES], dialect="sqlite")
    with closing(sqlite3.connect(":memory:")) as database:
        database.row_factory = sqlite3.Row
        database.executescript(ROWS)
        return [
            (each.reading, each.other)
            for each in other_readings(question, made, schema)
            if each.differs(*([dict(row) for row in database.execute(text)] for text in (each.query, each.instead)))
        ]


@pytest.mark.parametrize(
    ("question", "query", "found"),
    [
        ("How many orders were shipped in January 2021?", SHIPPED, [("OrderDate", "ShippedDate")]),
        ("How many orders in January 2021?", SHIPPED, []),
        (
            "How many orders per customer?",
            "SELECT Name, COUNT(OrderId) AS n FROM Customers LEFT JOIN Orders ON CustomerId = Id GROUP BY Customers.Id",
            [("Orders LEFT JOIN", "JOIN")],
        ),
        ("Total fee?", "SELECT SUM(Fee) AS t FROM Fees", [("SUM(Fee)", "GROUP BY CurrencyCode")]),
        ("Total fee?", "SELECT SUM(f.Fee) AS t FROM Fees f WHERE f.FeeId < 2", []),
        ("Fee per currency?", "SELECT CurrencyCode, SUM(Fee) AS t FROM Fees GROUP BY CurrencyCode", []),
        (
            "Total per customer?",
            f"SELECT Note, SUM(Total) AS t {JOINED} GROUP BY Customers.Id",
            [("GROUP BY", "GROUP BY Note")],
        ),
        ("Total per customer?", f"SELECT Name, SUM(Total) AS t {JOINED} GROUP BY Customers.Id", []),
        ("Total per customer?", f"SELECT Name, SUM(Total) AS t {JOINED} GROUP BY Name", []),
        (
            "Total per person?",
            "SELECT p.Name, SUM(Total) AS t FROM Orders JOIN Persons p ON p.PersonId = CustomerId GROUP BY p.Name",
            [("Name", "PersonId")],
        ),
        (
            "How many people in 1990?",
            "SELECT COUNT(*) AS n FROM People WHERE BirthDate >= '1990-01-01' AND BirthDate < '1991-01-01'",
            [("BirthDate", "HireDate")],
        ),
        (
            "How many customers have orders?",
            f"SELECT COUNT(*) AS n {JOINED}",
            [("COUNT(*)", "COUNT(DISTINCT Customers.Id)")],
        ),
        ("How many customers have orders above 25?", f"SELECT COUNT(*) AS n {JOINED} WHERE Orders.Total > 25", []),
        ("How many orders do customers have?", f"SELECT COUNT(*) AS n {JOINED}", []),
        (
            "How many customers ordered?",
            "SELECT COUNT(*) AS n FROM Orders",
            [("COUNT(*)", "COUNT(DISTINCT Orders.CustomerId)")],
        ),
        (
            "Rata-rata total per customer?",
            "SELECT AVG(Total) AS mean FROM Orders",
            [("AVG(Total)", "SUM(Total) * 1.0 / COUNT(DISTINCT CustomerId)")],
        ),
        ("Rata-rata total per order?", "SELECT AVG(Total) AS mean FROM Orders", []),
        (
            "Total of orders 20 and up",
            "SELECT COUNT(*) AS n FROM Orders WHERE Total > 20",
            [("Total > 20", "Total >= 20")],
        ),
        ("Total of orders above 20", "SELECT COUNT(*) AS n FROM Orders WHERE Total > 20", []),
        ("Customers of age 35 and up", "SELECT COUNT(*) AS n FROM Customers WHERE Age > 35", []),
        ("Who is the oldest?", "SELECT Name FROM Customers ORDER BY Age DESC LIMIT 1", [("", "")]),
        ("Net total?", "SELECT SUM(Total * (1 - Rate)) AS t FROM Orders", []),
        ("Net total?", "SELECT SUM(Total * (1 - Rate / 100)) AS t FROM Orders", [("Rate", "Rate")]),
        ("Net total?", "SELECT SUM(Total * (1 - Rate * 1.0 / 100)) AS t FROM Orders", [("Rate", "Rate")]),
        ("Net total?", "SELECT SUM(Total * (1 - Tax)) AS t FROM Orders", [("Tax", "Tax / 100")]),
        ("Net total?", "SELECT SUM(Total * (1 - Tax / 100)) AS t FROM Orders", []),
        ("Net total?", "SELECT SUM(Total * 2 - Rate) AS t FROM Orders", [("Rate", "1 - Rate")]),
        (
            "How many orders have no note?",
            "SELECT COUNT(*) AS n FROM Orders WHERE Note IS NULL",
            [("Note", "NULLIF(Note, '')")],
        ),
        ("The cheapest order?", "SELECT OrderId FROM Orders ORDER BY Bonus LIMIT 1", [("Bonus", "NOT Bonus IS NULL")]),
        ("The highest bonus?", "SELECT OrderId FROM Orders ORDER BY Bonus DESC LIMIT 1", []),
        ("Who is the youngest?", "SELECT Name FROM Customers ORDER BY Age LIMIT 1", []),
        ("Who is the oldest?", "SELECT Name, Age AS age FROM Customers ORDER BY age DESC, Name LIMIT 3", []),
    ],
)
def test_a_reading_is_told_where_the_rows_differ(question: str, query: str, found: list[tuple[str, str]]) -> None:
    assert differing(question, query) == found


@pytest.mark.parametrize(("limit", "score"), [(1, 80), (1_000_000, 100)])
async def test_rows_alike_at_the_end_of_a_list_make_an_answer_uncertain(erp: Path, limit: int, score: int) -> None:
    """Naming one of several that have the most had 100 points."""
    best = f"SELECT order_id AS name FROM sales_orders ORDER BY order_date > '1900-01-01' DESC, order_id LIMIT {limit}"
    office = Office(erp, SALES, plan(("BEST", best), template="{BEST}"))
    answer = await office.ask("Order mana yang nilainya paling besar?")
    told = "Ada baris lain yang nilainya sama dengan yang terakhir ditampilkan."
    assert (told in answer["warnings_for_display"]) == (limit == 1)
    assert answer["quality_score"] <= score


async def test_both_readings_are_said_with_less_than_90_points(erp: Path) -> None:
    table = SCHEMA["relevant_tables"][0]
    columns = [*table["columns"], {"name": "due_date", "type": "DATE", "classification": "temporal"}]
    schema = {**SCHEMA, "relevant_tables": [{**table, "columns": columns}]}
    with closing(sqlite3.connect(erp)) as database:
        names = [row[1] for row in database.execute("PRAGMA table_info(sales_orders)")]
    assert "order_date" in names
    january = "order_date >= '2023-01-01' AND order_date <= '2023-01-31'"
    total = f"SELECT SUM(total_amount) AS total FROM sales_orders WHERE {january}"

    run: list[str] = []

    def sql(given: dict[str, Any]) -> Any:
        run.extend(given["sql_queries"])
        rows = [[{"total": 7}] if "due_date" in query else [{"total": 5}] for query in given["sql_queries"]]
        return {"batch_results": [{"status": "success", "results": each} for each in rows]}

    made = plan(("TOTAL", total), template="Total {TOTAL}.")
    office = Office(erp, SALES, made, get_relevant_schema_info=lambda _: schema, execute_sql_query=sql)
    answer = await office.ask("Berapa total penjualan jatuh tempo Januari 2023?")
    assert "Dihitung menurut order_date; menurut due_date hasilnya 7." in answer["final_narrative"]
    assert answer["quality_score"] < 90
    assert (len(run), run.count(total)) == (2, 1), "the plan's rows are at hand when the other reading is asked for"
