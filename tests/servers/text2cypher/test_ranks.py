"""Ranks that cut between equals, begin with what has no value, or go by a count of something else (issue 20)."""

from __future__ import annotations

from pathlib import Path

from lab.eval.text2cypher.asking import Writes
from servers.text2cypher.core.agent_loop import AgentLoop
from servers.text2cypher.core.ranks import unranked
from servers.text2cypher.core.workbench import Workbench
from servers.text2cypher.cypher.facts import QueryFacts
from servers.text2cypher.linking.said import counted_label
from tests.servers.text2cypher.test_any_graph import opened
from tests.servers.text2cypher.test_confidence import answered

CALLS = "MATCH (v:Vessel)-[:CALLED_AT]->(h:HarbourTown) RETURN "


def test_a_first_place_that_others_share_is_doubted(harbour: Workbench) -> None:
    most = f"{CALLS}h.name, count(v) AS number ORDER BY number DESC LIMIT "
    least = f"{CALLS}h.name, count(v) AS number ORDER BY number LIMIT "
    first = answered(harbour, "Which harbour town has the most vessels?", f"{most}1")
    shared = answered(harbour, "Which harbour town has the fewest vessels?", f"{least}1")
    assert (first["status"], shared["status"]) == ("success", "uncertain")
    assert shared["doubts"] == ["others rank equally with the last one shown, such as Valletta."]
    asked = answered(harbour, "Which 2 harbour towns have the most vessels?", f"{most}2")
    assert (asked["status"], asked["doubts"]) == ("success", [])  # but which of the equals is the second is arbitrary
    assert asked["answer"].endswith("Others rank equally with the last one shown, such as Valletta.")


def test_a_thing_that_a_path_matches_twice_ties_with_nothing(harbour: Workbench) -> None:
    query = f"{CALLS}v.name, v.built ORDER BY v.built LIMIT 1"
    found = answered(harbour, "Which vessel that called at a harbour town is the oldest?", query)
    assert (found["status"], found["doubts"]) == ("success", [])


def test_so_is_one_that_is_chosen_before_the_return_or_by_two_figures(harbour: Workbench) -> None:
    least = f"{CALLS.partition('RETURN')[0]}WITH h, count(v) AS number ORDER BY number{{}} LIMIT 1"
    asked = "Which harbour town has the fewest vessels?"
    for order in ("", ", number"):
        found = answered(harbour, asked, f"{least.format(order)} RETURN h.name, number")
        assert found["doubts"] == ["others rank equally with the last one shown, such as Valletta."]
    for other in (asked, "What is the name of the harbour town with the fewest vessels?"):  # ranked by no name
        assert answered(harbour, other, f"{least.format(', h.name')} RETURN h.name")["status"] == "uncertain"


def test_one_row_for_several_asked_is_doubted(harbour: Workbench) -> None:
    query = f"{CALLS}h.name, count(v) AS number ORDER BY number DESC LIMIT 1"
    assert answered(harbour, "Which harbour towns have the most vessels?", query)["status"] == "uncertain"


def test_several_asked_for_by_the_most_are_all_ranked(harbour: Workbench) -> None:
    asked, query = "Which harbour towns have the most vessels?", f"{CALLS}h.name, count(v) AS number ORDER BY number"
    assert [answered(harbour, asked, query + way)["status"] for way in (" DESC", "")] == ["success", "uncertain"]
    one = asked.replace("towns have", "town has")
    assert answered(harbour, one, f"{query} DESC")["status"] == "uncertain"
    read = AgentLoop(harbour, Writes("grammar")).run("", asked)
    assert read.final_query is not None and read.final_query.endswith("ORDER BY number DESC")


def test_a_rank_by_a_count_of_something_else_is_doubted(harbour: Workbench) -> None:
    query = (
        "MATCH (s:Skipper)-[:COMMANDS]->(v:Vessel)-[:CALLED_AT]->(h:HarbourTown) "
        "RETURN s.name, count(DISTINCT {}) AS number ORDER BY number DESC LIMIT 1"
    )
    asked = "Which skipper has the most harbour towns?"
    assert [answered(harbour, asked, query.format(of))["status"] for of in ("h", "v")] == ["success", "uncertain"]


def test_the_of_in_a_relationship_s_name_hides_no_count(bench: Workbench) -> None:
    hints = bench.linker.link("Which student outcomes come first by the number of learning goals?")
    assert "PART_OF" in bench.linker.schema.relationships and counted_label(hints, bench.linker) == "LG"


def test_a_rank_that_begins_with_what_has_no_value_is_doubted() -> None:
    facts = QueryFacts.of("MATCH (q:Question) RETURN q.title, q.score ORDER BY q.score DESC LIMIT 2")
    assert unranked(facts, [["a", None], ["b", 3]], _never) == "q.score"
    assert unranked(facts, [["a", 4], ["b", 3]], _never) is None
    unlimited = QueryFacts.of("MATCH (q:Question) RETURN q.title, q.score ORDER BY q.score")
    assert unranked(unlimited, [["a", None]], _never) is None


def _never(query: str) -> None:
    raise AssertionError(f"{query}: the column is there")


def test_so_is_a_group_of_what_has_no_value_in_a_rank() -> None:
    facts = QueryFacts.of("MATCH (u:User) RETURN u.place, count(u) AS n ORDER BY n DESC LIMIT 2")
    assert unranked(facts, [[None, 9], ["Bergen", 3]], _never) == "u.place"
    assert unranked(facts, [["Oban", 9], ["Bergen", 3]], _never) is None


def test_so_is_one_by_what_no_column_shows(tmp_path: Path) -> None:
    sensors = {"nodes.Sensor": "name,reading,height\nAttic,5,2\nBarn,,9\nCellar,7,2\n"}
    bench = opened(tmp_path, sensors)
    query = "MATCH (s:Sensor) RETURN s.name ORDER BY s.{} LIMIT 1"
    highest = answered(bench, "What is the name of the sensor with the highest reading?", query.format("reading DESC"))
    lowest = answered(bench, "What is the name of the sensor with the lowest height?", query.format("height"))
    tallest = answered(bench, "What is the name of the sensor with the highest height?", query.format("height DESC"))
    bench.backend.close()
    assert highest["doubts"] == ["some of those that come first have no value for reading."]
    assert lowest["doubts"] == ["others rank equally with the last one shown, such as Cellar."]
    assert (tallest["status"], tallest["rows"]) == ("success", [["Barn"]])
