"""Things that are asked for and no figure, numbers that are called counts, names and nothing besides (issue 20)."""

from __future__ import annotations

import pytest

from lab.eval.text2cypher.asking import Writes
from servers.text2cypher.core.agent_loop import AgentLoop
from servers.text2cypher.core.answer import ask
from servers.text2cypher.core.meant import doubts_of_choice
from servers.text2cypher.core.workbench import Workbench
from servers.text2cypher.cypher.facts import QueryFacts
from servers.text2cypher.linking.coverage import coverage
from tests.servers.text2cypher.test_any_graph import answered, graph_of

CHANNELS = {
    "nodes.Channel": "name,followers,view_count,summary\nNorth,1500,90,cold\nSouth,4000,700,warm\n"
    "West,9000,800,wet\nThe Wild Coast,10,5,dry\n",
    "nodes.Owner": "name,born,summary\nAna Moss,1960,kind\nPer Lind,1975,calm\n",
    "edges.RUNS": "from_label,from_key,to_label,to_key,share\nOwner,Ana Moss,Channel,North,10\n"
    "Owner,Per Lind,Channel,South,60\nOwner,Ana Moss,Channel,West,50\n",
}
channels = graph_of(CHANNELS)


@pytest.mark.parametrize(
    ("question", "query"),
    [
        ("Find channels that have a follower count between 1000 and 5000.", "a.followers <= 5000 RETURN a.name"),
        ("Which channels have a view count over 100?", "WHERE a.view_count > 100 RETURN a.name"),
        ("Can you list channels with more than 2000 followers?", "WHERE a.followers > 2000 RETURN a.name"),
        ("List the names of owners of channels with more than 2000 followers.", "RETURN DISTINCT a.name"),
        ("Could you please name the channels with more than 2000 followers?", "WHERE a.followers > 2000 RETURN a.name"),
        ("Who has the lowest share of a channel?", "a.name, r.share ORDER BY r.share LIMIT 1"),
        ("How many channels have a view count over 100?", "WHERE a.view_count > 100 RETURN count(a)"),
    ],
)
def test_a_number_that_is_called_a_count_and_a_polite_request_ask_for_things(
    channels: Workbench, question: str, query: str
) -> None:
    found = ask(channels, AgentLoop(channels, Writes("grammar")), question)
    assert (found["cypher"] or "").endswith(query)


@pytest.mark.parametrize(
    ("question", "query"),
    [
        (
            "Who has the lowest share of a channel?",
            "MATCH (a:Owner)-[r:RUNS]->(b:Channel) RETURN min(r.share) AS least",
        ),
        ("Which channels have more than 2000 followers?", "MATCH (a:Channel) WHERE a.followers > 2000 RETURN count(a)"),
        (
            "Which owner runs the channels with the most different summaries?",
            "MATCH (a:Owner)-[:RUNS]->(b:Channel) WITH a, max(DISTINCT b.summary) AS most"
            " RETURN a.name, most ORDER BY most DESC LIMIT 1",
        ),
    ],
)
def test_a_figure_for_things_and_a_text_for_a_number_are_no_plain_success(
    channels: Workbench, question: str, query: str
) -> None:
    assert answered(channels, question, query) == "uncertain"


@pytest.mark.parametrize(
    ("question", "columns", "asked"),
    [
        ("List the names of owners of channels with more than 2000 followers.", "a.name", True),
        ("List the names of owners of channels with more than 2000 followers.", "a.name, b.name", False),
        ("List the names and summaries of the channels with more than 2000 followers.", "b.name, b.summary", True),
        ("List the names and summaries of the channels with more than 2000 followers.", "b.name", False),
        ("List the names and summaries of the channels with more than 2000 followers.", "b.summary", False),
    ],
)
def test_names_are_all_that_is_asked_for_only_where_nothing_stands_beside_them(
    channels: Workbench, question: str, columns: str, *, asked: bool
) -> None:
    hints, query = (channels.linker.link(question), f"MATCH (a:Owner)-[r:RUNS]->(b:Channel) RETURN {columns}")
    rows = channels.backend.run(query).rows
    found = doubts_of_choice(hints, query, rows, [query], channels.linker, lambda text: channels.backend.run(text).rows)
    assert [doubt.kind for doubt in found] == ([] if asked else ["columns"])


def test_a_small_word_is_taken_for_no_part_of_a_stored_name(channels: Workbench) -> None:
    hints = channels.linker.link("What is the view count of The Wild Coast?")
    facts = QueryFacts.of("MATCH (a:Channel) WHERE a.name = 'The Wild Coast' RETURN a.view_count")
    assert [held.words for held in coverage(hints, facts, channels.linker)] == ["view count", "The Wild Coast"]


