"""Generate, validate, refine: states, feedback and aids, with a scripted endpoint (seed 004 §3.1.3, §3.3)."""

from __future__ import annotations

from typing import Any

import pytest
from llguidance import LLMatcher, LLTokenizer

from servers.text2cypher.config import Aids, LLMConfig, Settings
from servers.text2cypher.core.agent_loop import AgentLoop
from servers.text2cypher.core.agent_state import AgentState, AgentStatus, ErrorType, ValidationResult
from servers.text2cypher.core.llm_client import LLMClient, LLMError
from servers.text2cypher.core.workbench import Workbench
from servers.text2cypher.prompts import PromptType, SchemaFormat
from tests.scripted_model import Answer, in_turn, scripted_model
from tests.servers.text2cypher.harbour import covering

QUESTION = "Apa saja prasyarat dari mata kuliah Sistem Operasi?"
TOKENIZER = LLTokenizer("byte")
RIGHT = "MATCH (m:MK)-[:PREREQUISITE]->(m2:MK {nama: 'Sistem Operasi'}) RETURN m.nama"


def run(
    bench: Workbench,
    *answers: Answer,
    aids: Aids | None = None,
    prompt: PromptType = PromptType.ZERO_SHOT,
    question: str = QUESTION,
    grammar: bool = True,
    gold: str | None = RIGHT,
) -> tuple[AgentState, list[dict[str, Any]]]:
    with scripted_model(in_turn(*answers)) as model:
        client = LLMClient(LLMConfig("test", "s", url=model.url, grammar=grammar), sleep=lambda _: None)
        settings = Settings(aids=aids or Aids.none())
        loop = AgentLoop(bench, client, prompt_type=prompt, schema_format=SchemaFormat.ONLY_PATHS, settings=settings)
        state = loop.run("7", question, gold)
        client.close()
    return state, model.requests


def accepts(grammar: str, text: str) -> bool:
    """Whether a model held to this grammar can write the text."""
    matcher = LLMatcher(TOKENIZER, grammar)
    return bool(matcher.consume_tokens(TOKENIZER.tokenize_str(text)))


def test_a_valid_first_query_ends_the_loop(bench: Workbench) -> None:
    state, requests = run(bench, f"<think>prasyarat</think>\n<cypher>\n{RIGHT}\n</cypher>")
    assert (state.status, state.success, state.total_iterations) == (AgentStatus.SUCCESS, True, 1)
    assert (state.final_query, state.rows) == (RIGHT, [["Algoritma dan Struktur Data"]])
    assert state.attempts[0].reasoning == "prasyarat"
    (body,) = requests
    assert (body["temperature"], body["max_tokens"], "grammar" in body) == (0.1, 2048, False)


@pytest.mark.parametrize(
    ("wrong", "error", "said"),
    [
        ("METCH (m:MK) RETURN m", ErrorType.SYNTAX_ERROR, "Kesalahan Sintaks"),
        ("MATCH (m:Course) RETURN m", ErrorType.SCHEMA_ERROR, "(:MK)-[:PREREQUISITE]->(:MK)"),
        ("MATCH (m:MK) RETURN m.name", ErrorType.PROPERTIES_ERROR, "kode, nama, sks"),
        ("MATCH (m:MK) RETURN CAST(m.nama AS INT64)", ErrorType.EXECUTION_ERROR, "Kesalahan Eksekusi"),
        ("MATCH (m:MK {nama: 'Sistem Oprasi'}) RETURN m.kode", ErrorType.EMPTY_RESULT, "Sistem Operasi"),
        ("saya tidak tahu", ErrorType.SYNTAX_ERROR, "<cypher>"),
    ],
)
def test_every_kind_of_error_is_fed_back_and_recovered(
    bench: Workbench, wrong: str, error: ErrorType, said: str
) -> None:
    answer = wrong if wrong.startswith("saya") else f"<cypher>{wrong}</cypher>"
    state, requests = run(bench, answer, f"<cypher>{RIGHT}</cypher>")
    assert state.success and state.total_iterations == 2 and not state.first_attempt_valid
    assert state.attempts[0].error_type is error
    assert said in requests[1]["messages"][-1]["content"]
    assert requests[1]["messages"][-2]["role"] == "assistant"


