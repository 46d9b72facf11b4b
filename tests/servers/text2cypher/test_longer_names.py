"""A graph whose names are made of others' names, with things that have no name or share one (issue 20)."""

from __future__ import annotations

import pytest

from servers.text2cypher.core.workbench import Workbench
from servers.text2cypher.linking.language import languages
from tests.servers.text2cypher.harbour import covering
from tests.servers.text2cypher.test_any_graph import answered, graph_of

CARGO = {
    "nodes.Shipment": "_key,id,sender_port,sender_port_land,weight,dispatched\n"
    "a,7,Oban,Scotland,500000,2014-02-01\nb,8,Bergen,Norway,1500000,2015-06-01\nc,9,Oban,Scotland,2500000,2016-03-01\n",
    "nodes.Firm": "_key,name\n1,Hale\n2,Hale\n3,Brandt\n4,Moe\n",
    "nodes.Land": "_key,name\ns,Scotland\nn,Norway\n",
    "edges.SHIPPED": "from_label,from_key,to_label,to_key\nFirm,1,Shipment,a\nFirm,2,Shipment,b\nFirm,3,Shipment,c\n",
    "edges.SENDER": "from_label,from_key,to_label,to_key\nShipment,a,Firm,1\nShipment,b,Firm,2\nShipment,c,Firm,2\n",
    "edges.LAND": "from_label,from_key,to_label,to_key\nFirm,1,Land,s\nFirm,2,Land,s\nFirm,3,Land,n\n",
}
bench = graph_of(CARGO)


def first(bench: Workbench, question: str) -> str:
    hints = bench.linker.link(question)
    return next(iter(covering(bench.composer.readings(hints), hints, bench.linker)), "")


@pytest.mark.parametrize(
    ("question", "query"),
    [
        (
            "How many shipments have a weight over 1.5 million where the sender port's land is 'Scotland'?",
            "MATCH (a:Shipment) WHERE a.sender_port_land = 'Scotland' AND a.weight > 1500000 RETURN count(a)",
        ),
        (
            "Which shipments have a sender port located in 'Norway'?",
            "MATCH (a:Shipment) WHERE a.sender_port_land = 'Norway' RETURN a",
        ),
        ("Show the 2 shipments with the highest weight.", "MATCH (a:Shipment) RETURN a ORDER BY a.weight DESC LIMIT 2"),
        (
            "Which sender ports have the most shipments?",
            "MATCH (a:Shipment) RETURN a.sender_port, count(a) AS number ORDER BY number DESC LIMIT 1",
        ),
        (
            "Which shipments were dispatched between 2015 and 2016?",
            "MATCH (a:Shipment) WHERE a.dispatched >= '2015' AND a.dispatched <= '2016-12-31T23:59:59' RETURN a",
        ),
        (
            "Which shipments were dispatched later than '2015-01-01'?",
            "MATCH (a:Shipment) WHERE a.dispatched > '2015-01-01' RETURN a",
        ),
        (
            "Which 2 firms have shipped the most shipments?",
            "MATCH (a:Firm)-[r:SHIPPED]->(b:Shipment) WITH a, count(b) AS number "
            "RETURN a.name, number ORDER BY number DESC LIMIT 2",
        ),
    ],
)
def test_the_longest_name_is_meant_and_what_has_no_name_is_shown_whole(
    bench: Workbench, question: str, query: str
) -> None:
    assert first(bench, question) == query


def test_a_figure_for_each_name_is_offered_behind_one_for_each_thing(bench: Workbench) -> None:
    hints = bench.linker.link("Which 2 firms have shipped the most shipments?")
    found = covering(bench.composer.readings(hints), hints, bench.linker)
    assert [" WITH a" in text for text in found] == [True, False]


SHIPPED = "MATCH (a:Firm)-[:SHIPPED]->(b:Shipment) "
RANK = "RETURN a.name, count(b) AS number ORDER BY number"


@pytest.mark.parametrize(
    ("question", "query"),
    [
        ("Which firm has the most shipments?", f"{SHIPPED}{RANK} DESC LIMIT 1"),  # or those that SENDER joins?
        ("Which 3 firms have shipped the fewest shipments?", f"{SHIPPED}{RANK} LIMIT 3"),  # Moe shipped none
        ("How many firms have shipped shipments of firms?", f"{SHIPPED}RETURN count(DISTINCT a)"),  # two firms, not one
        ("Show the top 2 firms that have shipped shipments.", f"{SHIPPED}{RANK} DESC LIMIT 2"),  # by what?
    ],
)
def test_what_the_wording_leaves_open_is_doubted(bench: Workbench, question: str, query: str) -> None:
    assert answered(bench, question, query) == "uncertain"


def test_what_it_says_is_certain(bench: Workbench) -> None:
    assert answered(
        bench, "How many shipments has 'Brandt' shipped?", f"{SHIPPED}WHERE a.name = 'Brandt' RETURN count(b)"
    )


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("over $1.5 million", "over $1500000"),
        ("500,000 or 12.345.678", "500000 or 12345678"),
        ("lebih dari 2,5 juta", "lebih dari 2500000"),
        ("the film '1,000 million' of 1,25", "the film '1,000 million' of 1,25"),
        ("the year 1999, 2000 and 2.345", "the year 1999, 2000 and 2.345"),
    ],
)
def test_numbers_are_read_in_words_and_groups_but_not_in_quotes(said: str, written: str) -> None:
    assert languages().written(said) == written
