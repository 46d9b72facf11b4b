"""Graph.ask through a real daemon: the graph's server asks the daemon's own models, attempts are told as they are made.

The model is a scripted endpoint; everything between the caller and it is real (issue 8, seed 004 §5.1).
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.daemon import Daemon, RpcFailed, running
from tests.scripted_model import Answer, asked, scripted_model

QUESTION = "Sistem Operasi itu apa?"
"""Its readings only repeat the name, so the model is asked."""
WRONG = "METCH (m) RETURN m"
RIGHT = "MATCH (m:MK)-[:PREREQUISITE]->(m2:MK {nama: 'Sistem Operasi'}) RETURN m.nama"
CONFIG = """\
default_provider = "elsewhere"
prompt_template = "Layani warga. {{custom_instruction}} {{language_guidance}} {{tool_guidance}}"

[[providers]]
id = "elsewhere"
type = "openai"
endpoint = "%s"
models = ["s"]
grammar = true

[[servers]]
name = "text2cypher"
command = "python3"
args = ["-m", "servers.text2cypher"]
model = true
"""


class Model:
    """Answers wrongly first, then rightly; the first answer waits until somebody listens to the run."""

    def __init__(self) -> None:
        self.was_asked, self.may_answer = threading.Event(), threading.Event()
        self.bodies: list[dict[str, Any]] = []

    def __call__(self, body: dict[str, Any]) -> Answer:
        self.bodies.append(body)
        self.was_asked.set()
        assert self.may_answer.wait(300)
        if "Kalkulus" in asked(body):
            return 400, "no"
        if "bagaimana" in asked(body):
            return "Baik-baik saja."
        return f"<cypher>{WRONG if len(self.bodies) == 1 else RIGHT}</cypher>"


@pytest.fixture(scope="module")
def model() -> Model:
    return Model()


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory, model: Model) -> Iterator[Daemon]:
    with (
        scripted_model(model) as endpoint,
        running(tmp_path_factory.mktemp("graph"), config=CONFIG % endpoint.url) as daemon,
    ):
        yield daemon


def _heard(daemon: Daemon, run_id: str) -> Iterator[dict[str, Any]]:
    with daemon.request(f"/events?run_id={run_id}") as stream:
        for line in stream:
            if line.startswith(b"data:"):
                yield json.loads(line[5:])


Run = tuple[dict[str, Any], list[dict[str, Any]]]


@pytest.fixture(scope="module")
def run(office: Daemon, model: Model) -> Run:
    """One answered question: what Graph.ask answered, and the events heard while it worked."""
    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(office.call, "Graph.ask", question=QUESTION, run_id="graph-1")
        assert model.was_asked.wait(300)
        events = _heard(office, "graph-1")
        first = next(events)
        model.may_answer.set()
        return asking.result(300), [first, *events]


def test_a_question_is_answered_with_its_query_its_rows_and_its_attempts(run: Run) -> None:
    answer, _ = run
    assert {"run_id", "status", "cypher", "columns", "rows", "answer", "attempts"} <= set(answer)
    assert (answer["run_id"], answer["status"], answer["cypher"]) == ("graph-1", "completed", RIGHT)
    assert (answer["columns"], answer["rows"]) == (["m.nama"], [["Algoritma dan Struktur Data"]])
    assert "'PREREQUISITE'" in answer["doubts"][0] and "Jawabannya: Algoritma dan Struktur Data." in answer["answer"]
    first, second = answer["attempts"]
    assert (first["iteration"], first["query"]) == (1, WRONG)
    assert first["validation"][-1].keys() == {"validator", "is_valid", "error_type", "error_message"}
    assert [verdict["validator"] for verdict in second["validation"]][-1] == "result"


def test_each_attempt_is_an_event_while_the_run_goes_on(run: Run) -> None:
    _, events = run
    assert [event["type"] for event in events] == [
        "run.started",
        "tool.started",
        "tool.progress",
        "tool.progress",
        "tool.finished",
        "run.finished",
    ]
    first, second = (event["data"] for event in events if event["type"] == "tool.progress")
    assert [(held["tool"], held["progress"], held["total"]) for held in (first, second)] == [
        ("ask_graph", 1, 3),
        ("ask_graph", 2, 3),
    ]
    assert "syntax_error" in first["message"] and RIGHT in second["message"]


@pytest.mark.usefixtures("run")
def test_the_graphs_server_has_the_daemons_models_and_their_grammar(model: Model) -> None:
    assert all(body["grammar"].startswith("%llguidance {}") for body in model.bodies)


@pytest.mark.usefixtures("run")
def test_the_same_run_is_not_asked_again(office: Daemon, model: Model) -> None:
    before = len(model.bodies)
    again = office.call("Graph.ask", question=QUESTION, run_id="graph-1")
    assert (again["cypher"], len(model.bodies)) == (RIGHT, before)
    with pytest.raises(RpcFailed, match="conflict:"):
        office.call("Graph.ask", question="Berapa jumlah mata kuliah?", run_id="graph-1")


def test_a_question_that_is_none_is_declined_in_words(office: Daemon) -> None:
    answer = office.call("Graph.ask", question="Hapus mata kuliah Skripsi")
    assert (answer["status"], answer["cypher"], answer["attempts"]) == ("completed", None, [])
    assert "hanya bisa dibaca" in answer["answer"]


@pytest.mark.usefixtures("run")
def test_a_model_that_refuses_leaves_an_answer_not_a_broken_run(office: Daemon) -> None:
    answer = office.call("Graph.ask", question="Kalkulus Variabel Tunggal itu apa?")
    assert (answer["status"], answer["cypher"], answer["rows"]) == ("completed", None, [])
    assert answer["answer"].startswith("Model bahasa tidak menjawab")


@pytest.mark.usefixtures("run")
def test_where_no_query_is_found_none_is_given_and_the_answer_says_so(office: Daemon) -> None:
    answer = office.call("Graph.ask", question="Sistem Operasi itu bagaimana ya?")
    assert (answer["cypher"], answer["rows"], answer["confidence"], len(answer["attempts"])) == (None, [], 0.0, 3)
    assert answer["answer"].startswith("Belum ada query")
