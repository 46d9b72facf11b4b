"""Mistakes that mutated gold queries showed to pass as certain: none is a plain success, and the right query is."""

from __future__ import annotations

import pytest

from servers.text2cypher.core.agent_state import Doubt
from servers.text2cypher.core.shown import shown
from servers.text2cypher.core.unasked import unasked
from servers.text2cypher.core.workbench import Workbench
from servers.text2cypher.cypher.facts import QueryFacts
from tests.servers.text2cypher.test_any_graph import answered, graph_of

LODGES = {
    "nodes.Lodge": "name,city,rooms,stars,fax,opened,chainID\nElm,Oslo,12,3,11,1990,1\nFir,Oslo,30,5,,1980,1\n"
    "Oak,Bern,7,4,12,1970,2\nYew,Bern,18,-1,,2001,2\n",
    "nodes.Guest": "name,country,joined\nAda,Norway,2001-05-01\nBo,Malta,2001-05-02\nCy,Malta,2003-01-31\n",
    "nodes.Bill": "billID,town,payer,amount\n1,Oslo,cy,4\n2,Rome,bo,9\n3,Bern,bo,12\n",
    "nodes.Perk": "name,perkID\nPool,1\nBar,2\nGym,3\n",
    "edges.STAYED": "from_label,from_key,to_label,to_key,meals\nGuest,Ada,Lodge,Elm,[]\nGuest,Ada,Lodge,Fir,[]\n"
    'Guest,Bo,Lodge,Fir,"[""lunch""]"\nGuest,Ada,Lodge,Yew,"[""lunch"", ""tea""]"\n',
    "types": "label,property,type\nSTAYED,meals,STRING[]\n",
    "edges.OFFERS": "from_label,from_key,to_label,to_key\nLodge,Elm,Perk,Pool\nLodge,Fir,Perk,Pool\n"
    "Lodge,Fir,Perk,Bar\nLodge,Oak,Perk,Gym\n",
}
OFFERS = "MATCH (l:Lodge)-[:OFFERS]->(p:Perk)"
STAYED = "MATCH (g:Guest)-[s:STAYED]->(l:Lodge)"
PAIRS = [  # (question, right, wrong)
    (
        "Which lodges have more than 10 rooms?",
        "MATCH (l:Lodge) WHERE l.rooms > 10 RETURN l.name, l.rooms",
        "MATCH (l:Lodge) WHERE l.fax > 10 RETURN l.name, l.rooms",
    ),
    (
        "Which lodge with a fax has the lowest rooms?",
        "MATCH (l:Lodge) WHERE l.fax IS NOT NULL AND l.rooms IS NOT NULL RETURN l.name ORDER BY l.rooms LIMIT 1",
        "MATCH (l:Lodge) WHERE l.fax IS NOT NULL AND l.rooms IS NOT NULL RETURN l.name ORDER BY l.fax LIMIT 1",
    ),
    (
        "Which lodges offer both Pool and Bar?",
        f"{OFFERS}, (l)-[:OFFERS]->(q:Perk) WHERE p.name = 'Pool' AND q.name = 'Bar' RETURN l.name",
        f"{OFFERS}, (q:Perk) WHERE p.name = 'Pool' AND q.name = 'Bar' RETURN l.name",
    ),
    (
        "How many lodges offer a Pool?",
        "MATCH (l:Lodge)-[:OFFERS]->(:Perk {name: 'Pool'}) RETURN count(l)",
        "MATCH (l:Lodge)-[:OFFERS]->(:Perk {name: 'Pool'}) RETURN count(l), l.name",
    ),
    (
        "Which guests stayed at which lodges?",
        "MATCH (g:Guest)-[:STAYED]->(l:Lodge) RETURN g.name, l.name",
        "MATCH (g:Guest)-[:STAYED]->(l:Lodge) RETURN g.name, l.city",
    ),
    (
        "Which lodges offer a Pool?",
        f"{OFFERS} WHERE p.name = 'Pool' RETURN l.name",
        f"{OFFERS} WHERE p.name = 'Pool' RETURN l.chainID",
    ),
    (
        "What are the first 2 lodges with a stars of -1?",
        "MATCH (l:Lodge {stars: -1}) RETURN l.name ORDER BY l.opened LIMIT 2",
        "MATCH (l:Lodge) RETURN l.name ORDER BY l.opened LIMIT 2",
    ),
    (
        "Which lodge with a fax has the lowest number of rooms?",
        "MATCH (l:Lodge) WHERE l.fax IS NOT NULL RETURN l.name, l.rooms ORDER BY l.rooms LIMIT 1",
        "MATCH (l:Lodge) WHERE l.fax IS NULL RETURN l.name, l.rooms ORDER BY l.rooms LIMIT 1",
    ),
    (
        "What is the total number of rooms for each city?",
        "MATCH (l:Lodge) RETURN l.city, sum(l.rooms)",
        "MATCH (l:Lodge) RETURN l.city, l.name, sum(l.rooms)",
    ),
    (
        "How many lodges did guests from Malta stay at?",
        "MATCH (g:Guest {country: 'Malta'})-[:STAYED]->(l:Lodge) RETURN count(DISTINCT l)",
        "MATCH (g:Guest {country: 'Malta'})-[:STAYED]->(l:Lodge) RETURN count(DISTINCT l), g.name",
    ),
    (
        "Which lodges have between 8 and 15 rooms?",
        "MATCH (l:Lodge) WHERE l.rooms >= 8 AND l.rooms <= 15 RETURN l.name",
        "MATCH (l:Lodge) WHERE l.rooms >= 8 OR l.rooms <= 15 RETURN l.name",
    ),
    (
        "Which guests have joined after 2001-05-01?",
        "MATCH (g:Guest) WHERE g.joined > '2001-05-01' RETURN g.name",
        "MATCH (g:Guest) WHERE g.joined >= '2001-05-01' RETURN g.name",
    ),
    (
        "List the names of the lodges in alphabetical order.",
        "MATCH (l:Lodge) RETURN l.name ORDER BY l.name",
        "MATCH (l:Lodge) RETURN l.name ORDER BY l.city",
    ),
    (
        "Which bills have an amount above 5?",
        "MATCH (b:Bill) WHERE b.amount > 5 RETURN b.billID",
        "MATCH (b:Bill) WHERE b.amount > 5 RETURN b.payer",
    ),
    (
        "Which lodges are in Oslo?",
        "MATCH (l:Lodge {city: 'Oslo'}) RETURN l.name",
        "MATCH (l:Lodge) WHERE l.city STARTS WITH 'Oslo' RETURN l.city",
    ),
    (
        "Which perks are offered by Fir?",
        f"{OFFERS} WHERE l.name = 'Fir' RETURN p.name",
        f"{OFFERS} WHERE l.name = 'Fir' RETURN p.perkID",
    ),
    (
        "Which lodges have a city containing 'Os'?",
        "MATCH (l:Lodge) WHERE l.city CONTAINS 'Os' RETURN l.name",
        "MATCH (l:Lodge) WHERE l.city CONTAINS 'Os' RETURN l.city",
    ),
    (
        "How many different lodges did Bo stay at?",
        "MATCH (g:Guest {name: 'Bo'})-[:STAYED]->(l:Lodge) RETURN count(DISTINCT l)",
        "MATCH (g:Guest {name: 'Bo'})-[:STAYED]->(l:Lodge) RETURN count(DISTINCT g)",
    ),
    (
        "For each guest, collect the lodges where they stayed.",
        "MATCH (g:Guest)-[:STAYED]->(l:Lodge) RETURN g.name, collect(l.name)",
        "MATCH (g:Guest)-[:STAYED]->(l:Lodge) RETURN g.name, collect(g.name)",
    ),
    (
        "List the lodges with the city Oslo in alphabetical order.",
        "MATCH (l:Lodge {city: 'Oslo'}) RETURN l.name ORDER BY l.name",
        "MATCH (l:Lodge {city: 'Oslo'}) RETURN l.name ORDER BY l.city",
    ),
    (
        "Which lodges have a number of rooms divisible by 3?",
        "MATCH (l:Lodge) WHERE l.rooms % 3 = 0 RETURN l.name, l.rooms",
        "MATCH (l:Lodge) WHERE l.rooms % 3 <> 0 RETURN l.name, l.rooms",
    ),
    (
        "Which lodges with more than 10 rooms offer a perk?",
        "MATCH (l:Lodge) WHERE l.rooms > 10 AND EXISTS { (l)-[:OFFERS]->(:Perk) } RETURN l.name",
        "MATCH (l:Lodge) WHERE l.rooms > 10 OR EXISTS { (l)-[:OFFERS]->(:Perk) } RETURN l.name",
    ),
    (
        "What is the average number of rooms of lodges in Oslo?",
        "MATCH (l:Lodge {city: 'Oslo'}) RETURN avg(l.rooms)",
        "MATCH (l:Lodge {city: 'Oslo'}) RETURN avg(l.rooms), l.rooms",
    ),
    (
        "What is the average number of rooms across cities?",
        "MATCH (l:Lodge) RETURN l.city, avg(l.rooms)",
        "MATCH (l:Lodge) RETURN l.name, avg(l.rooms)",
    ),
    (
        "Which perks are offered by lodges with a total rooms greater than 20?",
        f"{OFFERS} WITH p, sum(l.rooms) AS total WHERE total > 20 RETURN p.name, total",
        f"{OFFERS} WHERE l.rooms > 20 RETURN p.name, sum(l.rooms)",
    ),
    (
        "List the perks that are offered by lodges with an average rooms greater than 20.",
        f"{OFFERS} WITH p, avg(l.rooms) AS mean WHERE mean > 20 RETURN p.name, mean",
        f"{OFFERS} WHERE l.rooms > 20 RETURN p.name, avg(l.rooms)",
    ),
    (
        "Which lodge has the most meals?",
        f"{STAYED} RETURN l.name, sum(size(s.meals)) AS meals ORDER BY meals DESC LIMIT 1",
        f"{STAYED} RETURN l.name, count(s.meals) AS meals ORDER BY meals DESC LIMIT 1",
    ),
    (
        "List the top 2 lodges by rooms with their guests.",
        f"{STAYED} WITH l, collect(g.name) AS guests ORDER BY l.rooms DESC LIMIT 2 RETURN l.name, guests",
        f"{STAYED} WITH l, g ORDER BY l.rooms DESC RETURN l.name, collect(g.name) LIMIT 2",
    ),
    (
        "List the top 2 lodges by rooms and the perks they offer.",
        f"{OFFERS} WITH l, collect(p.name) AS perks ORDER BY l.rooms DESC LIMIT 2 RETURN l.name, perks",
        f"{OFFERS} RETURN l.name, p.name ORDER BY l.rooms DESC LIMIT 2",
    ),
    (
        "Which lodges have a city that starts with 'O'?",
        "MATCH (l:Lodge) WHERE l.city STARTS WITH 'O' RETURN l.name, l.city",
        "MATCH (l:Lodge) WHERE l.name STARTS WITH 'O' RETURN l.name, l.city",
    ),
    (
        "Which lodges have a fax greater than 11?",
        "MATCH (l:Lodge) WHERE l.fax IS NOT NULL AND l.fax > 11 RETURN l.name",
        "MATCH (l:Lodge) WHERE l.fax IS NOT NULL OR l.fax > 11 RETURN l.name",
    ),
    (
        "Which lodges offer a Gym?",
        f"{OFFERS} WHERE p.name = 'Gym' RETURN l.name",
        f"{OFFERS} WHERE p.name = 'Gym' RETURN l.name, l.name",
    ),
]
TWINS = {
    "nodes.Member": 'memberID,name,born\n1,Ann Lee,Malta\n2,Ann Lee,"Valletta, Malta"\n3,Bo Dahl,Oslo\n',
    "nodes.Club": "name\nChess\nRowing\nGolf\n",
    "edges.JOINED": "from_label,from_key,to_label,to_key\nMember,1,Club,Chess\nMember,1,Club,Rowing\n"
    "Member,2,Club,Golf\n",
}
JOINED = "MATCH (m:Member)-[:JOINED]->(c:Club)"
SHARED = [
    (
        "Which member joined the most clubs?",
        f"{JOINED} WITH m, count(c) AS clubs ORDER BY clubs DESC LIMIT 1 RETURN m.name, clubs",
        f"{JOINED} RETURN m.name, count(c) AS clubs ORDER BY clubs DESC LIMIT 1",
    ),
    (
        "Which members were born in Malta?",
        "MATCH (m:Member) WHERE m.born CONTAINS 'Malta' RETURN m.name",
        "MATCH (m:Member {born: 'Malta'}) RETURN m.name",
    ),
]


