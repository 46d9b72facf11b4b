"""A hosted model's query that says the opposite, more or less than the question is no plain success (issue 20)."""

from __future__ import annotations

import pytest

from lab.eval.text2cypher.asking import Writes
from servers.text2cypher.core.agent_loop import AgentLoop
from servers.text2cypher.core.agent_state import Doubt
from servers.text2cypher.core.answer import ask
from servers.text2cypher.core.crossed import crossed
from servers.text2cypher.core.workbench import Workbench
from servers.text2cypher.cypher.facts import QueryFacts
from tests.servers.text2cypher.test_any_graph import graph_of

ENDS = "from_label,from_key,to_label,to_key\n"
SHOP = {
    "nodes.Item": "name,price,weight,note,listed,sold,stock\nJug,5,20,blue,2019-01-01,2020-02-01,0\n"
    "Pan,5,9,,2020-05-01,2021-01-01,7\n"
    "Mug,3,30,red,2021-04-01,2021-06-01,8\nCup,2,4,old,2022-04-01,2022-06-01,9\n",
    "nodes.Maker": "name,town,land\nAda,Bergen,Norway\nBo,Oslo,Norway\nCy,Valletta,Malta\n",
    "nodes.Parcel": "name,land,parcelDate,arrivalDate\nP1,Malta,2020-12-01,2021-01-05\n"
    "P2,Norway,2021-02-01,2021-02-09\n"
    "P3,Malta,2022-02-01,2022-02-09\n",
    "nodes.Critic": "name\nDi\nEd\n",
    "edges.MADE": f"{ENDS}Maker,Ada,Item,Jug\nMaker,Bo,Item,Pan\nMaker,Cy,Item,Mug\nMaker,Cy,Item,Cup\n",
    "edges.SENT": f"{ENDS}Maker,Ada,Parcel,P1\nMaker,Bo,Parcel,P2\nMaker,Cy,Parcel,P3\n",
    "edges.REVIEWED": "from_label,from_key,to_label,to_key,rating\nCritic,Di,Item,Mug,4\nCritic,Ed,Item,Mug,4\n"
    "Critic,Ed,Item,Jug,1\n",
    "edges.TAUGHT": f"{ENDS}Maker,Ada,Maker,Bo\nMaker,Bo,Maker,Cy\n",
}
ASKED = ("makers", "other makers")
ITEM, MAKER, PARCEL = "MATCH (i:Item)", "MATCH (m:Maker)", "MATCH (p:Parcel)"
MADE, BY = f"{MAKER}-[:MADE]->(i:Item)", "MATCH (c:Critic)-[:REVIEWED]->(i:Item)"
NOT = "NOT (c)-[:REVIEWED]->(:Item {name: "
SENT = "MATCH (m:Maker)-[:SENT]->(p:Parcel)"
BESIDE = [
    (
        "Which critics reviewed all items made by 'Cy'?",
        f"{BY}<-[:MADE]-(m:Maker {{name: 'Cy'}}) RETURN DISTINCT c.name",
    ),
    ("In which land are the most makers?", f"{MAKER} RETURN m.land ORDER BY m.land DESC LIMIT 1"),
    ("Which makers have no blue items?", f"{MADE} WHERE i.note <> 'blue' RETURN DISTINCT m.name"),
    ("What are the names of the items with a price of 5 or a weight of 5?", f"{ITEM} WHERE i.price = 5 RETURN i.name"),
    ("Which makers have the same land as a parcel?", f"{SENT} RETURN DISTINCT m.name, m.land, p.land"),
    ("Which items are the 2 cheapest per maker?", f"{MADE} RETURN m.name, i.name ORDER BY i.price LIMIT 2"),
    ("Which items will be sold after 2019?", f"{ITEM} WHERE i.sold >= '2020' RETURN i"),
    ("Which items were reviewed by fewer than 2 critics?", f"{BY} WITH i, count(c) AS n WHERE n < 2 RETURN i"),
    ("How many items did each critic review?", f"{BY} RETURN i.name, count(c)"),
    ("Which items have a note?", f"{ITEM} RETURN i.note"),
    (
        "Which items are made exclusively by Ada?",
        f"{ITEM} WHERE NOT EXISTS {{ MATCH (:Maker {{name: 'Ada'}})-[:MADE]->(i) }} RETURN i.name",
    ),
    (
        "Which makers made items with a total weight above 15?",
        f"{MADE} WHERE i.weight > 15 RETURN m.name, sum(i.weight)",
    ),
    ("What is the total price of all items?", f"{ITEM} RETURN sum(i.price * i.weight)"),
    ("What is the average price of all items?", f"{ITEM} RETURN avg(toFloat(i.price) * 2)"),
    (
        "What are the names of the 2 most expensive items?",
        f"{ITEM} RETURN i.name ORDER BY i.price * i.weight DESC LIMIT 2",
    ),
    ("What is the second heaviest item by weight?", f"{ITEM} RETURN i.name ORDER BY i.weight SKIP 1 LIMIT 1"),
    ("What is the second heaviest item by weight?", f"{ITEM} RETURN i.name ORDER BY i.weight DESC SKIP 1 LIMIT 2"),
    ("What is the second heaviest item by weight?", f"{ITEM} RETURN i.name ORDER BY i.price DESC SKIP 1 LIMIT 1"),
    ("List the first 2 items sold after 2019.", f"{ITEM} WHERE i.sold >= '2020' RETURN i ORDER BY i.sold DESC LIMIT 2"),
    ("List the first 2 items sold after 2019.", f"{ITEM} WHERE i.sold >= '2020' RETURN i ORDER BY i.listed LIMIT 2"),
    (
        "How many items were sold in 2021?",
        f"{ITEM} WHERE i.sold >= '2021-01-01' AND i.sold < '2022-06-01' RETURN count(i)",
    ),
    (
        "Which parcels have an 'arrivalDate' on or after '2021-02-09'?",
        f"{PARCEL} WHERE p.arrivalDate > '2021-02-09' RETURN p",
    ),
    (
        "Which critics have all their reviews with a rating above 3?",
        "MATCH (c:Critic)-[r:REVIEWED]->() WHERE r.rating > 3 RETURN DISTINCT c.name",
    ),
    (
        "Which makers have all their items with a price above 3?",
        f"{MAKER} WHERE NOT EXISTS {{ (m)-[:MADE]->(i:Item) WHERE i.price < 3 }} RETURN m.name",
    ),
    ("Which items are made exclusively by 'Cy'?", f"{MADE} WHERE m.name = 'Cy' RETURN i.name"),
    ("Which critics reviewed items that were reviewed by critics?", f"{BY} RETURN DISTINCT c.name"),
    ("Which makers taught makers who taught makers?", "MATCH (m:Maker)-[:TAUGHT]->(:Maker) RETURN m.name"),
    ("How many different critics reviewed items with a price above 2?", f"{BY} WHERE i.price > 2 RETURN count(c)"),
    ("What are the different prices of the items?", f"{ITEM} RETURN i.price"),
    ("List the items reviewed by critics with a rating above 2.", f"{BY} RETURN i.name"),
    ("List the top 2 makers by the number of items made.", f"{MADE} RETURN m.name, count(i) AS n ORDER BY n LIMIT 2"),
    (
        "List the top 2 makers by the number of items made.",
        f"{MADE} RETURN m.name, sum(i.stock) AS n ORDER BY n DESC LIMIT 2",
    ),
    ("Which makers sent parcels to Malta?", f"{SENT} WHERE p.land <> 'Malta' RETURN m.name"),
    ("How many items are there?", f"{ITEM} RETURN sum(i.stock)"),
    ("Which critics only reviewed 'Mug'?", f"{BY} WHERE i.name = 'Mug' RETURN c.name"),
    ("How many critics only reviewed 'Mug'?", f"{BY} WHERE i.name = 'Mug' RETURN count(DISTINCT c)"),
    ("How many critics reviewed only one item?", f"{BY} WITH c, count(i) AS n WHERE n >= 1 RETURN count(c)"),
    (
        "Which items were reviewed together with 'Jug'?",
        "MATCH (:Item {name: 'Jug'})<-[:REVIEWED]-(c:Critic) WITH c MATCH (:Critic)-[:REVIEWED]->(i:Item) "
        "RETURN DISTINCT i.name",
    ),
    ("What is the average stock of the items?", f"{ITEM} WHERE i.stock > 0 RETURN avg(i.stock)"),
    ("What is the second heaviest item by weight?", f"{ITEM} RETURN i.name ORDER BY i.weight DESC SKIP 2 LIMIT 1"),
    ("Which makers made both 'Jug' and 'Pan'?", f"{MADE} WHERE i.name IN ['Jug', 'Pan'] RETURN m.name"),
    ("How many makers have the land Norway?", f"{MAKER} WHERE m.land <> 'Norway' RETURN count(m)"),
    ("How many items have the price 5?", f"{ITEM} WHERE i.price <> 5 RETURN count(i)"),
    ("How many items have the price 3?", f"{ITEM} WHERE i.price > 3 RETURN count(i)"),
    ("How many items have a note?", f"{ITEM} WHERE i.note IS NULL RETURN count(i)"),
    ("What are the names of the items, sorted by weight?", f"{ITEM} RETURN i.name ORDER BY i.weight SKIP 1"),
    (
        "What is the name of the item with the highest weight?",
        f"{ITEM} RETURN i.name ORDER BY i.weight DESC SKIP 1 LIMIT 1",
    ),
    ("What is the total price of all items?", f"{ITEM} RETURN sum(DISTINCT i.price)"),
    ("What is the average price of all items?", f"{ITEM} RETURN avg(DISTINCT i.price)"),
    ("How many items have a weight above 3?", f"{ITEM} WHERE i.weight > 3 RETURN count(DISTINCT i.price)"),
    (
        "How many reviews have a rating above 2?",
        "MATCH ()-[r:REVIEWED]->() WHERE r.rating > 2 RETURN count(DISTINCT r.rating)",
    ),
    ("What are the names of the 2 most expensive items?", f"{ITEM} RETURN i.name ORDER BY i.weight DESC LIMIT 2"),
    ("How many parcels are there of 2021?", f"{PARCEL} WHERE p.arrivalDate STARTS WITH '2021' RETURN count(p)"),
    ("What is the name of the newest item?", f"{ITEM} RETURN i.name ORDER BY i.name DESC LIMIT 1"),
    ("How many items were sold in 2021?", f"{ITEM} WHERE i.sold >= '2021' RETURN count(i)"),
    ("How many items were sold in 2021?", f"{ITEM} WHERE i.listed STARTS WITH '2021' RETURN count(i)"),
    ("How many items did each maker make?", f"{MAKER}-[:MADE]->(i:Item) RETURN i.name, count(m)"),
    (
        "What are the names of the critics who reviewed more than 1 item?",
        f"{BY} WITH i, count(c) AS n, collect(c) AS cs WHERE n > 1 UNWIND cs AS c RETURN DISTINCT c.name",
    ),
    ("How many makers sent more than one parcel?", f"{SENT} WITH m, count(p) AS n WHERE n >= 1 RETURN count(m)"),
    ("How many makers sent a parcel but not 'P1'?", f"{SENT} WHERE NOT m.name = 'P1' RETURN count(DISTINCT m)"),
    ("What is the name of the newest item?", f"{ITEM} RETURN i.name ORDER BY i.weight DESC LIMIT 1"),
    (
        "How many makers sent 'P1' or 'P3'?",
        f"{SENT} WHERE p.name = 'P1' MATCH (q:Parcel {{name: 'P3'}}) WHERE q.land = p.land RETURN count(DISTINCT m)",
    ),
    ("How many makers are from Malta?", f"{MAKER}-[:SENT]->(p:Parcel {{land: 'Malta'}}) RETURN count(DISTINCT m)"),
    ("How many makers are there in each land?", f"{MAKER} RETURN m.land, m.town, count(m)"),
    ("What are the names of the makers who taught Bo?", "MATCH (m:Maker {name: 'Bo'})-[:TAUGHT]-(n) RETURN n.name"),
    ("How many items have stock?", f"{ITEM} WHERE i.stock = 0 RETURN count(i)"),
    ("How many items are out of stock?", f"{ITEM} WHERE i.stock > 0 RETURN count(i)"),
    ("How many items have no note?", f"{ITEM} WHERE NOT i.note IS NULL RETURN count(i)"),
    ("How many items have a price between 2 and 5?", f"{ITEM} WHERE i.price > 2 AND i.price < 5 RETURN count(i)"),
    (
        "How many items have a price above 4 and a weight below 10?",
        f"{ITEM} WHERE i.price > 4 OR i.weight < 10 RETURN count(i)",
    ),
    (
        "How many items have a price above 4 and a weight below 10?",
        f"{ITEM} WHERE i.weight > 4 AND i.price < 10 RETURN count(i)",
    ),
    ("How many critics reviewed 'Mug' and 'Jug'?", f"{BY} WHERE i.name IN ['Mug', 'Jug'] RETURN count(DISTINCT c)"),
    ("How many critics reviewed 'Mug' but not 'Jug'?", f"{BY} WHERE i.name = 'Jug' AND {NOT}'Mug'}}) RETURN count(c)"),
    ("What are the names of the items, newest first?", f"{ITEM} RETURN i.name ORDER BY i.name DESC"),
    (
        "How many items have the same price as 'Jug'?",
        "MATCH (a:Item {name: 'Jug'}), (i:Item) WHERE i.price = a.price RETURN count(i)",
    ),
    (
        "What is the average price of the items that 'Di' reviewed?",
        "MATCH (:Critic {name: 'Di'})-[:REVIEWED]->(:Item)<-[:MADE]-(:Maker)-[:MADE]->(i:Item) RETURN avg(i.price)",
    ),
]
PLAIN = [
    ("List the names of the items with price amounts above 3.", f"{ITEM} WHERE i.price > 3 RETURN i.name"),
    (
        "Which makers have all their items with a price above 3?",
        f"{MAKER} WHERE NOT EXISTS {{ MATCH (m)-[:MADE]->(i:Item) WHERE i.price <= 3 }} RETURN m.name",
    ),
    (
        "Which critics reviewed both 'Mug' and 'Jug'?",
        f"{BY} WHERE i.name IN ['Mug', 'Jug'] WITH c, count(DISTINCT i) AS n WHERE n = 2 RETURN c.name",
    ),
    ("How many different critics reviewed items?", f"{BY} RETURN count(DISTINCT c)"),
    ("What is the total of price times weight of all items?", f"{ITEM} RETURN sum(i.price * i.weight)"),
    ("How many critics reviewed only one item?", f"{BY} WITH c, count(i) AS n WHERE n = 1 RETURN count(c)"),
    (
        "Which critics only reviewed 'Mug'?",
        f"{BY} WHERE i.name = 'Mug' AND NOT EXISTS {{ (c)-[:REVIEWED]->(o:Item) WHERE o.name <> 'Mug' }} RETURN c.name",
    ),
    ("What is the second heaviest item by weight?", f"{ITEM} RETURN i.name ORDER BY i.weight DESC SKIP 1 LIMIT 1"),
    ("What are the lands of the parcels?", "MATCH (p:Parcel) RETURN p.land"),
    (
        "How many items have the same price as 'Jug'?",
        "MATCH (a:Item {name: 'Jug'}), (i:Item) WHERE i.price = a.price AND i <> a RETURN count(i)",
    ),
    ("How many items have stock?", f"{ITEM} WHERE i.stock > 0 RETURN count(i)"),
    ("How many items are out of stock?", f"{ITEM} WHERE i.stock = 0 RETURN count(i)"),
    ("How many items have a price between 2 and 5?", f"{ITEM} WHERE i.price >= 2 AND i.price <= 5 RETURN count(i)"),
    ("How many items have a price between 4 and 6?", f"{ITEM} WHERE i.price > 4 AND i.price < 6 RETURN count(i)"),
    ("How many makers made 'Jug' and 'Pan'?", f"{MADE} WHERE i.name IN ['Jug', 'Pan'] RETURN count(DISTINCT m)"),
    ("How many critics reviewed 'Mug' but not 'Jug'?", f"{BY} WHERE i.name = 'Mug' AND {NOT}'Jug'}}) RETURN count(c)"),
    (
        "What is the shortest path between 'Ada' and 'Cy'?",
        "MATCH p = shortestPath((a:Maker {name: 'Ada'})-[*]-(b:Maker {name: 'Cy'})) RETURN p",
    ),
    ("How many items have the price 3?", f"{ITEM} WHERE i.price >= 3 AND i.price < 4 RETURN count(i)"),
    (
        "How many critics reviewed the items that 'Di' reviewed?",
        "MATCH (:Critic {name: 'Di'})-[:REVIEWED]->(:Item)<-[:REVIEWED]-(c:Critic) WHERE c.name <> 'Di' "
        "RETURN count(DISTINCT c)",
    ),
    ("How many makers have the land Norway?", f"{MAKER} WHERE m.land = 'Norway' RETURN count(m)"),
    ("How many makers don't have the land Norway?", f"{MAKER} WHERE m.land <> 'Norway' RETURN count(m)"),
    ("How many makers sent 'P1' or 'P3'?", f"{SENT} WHERE p.name IN ['P1', 'P3'] RETURN count(DISTINCT m)"),
    ("What is the name of the newest item?", f"{ITEM} RETURN i.name ORDER BY i.listed DESC LIMIT 1"),
    ("How many items have the price 3?", f"{ITEM} WHERE i.price = 3 RETURN count(i)"),
    ("How many items have a price of 3 or more?", f"{ITEM} WHERE i.price >= 3 RETURN count(i)"),
    ("How many items have a note?", f"{ITEM} WHERE i.note IS NOT NULL RETURN count(i)"),
    ("How many items have no note?", f"{ITEM} WHERE i.note IS NULL RETURN count(i)"),
    ("What is the total price of all items?", f"{ITEM} RETURN sum(i.price)"),
    ("How many different prices do items have?", f"{ITEM} RETURN count(DISTINCT i.price)"),
    ("How many items were sold in 2021?", f"{ITEM} WHERE i.sold STARTS WITH '2021' RETURN count(i)"),
    ("How many reviews have a rating above 2?", "MATCH ()-[r:REVIEWED]->() WHERE r.rating > 2 RETURN count(r)"),
    ("How many parcels are there of 2021?", f"{PARCEL} WHERE p.parcelDate STARTS WITH '2021' RETURN count(p)"),
    (
        "How many parcels have an arrival date in 2021?",
        f"{PARCEL} WHERE p.arrivalDate STARTS WITH '2021' RETURN count(p)",
    ),
    ("How many makers are from Malta?", f"{MAKER} WHERE m.land = 'Malta' RETURN count(m)"),
    (
        "How many makers sent parcels to Malta?",
        f"{MAKER}-[:SENT]->(p:Parcel {{land: 'Malta'}}) RETURN count(DISTINCT m)",
    ),
    ("How many makers are there in each land?", f"{MAKER} RETURN m.land, count(m)"),
    ("How many items did each maker make?", f"{MAKER}-[:MADE]->(i:Item) RETURN m.name, count(i)"),
]
HOME_BESIDE = [
    ("Berapa mata kuliah yang memiliki 3 SKS?", "MATCH (m:MK) WHERE m.sks > 3 RETURN count(m)"),
    (
        "Mata kuliah apa saja di semester 5 atau 6?",
        "MATCH (m:MK) WHERE m.semester >= 5 OR m.semester = 6 RETURN m.nama",
    ),
    (
        "Apa saja prasyarat mata kuliah Sistem Operasi?",
        "MATCH (:MK {nama: 'Sistem Operasi'})-[:PREREQUISITE]-(m:MK) RETURN m.nama",
    ),
    (
        "Apa saja prasyarat mata kuliah Sistem Operasi?",
        "MATCH (:MK {nama: 'Sistem Operasi'})<-[:PREREQUISITE*]-(m:MK) RETURN m.nama",
    ),
    (
        "Mata kuliah apa yang dapat diambil bersamaan dengan Sistem Operasi?",
        "MATCH (:MK {nama: 'Sistem Operasi'})-[:PREREQUISITE]-(m:MK) RETURN m.nama",
    ),
]


