"""Steps, counts and years of a hosted model's query that the question doesn't say (issue 20)."""

from __future__ import annotations

import pytest

from lab.eval.text2cypher.asking import Writes
from servers.text2cypher.core.agent_loop import AgentLoop
from servers.text2cypher.core.answer import ask
from servers.text2cypher.core.workbench import Workbench
from tests.servers.text2cypher.test_any_graph import graph_of

ENDS = "from_label,from_key,to_label,to_key\n"
OFFICE = {
    "nodes.Clerk": "name\nIda\nOle\nPer\n",
    "nodes.Folder": "name\nRed\nBlue\n",
    "nodes.Letter": "name,date\nAlfa,2012-03-01\nBravo,2013-05-01\nCharlie,2014-02-01\n",
    "nodes.Desk": "name\nNorth\nSouth\n",
    "edges.WROTE": f"{ENDS}Clerk,Ida,Letter,Alfa\nClerk,Ole,Letter,Bravo\n",
    "edges.FILED": f"{ENDS}Clerk,Ida,Folder,Red\nClerk,Per,Folder,Red\nClerk,Ole,Folder,Blue\n",
    "edges.HOLDS": f"{ENDS}Folder,Red,Letter,Alfa\nFolder,Red,Letter,Bravo\nFolder,Blue,Letter,Charlie\n",
    "edges.LETTERS": f"{ENDS}Letter,Alfa,Desk,North\nLetter,Alfa,Desk,South\n",
}
FILED = "MATCH (c:Clerk)-[:FILED]->(:Folder)-[:HOLDS]->(l:Letter {name: 'Alfa'})"
BEGIN, END = "l.date >= '2013-01-01'", "l.date <= '2013-12-31'"


office = graph_of(OFFICE)


@pytest.mark.parametrize(
    ("question", "query", "status"),
    [
        (
            "How many clerks filed a folder that holds the letter 'Alfa'?",
            f"{FILED} RETURN count(DISTINCT c)",
            "success",
        ),
        (  # who wrote a letter too is fewer
            "How many clerks filed a folder that holds the letter 'Alfa'?",
            f"{FILED.replace('MATCH ', 'MATCH (:Letter)<-[:WROTE]-')} RETURN count(DISTINCT c)",
            "uncertain",
        ),
        ("How many letters are there?", "MATCH (l:Letter) RETURN count(l)", "success"),
        ("How many letters are there?", "MATCH (:Desk)<-[:LETTERS]-(l:Letter) RETURN count(l)", "uncertain"),
        ("How many folders hold letters?", "MATCH (f:Folder)-[:HOLDS]->(:Letter) RETURN count(DISTINCT f)", "success"),
        ("How many folders hold letters?", "MATCH (f:Folder)-[:HOLDS]->(:Letter) RETURN count(f)", "uncertain"),
        ("How many letters are dated in 2013?", f"MATCH (l:Letter) WHERE {BEGIN} AND {END} RETURN count(l)", "success"),
        ("How many letters are dated in 2013?", f"MATCH (l:Letter) WHERE {BEGIN} RETURN count(l)", "uncertain"),
        ("How many letters are dated in 2013?", f"MATCH (l:Letter) WHERE {END} RETURN count(l)", "uncertain"),
        (
            "How many letters are dated after 2013?",
            "MATCH (l:Letter) WHERE l.date > '2013-12-31' RETURN count(l)",
            "success",
        ),
        (
            "How many letters are dated after 2013?",
            "MATCH (l:Letter) WHERE l.date < '2013-12-31' RETURN count(l)",
            "uncertain",
        ),
        (
            "Which folder holds the fewest letters?",
            "MATCH (f:Folder)-[:HOLDS]->(l:Letter) WITH f, count(l) AS n ORDER BY n LIMIT 1 RETURN f",
            "success",
        ),
        (
            "Which clerk filed the fewest folders?",  # each of them filed one
            "MATCH (c:Clerk)-[:FILED]->(f:Folder) WITH c, count(f) AS n ORDER BY n LIMIT 1 RETURN c",
            "uncertain",
        ),
    ],
)
def test_a_step_a_count_or_a_bound_that_is_not_said_is_no_plain_success(
    office: Workbench, question: str, query: str, status: str
) -> None:
    model = Writes()
    model.query = query
    found = ask(office, AgentLoop(office, model), question)
    assert (found["cypher"], found["status"]) == (query, status), found["doubts"]


@pytest.mark.parametrize(
    ("question", "status"), [("What is the date of 'Alfa'?", "success"), ("What is the date of letters?", "uncertain")]
)
def test_what_is_asked_of_a_named_thing_is_all_that_is_to_be_shown(
    office: Workbench, question: str, status: str
) -> None:
    found = ask(office, AgentLoop(office, Writes("grammar")), question)
    assert found["status"] == status, found["doubts"]


@pytest.mark.parametrize(
    ("question", "query"),
    [
        (
            "For each course that supports SO KP.1, how many learning outcomes are there?",
            "MATCH (s:SO {kode: 'KP.1'})-[:PURSUED_IN]->(m:MK)<-[:PURSUED_IN]-(l:LO) RETURN m.nama, count(l)",
        ),
        (
            "Topik apa saja dari mata kuliah wajib yang menjadi bagian LO pendukung SO KP.7?",
            "MATCH (m:MK {tipe: 'Wajib'})<-[:PURSUED_IN]-(t:topic)-[:PART_OF]->(l:LO)-[:PART_OF]->(s:SO {kode: "
            "'KP.7'}) RETURN t.nama",
        ),
        (
            "Mata kuliah yang mendukung KP.8 punya prasyarat apa saja?",
            "MATCH (m:MK)-[:PREREQUISITE]->(m2:MK)<-[:PURSUED_IN]-(s:SO {kode: 'KP.8'}) RETURN m.nama",
        ),
    ],
)
def test_each_label_is_joined_to_one_said_before_by_what_is_said_between(
    bench: Workbench, question: str, query: str
) -> None:
    assert ask(bench, AgentLoop(bench, Writes("grammar")), question)["cypher"] == query


def test_a_denied_prerequisite_is_not_taken_for_what_is_asked(bench: Workbench) -> None:
    def found(question: str) -> dict[str, object]:
        return ask(bench, AgentLoop(bench, Writes("grammar")), question)

    assert found("Mata kuliah pilihan mana yang nggak punya prasyarat apa-apa?")["status"] == "uncertain"
    assert str(found("Sistem Operasi punya prasyarat apa?")["cypher"]).endswith(
        "(m2:MK {nama: 'Sistem Operasi'}) RETURN m.nama"
    )
