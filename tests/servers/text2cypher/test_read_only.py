"""Nothing but reading the graph gets through (issue 8, bad input; seed 004 §3.2)."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from servers.text2cypher.cypher.guard import NotReadOnlyError, ensure_read_only
from servers.text2cypher.cypher.tokens import CypherSyntaxError
from servers.text2cypher.graph.backend import Problem, QueryError
from servers.text2cypher.graph.embedded import EmbeddedBackend
from servers.text2cypher.graph.folder import CURRICULUM


@pytest.mark.parametrize(
    "query",
    [
        "CREATE (:MK {kode: 'X'})",
        "MATCH (m:MK) SET m.sks = 9 RETURN m",
        "match (m:MK) detach delete m",
        "MATCH (m:MK) REMOVE m.sks RETURN m",
        "LOAD FROM '/etc/passwd' RETURN *",
        "COPY (MATCH (m:MK) RETURN m.nama) TO '/tmp/out.csv'",
        "EXPLAIN EXPORT DATABASE '/tmp/x'",
        "EXPLAIN MATCH (m) RETURN m; COPY (RETURN 1) TO '/tmp/x.csv'",
        "MATCH (m:MK) RETURN m; DROP TABLE MK",
        "CALL show_tables() RETURN *",
        "MATCH (m) CALL { DELETE m } RETURN 1",
        "INSTALL httpfs",
        "ATTACH '/tmp/x' AS y",
        "MATCH (m) /* ' */ DELETE m /* ' */ RETURN 1",
        "MATCH (m) // it's\nDELETE m RETURN 1",
        "MATCH (m {nama: '/*'}) DELETE m RETURN '*/'",
        "RETURN 1 " + " " * 20_000,
    ],
)
def test_a_query_that_could_do_more_than_read_is_refused(query: str) -> None:
    with pytest.raises(NotReadOnlyError):
        ensure_read_only(query)


@pytest.mark.parametrize(
    "query", ["", ";", "MATCH (m {nama: 'x}) RETURN m", "MATCH (`m) RETURN 1", "MATCH /* RETURN 1"]
)
def test_what_is_not_cypher_is_named_as_such(query: str) -> None:
    with pytest.raises(CypherSyntaxError):
        ensure_read_only(query)


HIDDEN = [
    r"MATCH (m) WHERE m.nama = '\u0027 CALL apoc.cypher.doIt(x,{}) YIELD value RETURN value //' RETURN m",
    r"MATCH (m) WHERE m.nama = 'a\\u0027 LOAD CSV FROM x AS l RETURN l //' RETURN m",
    r'MATCH (m) WHERE m.nama = "\u0022 CALL db.labels() //" RETURN m',
    r"MATCH (m) /* \u002A\u002F CALL db.labels() /* */ RETURN m",
    r"MATCH (m) // \u000A LOAD CSV FROM 'file:///etc/passwd' AS l RETURN l",
    r"MATCH (m) RETURN m \u0043ALL db.labels()",
    r"MATCH (m) RETURN `a\u0060 CALL db.labels() //`",
    r"MATCH (m) RETURN '\U00000027 CALL db.labels() //'",
    "MATCH (m) // x\rCALL db.labels() YIELD label RETURN label",
    "MATCH (m) // x\x85CALL db.labels() YIELD label RETURN label",
    "MATCH (m) // x\u2028CALL db.labels() YIELD label RETURN label",
    "MATCH (m) // x\x0cCALL db.labels() YIELD label RETURN label",
    "MATCH (m) RETURN m /* /* */ CALL db.labels() */",
    "MATCH (m) CA\u200bLL db.labels() RETURN 1",
    "MATCH (m) CA\x00LL db.labels() RETURN 1",
    "\ufeffCALL db.labels() YIELD label RETURN label",
    "MATCH (m)\u00a0LOAD\u2003CSV FROM 'x' AS l RETURN l",
    "MATCH (m) RETURN m\x1cDELETE m",
    "MATCH (m {nama: 'a\x00'}) RETURN m",
    "MATCH (m {nama: 'a\u202e'}) RETURN m",
]


@pytest.mark.parametrize("query", HIDDEN)
def test_what_another_engine_would_read_otherwise_is_no_cypher(query: str) -> None:
    """Issue 15, row 13: Neo4j decodes escapes before it reads, and a bare carriage return ends its comments."""
    with pytest.raises(CypherSyntaxError):
        ensure_read_only(query)


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (m:MK) // satu\r\n  RETURN m.nama\r\n",
        "MATCH (m:MK {nama: 'Kañangan é – 日本'}) /* catatan */ RETURN m",
        r"MATCH (m {nama: 'it\'s \\ \n'}) RETURN m",
        "MATCH (m:MK) WHERE m.nama = 'DELETE; CREATE' RETURN m.set",
        "MATCH (m:MK {load: 1}) RETURN {copy: m.nama, use: 1};",
    ],
)
def test_words_inside_strings_and_names_are_harmless(query: str) -> None:
    assert ensure_read_only(query)


def test_the_engine_process_can_neither_read_nor_write_files(backend: EmbeddedBackend, tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    for query in (
        "LOAD FROM '/etc/passwd' (file_format='csv', header=false) RETURN *",
        f"COPY (MATCH (m:MK) RETURN m.nama) TO '{target}'",
        f"EXPORT DATABASE '{tmp_path / 'dump'}'",
        "CREATE (:SO {_key: 'X', kode: 'X'})",
    ):
        answer = backend._exchange({"op": "run", "query": query})
        assert answer["ok"] is False, query
    assert not target.exists() and not (tmp_path / "dump").exists()


def test_a_query_without_end_is_stopped_and_a_big_one_cut() -> None:
    engine = EmbeddedBackend(CURRICULUM, row_cap=50, timeout_s=2)
    try:
        many = engine.run("MATCH (a:MK), (b:MK), (c:MK) RETURN a.nama, b.nama, c.nama")
        assert len(many.rows) == 50 and many.truncated
        with pytest.raises(QueryError) as stopped:
            engine.run("UNWIND range(1, 100000000) AS x UNWIND range(1, 100000000) AS y RETURN sum(x * y)")
        assert stopped.value.problem is Problem.EXECUTION
        with pytest.raises(QueryError, match="memori mesin graf; persempit"):
            engine.run("UNWIND range(1, 1000000000) AS x RETURN x")
        assert engine.run("MATCH (s:SO {kode: 'KP.1'}) RETURN s.kode").rows == [["KP.1"]]
    finally:
        engine.close()


def test_a_killed_engine_comes_back_with_the_next_query(tmp_path: Path) -> None:
    engine = EmbeddedBackend(CURRICULUM)
    try:
        engine.run("RETURN 1")
        assert engine._process is not None
        os.kill(engine._process.pid, signal.SIGKILL)
        engine._process.wait(timeout=300)
        assert engine.run("MATCH (m:MK) RETURN count(m)").rows == [[60]]
    finally:
        engine.close()
