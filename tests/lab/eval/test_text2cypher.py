"""Questions by other hands: right queries stay whole, wrong ones aren't called certain, runs resume (issue 20)."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from lab.eval.text2cypher.asking import Asking, Record, kept
from lab.eval.text2cypher.drawn import drawn
from lab.eval.text2cypher.fit import fit, left_out, records_in
from lab.eval.text2cypher.plots import draw
from lab.eval.text2cypher.same import says_the_same
from lab.eval.text2cypher.sets import Question, QuestionSet, question_set
from lab.eval.text2cypher.ties import as_well
from lab.eval.text2cypher.totals import totals
from lab.eval.text2cypher.wrong import wrong_queries
from servers.text2cypher.core.calibration import Weights, confidence
from servers.text2cypher.graph.embedded import EmbeddedBackend
from servers.text2cypher.graph.schema import GraphSchema
from servers.text2cypher.loading.folder import write
from servers.text2cypher.loading.script import carry_out

SCRIPT = """
CREATE (s:Ship {name: 'Orkney Star', built: 1988}), (b:Ship {name: 'Blue Heron', built: 2004}), (w:Ship {name: 'Wolf'})
CREATE (o:Port {name: 'Oban'}), (g:Port {name: 'Bergen'})
CREATE (s)-[:CALLED_AT]->(o), (s)-[:CALLED_AT]->(g), (b)-[:CALLED_AT]->(g)
"""
ASKED = [
    ("Which ships called at Bergen?", "MATCH (s:Ship)-[:CALLED_AT]->(p:Port {name: 'Bergen'}) RETURN s.name"),
    ("Which ships were built after 2000?", "MATCH (s:Ship) WHERE s.built > 2000 RETURN s.name"),
    ("Which is the oldest ship?", "MATCH (s:Ship) WHERE s.built > 0 RETURN s.name ORDER BY s.built LIMIT 1"),
    ("Which ships have a captain?", "MATCH (s:Ship)-[:LED_BY]->(c:Captain) RETURN s.name"),
    ("Which ships were built after 2020?", "MATCH (s:Ship) WHERE s.built > 2020 RETURN s.name"),
    ("How many ships called at Bergen?", "MATCH (s:Ship)-[:CALLED_AT]->(p:Port {name: 'Bergen'}) RETURN count(s)"),
]


@pytest.fixture(scope="module")
def asking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asking]:
    folder: Path = tmp_path_factory.mktemp("ships")
    (folder / "ships.cypher").write_text(SCRIPT, encoding="utf-8")
    write(carry_out(folder / "ships.cypher"), folder / "graph")
    questions = [Question(str(n), text, gold, "all", "tuning") for n, (text, gold) in enumerate(ASKED)]
    held = Asking(QuestionSet("ships", folder / "graph", [], questions))
    yield held
    held.close()


def test_only_questions_that_the_graph_answers_are_asked(asking: Asking) -> None:
    assert [question.id for question in asking.questions] == ["0", "1", "2", "5"]
    assert asking.dropped == {"not of this graph's schema, or not of this engine": 1, "empty here": 1}


def test_gold_is_untouched_and_certain_and_wrong_is_neither_right_nor_certain(asking: Asking) -> None:
    for question in asking.questions:
        record = asking.gold(question)
        assert (record.passed, record.untouched, record.certain) == (True, True, True), question.question
        assert [made.wrong for made in asking.wrong(question, 1) if made.passed or made.certain] == []
    other = asking.other(replace(asking.questions[0], other="MATCH (s:Ship) RETURN s.name"))
    assert (other.passed, other.untouched, other.certain) == (False, True, False)


def test_without_a_model_the_first_reading_answers(asking: Asking) -> None:
    records = [asking.first(question) for question in asking.questions]
    assert [record.passed for record in records] == [True, True, False, True]  # the oldest ship's year is shown, too
    assert [record.same for record in records] == [True] * 4
    assert all(record.certain for record in records)  # which columns are shown is only a note


def test_each_kind_of_mistake_changes_one_part_of_a_right_query() -> None:
    gold = "MATCH (a:A {x: 1})-[:R]->(b:B) WHERE b.y > 2 AND b.z = 3 RETURN sum(b.z) AS n ORDER BY n DESC LIMIT 4"
    other = Question("2", "", "MATCH (b:B {z: 7}) RETURN b.y", "", "")
    schema = GraphSchema({"A": {"x": "INTEGER"}, "B": {"y": "INTEGER", "z": "INTEGER"}}, (("B", "S", "A"),), {})
    made: dict[str, set[str]] = {}
    for seed in range(20):  # each draws a few of a kind
        for kind, query in wrong_queries(Question("1", "", gold, "", ""), [other], schema, seed):
            made.setdefault(kind, set()).add(query)
    assert other.cypher in made["another question's"]
    for kind, old, new in (
        ("filter dropped", " {x: 1}", "  "),
        ("filter dropped", "b.y > 2 AND ", " "),
        ("direction flipped", "-[:R]->", "<-[:R]-"),
        ("direction ignored", "-[:R]->", "-[:R]-"),
        ("order dropped or reversed", "n DESC ", "n "),
        ("wrong aggregate", "sum(", "avg("),
        ("boundary changed", "y > 2", "y >= 2"),
        ("and, or swapped", "AND", "OR"),
        ("step added", "(a:A", "(:B)-[:S]->(a:A"),
        ("step left out", "(a:A {x: 1})-[:R]->", ""),
        ("other property tested", "b.y >", "b.z >"),
        ("literal changed", "z = 3", "z = 7"),
    ):
        assert {query.replace(" ", "") for query in made[kind]} & {gold.replace(old, new).replace(" ", "")}, (
            kind,
            made[kind],
        )


def test_a_run_that_was_broken_off_asks_nothing_twice(tmp_path: Path) -> None:
    seen: list[str] = []

    def asked(one: str) -> list[Record]:
        seen.append(one)
        return [Record(one, "test", "k", "", True, True, True, 0.9)]

    file = tmp_path / "run.jsonl"
    kept(file, ["a", "b"], asked)
    assert len(kept(file, ["a", "b", "c"], asked)) == 3 and seen == ["a", "b", "c"]


def test_totals_have_intervals_and_a_calibration() -> None:
    records = [
        Record(str(n), "test", "k", "", n < 9, True, n < 9, 0.95 if n < 9 else 0.3, same=n < 9) for n in range(10)
    ]
    found = totals(records)
    assert (found["pass_at_1"]["rate"], found["right_of_certain"]["rate"]) == (90.0, 100.0)
    assert found["pass_at_1"]["interval"][0] < 90 < found["pass_at_1"]["interval"][1]
    assert [(row["answers"], row["right"]) for row in found["calibration"]] == [(1, 0.0), (9, 1.0)]


def test_pictures_are_drawn_of_the_records_of_both_halves(tmp_path: Path) -> None:
    def asked(one: str) -> list[Record]:
        return [Record(one, half, "k", "", True, True, True, 0.9) for half in ("tuning", "test")]

    kept(tmp_path / "home.wrong.default.jsonl", ["a", "b"], asked)
    files = draw(tmp_path, tmp_path)
    assert [file.name for file in files] == ["calibration.png", "ablation.png"]
    assert all(file.read_bytes().startswith(b"\x89PNG") for file in files)


def test_the_fit_weighs_a_doubt_by_what_it_was_worth() -> None:
    right = [Record(str(n), "tuning", "k", "", True, True, True, 1.0, same=True) for n in range(40)]
    wrong = [Record(str(n), "tuning", "k", "x", False, True, False, 0.3, {"unused": 1}) for n in range(40)]
    text = fit({"a": [*right, *wrong]})
    weight = float(next(line for line in text.splitlines() if line.startswith("unused")).split("=")[1])
    assert weight < -3 and "records = 80" in text and "right = 40" in text


def test_what_was_not_answered_and_the_test_half_teach_nothing(tmp_path: Path) -> None:
    records = [
        Record(half, half, "k", "", True, valid, True, 0.9) for half in ("tuning", "test") for valid in (True, False)
    ]
    kept(tmp_path / "home.first.default.jsonl", ["a"], lambda _: records)
    assert records_in(tmp_path, "tuning") == records[:1]


def test_each_graph_is_left_out_of_the_fit_once() -> None:
    right = [Record(str(n), "tuning", "k", "", True, True, True, 1.0, same=True) for n in range(20)]
    wrong = [replace(one, same=False) for one in right]
    assert left_out({"a": right, "b": [*right[:3], *wrong[:1]]}) == {"a": [0, 0], "b": [3, 4]}  # of b 75 % are right
    assert tomllib.loads(fit({"a": right, "b": right[:3]}))["left_out"] == {"a": [20, 20], "b": [3, 3]}


def test_the_number_said_is_the_share_that_was_right() -> None:
    kinds = ({}, {"unused": 1}, {"duplicates": 1}, {"unused": 2})
    records = [
        Record(str(n), "tuning", "k", "", n < right, True, not doubts, 0.5, dict(doubts), same=n < right)
        for doubts, right in zip(kinds, (45, 5, 20, 1), strict=True)
        for n in range(50)
    ]
    found = tomllib.loads(fit({"a": records}))
    weights = Weights(found["intercept"], found["weights"], tuple(map(tuple, found["curve"])))
    said = [confidence([kind for kind, times in held.items() for _ in range(times)], weights) for held in kinds]
    assert said == pytest.approx([0.9, 0.1, 0.4, 0.02], abs=0.02)


def test_the_shipped_set_needs_no_fetching_and_another_says_how() -> None:
    assert len(question_set("home", Path("nowhere")).questions) == 52
    other = question_set("paraphrases", Path("nowhere")).questions
    assert len(other) == 156 and len({question.cypher for question in other}) == 52
    with pytest.raises(FileNotFoundError, match="fetch"):
        question_set("movies", Path("nowhere"))


def test_the_same_is_said_of_the_same_things_where_one_result_shows_more_columns() -> None:
    gold = "MATCH (q:Question) RETURN q ORDER BY q.score DESC LIMIT 2"
    nodes = [[{"title": "A", "score": 3}], [{"title": "B", "score": 2}]]
    assert says_the_same(gold, nodes, [["A"], ["B"]])
    assert says_the_same(gold, nodes, [["A", 3.0], ["B", 2.0]])
    assert not says_the_same(gold, nodes, [["A", 30], ["B", 20]])  # a number that isn't gold's
    assert not says_the_same(gold, nodes, [["B", 2], ["A", 3]])
    assert not says_the_same(gold, nodes, [["A", 3], ["A", 2]])
    assert not says_the_same(gold, nodes, [[3], [2]])
    assert not says_the_same(gold, nodes, [])
    listed = "MATCH (q:Question) RETURN q.title"
    assert says_the_same(listed, [["A"], ["B"], ["A"]], [["B"], ["A"]])
    assert says_the_same(listed, [["A"], ["B"]], [["B", 7], ["A", 8]])
    assert not says_the_same(listed, [["A"], ["B"]], [["B", 7], ["A", 8], ["A", 9]])  # A is two things here
    assert not says_the_same(listed, [["A", "x"], ["B", "y"]], [["A", "y"], ["B", "x"]])
    assert says_the_same(listed, [["x", ["A", "B"]], ["y", ["C"]]], [["x", "B"], ["y", "C"], ["x", "A"]])  # in lists
    assert not says_the_same(listed, [["x", ["A", "B"]], ["y", ["C"]]], [["x", "A"], ["y", "C"], ["y", "B"]])


def test_numbers_that_are_the_whole_of_both_results_are_the_same_once() -> None:
    query = "MATCH (p:Port) RETURN p.port"
    assert says_the_same(query, [[443], [443], [80]], [[80], [443]])
    assert says_the_same(query, [[443], [80]], [[{"port": 80}], [{"port": 443}]])
    assert not says_the_same(query, [[443], [80]], [[80, 1], [443, 2]])


def test_names_that_gold_shows_once_may_be_of_two_things() -> None:
    names, users = [["A"], ["B"]], [["A", 1], ["A", 2], ["B", 3]]
    assert says_the_same("MATCH (u:User) RETURN DISTINCT u.name", names, users)
    assert not says_the_same("MATCH (u:User) RETURN u.name", names, users)


EQUALS = [["A", 3], ["B", 2], ["C", 2], ["D", 2], ["E", 1]]


def test_of_equals_gold_may_as_well_return_others() -> None:
    def every(query: str) -> list[list[object]]:
        assert query == "MATCH (s:Ship) RETURN s.name, s.tons AS ranked_by_0 ORDER BY s.tons DESC"
        return [list(row) for row in EQUALS]

    gold = "MATCH (s:Ship) RETURN s.name ORDER BY s.tons DESC LIMIT 3"
    assert as_well(gold, [["A"], ["D"], ["B"]], every) == [["A"], ["D"], ["B"]]
    assert as_well(gold, [["A", 3], ["D", 2], ["C", 2]], every) == [["A"], ["D"], ["C"]]
    assert as_well(gold, [["D"], ["A"], ["E"]], every) == [["A"], ["D"], ["B"]]  # neither an order nor a rank it lacks
    assert as_well(gold.partition(" ORDER")[0], [["A"]], every) is None  # all rows, in any order: nothing is open


def test_of_a_limit_without_an_order_gold_may_return_any() -> None:
    ships = [["A"], ["B"], ["C"]]
    assert as_well("MATCH (s:Ship) RETURN s.name LIMIT 2", [["C"], ["A"]], lambda _: ships) == [["C"], ["A"]]
    assert as_well("MATCH (s:Ship) RETURN s.name LIMIT 2", [["X"], ["C"]], lambda _: ships) == [["C"], ["A"]]


def test_a_graph_that_is_drawn_after_a_schema_holds_what_queries_test_for_and_is_the_same_each_time(
    tmp_path: Path,
) -> None:
    schema = {
        "node_props": {
            "Ship": [
                {"property": "name", "type": "STRING", "values": ["Wolf"], "distinct_count": 900},
                {"property": "tons", "type": "INTEGER", "min": "1000000000000000000", "max": "1290490355717681664"},
                {"property": "place", "type": "POINT"},
            ],
            "Port": [{"property": "name", "type": "STRING", "values": ["Oban"]}],
        },
        "rel_props": {"CALLED_AT": [{"property": "year", "type": "INTEGER", "values": ["1999"]}]},
        "relationships": [{"start": "Ship", "type": "CALLED_AT", "end": "Port"}],
    }
    queries = ["MATCH (s:Ship {name: 'Heron'})-[:CALLED_AT]->(p:Port) WHERE p.name CONTAINS 'berg' RETURN s.name"]
    graphs = [drawn(repr(schema), queries, tmp_path) for _ in range(2)]
    assert graphs[0].nodes == graphs[1].nodes and graphs[0].relations == graphs[1].relations
    ships, ports = (
        [node.properties for node in graphs[0].nodes if node.labels == (kind,)] for kind in schema["node_props"]
    )
    assert [ship["name"] for ship in ships[:2]] == ["Wolf", "Heron"] and len({ship["name"] for ship in ships}) > 50
    assert any("berg" in port["name"] for port in ports) and "place" not in ships[0]
    assert {held.kind for held in graphs[0].relations} == {"CALLED_AT"}
    write(graphs[0], tmp_path / "graph")
    held = EmbeddedBackend(tmp_path / "graph")
    assert held.run("MATCH (s:Ship) RETURN max(s.tons) > 1000000000000000000").rows == [[True]]
    held.close()