def test_a_wrong_query_is_answered_in_the_documents_words(bench: Workbench) -> None:
    """Seed 004 §3.3.2."""
    syntax = """
        ## Kesalahan Sintaks Cypher
        Query Cypher yang Anda hasilkan memiliki kesalahan sintaks: pesan
        ### Panduan Perbaikan:
        - Pastikan keyword Cypher ditulis dengan benar (MATCH, WHERE, RETURN, dll.)
        - Periksa tanda kurung dan kurung kurawal
        - Pastikan setiap variabel didefinisikan sebelum digunakan
    """
    schema = """
        ## Kesalahan Skema
        Query menggunakan label atau relasi yang tidak ada dalam skema: pesan
        ### Label Node yang Valid: LG, LO, MK, SO, topic
        ### Tipe Relasi yang Valid:
    """
    for kind, text in ((ErrorType.SYNTAX_ERROR, syntax), (ErrorType.SCHEMA_ERROR, schema)):
        told = bench.feedback.build_feedback([ValidationResult(False, kind, "pesan")])
        assert " ".join(told.split()).startswith(" ".join(text.split()))


def test_three_wrong_queries_end_it_as_failed(bench: Workbench) -> None:
    state, requests = run(bench, "<cypher>MATCH (x:Salah) RETURN x</cypher>")
    assert (state.status, state.total_iterations, len(requests)) == (AgentStatus.FAILED, 3, 3)
    assert state.final_query == "MATCH (x:Salah) RETURN x"


def test_a_filter_that_finds_nothing_is_named(bench: Workbench) -> None:
    state, requests = run(
        bench, "<cypher>MATCH (m:MK {nama: 'Basis Dat'}) RETURN m.sks</cypher>", f"<cypher>{RIGHT}</cypher>"
    )
    feedback = requests[1]["messages"][-1]["content"]
    assert "Tidak ada MK dengan nama = 'Basis Dat'" in feedback and "Basis Data" in feedback
    assert state.attempts[0].feedback == feedback


def test_a_model_that_does_not_answer_fails_the_question_not_the_run(bench: Workbench) -> None:
    state, requests = run(bench, (503, "busy"))
    assert state.status is AgentStatus.FAILED and "no answer after 4 tries" in (state.error or "")
    assert len(requests) == 4


@pytest.mark.parametrize(
    ("question", "status"), [(QUESTION, AgentStatus.SUCCESS), ("Berapa gaji dosen Sistem Operasi?", AgentStatus.FAILED)]
)
def test_what_readings_cover_is_answered_though_the_model_is_silent(
    bench: Workbench, question: str, status: AgentStatus
) -> None:
    state, requests = run(bench, (503, "busy"), aids=Aids(), question=question, grammar=False, gold=None)
    assert (state.status, len(requests)) == (status, 4)
    assert [held.written_by for held in state.attempts] == ["reading"] * (status is AgentStatus.SUCCESS)
    assert bool(state.error) == (status is AgentStatus.FAILED)


def test_a_short_outage_is_ridden_out(bench: Workbench) -> None:
    state, _ = run(bench, (429, "slow down"), (500, "oops"), f"<cypher>{RIGHT}</cypher>")
    assert state.success


def test_a_wrong_key_is_not_tried_again() -> None:
    with scripted_model(in_turn((401, "bad key"))) as model:
        client = LLMClient(LLMConfig(url=model.url), sleep=lambda _: None)
        with pytest.raises(LLMError, match="check the key"):
            client.complete([{"role": "user", "content": "x"}])
        assert len(model.requests) == 1


def test_without_a_grammar_the_prompt_holds_the_hints(bench: Workbench) -> None:
    _, (body,) = run(bench, f"<cypher>{RIGHT}</cypher>", aids=Aids(), prompt=PromptType.FEW_SHOT, grammar=False)
    assert "Petunjuk: MK.nama = 'Sistem Operasi'; relasi PREREQUISITE" in body["messages"][-1]["content"]
    assert "grammar" not in body


