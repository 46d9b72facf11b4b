"""What Neo4j allows and the embedded engine doesn't gives the same rows here (issue 8, validators)."""

from __future__ import annotations

from typing import Any

import pytest

from servers.text2cypher.cypher.rewrite import for_embedded
from servers.text2cypher.graph.backend import Problem, QueryError
from servers.text2cypher.graph.embedded import EmbeddedBackend


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        ("MATCH (m:MK WHERE m.sks > 3) RETURN m.sks ORDER BY m.sks", [[4], [6]]),
        ("MATCH (m:MK WHERE m.sks > 3) WHERE m.semester = 8 OR m.semester = 1 RETURN m.nama", [["Skripsi"]]),
        ("MATCH (m:MK) WHERE 3 < m.sks <= 6 RETURN DISTINCT m.sks ORDER BY m.sks", [[4], [6]]),
        ("MATCH (n) WHERE n:SO AND n.kode = 'KP.1' RETURN n.kode", [["KP.1"]]),
        ("MATCH (m:MK {nama: 'Skripsi'}) RETURN toString(m.sks), labels(m)", [["6", ["MK"]]]),
        ("MATCH (:MK {nama: 'Skripsi'})<-[r]-(:LG) RETURN DISTINCT type(r)", [["PURSUED_IN"]]),
        ("MATCH (m:MK) WHERE exists(m.jalur) RETURN count(m)", [[24]]),
        ("WITH {order: true, is: false} AS held RETURN held", [[{"order": True, "is": False}]]),
        ("MATCH (m:MK {semester: 8}) WHERE exists((:MK)-[:PREREQUISITE]->(m)) RETURN m.nama", [["Skripsi"]]),
        ("MATCH (m:MK {semester: 8}) WITH m ORDER BY m.nama RETURN head(collect(m.nama))", [["Skripsi"]]),
        ("MATCH (s:SO) WHERE exists { (s)-[:PURSUED_IN]->(:MK {nama: 'Skripsi'}) } RETURN count(s) > 0", [[True]]),
        ("MATCH (m:MK {nama: 'Skripsi'}) RETURN count{ (:MK)-[:PREREQUISITE]->(m) } > 0", [[True]]),
        ("MATCH (m:MK {nama: 'Skripsi'}) RETURN size((:MK)-[:PREREQUISITE]->(m)) > 0", [[True]]),
        ("WITH ['a', 'b', 'c'] AS held RETURN held[0], held[1], held[0..2]", [["a", "b", ["a", "b"]]]),
        ("RETURN substring('Cypher', 0, 3), substring('Cypher', 4), split('a-b', '-')[1]", [["Cyp", "er", "b"]]),
        ("RETURN round(2.5), round(2.55, 1), toUpper('a')", [[3.0, 2.6, "A"]]),
        ("RETURN duration.inDays(date('2024-02-01'), date('2024-03-01')).days", [[29]]),
        ("RETURN date('1996-07-04 00:00:00.000') < date('1996-07-05')", [[True]]),
        ("MATCH (m:MK {nama: 'Skripsi'}) RETURN m.sks AS `jumlah sks`", [[6]]),
        ("RETURN [x IN [1, 2, 3] WHERE x > 1 | x * 10]", [[[20, 30]]]),
        ("UNWIND [2, 4, 4, 4, 5, 5, 7, 9] AS x RETURN stDevP(x), round(stDev(x), 4)", [[2.0, 2.1381]]),
        ("RETURN stDev(3), stDevP(3)", [[0.0, 0.0]]),
        (
            "MATCH p = shortestPath((a:MK {nama: 'Basis Data'})-[:PREREQUISITE*..9]->(b:MK {nama: 'Data Raya'})) "
            "RETURN length(p)",
            [[2]],
        ),
    ],
)
def test_neo4j_cypher_runs_embedded(backend: EmbeddedBackend, query: str, rows: list[list[Any]]) -> None:
    assert backend.run(query).rows == rows


def test_an_edge_is_used_once_in_a_match(backend: EmbeddedBackend) -> None:
    pairs = backend.run("MATCH (a:MK {nama: 'Data Raya'})<-[:PREREQUISITE]-(b)-[:PREREQUISITE]->(c) RETURN c.nama").rows
    assert ["Data Raya"] not in pairs
    two_matches = backend.run(
        "MATCH (a:MK {nama: 'Data Raya'})<-[:PREREQUISITE]-(b) MATCH (b)-[:PREREQUISITE]->(c) RETURN c.nama"
    ).rows
    assert len(two_matches) == len(pairs) + 2


def test_an_existing_where_stays_whole() -> None:
    query = "MATCH (a:MK)-[:PREREQUISITE]->(b)-[:PREREQUISITE]->(c) WHERE a.sks = 2 OR b.sks = 2 RETURN a.nama"
    assert "WHERE id(_r0) <> id(_r1) AND ( a.sks = 2 OR b.sks = 2)" in for_embedded(query)


def test_what_cannot_be_rewritten_is_refused_in_words(backend: EmbeddedBackend) -> None:
    with pytest.raises(QueryError) as refused:
        backend.run("MATCH (m:MK) RETURN reduce(t = 0, x IN [1, 2] | t + x)")
    assert refused.value.problem is Problem.SYNTAX and "reduce" in str(refused.value)


def test_nodes_come_without_the_engines_own_keys(backend: EmbeddedBackend) -> None:
    ((so,),) = backend.run("MATCH (s:SO {kode: 'KP.4'}) RETURN s").rows
    assert so == {"kode": "KP.4", "deskripsi": "Membangun perangkat lunak yang benar dan andal"}


@pytest.mark.parametrize("call", ["duration.between(date('2024-01-01'), date())", "rand()"])
def test_what_the_engine_has_not_is_told_with_another_way(backend: EmbeddedBackend, call: str) -> None:
    with pytest.raises(QueryError, match="tidak didukung mesin tertanam; "):
        backend.run(f"RETURN {call}")
