"""What is refused by its kind, before a model is asked, and what only looks so: a right hosted query isn't lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.eval.text2cypher.asking import Writes
from servers.text2cypher.core.agent_loop import AgentLoop
from servers.text2cypher.core.answer import ask
from servers.text2cypher.core.workbench import Workbench
from tests.servers.text2cypher.test_any_graph import graph_of, opened
from tests.servers.text2cypher.test_columns import MUSEUM

QUERY = "MATCH (c:Curator) RETURN c.name"


bench = graph_of(MUSEUM)


def _asked(bench: Workbench, question: str) -> dict[str, object]:
    model = Writes()
    model.query = QUERY
    return ask(bench, AgentLoop(bench, model), question)


@pytest.mark.parametrize(
    "question",
    [
        "Create a list of all curators born after 1970.",
        "Create a Cypher query that finds the oldest curator.",
        "Create a curator list",
        "Buatkan daftar semua curator",
        "Set of halls guarded by Ana Moss?",
        "Update me on the reports of Ana Moss.",
        "Remove duplicates and list the halls of each curator.",
        "Which Curators Have Written More Than One Report?",
        "WHICH CURATORS GUARD MORE THAN ONE HALL?",
        "What are the curator IDs of those who guard a hall?",
        "Which reports did the curator Moss write?",
        "Which hall has the report Bronze and Coins?",
        "Which curators Early or late guard a hall?",
        "Create a table showing curators and halls",
        "Buatkan tabel berisi curator",
    ],
)
def test_a_right_query_is_not_lost_to_a_word_that_only_looks_like_a_write_or_a_name(
    bench: Workbench, question: str
) -> None:
    assert _asked(bench, question)["cypher"] == QUERY


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Delete all curators", "be read"),
        ("Please remove the curator Ana Moss", "be read"),
        ("Set the read count of the oldest report to 5", "be read"),
        ("Drop the database", "be read"),
        ("Delete that report", "be read"),
        ("Hapus semua hall", "dibaca"),
        ("MERGE (n:Hall {name: 'West'})", "dibaca"),
        ("Which reports did the curator Zed Quill write?", "Zed Quill is not in the graph"),
        ("Which reports did the curator Zed or Quill write?", "Zed or Quill is not in the graph"),
    ],
)
def test_a_write_and_a_name_that_no_stored_text_says_are_refused(bench: Workbench, question: str, said: str) -> None:
    found = _asked(bench, question)
    assert (found["status"], found["cypher"]) == ("failed", None) and said in str(found["answer"])


@pytest.mark.parametrize(
    "question",
    ["Delete everything in the graph", "Create a new curator called Zed", "Tolong buatkan curator bernama Zed"],
)
def test_what_is_to_be_made_or_emptied_is_no_plain_success(bench: Workbench, question: str) -> None:
    assert _asked(bench, question)["status"] != "success"


def test_a_name_without_the_points_that_stored_texts_write_it_with_is_held(tmp_path: Path) -> None:
    held = opened(tmp_path, {"nodes.Address": "street,tags\nP.O. Box 3021,\n14 Mill Lane,\n"})
    model = Writes()
    model.query = "MATCH (a:Address) WHERE a.street CONTAINS 'P.O. Box' RETURN a.street"
    for question, query in (("Which address PO Box is there?", model.query), ("Which address QX Box is there?", None)):
        assert ask(held, AgentLoop(held, model), question)["cypher"] == query
    held.backend.close()