GOODS = {
    "nodes.Product": "product_name,unit_price,size_of_box,freight\nChai,18,4,19.97\nSalt Tin,40,9,5.5\n",
    "nodes.Shop": "shop_name\nNorth\n",
    "edges.SELLS": "from_label,from_key,to_label,to_key\nShop,North,Product,Chai\n",
    "types": "label,property,type\nProduct,freight,STRING\n",
}
goods = graph_of(GOODS)


@pytest.mark.parametrize(
    ("question", "query"),
    [
        ("What is the price of Chai?", "MATCH (a:Product) WHERE a.product_name = 'Chai' RETURN a.unit_price"),
        ("Berapa harga Chai?", "MATCH (a:Product) WHERE a.product_name = 'Chai' RETURN a.unit_price"),
        (
            "What is the size of the box of Chai?",
            "MATCH (a:Product) WHERE a.product_name = 'Chai' RETURN a.size_of_box",
        ),
    ],
)
def test_a_number_is_named_by_its_last_word_or_by_all_of_its_words_apart(
    goods: Workbench, question: str, query: str
) -> None:
    found = ask(goods, AgentLoop(goods, Writes("grammar")), question)
    assert (found["status"], found["cypher"]) == ("success", query)


def test_a_full_stop_belongs_to_no_word(goods: Workbench) -> None:
    found = ask(goods, AgentLoop(goods, Writes("grammar")), "Sebutkan nama produk termahal.")
    assert found["rows"] == [["Salt Tin", 40]]
    assert goods.linker.link("Which products have a size of 1997.").mentions == ()  # no freight of 19.97


RACKS = {
    "nodes.Rack": "name,rack,score,source\nNorth wall,5,-1,Trade\nSouth wall,7,1,Trade\n"
    "Cellar,9,3,Gift\nAttic,11,-4,Trade\n",
    "nodes.Book": "title,score,source\nLoom,2,Gift\nTide,4,Trade\n",
    "nodes.Level": "level\n1\n2\n",
    "edges.STANDS_ON": "from_label,from_key,to_label,to_key\nRack,North wall,Level,2\n",
    "edges.HOLDS": "from_label,from_key,to_label,to_key\nRack,North wall,Book,Loom\nRack,Cellar,Book,Tide\n",
}
library = graph_of(RACKS)


def test_a_label_s_word_asks_for_the_thing_and_not_for_its_property_of_that_name(library: Workbench) -> None:
    for question in ("Which rack holds Loom?", "What is the name of the rack that holds Loom?"):
        found = ask(library, AgentLoop(library, Writes("grammar")), question)
        assert (found["status"], found["rows"]) == ("success", [["North wall"]])
    level = ask(library, AgentLoop(library, Writes("grammar")), "Which level does the rack North wall stand on?")
    assert level["rows"] == [[2]]  # a level has nothing else


@pytest.mark.parametrize(
    ("question", "test", "names"),
    [
        ("Which racks have a score of -1?", "= -1", ["North wall"]),
        ("Which racks have a score above -2?", "> -2", ["North wall", "South wall", "Cellar"]),
        ("Which racks have a negative score?", "< 0", ["North wall", "Attic"]),
        ("Which racks have a positive score?", "> 0", ["South wall", "Cellar"]),
    ],
)
def test_a_number_s_sign_is_part_of_it(library: Workbench, question: str, test: str, names: list[str]) -> None:
    read = ask(library, AgentLoop(library, Writes("grammar")), question)
    assert (read["status"], [row[0] for row in read["rows"]]) == ("success", names), read["cypher"]
    model = Writes()
    turned = {"= -1": "= 1", "> -2": "> 2", "< 0": "> 0", "> 0": "< 0"}[test]
    for written, status in ((test, "success"), (turned, "uncertain")):
        model.query = f"MATCH (s:Rack) WHERE s.score {written} RETURN s.name"
        assert ask(library, AgentLoop(library, model), question)["status"] == status, written


def test_a_value_that_several_may_have_is_tested_on_what_was_last_named(library: Workbench) -> None:
    asked, model = "Which books are held by racks from Trade?", Writes()
    for tested, status in (("r", "success"), ("b", "uncertain")):
        model.query = f"MATCH (r:Rack)-[:HOLDS]->(b:Book) WHERE {tested}.source = 'Trade' RETURN b.title"
        assert ask(library, AgentLoop(library, model), asked)["status"] == status
    read = ask(library, AgentLoop(library, Writes("grammar")), asked)
    assert read["rows"] == [["Loom"]], read["cypher"]
