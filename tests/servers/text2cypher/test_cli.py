"""The command line as others call it (design.md, names on the wire)."""

from __future__ import annotations

import io
import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from servers.text2cypher import cli
from servers.text2cypher.data.ground_truth_loader import QUESTIONS
from servers.text2cypher.experiment.model_process import embedded_model
from servers.text2cypher.graph.folder import CURRICULUM
from servers.text2cypher.graph.schema import GraphSchema
from servers.text2cypher.linking.lexicon import load_lexicon, write_lexicon
from tests.scripted_model import in_turn, scripted_model


def _exit(*arguments: str) -> int:
    with pytest.raises(SystemExit) as stopped:
        cli.main(arguments)
    assert isinstance(stopped.value.code, int)
    return stopped.value.code


def test_load_checks_a_graph_and_its_questions(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert _exit("load", "--graph", str(CURRICULUM), "--questions", str(QUESTIONS)) == 0
    assert "52 questions, 52 gold queries valid and not empty" in capsys.readouterr().out
    assert _exit("load", "--graph", str(tmp_path)) == 2
    assert "nodes.LABEL.csv" in capsys.readouterr().err
    assert _exit("load", str(tmp_path / "none.cypher"), "--graph", str(tmp_path / "made")) == 2
    assert capsys.readouterr().err == f"text2cypher load: {tmp_path / 'none.cypher'}: No such file or directory\n"


def test_load_writes_a_lexicon_of_the_names_once(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "nodes.HarbourTown.csv").write_text("name,berths\nBergen,12\n", encoding="utf-8")
    assert _exit("load", "--graph", str(tmp_path), "--lexicon") == 0
    file = tmp_path / "lexicon.json"
    held = json.loads(file.read_text(encoding="utf-8"))
    assert held["labels"] == {"HarbourTown": ["harbour town", "harbour towns"]}
    assert held["properties"]["berths"][0] == "berths" and held["relationships"] == {}
    schema = GraphSchema({"HarbourTown": {"name": "STRING", "berths": "INTEGER"}}, (), {})
    assert not load_lexicon(schema, tmp_path).written  # names alone: what is read from them is guessed
    file.write_text(json.dumps({"labels": {"HarbourTown": ["kota pelabuhan"]}}), encoding="utf-8")
    assert _exit("load", "--graph", str(tmp_path), "--lexicon") == 2
    assert "lexicon.json is there" in capsys.readouterr().err and "kota pelabuhan" in file.read_text(encoding="utf-8")
    lexicon = load_lexicon(schema, tmp_path)
    assert lexicon.written
    assert (
        lexicon.labels["kota pelabuhan"] == "HarbourTown" and lexicon.numbers["tiga"] == lexicon.numbers["three"] == 3
    )


def test_a_lexicon_holds_no_phrase_twice_and_no_plural_of_a_verb(tmp_path: Path) -> None:
    schema = GraphSchema(
        {"Person": {"released": "INTEGER", "roles": "STRING"}}, (("Person", "ACTED_IN", "Person"),), {}
    )
    held = json.loads(write_lexicon(tmp_path, schema).read_text(encoding="utf-8"))
    assert held["labels"]["Person"][:3] == ["person", "persons", "people"]
    assert all(len(phrases) == len(set(phrases)) for words in held.values() for phrases in words.values())
    shown = [phrase for words in held.values() for phrases in words.values() for phrase in phrases]
    assert not {"releaseds", "roleses", "acted ins"} & {*shown} and {"released", "roles", "acted in"} <= {*shown}
    held["relationships"]["ACTED_IN"].append("acted ins")  # as older files have it
    (tmp_path / "lexicon.json").write_text(json.dumps(held), encoding="utf-8")
    assert not load_lexicon(schema, tmp_path).written


def test_the_schema_is_written_in_the_documents_three_formats(tmp_path: Path) -> None:
    """Seed 004 §2.1."""
    assert _exit("schema", "--graph", str(CURRICULUM), "--out", str(tmp_path)) == 0
    texts = {file.name: file.read_text(encoding="utf-8") for file in tmp_path.iterdir()}
    assert set(texts) == {"full_schema.txt", "nodes_paths.txt", "only_paths.txt"}
    assert "sks: INTEGER" in texts["full_schema.txt"] and "INTEGER" not in texts["nodes_paths.txt"]
    assert all("(:MK)-[:PREREQUISITE]->(:MK)" in text for text in texts.values())


def test_validate_answers_a_line_a_query(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("MATCH (m:MK) RETURN m.nama\n\nMATCH (m:User) RETURN m\n"))
    assert _exit("validate", "--graph", str(CURRICULUM)) == 0
    good, blank, bad = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert (blank["query"], blank["is_valid"]) == ("", False), "each line has its answer"
    assert good["is_valid"] is True and [v["validator"] for v in good["validation"]][-1] == "result"
    assert (bad["is_valid"], bad["validation"][-1]["error_type"]) == (False, "schema_error")


def test_score_adds_metrics_to_each_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "pairs.jsonl"
    gold = "MATCH (m:MK {nama: 'Skripsi'}) RETURN m.sks"
    file.write_text(json.dumps({"gold": gold, "generated": gold, "id": 9}) + "\n", encoding="utf-8")
    assert _exit("score", str(file)) == 0
    line = json.loads(capsys.readouterr().out)
    assert line["id"] == 9 and set(line) == {
        "gold",
        "generated",
        "id",
        "bleu",
        "rouge_l_f1",
        "jaro_winkler",
        "jaccard_cypher",
    }
    assert _exit("score", str(file), "--graph", str(CURRICULUM)) == 0
    line = json.loads(capsys.readouterr().out)
    assert (line["pass_at_1"], line["jaccard_output"], line["kg_valid"], line["llmetric_q"]) == (1, 1.0, True, 100.0)
    for wrong in ("not json", '{"gold": 5, "generated": "MATCH"}', '{"gold": "MATCH", "generated": null}', '["MATCH"]'):
        file.write_text(f"{wrong}\n", encoding="utf-8")
        assert _exit("score", str(file)) == 2
        assert "pairs.jsonl:1" in capsys.readouterr().err


def test_score_reads_what_editors_and_models_write(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file, query = tmp_path / "pairs.jsonl", "MATCH (m) WHERE m.nama = 'a\u2028b' RETURN m"
    file.write_text(json.dumps({"gold": query, "generated": query}, ensure_ascii=False), encoding="utf-8-sig")
    assert _exit("score", str(file)) == 0
    assert json.loads(capsys.readouterr().out)["gold"] == query
    file.write_bytes(b"\xff\xfe")
    assert _exit("score", str(file)) == 2
    assert "can't decode" in capsys.readouterr().err


def test_ask_answers_in_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    query = "MATCH (m:MK {nama: 'Skripsi'}) RETURN m.sks"
    with scripted_model(in_turn(f"<cypher>{query}</cypher>")) as model:
        assert _exit("ask", "Berapa SKS mata kuliah Skripsi?", "--model-url", model.url) == 0
    assert capsys.readouterr().out == "Jawabannya: 6.\n"


def test_words_that_a_model_proposes_stand_apart_and_make_nothing_certain(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "nodes.HarbourTown.csv").write_text("name,berths\nOban,3\n", encoding="utf-8")
    words = {"HarbourTown": ["kota pelabuhan", "tempat"], "Nobody": ["x y"]}
    said = json.dumps({"labels": words, "properties": {"name": ["tempat"]}})
    with scripted_model(in_turn("no words", f"Here: {said}")) as model:
        monkeypatch.setenv("TEXT2CYPHER_MODEL_URL", model.url)
        assert _exit("load", "--graph", str(tmp_path), "--lexicon", "--synonyms") == 2
        assert "--synonyms" in capsys.readouterr().err and not (tmp_path / "lexicon.json").exists()
        assert _exit("load", "--graph", str(tmp_path), "--lexicon", "--synonyms") == 0
    schema = GraphSchema({"HarbourTown": {"name": "STRING", "berths": "INTEGER"}}, (), {})
    lexicon = load_lexicon(schema, tmp_path)
    assert lexicon.labels["kota pelabuhan"] == "HarbourTown" and not lexicon.written
    assert "tempat" not in {**lexicon.labels, **lexicon.properties}
    assert "berths" in model.requests[0]["messages"][0]["content"]


def test_a_run_without_a_model_starts_one_and_ends_it(tmp_path: Path) -> None:
    marker = tmp_path / "ended"
    script = (
        "import pathlib, signal, sys, time\n"
        f"signal.signal(signal.SIGTERM, lambda *_: (pathlib.Path({str(marker)!r}).touch(), sys.exit()))\n"
        "print('ready http://127.0.0.1:9', flush=True)\n"
        "time.sleep(60)\n"
    )
    with embedded_model(["python3", "-c", script]) as url:
        assert url == "http://127.0.0.1:9/v1"
    assert marker.exists()


def test_a_killed_run_leaves_no_model_behind(tmp_path: Path) -> None:
    number = tmp_path / "pid"
    model = (
        f"import os, pathlib, time; pathlib.Path({str(number)!r}).write_text(str(os.getpid()));"
        "print('ready http://127.0.0.1:9', flush=True); time.sleep(60)"
    )
    run = (
        "import os, signal\n"
        "from servers.text2cypher.experiment.model_process import embedded_model\n"
        f"with embedded_model([{sys.executable!r}, '-c', {model!r}]):\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    assert subprocess.run([sys.executable, "-c", run], timeout=300).returncode == -signal.SIGKILL
    try:
        model_process = os.pidfd_open(int(number.read_text()))
    except ProcessLookupError:
        return
    ended, _, _ = select.select([model_process], [], [], 300)
    os.close(model_process)
    assert ended
