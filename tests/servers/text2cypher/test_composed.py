"""Of a graph without a lexicon: what may be written, and which readings a question of it has (issue 20)."""

from __future__ import annotations

from pathlib import Path

import pytest
from llguidance import LLMatcher, LLTokenizer, grammar_from

from servers.text2cypher.core.workbench import Workbench
from servers.text2cypher.grammar.variables import variables_of
from tests.servers.text2cypher.harbour import covering
from tests.servers.text2cypher.test_any_graph import answered, graph_of, opened

PLAYS = {
    "nodes.Player": "name,born\nIda Roth,1950\nAbel Cruz,1964\nUma Bright,1988\n",
    "nodes.Play": "name,year\nThe Ferry,1990\nLow Tide,2000\nOld Salt,2004\n",
    "edges.STAGED": "from_label,from_key,to_label,to_key\n"
    "Player,Ida Roth,Play,The Ferry\nPlayer,Abel Cruz,Play,Low Tide\n",
    "edges.COMPOSED": "from_label,from_key,to_label,to_key\n"
    "Player,Ida Roth,Play,The Ferry\nPlayer,Uma Bright,Play,Old Salt\n",
}
bench = graph_of(PLAYS)


def texts(bench: Workbench, question: str) -> list[str]:
    readings = bench.composer.readings(bench.linker.link(question))
    return [reading.match + text for reading in readings for text in reading.returns]


def test_both_by_the_same_person_joins_both_relationships_at_one_person(bench: Workbench) -> None:
    found = texts(bench, "Which plays were both staged and composed by the same player?")
    assert found and all("(b:Play)<-[s:" in text and text.count("Player") == 1 for text in found)
    assert any(text.count("Player") == 2 for text in texts(bench, "Which plays were staged, and which were composed?"))


def test_nobody_is_ranked_by_a_count_unless_the_question_ranks(bench: Workbench) -> None:
    plain = texts(bench, "Which 2 players born before 1970 staged a play?")
    ranked = texts(bench, "Which 2 players staged the most plays?")
    assert plain and not any("number" in text for text in plain)
    assert any("ORDER BY number DESC LIMIT 2" in text for text in ranked)


def test_who_are_the_first_players_shows_players(bench: Workbench) -> None:
    found = texts(bench, "Who are the first two players who composed a play?")
    assert found and all(" RETURN b" not in text and "LIMIT 2" in text for text in found)


def test_a_number_before_what_is_named_is_no_condition(bench: Workbench) -> None:
    found = texts(bench, "What are the names of 2 players who staged plays with a year lower than 1999?")
    assert found and all("= 2" not in text and text.endswith("LIMIT 2") for text in found)


SHIPPED = {
    "nodes.Order": "orderID,shipName,express\nA-1,Blue Door,true\nA-2,Blue Door,false\nA-3,Blue Door,true\n",
    "nodes.Customer": "name,city\nIda Roth,Bergen\nAbel Cruz,Oban\n",
    "edges.ORDERS": "from_label,from_key,to_label,to_key\n"
    "Customer,Ida Roth,Order,A-1\nCustomer,Ida Roth,Order,A-2\nCustomer,Abel Cruz,Order,A-3\n",
}


@pytest.mark.parametrize(
    ("question", "query"),
    [
        ("List all orders.", "MATCH (a:Order) RETURN a"),
        ("Which orders are express?", "MATCH (a:Order) WHERE a.express = true RETURN a"),
        (
            "Name the orders of customers from Bergen.",
            "(a:Customer)-[r:ORDERS]->(b:Order) WHERE a.city = 'Bergen' RETURN b",
        ),
    ],
)
def test_a_label_said_as_a_relationship_is_called_a_flag_and_a_number_of_its_own_are_read(
    tmp_path: Path, question: str, query: str
) -> None:
    held = opened(tmp_path, SHIPPED)
    try:
        assert any(query in text for text in texts(held, question)), texts(held, question)
    finally:
        held.backend.close()