graph = graph_of(LODGES)
twins = graph_of(TWINS)


@pytest.mark.parametrize(("question", "right", "wrong"), PAIRS)
def test_a_mistake_is_no_plain_success_and_the_right_query_is(
    graph: Workbench, question: str, right: str, wrong: str
) -> None:
    assert answered(graph, question, right) == "success"
    assert answered(graph, question, wrong) == "uncertain"


@pytest.mark.parametrize(("question", "right", "wrong"), SHARED)
def test_what_several_have_is_not_taken_for_one_thing_s(
    twins: Workbench, question: str, right: str, wrong: str
) -> None:
    assert answered(twins, question, right) == "success"
    assert answered(twins, question, wrong) == "uncertain"


def test_a_column_of_what_is_counted_parts_the_figure_of_a_rank(graph: Workbench) -> None:
    hints = graph.linker.link("Which perk is offered by the most lodges?")
    query = f"{OFFERS} RETURN p.name, count(*) AS n{{}} ORDER BY n DESC LIMIT 1"
    assert not [*shown(hints, QueryFacts.of(query.format("")), graph.linker)]
    assert [*shown(hints, QueryFacts.of(query.format(", l.name")), graph.linker)] == [Doubt("unasked", "name")]


def test_a_code_is_no_letter_within_a_word(graph: Workbench) -> None:
    hints = graph.linker.link("How many female guests are there?")
    query = "MATCH (g:Guest {{country: '{}'}}) RETURN count(g)"
    assert not [*unasked(hints, QueryFacts.of(query.format("F")), graph.linker)]
    assert [*unasked(hints, QueryFacts.of(query.format("M")), graph.linker)] == [Doubt("unasked", "M")]


def test_a_tested_node_without_a_variable_has_its_own_label() -> None:
    facts = QueryFacts.of("MATCH (:Lodge)-[:OFFERS]->(:Perk {name: 'Pool'}) RETURN count(*)")
    assert [facts.structure.labels_of(key) for key, _, _ in facts.property_tests] == [{"Perk"}]
