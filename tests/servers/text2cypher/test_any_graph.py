"""No word of one graph stands in the code: a stranger's graph is read as well as the shipped one (issue 20)."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from llguidance import LLMatcher, LLTokenizer

from servers.text2cypher.config import LLMConfig
from servers.text2cypher.core.agent_loop import AgentLoop
from servers.text2cypher.core.answer import ask
from servers.text2cypher.core.llm_client import LLMClient
from servers.text2cypher.core.workbench import Workbench
from servers.text2cypher.grammar.variables import variables_of
from servers.text2cypher.graph.embedded import EmbeddedBackend
from servers.text2cypher.graph.folder import CURRICULUM
from servers.text2cypher.graph.schema import GraphSchema
from servers.text2cypher.linking.language import languages
from servers.text2cypher.linking.lexicon import load_lexicon
from tests.scripted_model import in_turn, scripted_model
from tests.servers.text2cypher.harbour import covering

CODE = Path(__file__).parents[3] / "servers" / "text2cypher"
ORDINARY = frozenset(
    "tipe jenis kelompok nama keterangan penjelasan name code type description credit track subject duration isi lama "
    "judul jalur bertipe".split()
)
"""Words of the curriculum's lexicon that any program has."""


def _texts(file: Path) -> list[str]:
    """The string literals of a module that are no docstrings."""
    nodes = list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
    alone = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    return [
        str(n.value) for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str) and id(n) not in alone
    ]


@pytest.mark.slow
def test_no_word_of_the_curriculum_stands_in_the_code() -> None:
    lexicon = json.loads((CURRICULUM / "lexicon.json").read_text(encoding="utf-8"))
    held = [lexicon[kind] for kind in ("labels", "properties")]
    words = {word for names in held for phrases in names.values() for word in phrases} - ORDINARY
    words |= {name.lower() for names in held for name in names} - ORDINARY
    seen = []
    for file in CODE.rglob("*.py"):
        for text in _texts(file):
            seen += [(file.name, word) for word in words if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text.lower())]
    assert sorted(set(seen)) == []


def test_a_strangers_graph_is_given_none_of_the_curriculums_words() -> None:
    lexicon = load_lexicon(GraphSchema({"topic": {"nama": "STRING"}, "Forum": {"judul": "STRING"}}, (), {}))
    assert "materi" not in lexicon.labels and not lexicon.ignored and lexicon.labels["forums"] == "Forum"


def test_every_language_says_every_answer() -> None:
    voices = languages().voices
    keys = [set(voice.answers) for voice in voices.values()]
    assert len(voices) >= 2 and all(held == keys[0] for held in keys)
    assert languages().voice_of("Which ships are there?") is voices["en"]
    assert languages().voice_of("Kapal apa saja?") is voices["id"]


def opened(folder: Path, files: dict[str, str]) -> Workbench:
    """A graph of these files, with no examples of its own."""
    for name, text in files.items():
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    return Workbench(EmbeddedBackend(folder), [], folder)


def graph_of(files: dict[str, str]) -> Any:
    """A fixture: the graph of these files, one for a module's tests."""

    @pytest.fixture(scope="module")
    def graph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
        held = opened(tmp_path_factory.mktemp("graph"), files)
        yield held
        held.backend.close()

    return graph


def answered(bench: Workbench, question: str, query: str) -> str:
    """The status of the answer when a model writes this query."""
    with scripted_model(in_turn(f"<cypher>{query}</cypher>")) as model:
        client = LLMClient(LLMConfig("test", "s", url=model.url), sleep=lambda _: None)
        found = ask(bench, AgentLoop(bench, client), question)
        client.close()
    assert found["cypher"] == query, found["attempts"]
    return str(found["status"])


SHOPS = {
    "nodes.Corner Shop": "name,opening year\nBlue Door,1998\nHarbour Light,2010\n",
    "nodes.Order": "number,total amount\nA-1,12.5\nA-2,99\n",
    "edges.PLACED AT": "from_label,from_key,to_label,to_key,by hand\nOrder,A-1,Corner Shop,Blue Door,true\n"
    "Order,A-2,Corner Shop,Blue Door,false\n",
}


def test_names_with_blanks_and_names_that_are_keywords_are_asked_for(tmp_path: Path) -> None:
    bench = opened(tmp_path, SHOPS)
    try:
        query = "MATCH (o:Order)-[:`PLACED AT`]->(s:`Corner Shop` {name: 'Blue Door'}) RETURN count(o)"
        assert answered(bench, "How many orders were placed at the corner shop Blue Door?", query) == "success"
        ignoring = "MATCH (s:`Corner Shop`) WHERE s.`opening year` < 2000 RETURN s.name"
        assert answered(bench, "Which corner shops have an opening year after 2000?", ignoring) == "uncertain"
        hints = bench.linker.link("Which corner shops have an opening year after 2000?")
        assert LLMatcher.validate_grammar(bench.schema_grammar(thinking=False, hints=hints)) == ""
        readings = bench.reader.readings(hints)
        assert readings and all(bench.pipeline.kg_valid(r.match + text) for r in readings for text in r.returns)
    finally:
        bench.backend.close()


