"""What is shown of nodes that a key tells apart, that have a sentence for a title, or that hold lists (issue 20)."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from lab.eval.text2cypher.asking import Writes
from servers.text2cypher.core.agent_loop import AgentLoop
from servers.text2cypher.core.answer import ask
from servers.text2cypher.core.headings import headings
from servers.text2cypher.core.llm_client import Completion, LLMError
from servers.text2cypher.core.workbench import Workbench
from servers.text2cypher.cypher.facts import QueryFacts
from servers.text2cypher.linking.language import languages
from tests.servers.text2cypher.test_any_graph import graph_of, opened

MUSEUM = {
    "types": "label,property,type\nGUARDS,shifts,STRING[]\n",
    "nodes.Report": "_key,title,created_date,read_count\n"
    "a,Why the roof of the north hall has leaked since spring,1546300800,5\n"
    "b,What the bronze figures of the second room are made of,1583020800,9\n"
    "c,How many of the coins in the old cellar are false,1609459200,2\n",
    "nodes.Curator": "_key,curatorID,name,born\n1,C-1,Ana Moss,1960\n2,C-2,Per Lind,1975\n3,C-3,Ida Holt,1980\n",
    "nodes.Hall": "_key,name\n1,North\n2,South\n",
    "edges.WROTE": "from_label,from_key,to_label,to_key\nCurator,1,Report,a\nCurator,1,Report,b\nCurator,2,Report,c\n",
    "edges.GUARDS": 'from_label,from_key,to_label,to_key,shifts\nCurator,1,Hall,1,"[""early"", ""late""]"\n'
    'Curator,2,Hall,2,"[""late""]"\nCurator,3,Hall,2,"[""early"", ""late"", ""night""]"\n',
}
bench = graph_of(MUSEUM)


@pytest.mark.parametrize(
    ("question", "query"),
    [
        ("Which reports were written by 'Per Lind'?", "RETURN b"),  # a sentence is no name
        ("What are the 2 most read reports?", "RETURN a ORDER BY a.read_count DESC LIMIT 2"),
        ("Which curators were born after 1970?", "RETURN a"),  # a key tells them apart, a name is one thing of several
        ("What are the names of the curators born after 1970?", "RETURN a.name"),
        ("Which halls does 'Per Lind' guard?", "RETURN b.name"),  # nothing else is known of them
        ("Which curators have more than 1 report?", "WHERE number > 1 RETURN a"),
        ("Which reports were created before the year 2020?", "WHERE a.created_date < 1577836800 RETURN a"),
        ("Which reports were created in 2020?", ">= 1577836800 AND a.created_date < 1609459200 RETURN a"),
        ("Which halls are guarded by curators who have never written a report?", "NOT (a)-[:WROTE]->(:Report)"),
        ("Which curator has the most shifts?", "size(r.shifts)"),
    ],
)
def test_the_first_reading_shows_what_the_wording_asks_for(bench: Workbench, question: str, query: str) -> None:
    found = ask(bench, AgentLoop(bench, Writes("grammar")), question)
    assert query in (found["cypher"] or ""), found["cypher"]


def test_a_node_that_is_shown_whole_is_called_by_its_name_in_the_sentence(bench: Workbench) -> None:
    found = ask(bench, AgentLoop(bench, Writes("grammar")), "Which curators were born after 1976?")
    assert found["rows"] == [[{"curatorID": "C-3", "name": "Ida Holt", "born": 1980}]]
    assert "Ida Holt" in found["answer"] and "C-3" not in found["answer"]
    assert found["status"] == "success"  # nobody said whether the name or everything is asked for: a note says so
    assert found["answer"].endswith("'all details of …'.")


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        (
            "MATCH (a:Curator)-[r:GUARDS]->(b:Hall) RETURN a, b.`floor level`, r.`shifts`",
            ["Curator", "floor level", "shifts"],
        ),
        ("MATCH (a:Curator), (b:Hall) RETURN a.name, b.name", ["name (Curator)", "name (Hall)"]),
        (
            "MATCH (a:Report) RETURN avg(a.readCount), count(DISTINCT a), count(*)",
            ["average read count", "number (Report)", "number"],
        ),
        (
            "MATCH (a:Report) RETURN a.read_count + 1, size(collect(a)) AS all_of_them",
            ["a.read_count + 1", "all of them"],
        ),
    ],
)
def test_a_column_is_said_in_words_and_with_its_label_where_two_would_be_the_same(query: str, shown: list[str]) -> None:
    facts = QueryFacts.of(query)
    assert headings(facts.columns, facts, languages().voices["en"].answers) == shown


class Silent(Writes):
    """A model that can be held to a grammar and doesn't answer."""

    def complete(self, *_: object, **__: object) -> Completion:
        raise LLMError("down")


PUMPS = {
    "nodes.Water Pump": "_key,pump name,flow rate\n1,North,12.5\n2,South,30.25\n",
    "nodes.Well": "_key,well name\n1,Alder Creek\n2,Bridge End\n",
    "edges.FED BY": "from_label,from_key,to_label,to_key\nWater Pump,1,Well,1\nWater Pump,2,Well,1\n",
}


@pytest.mark.parametrize(
    ("question", "rows", "said"),
    [
        ("What is the flow rate of the water pump 'North'?", [[12.5]], "The answer"),
        ("How many water pumps have a flow rate above 12.5?", [[1]], "The answer"),
        ("How many water pumps have a flow rate between 12.4 and 30.3?", [[2]], "The answer"),
        (
            "What are the names of the water pumps fed by alder creak?",
            [["North"], ["South"]],
            "Supposing 'alder creak'",
        ),
        (
            "What are the names of the water pumps fed by the Aldr Creek?",
            [["North"], ["South"]],
            "Supposing 'Aldr Creek'",
        ),
    ],
)
def test_names_with_blanks_decimals_and_names_misspelt_in_lower_case_are_read(
    tmp_path: Path, question: str, rows: list[list[object]], said: str
) -> None:
    bench = opened(tmp_path, PUMPS)
    with closing(bench.backend):
        found = ask(bench, AgentLoop(bench, Writes("grammar")), question)
    assert (found["rows"], found["status"]) == (rows, "success"), found["answer"]
    assert found["answer"].startswith(said)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("MATCH (m:Well) RETURN m", "run_cypher"),
        ("MATCH (m:Well) DELETE m", "hanya bisa dibaca"),
        ("What is the capital of France?", "language model gave no answer"),
    ],
)
def test_a_query_is_no_question_and_what_names_nothing_of_the_graph_has_no_reading(
    tmp_path: Path, question: str, said: str
) -> None:
    bench = opened(tmp_path, PUMPS)
    with closing(bench.backend):
        found = ask(bench, AgentLoop(bench, Silent("grammar")), question)
    assert (found["status"], found["cypher"]) == ("failed", None) and said in found["answer"]