def answered(bench: Workbench, question: str, query: str) -> str:
    """The status of the answer when a model writes this query, which is returned untouched."""
    model = Writes()
    model.query = query
    found = ask(bench, AgentLoop(bench, model), question)
    assert found["cypher"] == query
    return str(found["status"])


shop = graph_of(SHOP)


@pytest.mark.parametrize(("question", "query"), BESIDE)
def test_a_query_of_another_sense_is_no_plain_success(shop: Workbench, question: str, query: str) -> None:
    assert answered(shop, question, query) == "uncertain"


def test_a_way_back_to_where_it_began_leads_to_no_others(shop: Workbench) -> None:
    facts = QueryFacts.of(f"{MADE}<-[:MENDED]-(m) RETURN i.name")
    found = [[*crossed(shop.linker.link(f"List the items of {asked}."), facts, shop.linker)] for asked in ASKED]
    assert found == [[], [Doubt("unused", "other")]]


@pytest.mark.parametrize(("question", "query"), PLAIN)
def test_one_of_its_own_sense_is(shop: Workbench, question: str, query: str) -> None:
    assert answered(shop, question, query) == "success"


@pytest.mark.parametrize(("question", "query"), HOME_BESIDE)
def test_neither_is_one_of_another_sense_where_words_were_written(bench: Workbench, question: str, query: str) -> None:
    assert answered(bench, question, query) == "uncertain"