def test_examples_are_made_of_the_graph_and_each_finds_something(tmp_path: Path) -> None:
    bench = opened(tmp_path, SHOPS)
    try:
        made = bench.examples
        assert len({example.cypher for example in made}) >= 5
        assert all(bench.pipeline.validate(example.cypher).is_valid for example in made)
        asked = {example.question for example in made}
        assert "How many corner shops are there?" in asked and "Ada berapa corner shop?" in asked
        shown = bench.similar.pick(bench.linker.link("How many orders are there?").masked, 3)
        assert any("count" in example.cypher for example in shown)
    finally:
        bench.backend.close()


PLAYS = {
    "nodes.Person": "name,born\nAda Lim,1951\nBo Chen,1962\nCy Wu,1970\nDi Ray,1980\n",
    "nodes.Play": "title,staged\nTide,1990\nDust,1999\nEmber,2005\n",
    "edges.DIRECTED": "from_label,from_key,to_label,to_key\nPerson,Ada Lim,Play,Tide\nPerson,Ada Lim,Play,Dust\n"
    "Person,Bo Chen,Play,Ember\n",
    "edges.ACTED_IN": "from_label,from_key,to_label,to_key\nPerson,Bo Chen,Play,Ember\nPerson,Cy Wu,Play,Tide\n"
    "Person,Di Ray,Play,Tide\nPerson,Di Ray,Play,Dust\n",
    "nodes.House": "name,houseID\nOld Hall,1\nNew Hall,2\n",
    "edges.USED": "from_label,from_key,to_label,to_key\nPerson,Ada Lim,House,Old Hall\nPerson,Bo Chen,House,New Hall\n",
    "edges.REVIEWED": "from_label,from_key,to_label,to_key,rating,summary\nPerson,Cy Wu,Play,Dust,40,Dull but short\n"
    "Person,Ada Lim,Play,Ember,90,A joy\nPerson,Di Ray,Play,Tide,60,Fine\n",
}
ASKED = [
    ("Which plays were staged in the 1990s?", [["Tide"], ["Dust"]]),
    ("List the plays staged between 1995 and 2005.", [["Dust"], ["Ember"]]),
    ("Which persons born after 1950 and before 1965 have directed plays?", [["Ada Lim"], ["Bo Chen"]]),
    ("Who directed the play 'Ember'?", [["Bo Chen"]]),
    ("Which plays were directed by actors?", None),
    ("Who directed and acted in the same play?", [["Bo Chen"]]),
    ("Who are the top 2 directors by the number of plays directed?", [["Ada Lim", 2], ["Bo Chen", 1]]),
    ("Who are the 2 oldest persons?", [["Ada Lim", 1951], ["Bo Chen", 1962]]),
    ("List the plays reviewed with a rating less than 50.", [["Dust", 40]]),
    ("Which plays have a review summary containing 'joy'?", [["Ember"]]),
    ("Which persons have directed more than one play?", [["Ada Lim"]]),
    ("Which plays have not been reviewed?", []),
    ("How many different persons acted in 'Tide'?", [[2]]),
    ("Which houses were used by persons who directed plays?", [["Old Hall"], ["New Hall"]]),
    ("Which plays have a 'staged' later than 2000?", [["Ember"]]),
]


def test_a_strangers_questions_have_a_reading_that_answers_them(tmp_path: Path) -> None:
    bench = opened(tmp_path, PLAYS)
    try:
        missed = []
        for question, answer in ASKED:
            hints = bench.linker.link(question)
            found = covering(bench.composer.readings(hints), hints, bench.linker)
            results = [bench.backend.run(query).rows for query in found]
            if answer and not any(sorted(map(repr, rows)) == sorted(map(repr, answer)) for rows in results):
                missed.append((question, found))
        assert missed == []
    finally:
        bench.backend.close()


def test_what_is_the_same_in_every_row_is_no_column(tmp_path: Path) -> None:
    bench = opened(tmp_path, PLAYS)
    try:
        for question, column in (
            ("Which plays were directed by Ada Lim?", "p.name"),
            ("When was 'Tide' staged?", "title"),
        ):
            found = bench.composer.readings(bench.linker.link(question))
            shown = [text for reading in found for text in reading.returns]
            assert shown and not any(column in text and "," in text for text in shown), shown
    finally:
        bench.backend.close()


