"""Words that fit several names of the graph, ends of a relationship that no wording says, what is denied (issue 20)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lab.eval.text2cypher.asking import Writes
from servers.text2cypher.core.agent_loop import AgentLoop
from servers.text2cypher.core.answer import ask
from servers.text2cypher.core.meant import doubts_of_choice
from servers.text2cypher.core.workbench import Workbench
from tests.servers.text2cypher.test_any_graph import answered, graph_of, opened

FORUM = {
    "nodes.Reply": "name,chosen,score\nr1,true,3\nr2,false,5\nr3,false,1\n",
    "nodes.Thread": "name,chosen_reply_id,town\nt1,r1,Oban\nt2,,Oslo\nt3,,Oslo\n",
    "nodes.Remark": "name,score,town\nm1,2,Oban\nm2,4,Oban\nm3,4,Kyle\n",
    "edges.IN": "from_label,from_key,to_label,to_key\nReply,r1,Thread,t1\nReply,r2,Thread,t1\nReply,r3,Thread,t2\n",
}
forum = graph_of(FORUM)


@pytest.mark.parametrize(
    ("question", "query", "status"),
    [
        ("What is the average score?", "MATCH (r:Reply) RETURN avg(r.score)", "uncertain"),
        ("What is the average score of the replies?", "MATCH (r:Reply) RETURN avg(r.score)", "success"),
        ("How many are in Oban?", "MATCH (m:Remark {town: 'Oban'}) RETURN count(m)", "uncertain"),
        ("How many remarks are in Oban?", "MATCH (m:Remark {town: 'Oban'}) RETURN count(m)", "success"),
        ("How many are in Kyle?", "MATCH (m:Remark {town: 'Kyle'}) RETURN count(m)", "success"),  # nothing else is
        ("How many replies are chosen?", "MATCH (r:Reply {chosen: true}) RETURN count(r)", "success"),
        (
            "How many threads have a chosen reply?",
            "MATCH (:Reply {chosen: true})-[:IN]->(t:Thread) RETURN count(DISTINCT t)",
            "uncertain",
        ),
    ],
)
def test_a_word_that_fits_several_names_is_doubted(forum: Workbench, question: str, query: str, status: str) -> None:
    assert answered(forum, question, query) == status


def test_the_doubt_says_what_the_word_fits(forum: Workbench) -> None:
    held = Writes()
    held.query = "MATCH (:Reply {chosen: true})-[:IN]->(t:Thread) RETURN count(DISTINCT t)"
    found = ask(forum, AgentLoop(forum, held), "How many threads have a chosen reply?")
    assert found["doubts"] == ["the words fit each of these, and the query takes one of them: chosen, chosen reply id."]


def _first(bench: Workbench, question: str) -> dict[str, Any]:
    """The answer without a model."""
    return ask(bench, AgentLoop(bench, Writes("grammar")), question)


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("Apakah Aljabar Linear punya prasyarat?", False),  # it is one, and has none
        ("Does Aljabar Linear have a prerequisite?", False),
        ("Does Statistika have any prerequisites?", True),
        ("Apakah Aljabar Linear menjadi prasyarat?", True),
        ("Apakah Aljabar Linear tidak punya prasyarat?", True),
    ],
)
def test_the_course_that_is_asked_about_stands_at_the_end_that_is_said(
    bench: Workbench, question: str, value: bool
) -> None:
    found = _first(bench, question)
    assert (found["rows"], found["status"]) == ([[value]], "success")


@pytest.mark.parametrize(
    "question",
    [
        "Ada berapa mata kuliah yang tidak punya prasyarat apa pun?",
        "Ada berapa mata kuliah yang tak memerlukan prasyarat apa-apa?",
        "Berapa banyak mata kuliah yang belum punya prasyarat?",
        "How many courses are without prerequisites?",
    ],
)
def test_a_denied_prerequisite_is_one_that_the_course_would_have(bench: Workbench, question: str) -> None:
    found = _first(bench, question)
    assert (found["rows"], found["status"]) == ([[10]], "success")


def test_an_end_that_no_wording_says_is_doubted(bench: Workbench) -> None:
    found = _first(bench, "Berapa jumlah prasyarat yang dimiliki Aljabar Linear?")
    assert found["status"] == "uncertain" and "PREREQUISITE" in found["doubts"][0]


def test_the_first_few_of_no_more_than_there_are_need_no_order(forum: Workbench) -> None:
    query = "MATCH (r:Remark {{town: '{}'}}) RETURN r.name LIMIT 2"
    asked = "List the names of the first 2 remarks in {}"
    assert [answered(forum, asked.format(town), query.format(town)) for town in ("Oban", "Kyle")] == ["success"] * 2
    assert (
        answered(forum, "List the names of the first 2 remarks", "MATCH (r:Remark) RETURN r.name LIMIT 2")
        == "uncertain"
    )


def test_two_properties_that_are_equal_are_the_same(tmp_path: Path) -> None:
    held = opened(tmp_path, {"nodes.Parcel": "name,origin,goal\np1,Oban,Oslo\np2,Kyle,Kyle\n"})
    query = "MATCH (p:Parcel) WHERE p.origin = p.goal RETURN p.name"
    assert answered(held, "List the names of the parcels whose origin and goal are the same", query) == "success"
    held.backend.close()


TWICE = {
    "nodes.Member": "name,town,followers,following\nSol,Oban,3,9\nada,Kyle,4,2\n",
    "nodes.Tag": "name\nSol\nSea\n",
    "nodes.Post": "name,likes,likability\np1,3,7\np2,5,1\np3,1,4\n",
    "edges.WRITES": "from_label,from_key,to_label,to_key\nMember,Sol,Post,p1\nMember,ada,Post,p2\nMember,ada,Post,p3\n",
    "edges.MENTIONS": "from_label,from_key,to_label,to_key\nPost,p2,Member,Sol\nPost,p1,Tag,Sea\n",
    "edges.TAGGED": "from_label,from_key,to_label,to_key\nPost,p3,Tag,Sol\n",
}
twice = graph_of(TWICE)
_POST = "MATCH (p:Post)"


@pytest.mark.parametrize(
    ("question", "query", "status"),
    [
        ("Which members mention 'Sol'?", "MATCH (m:Member {name: 'Sol'}) RETURN m.name", "uncertain"),
        (
            "Which posts mention the member 'Sol'?",
            f"{_POST}-[:MENTIONS]->(:Member {{name: 'Sol'}}) RETURN p",
            "success",
        ),
        ("Which posts are by 'Sol'?", f"{_POST}-[:TAGGED]->(t:Tag) WHERE t.name = 'Sol' RETURN p.name", "uncertain"),
        ("Which posts are tagged 'Sol'?", f"{_POST}-[:TAGGED]->(t:Tag) WHERE t.name = 'Sol' RETURN p.name", "success"),
        ("List the posts and their likes.", f"{_POST} RETURN p.likes", "uncertain"),
    ],
)
def test_a_relationships_verb_and_a_name_of_two_things_are_not_passed_over(
    twice: Workbench, question: str, query: str, status: str
) -> None:
    assert answered(twice, question, query) == status


def test_things_and_their_properties_are_both_shown(twice: Workbench) -> None:
    assert _first(twice, "List the posts and their likes.")["columns"] == ["a.name", "a.likes"]


def test_a_word_that_is_a_propertys_own_names_no_other_of_its_root(twice: Workbench) -> None:
    assert "following" not in twice.linker.link("Which members have 3 followers?").related


def test_of_things_that_a_relationship_joins_one_that_no_word_names_is_only_guessed(twice: Workbench) -> None:
    for label, kinds in (("Member", ["guessed"]), ("Tag", [])):  # only tags are tagged, tags are mentioned too
        kind = "MENTIONS" if label == "Member" else "TAGGED"
        query = f"MATCH (a:Post)-[r:{kind}]->(b:{label}) RETURN a.name"
        hints = twice.linker.link("Which posts mention one?" if label == "Member" else "Which posts are tagged?")
        found = doubts_of_choice(hints, query, [], [query], twice.linker, lambda _: [])
        assert [doubt.kind for doubt in found if doubt.kind != "columns"] == kinds
