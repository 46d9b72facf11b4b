"""First readings of words that aren't written as in the graph: lower case, parts played, far ends (issue 20)."""

from __future__ import annotations

import pytest

from servers.text2cypher.core.workbench import Workbench
from tests.servers.text2cypher.test_any_graph import answered, graph_of

WARDS = {
    "nodes.Visit": "number,reporter,year\n501,Nurse,2001\n502,Guard,2002\n503,Nurse,2003\n504,Cook,2004\n",
    "nodes.Ending": "code,ending\nRC,Recovery\nTR,Transfer\n",
    "nodes.Symptom": "text\nRecovery\nNausea\nFever\n",
    "nodes.Origin": "name\nNurse\nPolice\n",
    "nodes.Remedy": "name\nZenoba\nMoltan\nPirex\n",
    "nodes.Ward": "name,year\nNorth,1990\nSouth,1991\n",
    "edges.CLOSED_WITH": "from_label,from_key,to_label,to_key\nVisit,501,Ending,RC\nVisit,502,Ending,TR\n"
    "Visit,503,Ending,RC\n",
    "edges.SHOWED": "from_label,from_key,to_label,to_key\nVisit,501,Symptom,Nausea\nVisit,503,Symptom,Fever\n"
    "Visit,503,Symptom,Recovery\n",
    "edges.REPORTED_BY": "from_label,from_key,to_label,to_key\nVisit,501,Origin,Nurse\nVisit,504,Origin,Nurse\n",
    "edges.MAIN_SUSPECT": "from_label,from_key,to_label,to_key\nVisit,501,Remedy,Zenoba\nVisit,503,Remedy,Moltan\n",
    "edges.MINOR_SUSPECT": "from_label,from_key,to_label,to_key\nVisit,502,Remedy,Zenoba\nVisit,503,Remedy,Pirex\n",
    "edges.MENTOR": "from_label,from_key,to_label,to_key\nVisit,501,Ward,North\nVisit,502,Ward,South\n",
}
bench = graph_of(WARDS)


@pytest.mark.parametrize(
    ("question", "label", "value"),
    [
        ("Which visits showed nausea?", "Symptom", "Nausea"),
        ("Which visits closed with recovery?", "Ending", "Recovery"),
        ("Which visits were reported by nurses?", "Origin", "Nurse"),
    ],
)
def test_a_value_in_lower_case_is_found_at_the_far_end_of_what_is_said(
    bench: Workbench, question: str, label: str, value: str
) -> None:
    (held,) = bench.linker.link(question).filters
    assert (held.label, held.values) == (label, (value,))


def test_a_word_of_a_language_or_of_a_name_is_no_value(bench: Workbench) -> None:
    assert not bench.linker.link("Which visits have the most symptoms by year?").mentions


def test_a_relationship_said_whole_keeps_another_with_a_part_of_its_words_out(bench: Workbench) -> None:
    related = bench.linker.link("Which remedies were the main suspect?").related
    assert "MAIN_SUSPECT" in related and "MINOR_SUSPECT" not in related


def test_who_plays_a_part_that_a_relationship_is_called_like_is_shown(bench: Workbench) -> None:
    question = "Who are the mentors in visits of the year 2001?"
    pattern = "MATCH (v:Visit)-[:MENTOR]->(w:Ward) WHERE v.year = 2001 RETURN "
    assert answered(bench, question, f"{pattern}w.name") == "success"
    assert answered(bench, question, f"{pattern}v") == "uncertain"
    readings = bench.composer.readings(bench.linker.link(question))
    assert "RETURN b.name" in readings[0].queries[0] or "RETURN DISTINCT b.name" in readings[0].queries[0]


def test_named_relationships_and_a_far_value_are_joined_by_three_steps(bench: Workbench) -> None:
    question = "Which remedies were the main suspect in visits that closed with recovery and were reported by police?"
    found = [reading.match for reading in bench.composer.readings(bench.linker.link(question))]
    assert any(all(kind in match for kind in ("MAIN_SUSPECT", "CLOSED_WITH")) for match in found)


def test_some_of_more_without_an_order_is_doubted(bench: Workbench) -> None:
    query = "MATCH (v:Visit)-[:MAIN_SUSPECT]->(r:Remedy) RETURN DISTINCT r.name LIMIT 1"
    assert answered(bench, "Which 1 remedy was the main suspect?", query) == "uncertain"


def test_the_most_common_of_what_one_relationship_reaches_are_counted_by_it(bench: Workbench) -> None:
    question = "What are the two most common endings?"
    counted = "MATCH (v:Visit)-[:CLOSED_WITH]->(e:Ending) RETURN e.ending, count(v) AS n ORDER BY n DESC LIMIT 2"
    assert answered(bench, question, counted) == "success"
    assert answered(bench, question, "MATCH (e:Ending) RETURN e.ending LIMIT 2") == "uncertain"


def test_a_bounded_number_is_of_the_named_label_that_has_it(bench: Workbench) -> None:
    assert [held.label for held in bench.linker.link("Which visits have the year 2001?").filters] == ["Visit"]