def test_a_grammar_holds_two_matches_and_three_conditions(tmp_path: Path) -> None:
    bench = opened(tmp_path, PLAYS)
    tokenizer = LLTokenizer("byte")
    try:
        grammar = bench.schema_grammar(thinking=False)
        habits = variables_of(bench.backend.schema, [example.cypher for example in bench.examples])
        a, b = habits["Person"], habits["Play"]
        directed, acted = (f"({a}:Person)-[:{kind}]->({b}:Play)" for kind in ("DIRECTED", "ACTED_IN"))
        born = f"{a}.born >= 1960 AND {a}.born < 1970 OR {b}.staged = 1990"
        for query in (
            f"MATCH {directed} MATCH {acted} RETURN {a}.name",
            f"MATCH {directed} WHERE {born} RETURN {a}.name",
        ):
            tokens = tokenizer.tokenize_str(f"<cypher>{query}</cypher>")
            assert LLMatcher(tokenizer, grammar).validate_tokens(tokens) == len(tokens), query
            bench.backend.check(query)
        assert bench.backend.run(f"MATCH {directed} MATCH {acted} RETURN {a}.name").rows == [["Bo Chen"]]
    finally:
        bench.backend.close()


def test_every_composed_reading_is_a_valid_query(tmp_path: Path) -> None:
    bench = opened(tmp_path, PLAYS)
    try:
        for question, _ in ASKED:
            for reading in bench.composer.readings(bench.linker.link(question)):
                for text in reading.returns:
                    bench.backend.check(reading.match + text)
    finally:
        bench.backend.close()


def test_a_number_that_nothing_is_named_for_makes_no_condition(tmp_path: Path) -> None:
    bench = opened(tmp_path, PLAYS)
    try:
        readings = bench.composer.readings(bench.linker.link("Which plays are worth 7 of it?"))
        assert not any("= 7" in reading.match for reading in readings)
    finally:
        bench.backend.close()


def test_examples_made_of_a_graph_show_the_relationship_that_is_asked_about(tmp_path: Path) -> None:
    bench = opened(tmp_path, PLAYS)
    try:
        for kind, question in (("REVIEWED", "Which 3 plays were reviewed most?"), ("ACTED_IN", "Who acted in Tide?")):
            shown = bench.picked(bench.linker.link(question), 4)
            assert f":{kind}]" in shown[-1].cypher
            assert len({example.cypher for example in shown}) == 4
    finally:
        bench.backend.close()


def test_a_misspelt_name_is_taken_for_the_stored_one_wherever_it_stands_but_never_another_number(
    tmp_path: Path,
) -> None:
    bench = opened(tmp_path, {"nodes.Film": "title,made\nHarbour Lights,1990\nOrbit 3,1995\nAda Lim,1999\n"})
    try:
        for question, value in (
            ("What do you know of Harbor Lights?", "Harbour Lights"),
            ("Which year was Ada Limm made?", "Ada Lim"),
            ("Which year was Orbit 4 made?", None),
            ("Harbour what?", None),
        ):
            found = bench.linker.link(question).mentions
            assert [(held.value, held.exact) for held in found] == ([(value, False)] if value else []), question
    finally:
        bench.backend.close()


def test_a_long_name_in_a_question_is_linked_at_once(tmp_path: Path) -> None:
    name = " ".join(["Harbour"] * 14)
    bench = opened(tmp_path, {"nodes.Shop": f"name\n{name}\nBlue Door\n"})
    try:
        hints = bench.linker.link(f"Siapa punya shop {name} itu?")  # with a pattern that backtracks this never ends
        assert [held.value for held in hints.mentions] == [name]
    finally:
        bench.backend.close()


def test_a_graph_of_many_labels_and_no_names_is_read(tmp_path: Path) -> None:
    files = {f"nodes.Kind{n}": f"weight,made\n{n},200{n % 10}\n{n + 1},1999\n" for n in range(50)}
    bench = opened(tmp_path, files)
    try:
        query = "MATCH (k:Kind7) WHERE k.weight > 7 RETURN count(k)"
        assert answered(bench, "How many kind7 have a weight of more than 7?", query) == "success"
        assert LLMatcher.validate_grammar(bench.schema_grammar(thinking=False)) == ""
    finally:
        bench.backend.close()


def test_an_answer_of_very_many_rows_is_cut_and_said(tmp_path: Path) -> None:
    bench = opened(tmp_path, SHOPS)
    try:
        found = bench.backend.run("UNWIND range(1, 1000000) AS n RETURN n")
        assert found.truncated and len(found.rows) == 10_000
    finally:
        bench.backend.close()