UNCOVERED = "Sistem Operasi itu apa?"
COVERED = "Prasyarat mana dari Penambangan Data yang berada di semester 3?"


def test_where_readings_cover_every_word_the_first_is_written_and_a_model_with_a_grammar_is_not_asked(
    bench: Workbench,
) -> None:
    state, requests = run(bench, f"<cypher>{RIGHT}</cypher>", aids=Aids(), question=COVERED)
    assert requests == [] and state.rows == [["Statistika"], ["Basis Data"]]
    assert [attempt.as_dict()["written_by"] for attempt in state.attempts] == ["reading"]
    unsure, requests = run(bench, f"<cypher>{RIGHT}</cypher>", aids=Aids.parse("all,-execution"), question=COVERED)
    assert len(requests) == 1 and unsure.attempts[0].error_type is ErrorType.EMPTY_RESULT


def test_a_model_without_a_grammar_writes_whatever_the_readings_are(bench: Workbench) -> None:
    state, requests = run(bench, f"<cypher>{RIGHT}</cypher>", aids=Aids(), question=COVERED, grammar=False)
    assert state.final_query == RIGHT and len(requests) == 1
    assert state.attempts[0].as_dict()["written_by"] == "model"


def test_the_model_is_asked_when_no_reading_holds_and_is_shown_what_was_tried(bench: Workbench) -> None:
    question = "Mata kuliah apa di semester 3 yang namanya mengandung kata Zzz?"
    state, (body,) = run(bench, f"<cypher>{RIGHT}</cypher>", aids=Aids(), question=question)
    assert [attempt.written_by for attempt in state.attempts] == ["reading", "model"]
    assert state.attempts[0].query in body["messages"][-2]["content"]
    assert body["messages"][-1]["content"] == state.attempts[0].feedback
    assert body["grammar"].startswith("%llguidance {}\nstart:")


@pytest.mark.parametrize(("able", "sent"), [("grammar", True), ("json_schema", False), ("none", False), (None, False)])
def test_every_model_is_shown_schema_hints_and_examples_and_a_grammar_besides_where_it_says_it_takes_one(
    bench: Workbench, able: str | None, sent: bool
) -> None:
    with scripted_model(in_turn(f"<cypher>{RIGHT}</cypher>"), able) as model:
        client = LLMClient(LLMConfig("test", "s", url=model.url))
        AgentLoop(bench, client).run("7", UNCOVERED, RIGHT)
        client.close()
    (body,) = model.requests
    assert ("grammar" in body) is sent
    assert [m["role"] for m in body["messages"]] == ["system", *["user", "assistant"] * 3, "user"]
    assert "PREREQUISITE" in body["messages"][0]["content"]
    assert "Petunjuk: MK.nama = 'Sistem Operasi'" in body["messages"][-1]["content"]


@pytest.mark.parametrize(
    ("question", "query", "rows"),
    [
        ("Apa saja prasyarat Pemrograman Dasar?", "]->(m2:MK {nama: 'Pemrograman Dasar'}) RETURN m.nama", []),
        ("Berapa prasyarat Pemrograman Dasar?", "]->(m2:MK {nama: 'Pemrograman Dasar'}) RETURN count(m)", [[0]]),
        ("Mata kuliah apa yang tidak punya topik?", "(b:MK) WHERE NOT (b)<-[:PURSUED_IN]-(:topic) RETURN b.nama", []),
        (
            "Topik mana yang tidak diajarkan di mata kuliah apa pun?",
            "(a:topic) WHERE NOT (a)-[:PURSUED_IN]->(:MK) RETURN a.nama",
            [],
        ),
    ],
)
def test_a_reading_that_covers_every_word_and_finds_nothing_says_so_and_no_model_guesses(
    bench: Workbench, question: str, query: str, rows: list[list[Any]]
) -> None:
    state, requests = run(bench, f"<cypher>{RIGHT}</cypher>", aids=Aids(), question=question, gold=None)
    assert (requests, state.rows, state.status) == ([], rows, AgentStatus.UNCERTAIN)
    assert (state.final_query or "").endswith(query) and [doubt.kind for doubt in state.doubts] == ["empty"]


