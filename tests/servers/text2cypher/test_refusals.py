"""What is refused by its kind, before a model is asked, and what only looks so: a right hosted query isn't lost."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lab.eval.text2cypher.asking import Writes
from servers.text2cypher.core.agent_loop import AgentLoop
from servers.text2cypher.core.answer import ask
from servers.text2cypher.core.workbench import Workbench
from tests.servers.text2cypher.test_any_graph import opened
from tests.servers.text2cypher.test_columns import MUSEUM

QUERY = "MATCH (c:Curator) RETURN c.name"


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    """The museum's."""
    held = opened(tmp_path_factory.mktemp("museum"), MUSEUM)
    yield held
    held.backend.close()


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
    ],
)
def test_a_right_query_is_not_lost_to_a_word_that_only_looks_like_a_write_or_a_name(
    bench: Workbench, question: str
) -> None:
    assert _asked(bench, question)["cypher"] == QUERY


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Delete all curators", "dibaca"),
        ("Delete everything in the graph", "be read"),
        ("Please remove the curator Ana Moss", "be read"),
        ("Set the read count of the oldest report to 5", "be read"),
        ("Create a new curator called Zed who guards both of the halls", "be read"),
        ("Drop the database", "be read"),
        ("Delete that report", "dibaca"),
        ("Hapus semua hall", "dibaca"),
        ("Tolong buatkan curator baru bernama Zed", "dibaca"),
        ("MERGE (n:Hall {name: 'West'})", "dibaca"),
        ("Which reports did the curator Zed Quill write?", "Zed Quill is not in the graph"),
        ("Which reports did the curator Zed or Quill write?", "Zed or Quill is not in the graph"),
    ],
)
def test_a_write_and_a_name_that_no_stored_text_says_are_refused(bench: Workbench, question: str, said: str) -> None:
    found = _asked(bench, question)
    assert (found["status"], found["cypher"]) == ("failed", None) and said in str(found["answer"])