def test_the_most_expensive_ones_are_ranked_by_their_price(tmp_path: Path) -> None:
    held = opened(tmp_path, {"nodes.Ware": "name,unitPrice,weight\nRope,12.5,3\nLamp,40,1\nSail,99,7\n"})
    try:
        for question, limit in (("What are the 2 most expensive wares?", 2), ("Apa ware termahal di graf?", 1)):
            found = texts(held, question)
            assert any(f"ORDER BY a.unitPrice DESC LIMIT {limit}" in text for text in found), found
            assert not any("weight" in text for text in found)
    finally:
        held.backend.close()


def fits(grammar: str, query: str) -> bool:
    """True when the grammar lets the query be written whole."""
    tokenizer = LLTokenizer("byte")
    matcher = LLMatcher(tokenizer, grammar_from("lark", grammar))
    return matcher.consume_tokens(tokenizer.tokenize_str(f"<cypher>{query}</cypher>")) and matcher.is_accepting()


@pytest.mark.parametrize(
    ("query", "can"),
    [
        ("MATCH ({a}:Player)-[:STAGED]->({b}:Play) WHERE {b}.year % 10 = 0 RETURN {a}.name", True),
        ("MATCH ({a}:Player)-[:COMPOSED]->({b}:Play) WHERE {b}.year % 10 = 0 RETURN {a}.name", False),
        ("MATCH ({a}:Player)-[:STAGED]->({b}:Play) WHERE {b}.year % 7 = 0 RETURN {a}.name", False),
        ("MATCH ({a}:Player)-[:STAGED]->({b}:Play) RETURN {a}.name LIMIT 3", False),
    ],
)
def test_only_relationships_and_numbers_of_the_question_can_be_written(bench: Workbench, query: str, can: bool) -> None:
    hints = bench.linker.link("Which players staged a play in a year divisible by 10?")
    names = variables_of(bench.backend.schema, [example.cypher for example in bench.examples])
    written = query.format(a=names["Player"], b=names["Play"])
    assert fits(bench.schema_grammar(thinking=False, hints=hints), written) is can


SHOP = {
    "nodes.Customer": "companyName,country\nLow Door,Norway\nBlue Hall,Malta\n",
    "nodes.Product": "productName,unitPrice\nTin Lamp,12\nOak Chair,80\n",
    "edges.PURCHASED": "from_label,from_key,to_label,to_key\nCustomer,Low Door,Product,Tin Lamp\n",
}


def test_an_english_graph_is_asked_in_indonesian_and_no_right_query_is_refused(tmp_path: Path) -> None:
    bench, price = opened(tmp_path, SHOP), "MATCH (p:Product {{productName: '{}'}}) RETURN p.unitPrice"
    try:
        for question, query, status in (
            ("Berapa harga produk Tin Lamp?", price.format("Tin Lamp"), "success"),
            ("What does Oak Chair cost?", price.format("Oak Chair"), "success"),
            ("Pelanggan mana yang dari Malta?", "MATCH (c:Customer) RETURN c.companyName", "uncertain"),
            ("Apa yang dijual di bawah 20?", "MATCH (p:Product) WHERE p.unitPrice < 20 RETURN p", "uncertain"),
        ):
            assert answered(bench, question, query) == status, question
    finally:
        bench.backend.close()


HARBOUR = {
    "nodes.Captain": "name,phone,region\nIda Roth,171 5,North\nAbel Cruz,030 8,South\n",
    "nodes.Ship": "name,phone,tons,crew,built\nGull,171 9,900,12,1990-03-01\nTern,030 2,400,7,1995-06-30\n"
    "Skua,050 1,700,9,1990-11-11\n",
    "nodes.Port": "name,district\nOban,North\nBergen,West\n",
    "nodes.Country": "name\nNorway\nScotland\n",
    "edges.SAILS": "from_label,from_key,to_label,to_key,wage\n"
    "Captain,Ida Roth,Ship,Gull,30\nCaptain,Abel Cruz,Ship,Tern,20\nCaptain,Ida Roth,Ship,Skua,25\n",
    "edges.CALLS": "from_label,from_key,to_label,to_key\n"
    "Ship,Gull,Port,Oban\nShip,Tern,Port,Bergen\nShip,Skua,Port,Oban\n",
    "edges.LIES": "from_label,from_key,to_label,to_key\nPort,Oban,Country,Scotland\nPort,Bergen,Country,Norway\n",
}


