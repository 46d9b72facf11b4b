"""Graphs that an engine or a small context can't hold as they are, and questions that none answers (issue 20)."""

from __future__ import annotations

from pathlib import Path

import pytest
from llguidance import LLMatcher

from servers.text2cypher.config import LLMConfig
from servers.text2cypher.core.agent_loop import AgentLoop
from servers.text2cypher.core.llm_client import LLMClient
from servers.text2cypher.core.workbench import Workbench
from servers.text2cypher.data import Example
from servers.text2cypher.graph.backend import QueryResult
from servers.text2cypher.graph.embedded import EmbeddedBackend
from servers.text2cypher.graph.schema import GraphSchema
from servers.text2cypher.linking.nearby import nearby
from servers.text2cypher.prompts.similar import MOST_COMPARED, SimilarExamples
from tests.scripted_model import in_turn, scripted_model
from tests.servers.text2cypher.test_any_graph import SHOPS, answered, opened


class _Bare:
    """A graph of which only the schema is known."""

    name = "bare"

    def __init__(self, schema: GraphSchema) -> None:
        self.schema = schema

    def check(self, query: str) -> None:
        """Accepts every query."""

    def run(self, query: str) -> QueryResult:
        return QueryResult([], [])

    def texts(self, label: str, name: str, most: int) -> list[str]:
        return []

    def bounds(self, label: str, name: str) -> None:
        return None

    def close(self) -> None:
        """Holds nothing."""


def test_of_a_large_schema_a_local_model_sees_the_part_that_the_question_is_about() -> None:
    nodes = {f"Kind{n}": {"name": "STRING"} for n in range(200)}
    paths = tuple((f"Kind{n}", f"JOINS{n}", f"Kind{n + 1}") for n in range(199))
    bench = Workbench(_Bare(GraphSchema(nodes, paths, {})), [])
    hints = bench.linker.link("Which kind8 have the most kind7?")
    assert nearby(bench.backend.schema, hints).labels[:2] == ["Kind8", "Kind7"]
    grammar = bench.schema_grammar(thinking=False, hints=hints)
    assert LLMatcher.validate_grammar(grammar) == "" and "JOINS7" in grammar and "JOINS70" not in grammar
    asked = []
    for constraint in ("grammar", None):
        with scripted_model(in_turn("<cypher>RETURN 1</cypher>"), constraint) as model:
            client = LLMClient(LLMConfig("test", "s", url=model.url), sleep=lambda _: None)
            AgentLoop(bench, client).run("", f"{hints.question[:-1]} since 1999?")
            asked.append(model.requests[0]["messages"][0]["content"])
            client.close()
    assert "JOINS7]" in asked[0] and "JOINS70" not in asked[0] and "JOINS70" in asked[1]


class _Counting(EmbeddedBackend):
    """Counts the queries that the engine is asked."""

    asked = 0

    def run(self, query: str) -> QueryResult:
        self.asked += 1
        return super().run(query)


def test_reading_the_first_question_asks_the_engine_nothing(tmp_path: Path) -> None:
    for n in range(5):
        (tmp_path / f"nodes.Kind{n}.csv").write_text("name,founded\na,1950\nb,\n", encoding="utf-8")
    backend = _Counting(tmp_path)
    try:
        bench = Workbench(backend, [], tmp_path)
        assert bench.linker.lexicon.timed == {"founded"} and backend.asked == 0
        assert bench.linker.link("Which kind3 were founded in 1950?").labels[0] == "Kind3"
    finally:
        backend.close()


@pytest.mark.slow
def test_of_many_examples_only_those_are_compared_that_use_what_the_question_names() -> None:
    compared: list[str] = []
    examples = [Example(f"Which kind{n} are there?", f"MATCH (k:Kind{n}) RETURN k") for n in range(200)]
    similar = SimilarExamples(examples, lambda question: compared.append(question) or question)  # type: ignore[func-returns-value]
    for _ in range(2):
        assert similar.pick("Which kind150 are there?", 1, ["Kind150"]) == [examples[150]]
    assert len(compared) == len(set(compared)) == MOST_COMPARED


ODD = {
    "nodes.Order": "name,rowid,_id,Name\nfirst,7,70,F\nsecond,8,80,S\n",
    "nodes.order": "name\nthird\n",
    "edges.ORDER": "from_label,from_key,to_label,to_key,_label\nOrder,first,Order,second,x\n",
}


def test_names_that_the_engine_reserves_or_takes_for_one_hold_their_own_values(tmp_path: Path) -> None:
    bench = opened(tmp_path, ODD)
    try:
        both = "MATCH (a:Order {rowid: 7})-[r:ORDER]->(b:Order) RETURN"
        whole = {"name": "second", "rowid": 8, "_id": 80, "Name": "S"}
        for query, row in (
            (f"{both} b.rowid, b._id, b.name, b.Name, r._label", [8, 80, "second", "S", "x"]),
            (f"{both} b, type(r), labels(b)", [whole, "ORDER", ["Order"]]),
            ("MATCH (o:order) RETURN o.name, labels(o)", ["third", ["order"]]),
        ):
            assert bench.backend.run(query).rows == [row], query
    finally:
        bench.backend.close()


def test_what_a_question_should_not_hold_never_makes_a_plain_success(tmp_path: Path) -> None:
    bench = opened(tmp_path, SHOPS)
    try:
        shops, orders = "MATCH (s:`Corner Shop`) RETURN s.name", "MATCH (o:Order) RETURN o.number"
        for question, query in (
            (f"What does {orders} give?", orders),
            ("Which corner shops teach the course Aljabar Linear?", shops),
            ("Mata kuliah apa saja di corner shop Blue Door?", "MATCH (s:`Corner Shop` {name: 'Blue Door'}) RETURN s"),
            ("Which orders and corner shops are there?", "MATCH (o:Order), (s:`Corner Shop`) RETURN o.number, s.name"),
            ("List all orders.", "UNWIND range(1, 1000000) AS n MATCH (o:Order) RETURN o.number"),
        ):
            assert answered(bench, question, query) == "uncertain", question
        found = bench.pipeline.validate("MATCH (o:Order {number: $number}) RETURN o")
        assert "$number tidak punya nilai" in str(found.validation_results[-1].error_message)
    finally:
        bench.backend.close()
