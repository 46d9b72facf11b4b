"""A Cypher script becomes a graph folder, and questions are asked of it (issue 20, any graph)."""

from __future__ import annotations

from pathlib import Path

import pytest

from servers.text2cypher import cli
from servers.text2cypher.cypher.tokens import tokenize
from servers.text2cypher.graph.embedded import EmbeddedBackend
from servers.text2cypher.loading.cursor import Cursor, ScriptError
from servers.text2cypher.loading.expressions import expression
from servers.text2cypher.loading.folder import write
from servers.text2cypher.loading.script import carry_out
from tests.scripted_model import in_turn, scripted_model

FILMS = """
CREATE CONSTRAINT film IF NOT EXISTS FOR (f:Film) REQUIRE f.title IS UNIQUE;
// two films, three people
CREATE (Storm:Film {title: 'The Storm', year: 1999, cost: 1.5, kept: true})
CREATE (ana:Person {name: "Ana O'Neil", born: 1960}), (ben:Person {name: 'Ben'})
CREATE (ana)-[:PLAYED_IN {parts: ['Captain', 'Ghost']}]->(Storm), (ben)-[:MADE]->(Storm)
WITH ben
MERGE (b:Person {name: 'Ben'}) ON MATCH SET b.born = 1971
MERGE (c:Person {name: 'Cleo'}) ON CREATE SET c.born = 1982
MERGE (b)-[:KNOWS]->(c)
MERGE (b)-[:KNOWS]->(c)
UNWIND ['Calm', 'Rain'] AS title
CREATE (:Film {title: title});
"""
SHOP = """
LOAD CSV WITH HEADERS FROM "https://example.org/goods.csv" AS row
MERGE (n:Order {id: row.id})
SET n += row, n.price = toFloat(row.price), n.sold = (row.sold <> "0");
LOAD CSV WITH HEADERS FROM "file:///lines.csv" AS row
MATCH (a:Order), (b:Order) WHERE a.id = row.from AND b.id = row.to
MERGE (a)-[line:FOLLOWS]->(b) SET line = row, line.count = toInteger(row.count);
"""


def loaded(folder: Path, script: str) -> EmbeddedBackend:
    """The script's graph in the embedded engine."""
    file = folder / "graph.cypher"
    file.write_text(script, encoding="utf-8")
    write(carry_out(file), folder / "graph")
    return EmbeddedBackend(folder / "graph")


def test_a_script_of_create_and_merge_becomes_a_graph(tmp_path: Path) -> None:
    backend = loaded(tmp_path, FILMS)
    try:
        assert backend.schema.nodes["Film"] == {
            "title": "STRING",
            "year": "INTEGER",
            "cost": "FLOAT",
            "kept": "BOOLEAN",
        }
        assert backend.schema.relationship_properties["PLAYED_IN"] == {"parts": "STRING[]"}
        assert backend.run("MATCH (p:Person) RETURN p.name, p.born ORDER BY p.name").rows == [
            ["Ana O'Neil", 1960],
            ["Ben", 1971],
            ["Cleo", 1982],
        ]
        assert backend.run("MATCH (:Person)-[r:PLAYED_IN]->(f:Film) RETURN r.parts[0], f.kept").rows == [
            ["Captain", True]
        ]
        assert backend.run("MATCH (:Person)-[r:KNOWS]->(:Person) RETURN count(r)").rows == [[1]]
        assert backend.run("MATCH (f:Film) RETURN count(f)").rows == [[3]]
    finally:
        backend.close()


def test_csv_files_are_read_beside_the_script_and_a_keyword_may_be_a_label(tmp_path: Path) -> None:
    (tmp_path / "goods.csv").write_text("id,price,sold,note\n1,2.5,0,\n2,7,1,last\n", encoding="utf-8")
    (tmp_path / "lines.csv").write_text("from,to,count\n1,2,4\n", encoding="utf-8")
    backend = loaded(tmp_path, SHOP)
    try:
        assert backend.run("MATCH (n:Order) RETURN n.id, n.price, n.sold, n.note ORDER BY n.id").rows == [
            ["1", 2.5, False, None],
            ["2", 7.0, True, "last"],
        ]
        assert backend.run("MATCH (:Order {id: '1'})-[f:FOLLOWS]->(o:Order) RETURN o.id, f.count").rows == [["2", 4]]
    finally:
        backend.close()


@pytest.mark.parametrize(
    ("term", "value"),
    [
        ("1 + 2 * 3", 7),
        ("10 - 4 - 3", 3),
        ("(1 + 2) * 3", 9),
        ("'at ' + 1 * 2", "at 2"),
        ("2 * null + 1", None),
        ("NOT 1 + 1 = 3 AND 2 < 3", True),
        ("1 = 2 OR 2 = 2 AND 3 = 3", True),
        ("null > 1 OR null IS NULL", True),
    ],
)
def test_operators_bind_as_in_cypher(term: str, value: object) -> None:
    assert expression(Cursor(term, tokenize(term)))({}) == value


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("CREATE (a:A)\nFOREACH (x IN [1] | CREATE (:B))", ["line 2", "FOREACH"]),
        ("CREATE (a:A {name: 'x)", ["line 1", "tidak ditutup"]),
        ("CREATE (a:A {at: point(1)})", ["line 1", "may call"]),
        ("LOAD CSV WITH HEADERS FROM 'https://example.org/none.csv' AS row CREATE (:A)", ["none.csv", "beside"]),
        ("CREATE (a)", ["no label"]),
        ("MATCH (a:A) SET a.x = 1", ["no node"]),
    ],
)
def test_what_cannot_be_loaded_is_said_with_its_line(tmp_path: Path, script: str, words: list[str]) -> None:
    with pytest.raises(ScriptError) as refused:
        loaded(tmp_path, script)
    assert all(word in str(refused.value) for word in words)


def test_two_lines_load_a_graph_and_ask_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "films.cypher").write_text(FILMS, encoding="utf-8")
    folder = str(tmp_path / "films")
    with pytest.raises(SystemExit) as stopped:
        cli.main(["load", str(tmp_path / "films.cypher"), "--graph", folder])
    assert stopped.value.code == 0 and "Person: 3 nodes" in capsys.readouterr().out
    query = "MATCH (p:Person)-[:MADE]->(f:Film {title: 'The Storm'}) RETURN p.name"
    with scripted_model(in_turn(f"<cypher>{query}</cypher>")) as model, pytest.raises(SystemExit) as stopped:
        cli.main(["ask", "Who made The Storm?", "--graph", folder, "--model-url", model.url])
    assert (stopped.value.code, capsys.readouterr().out) == (0, "The answer: Ben.\n")
    with pytest.raises(SystemExit) as stopped:
        cli.main(["load", str(tmp_path / "films.cypher"), "--graph", folder])
    assert stopped.value.code == 2 and "holds a graph already" in capsys.readouterr().err