def test_where_no_reading_covers_every_word_the_one_that_leaves_the_fewest_is_written_and_uncertain(
    bench: Workbench,
) -> None:
    question = "Apa saja prasyarat penting dari mata kuliah Sistem Operasi?"
    state, requests = run(bench, f"<cypher>{RIGHT}</cypher>", aids=Aids(), question=question)
    assert (requests, state.rows) == ([], [["Algoritma dan Struktur Data"]])
    assert [(doubt.kind, doubt.about) for doubt in state.doubts] == [("guessed", ""), ("unused", "penting")]
    assert state.status is AgentStatus.UNCERTAIN


@pytest.mark.parametrize("question", ["Sistem Operasi mempelajari apa?", "What's covered in Sistem Operasi?"])
def test_a_relationship_that_only_a_verb_says_is_supposed(bench: Workbench, question: str) -> None:
    state, requests = run(bench, f"<cypher>{RIGHT}</cypher>", aids=Aids(), question=question)
    assert requests == [] and "[:PURSUED_IN]" in (state.final_query or "") and state.status is AgentStatus.UNCERTAIN


def test_readings_that_only_repeat_a_name_are_not_written_and_the_model_can_write_only_linked_values(
    bench: Workbench,
) -> None:
    question = "Aljabar Linear itu apa?"
    hints = bench.linker.link(question)
    assert covering(bench.reader.readings(hints), hints, bench.linker)
    _, (body,) = run(bench, f"<cypher>{RIGHT}</cypher>", aids=Aids(), prompt=PromptType.FEW_SHOT, question=question)
    about = "<cypher>MATCH (t:topic)-[:PURSUED_IN]->(m:MK {{nama: '{}'}}) RETURN t.nama</cypher>"
    assert accepts(body["grammar"], about.format("Aljabar Linear"))
    assert not accepts(body["grammar"], about.format("Sistem Operasi"))


def test_the_aids_of_the_prompt_are_switched_off_for_a_grammar_too(bench: Workbench) -> None:
    aids = Aids.parse("grammar")
    _, (body,) = run(bench, f"<cypher>{RIGHT}</cypher>", aids=aids, prompt=PromptType.ZERO_SHOT)
    assert "grammar" in body and "Petunjuk" not in body["messages"][-1]["content"] and len(body["messages"]) == 2


def test_an_endpoint_that_refuses_grammars_is_asked_without(bench: Workbench) -> None:
    refusing = (400, "unknown field grammar")
    state, requests = run(bench, refusing, f"<cypher>{RIGHT}</cypher>", aids=Aids(), question=UNCOVERED)
    assert state.success and "grammar" in requests[0] and "grammar" not in requests[1]


def test_an_endpoint_that_refuses_grammars_at_the_last_try_is_asked_without() -> None:
    with scripted_model(in_turn((400, "unknown field grammar"), "jawab")) as model:
        client = LLMClient(LLMConfig("test", "s", url=model.url, grammar=True, retries=0))
        assert client.complete([{"role": "user", "content": "?"}], grammar='start: "jawab"').text == "jawab"
        client.close()


def test_the_candidate_most_others_agree_with_is_chosen(bench: Workbench) -> None:
    other = "MATCH (m:MK {nama: 'Sistem Operasi'}) RETURN m.nama"
    same = RIGHT.replace("(m:MK)", "(p:MK)").replace("m.nama", "p.nama")
    state, requests = run(
        bench,
        *(f"<cypher>{query}</cypher>" for query in (other, RIGHT, same)),
        aids=Aids.parse("execution", candidates=3),
    )
    assert state.final_query in (RIGHT, same) and len(requests) == 3
    assert state.attempts[0].candidates == (other, RIGHT, same)
    assert [body["temperature"] for body in requests] == [0.1, 0.7, 0.7]


@pytest.mark.parametrize("text", ["all,-linking", "grammar, examples", "none"])
def test_aids_are_switched_by_name(text: str) -> None:
    aids = Aids.parse(text)
    assert aids.linking is False and aids.grammar is (text != "none")


def test_an_unknown_aid_is_named() -> None:
    with pytest.raises(ValueError, match="magic"):
        Aids.parse("magic")