@pytest.mark.parametrize(
    ("question", "first"),
    [
        (  # a property that only a relationship holds names the relationship, and shows whose it is
            "What are the wages of Ida Roth?",
            "MATCH (a:Captain)-[r:SAILS]->(b:Ship) WHERE a.name = 'Ida Roth' RETURN b.name, r.wage",
        ),
        (  # what `most` is said of is counted, over several steps each once
            "Which 2 captains sail to the most ports?",
            "RETURN a.name, count(DISTINCT c) AS number ORDER BY number DESC LIMIT 2",
        ),
        (  # a verb of a relationship before a label ranks it, it counts the other end
            "What are the top 2 most frequently sailed ships?",
            "RETURN b.name, count(a) AS number ORDER BY number DESC LIMIT 2",
        ),
        (
            "What are the 2 most common districts of ports?",
            "MATCH (a:Port) RETURN a.district, count(a) AS number ORDER BY number DESC LIMIT 2",
        ),
        (  # what is asked for is shown, what is counted tested
            "Which captains sail more than one ship?",
            "WITH a, count(b) AS number WHERE number > 1 RETURN a.name, number",
        ),
        ("Which captains do not sail any ship?", "MATCH (a:Captain) WHERE NOT (a)-[:SAILS]->(:Ship) RETURN a.name"),
        ("Which ships have tons divisible by 200?", "MATCH (a:Ship) WHERE a.tons % 200 = 0 RETURN a.name"),
        ("Which ships were built in 1990?", "MATCH (a:Ship) WHERE a.built STARTS WITH '1990' RETURN a.name"),
        (  # a property that no label has which is named asks for the one that has it
            "What are the top 2 captains by total tons?",
            "RETURN a.name, sum(b.tons) AS number ORDER BY number DESC LIMIT 2",
        ),
        (  # each number is of the property that is said before it
            "List two ships with tons above 500 and a crew below 10.",
            "MATCH (a:Ship) WHERE a.tons > 500 AND a.crew < 10 RETURN a.name LIMIT 2",
        ),
        (  # ranked by an average over what is joined
            "Which 2 captains have the highest average tons of ships?",
            "RETURN a.name, avg(b.tons) AS number ORDER BY number DESC LIMIT 2",
        ),
        (  # the most of a label is a count, whatever number bounds it
            "Which 2 captains sail the most ships with a crew above 5?",
            "WHERE b.crew > 5 RETURN a.name, count(b) AS number ORDER BY number DESC LIMIT 2",
        ),
        (  # three steps, and no row twice
            "Which captains are in the country 'Scotland'?",
            "(a:Captain)-[r:SAILS]->(b:Ship)-[s:CALLS]->(c:Port)-[t:LIES]->(d:Country) WHERE d.name = 'Scotland'"
            " RETURN DISTINCT a.name",
        ),
        (  # a value is of the property said after it
            "Which ports are in the 'North' district?",
            "MATCH (a:Port) WHERE a.district = 'North' RETURN a.name",
        ),
        (  # a part of a text is of the label said before it
            "List the captains of ships with a phone starting with '171'.",
            "MATCH (a:Captain)-[r:SAILS]->(b:Ship) WHERE b.phone STARTS WITH '171' RETURN DISTINCT a.name",
        ),
    ],
)
def test_the_reading_that_stands_first(tmp_path: Path, question: str, first: str) -> None:
    held = opened(tmp_path, HARBOUR)
    try:
        found = covering(held.composer.readings(held.linker.link(question)), held.linker.link(question), held.linker)
        assert found[0].endswith(first)
    finally:
        held.backend.close()
