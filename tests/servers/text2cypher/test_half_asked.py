"""A hosted model's query that does half of what is asked is no plain success, and a whole one is (issue 20)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from servers.text2cypher.core.workbench import Workbench
from tests.servers.text2cypher.test_any_graph import answered, opened
from tests.servers.text2cypher.test_confidence import answered as told

BOARD = {
    "nodes.Trader": "name,country,licensed\nada,Norway,true\nbo,Malta,false\ncy,Malta,true\n",
    "nodes.Notice": "title,pages\nKelp,3\nRope,9\nSalt,5\n",
    "nodes.Reply": "title,score\nRe: Kelp,4\nRe: Rope,2\nOn Kelp,7\n",
    "edges.POSTED": "from_label,from_key,to_label,to_key\nTrader,ada,Notice,Kelp\nTrader,bo,Notice,Rope\n"
    "Trader,bo,Notice,Salt\n",
    "edges.SENT": "from_label,from_key,to_label,to_key,score\nTrader,bo,Reply,Re: Kelp,1\nTrader,cy,Reply,Re: Rope,1\n"
    "Trader,cy,Reply,On Kelp,1\n",
    "edges.READ": "from_label,from_key,to_label,to_key\nTrader,ada,Notice,Kelp\nTrader,cy,Notice,Rope\n",
    "edges.REPLIED": "from_label,from_key,to_label,to_key\nReply,Re: Kelp,Notice,Kelp\nReply,Re: Rope,Notice,Rope\n"
    "Reply,On Kelp,Notice,Kelp\n",
}
SENT = "MATCH (t:Trader)-[:SENT]->(r:Reply)"
HALF = [
    ("Which traders are licensed?", "MATCH (t:Trader) WHERE t.licensed = false RETURN t.name"),
    ("Which traders are licensed?", "MATCH (t:Trader) WHERE NOT t.licensed RETURN t.name"),
    ("Which traders are licensed?", "MATCH (t:Trader) WHERE t.licensed IS NOT NULL RETURN t.name"),
    ("Which traders are licensed?", "MATCH (t:Trader) RETURN t.name, t.licensed"),
    ("Which traders are licensed?", "MATCH (t:Trader {licensed: true}) RETURN t.country"),
    ("Which notices are there that nobody replied?", "MATCH (n:Notice)<-[:REPLIED]-(:Reply) RETURN DISTINCT n.title"),
    (
        "Which traders never posted the notice Kelp?",
        "MATCH (t:Trader)-[:POSTED]->(n:Notice) WHERE n.title <> 'Kelp' RETURN DISTINCT t.name",
    ),
    ("What is the highest score of a reply?", "MATCH (r:Reply) RETURN r.title ORDER BY r.score DESC LIMIT 1"),
    ("How many replies has each notice?", "MATCH (r:Reply)-[:REPLIED]->(n:Notice) RETURN count(r)"),
    (
        "Which trader posted the most notices?",
        "MATCH (t:Trader)-[:POSTED]->(n:Notice) RETURN t.name, sum(n.pages) AS n ORDER BY n DESC LIMIT 1",
    ),
    (
        "Which trader posted the most notices?",
        "MATCH (t:Trader)-[:POSTED]->(n:Notice) RETURN t.country, count(n) AS n ORDER BY n DESC LIMIT 1",
    ),
    (
        "Which notices have more than 1 reply?",
        "MATCH (r:Reply)-[:REPLIED]->(n:Notice) WHERE r.score > 1 RETURN DISTINCT n.title",
    ),
    ("In which notices do traders reply?", f"{SENT}-[:REPLIED]->(n:Notice) RETURN count(DISTINCT n)"),
    ("What is the average score of the replies?", "MATCH (:Trader)-[s:SENT]->(r:Reply) RETURN avg(s.score)"),
    (
        "Which traders posted a notice they also read?",
        "MATCH (t:Trader)-[:POSTED]->(n:Notice)<-[:READ]-(u:Trader) RETURN DISTINCT t.name",
    ),
    (
        "Which traders posted a notice they also read?",
        "MATCH (t:Trader)-[:POSTED]->(n:Notice), (t)-[:READ]->(m:Notice) RETURN DISTINCT t.name",
    ),
    (
        "Which traders replied to the notice Kelp?",
        "MATCH (t:Trader)-[:POSTED]->(n:Notice {title: 'Kelp'})<-[:REPLIED]-(:Reply) RETURN DISTINCT t.name",
    ),
]
WHOLE = [
    ("Which traders are licensed?", "MATCH (t:Trader {licensed: true}) RETURN t.name"),
    ("Which traders are not licensed?", "MATCH (t:Trader) WHERE NOT t.licensed RETURN t.name"),
    (
        "Which notices are there that nobody replied?",
        "MATCH (n:Notice) WHERE NOT (n)<-[:REPLIED]-(:Reply) RETURN n.title",
    ),
    (
        "Which traders never posted the notice Kelp?",
        "MATCH (t:Trader) WHERE NOT (t)-[:POSTED]->(:Notice {title: 'Kelp'}) RETURN t.name",
    ),
    ("What is the highest score of a reply?", "MATCH (r:Reply) RETURN max(r.score)"),
    ("How many replies has each notice?", "MATCH (r:Reply)-[:REPLIED]->(n:Notice) RETURN n.title, count(r)"),
    (
        "Which notices have more than 1 reply?",
        "MATCH (r:Reply)-[:REPLIED]->(n:Notice) WITH n, count(r) AS m WHERE m > 1 RETURN n.title",
    ),
    (
        "Which traders posted a notice they also read?",
        "MATCH (t:Trader)-[:POSTED]->(n:Notice)<-[:READ]-(t) RETURN DISTINCT t.name",
    ),
    ("How many replies did cy send?", "MATCH (t:Trader {name: 'cy'})-[:SENT]->(r:Reply) RETURN count(r)"),
    ("Which traders replied to the notice Kelp?", f"{SENT}-[:REPLIED]->(n:Notice {{title: 'Kelp'}}) RETURN t.name"),
]


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    folder: Path = tmp_path_factory.mktemp("board")
    bench = opened(folder, BOARD)
    yield bench
    bench.backend.close()


@pytest.mark.parametrize(("question", "query"), HALF)
def test_half_of_what_is_asked_is_no_plain_success(board: Workbench, question: str, query: str) -> None:
    assert answered(board, question, query) == "uncertain"


@pytest.mark.parametrize(("question", "query"), WHOLE)
def test_all_of_it_is(board: Workbench, question: str, query: str) -> None:
    assert answered(board, question, query) == "success"


def test_a_limit_counts_those_who_play_the_part_that_is_asked_for(board: Workbench) -> None:
    query = "MATCH (t:Trader)-[:POSTED]->(n:Notice) RETURN t.name, n.title ORDER BY t.name DESC LIMIT 2"
    found = told(board, "List the first 2 posters of notices by name in descending order.", query)
    assert "the same row stands there more than once." in found["doubts"]


def test_a_total_may_be_of_a_relationship_s_number(board: Workbench) -> None:
    readings = board.composer.readings(
        board.linker.link("What is the total score sent for notices with more than 3 pages?")
    )
    assert any(".score)" in text for reading in readings for text in reading.returns)
