"""An uncertain answer says in whole sentences of the question's language what was taken for what (issue 20)."""

from __future__ import annotations

from servers.text2cypher.core.answer import sentence
from servers.text2cypher.core.workbench import Workbench
from servers.text2cypher.linking.language import languages
from tests.servers.text2cypher.test_confidence import answered


def test_a_bound_that_is_tested_otherwise_is_named_whole(harbour: Workbench) -> None:
    query = "MATCH (v:Vessel) WHERE v.built >= 2000 RETURN v.name"
    found = answered(harbour, "Which vessels were built after 2000?", query)
    assert (found["status"], found["doubts"]) == ("uncertain", ["the query doesn't use 'after 2000'."])
    assert "'after 2000' = not used" in found["answer"]


def test_each_doubt_is_a_sentence(harbour: Workbench) -> None:
    found = answered(harbour, "Which skippers command Blue Heron?", "MATCH (v:Vessel) RETURN sum(v.built)")
    assert len(found["doubts"]) > 1 and found["answer"].startswith("Not certain: ")
    assert found["doubts"][1][0].islower() and ". The query " in found["answer"]


def test_what_a_word_was_taken_for_is_said_in_the_question_s_language(bench: Workbench) -> None:
    query = "MATCH (m:MK) WHERE m.sks > 2 RETURN avg(m.semester)"
    found = answered(bench, "Berapa rata-rata SKS mata kuliah dengan lebih dari 2 SKS?", query)
    assert found["status"] == "uncertain" and "'rata-rata' = rata-rata" in found["answer"]
    assert "'lebih dari 2' = lebih dari 2" in found["answer"] and "greater" not in found["answer"]


def test_a_sentence_ends_with_one_stop() -> None:
    words = languages().voice_of("Who is it?").answers
    assert sentence(["name"], [["J.T. Walsh Jr."]], words) == "The answer: J.T. Walsh Jr."
    assert sentence(["name"], [["A."], ["B."]], words) == "Found 2 results: A.; B."
