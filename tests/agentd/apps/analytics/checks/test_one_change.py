"""Right plans with one change each, of the kinds of lab/eval/books/mutations.py. The right one isn't doubted."""

from __future__ import annotations

import pytest

from tests.agentd.apps.analytics.checks.test_undeclared_keys import doubted


@pytest.mark.parametrize(
    ("question", "right", "wrong", "why"),
    [
        (  # a quotient upside down, by the order of its words or by which side is a part
            "What is the ratio of guests to crew for each pier?",
            "SELECT pier, SUM(guests) * 1.0 / SUM(crew) AS r FROM voyage GROUP BY pier",
            "SELECT pier, SUM(crew) * 1.0 / SUM(guests) AS r FROM voyage GROUP BY pier",
            "SUM(crew) * 1.0 / NULLIF(SUM(guests), 0)",
        ),
        (
            "What is the proportion of voyages with guests for each pier?",
            "SELECT pier, COUNT(CASE WHEN guests > 0 THEN 1 END) * 1.0 / COUNT(*) AS r FROM voyage GROUP BY pier",
            "SELECT pier, COUNT(*) * 1.0 / COUNT(CASE WHEN guests > 0 THEN 1 END) AS r FROM voyage GROUP BY pier",
            "COUNT(*) * 1.0 / NULLIF(COUNT(CASE WHEN guests > 0 THEN 1 END), 0)",
        ),
        (
            "What is the ratio of voyages with more than 5 guests to voyages with less than 5 guests?",
            "SELECT COUNT(CASE WHEN guests > 5 THEN 1 END) * 1.0 / COUNT(CASE WHEN guests < 5 THEN 1 END) FROM voyage",
            "SELECT COUNT(CASE WHEN guests < 5 THEN 1 END) * 1.0 / COUNT(CASE WHEN guests > 5 THEN 1 END) FROM voyage",
            "COUNT(CASE WHEN guests < 5 THEN 1 END) * 1.0 / NULLIF(COUNT(CASE WHEN guests > 5 THEN 1 END), 0)",
        ),
        (  # one side of it alone
            "What is the ratio of guests to crew for each voyage vid?",
            "SELECT vid, guests * 1.0 / crew AS r FROM voyage",
            "SELECT vid, guests AS r FROM voyage",
            "ratio",
        ),
        (  # a list without what it is of
            "What are the 3 boats with the greatest length?",
            "SELECT name, length FROM boat ORDER BY length DESC LIMIT 3",
            "SELECT length FROM boat ORDER BY length DESC LIMIT 3",
            "length",
        ),
        (
            "Show the boat id and name of all boats",
            "SELECT id, name FROM boat",
            "SELECT id FROM boat",
            "name",
        ),
        (
            "What are the top 3 boats by length? Give their names and the length",
            "SELECT name, length FROM boat ORDER BY length DESC LIMIT 3",
            "SELECT name FROM boat ORDER BY length DESC LIMIT 3",
            "length",
        ),
        (  # what each group has one of is no count
            "How many voyages are there for each crew?",
            "SELECT crew, COUNT(*) AS n FROM voyage GROUP BY crew",
            "SELECT crew FROM voyage GROUP BY crew",
            "voyages",
        ),
        (
            "How many different boats were at each pier?",
            "SELECT pier, COUNT(DISTINCT boat_id) AS n FROM voyage GROUP BY pier",
            "SELECT pier, COUNT(boat_id) AS n FROM voyage GROUP BY pier",
            "How many different",
        ),
        (
            "Which pier has the largest number of boats?",
            "SELECT pier, COUNT(DISTINCT boat_id) AS n FROM voyage GROUP BY pier ORDER BY n DESC LIMIT 1",
            "SELECT pier, COUNT(DISTINCT vid) AS n FROM voyage GROUP BY pier ORDER BY n DESC LIMIT 1",
            "COUNT(DISTINCT vid)",
        ),
        (
            "List the distinct boat id of each voyage with more than 9 guests",
            "SELECT DISTINCT boat_id FROM voyage WHERE guests > 9",
            "SELECT DISTINCT vid FROM voyage WHERE guests > 9",
            "id",
        ),
        (
            "How many voyages from pier 'North' have more than 9 guests?",
            "SELECT COUNT(*) AS n FROM voyage WHERE pier = 'North' AND guests > 9",
            "SELECT COUNT(*) AS n FROM voyage WHERE pier <> 'North' AND guests > 9",
            "pier <> 'North'",
        ),
        (  # two ids that have only their name in common, and a join that keeps all rows and shows none
            "List the distinct names of boats with fuel sales",
            "SELECT DISTINCT boat.name FROM boat JOIN fuel_sales ON boat.id = fuel_sales.boat_id",
            "SELECT DISTINCT boat.name FROM boat LEFT JOIN fuel_sales ON boat.id = fuel_sales.boat_id",
            "fuel_sales",
        ),
        (
            "Which boats have the flag Panama and the length 9?",
            "SELECT name FROM boat WHERE flag = 'Panama' AND length = 9",
            "SELECT name FROM boat WHERE flag = 'Panama' OR length = 9",
            "flag = 'Panama' OR length = 9",
        ),
        (  # bounds that every row keeps, or that nobody named
            "How many voyages with guests were there?",
            "SELECT COUNT(*) AS n FROM voyage WHERE guests > 0",
            "SELECT COUNT(*) AS n FROM voyage WHERE guests >= 0",
            "guests >= 0",
        ),
        (
            "How many voyages with guests were there?",
            "SELECT COUNT(*) AS n FROM voyage WHERE guests > 0",
            "SELECT COUNT(*) AS n FROM voyage WHERE guests > 1",
            "guests > 1",
        ),
        (
            "List the distinct boat ids with fuel sales",
            "SELECT DISTINCT boat.id AS boat_id FROM boat JOIN fuel_sales ON boat.id = fuel_sales.boat_id",
            "SELECT DISTINCT boat.flag AS boat_id FROM boat JOIN fuel_sales ON boat.id = fuel_sales.boat_id",
            "flag AS boat_id",
        ),
        (  # one figure under the name of another
            "What is the total of guests and the average of guests for each pier?",
            "SELECT pier, SUM(guests) AS total_guests, AVG(guests) AS average_guests FROM voyage GROUP BY pier",
            "SELECT pier, AVG(guests) AS total_guests, SUM(guests) AS average_guests FROM voyage GROUP BY pier",
            "average_guests",
        ),
        (  # a number written with its unit
            "Which boats have a length above 12m?",
            "SELECT name FROM boat WHERE length > 12",
            "SELECT name FROM boat WHERE length > 20",
            "12m",
        ),
        (
            "Fuel sales above 10rb litres per boat?",
            "SELECT boat_id, SUM(litres) AS t FROM fuel_sales GROUP BY boat_id HAVING SUM(litres) > 10000",
            "SELECT boat_id, SUM(litres) AS t FROM fuel_sales GROUP BY boat_id",
            "10rb",
        ),
    ],
)
def test_one_change_of_a_right_plan_is_doubted(question: str, right: str, wrong: str, why: str) -> None:
    assert doubted(question, right) == []
    assert why in doubted(question, wrong)


def test_a_verb_that_only_ties_two_things_is_no_doubt() -> None:
    query = "SELECT DISTINCT boat.name FROM boat JOIN fuel_sales ON boat.id = fuel_sales.boat_id"
    assert doubted("List the distinct names of boats that used fuel sales", query) == []
    assert "returned" in doubted("List the distinct names of boats that returned fuel sales", query)
    assert "used" in doubted("How many boats were used?", "SELECT COUNT(*) AS n FROM boat")


def test_a_table_read_in_place_of_the_one_that_is_named_is_doubted() -> None:
    assert "voyage" in doubted("List the distinct boat ids with fuel sales", "SELECT DISTINCT boat_id FROM voyage")
