"""What a hosted model writes reaches the reader as it was written, with the rows Neo4j would give (issue 20)."""

from __future__ import annotations

from typing import Any

import pytest

from lab.eval.text2cypher.asking import Writes
from servers.text2cypher.core.agent_loop import AgentLoop
from servers.text2cypher.core.answer import ask
from servers.text2cypher.core.workbench import Workbench

ASKED = "Which vessels are there?"
CALLED = "MATCH (v:Vessel)-[:CALLED_AT]->(h:HarbourTown) "
BERTHS = CALLED + "WITH v, collect(h.berths) AS b "
OBAN = "(v)-[:CALLED_AT]->(:HarbourTown {name: 'Oban'})"
LINE = "(a:Skipper {name: 'Ingrid Dahl'})-[:TAUGHT*]->(b:Skipper {name: 'Marco Vella'})"


def written(bench: Workbench, query: str) -> dict[str, Any]:
    """What is answered to a model that writes this, whatever it is told."""
    model = Writes()
    model.query = query
    return ask(bench, AgentLoop(bench, model), ASKED)


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        (
            "MATCH (s:Skipper) OPTIONAL MATCH (s)-[:TAUGHT]->(t) RETURN s.name, coalesce(t.name, '-') ORDER BY s.born",
            [["Ingrid Dahl", "Ann Reid"], ["Marco Vella", "-"], ["Ann Reid", "Marco Vella"]],
        ),
        (f"MATCH (v:Vessel) WHERE EXISTS {{ {OBAN} }} RETURN v.name", [["Orkney Star"]]),
        (
            f"MATCH (v:Vessel) WHERE NOT EXISTS {{ {OBAN} }} RETURN v.name ORDER BY v.name",
            [["Blue Heron"], ["Sea Wolf"]],
        ),
        (
            "MATCH (v:Vessel) WHERE EXISTS { MATCH (v)-[:CALLED_AT]->(h) WHERE h.berths < 5 } RETURN v.name",
            [["Orkney Star"]],
        ),
        ("MATCH (v:Vessel) WHERE COUNT { (v)-[:CALLED_AT]->() } > 1 RETURN v.name", [["Orkney Star"]]),
        (
            "MATCH (v:Vessel) RETURN v.name, COUNT { (v)-[:CALLED_AT]->(:HarbourTown) } AS n ORDER BY n DESC LIMIT 1",
            [["Orkney Star", 2]],
        ),
        (CALLED + "RETURN v.name, size(collect(h.name)) AS n ORDER BY n DESC LIMIT 1", [["Orkney Star", 2]]),
        (BERTHS + "WHERE all(x IN b WHERE x > 8) RETURN v.name", [["Blue Heron"]]),
        (BERTHS + "WHERE any(x IN b WHERE x < 5) RETURN v.name", [["Orkney Star"]]),
        (BERTHS + "WHERE none(x IN b WHERE x > 8) RETURN v.name", [["Sea Wolf"]]),
        (BERTHS + "WHERE single(x IN b WHERE x < 5) RETURN v.name", [["Orkney Star"]]),
        (
            "WITH [1, 2, 3] AS b RETURN head(b), last(b), tail(b), reverse(b), [x IN b WHERE x > 1 | x * 2]",
            [[1, 3, [2, 3], [3, 2, 1], [4, 6]]],
        ),
        ("RETURN reverse('abc')", [["cba"]]),
        ("RETURN date('2024-05-06').month, datetime('2023-01-02T03:04:05').year", [[5, 2023]]),
        ("MATCH (v:Vessel) WHERE v.built > date().year RETURN count(v) = 0", [[True]]),
        ("RETURN date('2024-01-31') + duration({days: 1}), date('2024-01-31') + duration('P1M')", None),
        ("RETURN duration.inDays(date('2024-02-01'), date('2024-03-01')).days", [[29]]),
        ("MATCH (:Skipper {name: 'Ingrid Dahl'})-[:TAUGHT*2]->(s) RETURN s.name", [["Marco Vella"]]),
        (
            "MATCH (:Skipper {name: 'Ingrid Dahl'})-[:TAUGHT*1..3]->(s) RETURN s.name ORDER BY s.name",
            [["Ann Reid"], ["Marco Vella"]],
        ),
        (f"MATCH p = {LINE} RETURN length(p)", [[2]]),
        (
            f"MATCH p = shortestPath({LINE}) RETURN [n IN nodes(p) | n.name]",
            [[["Ingrid Dahl", "Ann Reid", "Marco Vella"]]],
        ),
        (f"MATCH p = allShortestPaths({LINE}) RETURN length(p)", [[2]]),
        (
            "MATCH (v:Vessel) RETURN v.flag AS place UNION MATCH (h:HarbourTown) RETURN h.country AS place",
            [["Malta"], ["Norway"], ["Scotland"]],
        ),
        (
            "MATCH (v:Vessel) RETURN v.name, CASE WHEN v.built < 2000 THEN 'old' ELSE 'new' END ORDER BY v.built",
            [["Orkney Star", "old"], ["Blue Heron", "new"], ["Sea Wolf", "new"]],
        ),
        ("MATCH (v:Vessel) RETURN sum(CASE v.flag WHEN 'Malta' THEN 1 ELSE 0 END) AS n", [[2]]),
        (
            CALLED + "WITH h, count(v) AS n WHERE n > 1 WITH h ORDER BY n DESC LIMIT 1 "
            "MATCH (h)<-[:CALLED_AT]-(w) RETURN h.name, w.name ORDER BY w.name",
            [["Bergen", "Blue Heron"], ["Bergen", "Orkney Star"]],
        ),
        (
            "UNWIND ['Oban', 'Valletta'] AS town MATCH (v)-[:CALLED_AT]->(:HarbourTown {name: town}) "
            "RETURN town, collect(v.name)",
            [["Oban", ["Orkney Star"]], ["Valletta", ["Sea Wolf"]]],
        ),
        ("MATCH (v:Vessel) WHERE toLower(v.name) CONTAINS 'star' RETURN v.name", [["Orkney Star"]]),
        ("MATCH (v:Vessel) WHERE v.name STARTS WITH 'Sea' AND v.name ENDS WITH 'Wolf' RETURN v.name", [["Sea Wolf"]]),
        ("MATCH (v:Vessel) WHERE v.name =~ '(?i).*wolf' RETURN v.name", [["Sea Wolf"]]),
        ("MATCH (n) WHERE n:Vessel OR n:Skipper RETURN count(n)", [[6]]),
        (
            "MATCH (v:Vessel {name: 'Sea Wolf'}) RETURN v {.name, year: v.built}, properties(v), keys(v)",
            [
                [
                    {"name": "Sea Wolf", "year": 2015},
                    {"name": "Sea Wolf", "built": 2015, "flag": "Malta"},
                    ["name", "built", "flag"],
                ]
            ],
        ),
    ],
)
def test_a_valid_query_is_returned_as_written_with_its_rows(
    harbour: Workbench, query: str, rows: list[list[Any]] | None
) -> None:
    found = written(harbour, query)
    assert (found["status"] != "failed", found["cypher"]) == (True, query), found["attempts"][-1]
    assert found["rows"] == (rows or [["2024-02-01", "2024-02-29"]])


@pytest.mark.parametrize(
    ("query", "told"),
    [
        (BERTHS + "RETURN reduce(t = 0, x IN b | t + x)", "reduce"),
        ("MATCH (v:Vessel) RETURN [(v)-[:CALLED_AT]->(h) | h.name]", "collect(b)"),
        ("MATCH (v:Vessel) RETURN v {.*}", "tulis v saja"),
        ("MATCH (v:Vessel {name: $name}) RETURN v.built", "$name"),
        ("RETURN duration.between(date('2024-01-01'), date()).days", "duration.inDays"),
        (
            "MATCH (v:Vessel) WHERE all(x IN ['Oban'] WHERE EXISTS { (v)-[:CALLED_AT]->({name: x}) }) RETURN v.name",
            "EXISTS {",
        ),
        ("MATCH (v:Vessel) CALL { WITH v RETURN 1 AS n } RETURN n", "CALL"),
    ],
)
def test_what_the_engine_cannot_run_is_named_in_the_feedback(harbour: Workbench, query: str, told: str) -> None:
    found = written(harbour, query)
    assert found["status"] == "failed"
    assert told in found["attempts"][0]["validation"][-1]["error_message"]
