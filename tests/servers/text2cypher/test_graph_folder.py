"""Graph folders and question files: read whole, or refused with file, line and reason (issue 8, data and bad input)."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from servers.text2cypher.data import QuestionFileError, load_ground_truth
from servers.text2cypher.graph.embedded import EmbeddedBackend
from servers.text2cypher.graph.folder import CURRICULUM, GraphFileError, read_graph

MK = "kode,nama,sks,semester,jalur\nA1,Aljabar,3,1,\nB2,Basis Data,3,2,Data\n"


def _graph(folder: Path, **files: str) -> Path:
    for name, text in {"nodes.MK": MK, **files}.items():
        (folder / f"{name.replace('__', '.')}.csv").write_text(text, encoding="utf-8")
    return folder


def test_the_curriculum_has_the_documented_schema() -> None:
    graph = read_graph(CURRICULUM)
    assert set(graph.schema.labels) == {"MK", "LG", "LO", "SO", "topic"}
    assert graph.schema.nodes["MK"]["sks"] == "INTEGER" and graph.schema.nodes["MK"]["durasi"] == "STRING"
    assert set(graph.schema.ends("PURSUED_IN")) == {("topic", "MK"), ("LO", "MK"), ("LG", "MK"), ("SO", "MK")}
    assert set(graph.schema.ends("PART_OF")) == {("topic", "LO"), ("LO", "SO"), ("SO", "LG")}
    assert len(graph.nodes["MK"]) == 60


def test_keys_of_parts_are_found_by_the_edges(tmp_path: Path) -> None:
    topic = 'nama,deskripsi,MK\ntopik,Graf,Aljabar\ntopik,"Larik, senarai",Aljabar\n'
    edges = 'from_label,from_key,to_label,to_key\ntopic,"Aljabar|topik|Larik, senarai",MK,A1\n'
    graph = read_graph(_graph(tmp_path, nodes__topic=topic, edges__PURSUED_IN=edges))
    assert graph.edges[0].from_key in graph.nodes["topic"]
    assert graph.nodes["MK"]["A1"]["jalur"] is None


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"nodes.MK": MK + "A1,Lagi,3,1,\n"}, ["nodes.MK.csv:4", "A1", "twice"]),
        ({"nodes.MK": MK + "C3,Lagi,tiga,1,\n"}, ["nodes.MK.csv:4", "sks", "whole number"]),
        ({"nodes.MK": MK + "C3,Lagi,3\n"}, ["nodes.MK.csv:4", "3 fields"]),
        ({"edges.PRE": "from_label,from_key,to_label,to_key\nMK,A1,MK,Z9\n"}, ["edges.PRE.csv:2", "to_key", "Z9"]),
        ({"edges.PRE": "from_label,from_key,to_label,to_key\nXX,A1,MK,B2\n"}, ["edges.PRE.csv:2", "XX"]),
        ({"edges.PRE": "a,b\n"}, ["edges.PRE.csv:1", "from_label"]),
        ({"nodes.M-K": MK}, ["M-K", "not a name"]),
        (
            {"nodes.MK": "_key,depth (m)\nA1,3\n"},
            ["nodes.MK.csv:1", "depth (m)", "letters, digits, underscores, blanks"],
        ),
    ],
)
def test_a_wrong_file_is_refused_where_it_is_wrong(tmp_path: Path, files: dict[str, str], words: list[str]) -> None:
    with pytest.raises(GraphFileError) as refused:
        read_graph(_graph(tmp_path, **files))
    assert all(word in str(refused.value) for word in words)


def test_a_folder_without_nodes_says_what_it_needs(tmp_path: Path) -> None:
    with pytest.raises(GraphFileError, match=r"nodes\.LABEL\.csv"):
        read_graph(tmp_path)
    with pytest.raises(GraphFileError, match="no such folder"):
        read_graph(tmp_path / "none")


def test_questions_load_from_json_too(tmp_path: Path) -> None:
    file = tmp_path / "q.json"
    file.write_text(json.dumps([{"Pertanyaan": "Apa?", "Cypher Query": "RETURN 1", "Sublevel": "x"}]), encoding="utf-8")
    (item,) = load_ground_truth(file)
    assert (item.question_id, item.question, item.cypher, item.sublevel) == ("1", "Apa?", "RETURN 1", "x")
    for lacking in ({"Pertanyaan": "Apa?"}, {"Pertanyaan": "Apa?", "Cypher Query": None}):
        file.write_text(json.dumps([lacking]), encoding="utf-8")
        with pytest.raises(QuestionFileError, match="question 1 has no Cypher Query"):
            load_ground_truth(file)
    twice = [{"No": 7, "Pertanyaan": "Apa?", "Cypher Query": "RETURN 1"}] * 2
    file.write_text(json.dumps(twice), encoding="utf-8")
    with pytest.raises(QuestionFileError, match="7 is there more than once"):
        load_ground_truth(file)
    with pytest.raises(QuestionFileError, match="no such file"):
        load_ground_truth(tmp_path / "none.csv")


def test_what_a_file_holds_is_what_a_query_finds(tmp_path: Path) -> None:
    texts = [
        'a "quoted" one',
        "line\nbreak",
        "back\\slash \\",
        " blanks ",
        "NULL",
        "it's",
        "a,b",
        "[x]",
        '"',
        "#c",
        "{a:1}",
    ]
    rows = [["name", "n", "f", "ok", "marks", "notes"]]
    rows += [[text, number, number / 4, "true", f"[{number}]", json.dumps([text])] for number, text in enumerate(texts)]
    with (tmp_path / "nodes.Odd Name.csv").open("w", encoding="utf-8", newline="") as handle:
        csv.writer(handle).writerows([*rows, ["alone", "", "", "", "", ""]])
    with (tmp_path / "nodes.Plain.csv").open("w", encoding="utf-8", newline="") as handle:
        csv.writer(handle).writerows([["name", "n", "f", "ok"], *([str(held) for held in row[:4]] for row in rows[1:])])
    (tmp_path / "types.csv").write_text(
        "label,property,type\nOdd Name,marks,INTEGER[]\nOdd Name,notes,STRING[]\nPlain,f,FLOAT\n", encoding="utf-8"
    )
    with (tmp_path / "edges.TO.csv").open("w", encoding="utf-8", newline="") as handle:
        ends = [["Plain", texts[0], "Plain", texts[1], "x"], ["Odd Name", texts[2], "Plain", texts[3], ""]]
        csv.writer(handle).writerows([["from_label", "from_key", "to_label", "to_key", "why"], *ends])
    backend = EmbeddedBackend(tmp_path)
    try:
        found = backend.run("MATCH (p:Plain) RETURN p.name, p.n, p.f, p.ok ORDER BY p.n").rows
        assert found == [[text, number, number / 4, True] for number, text in enumerate(texts)]
        odd = backend.run(
            "MATCH (o:`Odd Name`) WHERE o.n IS NOT NULL RETURN o.name, o.marks, o.notes ORDER BY o.n"
        ).rows
        assert odd == [[text, [number], [text]] for number, text in enumerate(texts)]
        assert backend.run("MATCH (o:`Odd Name`) WHERE o.n IS NULL RETURN o.name, o.ok").rows == [["alone", None]]
        joined = backend.run("MATCH (a)-[r:TO]->(b:Plain) RETURN a.name, b.name, r.why ORDER BY b.name").rows
        assert joined == [[texts[2], texts[3], None], [texts[0], texts[1], "x"]]
        assert backend.texts("Plain", "name", 3) == texts[:3]
    finally:
        backend.close()


def test_a_code_keeps_its_zero(tmp_path: Path) -> None:
    (tmp_path / "nodes.Ship.csv").write_text("code,tons\n00012,250\n345,0\n", encoding="utf-8")
    graph = read_graph(tmp_path)
    assert graph.schema.nodes["Ship"] == {"code": "STRING", "tons": "INTEGER"}
    assert [ship["code"] for ship in graph.nodes["Ship"].values()] == ["00012", "345"]
