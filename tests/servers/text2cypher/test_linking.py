"""A question's words become labels, filters and readings; grammars compile and hold only the schema (issue 8)."""

from __future__ import annotations

import pytest
from llguidance import LLMatcher

from servers.text2cypher.core.confidence import doubts_of_query
from servers.text2cypher.core.workbench import Workbench
from servers.text2cypher.data import load_ground_truth
from servers.text2cypher.data.ground_truth_loader import DATA
from servers.text2cypher.graph.schema import STRING, GraphSchema
from servers.text2cypher.linking.asks import Ask
from servers.text2cypher.linking.naming import Naming
from servers.text2cypher.linking.values import Place, ValueIndex
from servers.text2cypher.metrics import compare_outputs
from tests.servers.text2cypher.harbour import covering


@pytest.mark.parametrize(
    ("question", "filters"),
    [
        ("Apa deskripsi SO KP.4?", [("SO", "kode", "KP.4")]),
        ("Apa deskripsi SO kp 4?", [("SO", "kode", "KP.4")]),
        ("Berapa SKS mata kuliah Sistim Operasi?", [("MK", "nama", "Sistem Operasi")]),
        ("berapa sks mata kuliah basis data", [("MK", "nama", "Basis Data")]),
        ("Mata kuliah apa di jalur Rekayasa Data?", [("MK", "jalur", "Rekayasa Data")]),
        ("Apa prasyarat mata kuliah Rekayasa Data?", [("MK", "nama", "Rekayasa Data")]),
        ("Mata kuliah wajib semester lima", [("MK", "tipe", "Wajib"), ("MK", "semester", 5)]),
        ("Mata kuliah pilihan 2 SKS", [("MK", "tipe", "Pilihan"), ("MK", "sks", 2)]),
        ("Mata kuliah wajibnya ada berapa?", [("MK", "tipe", "Wajib")]),
    ],
)
def test_named_things_are_linked_to_stored_values(
    bench: Workbench, question: str, filters: list[tuple[str, str, object]]
) -> None:
    found = [(f.label, f.property, value) for f in bench.linker.link(question).filters for value in f.values]
    assert found == filters


def test_what_is_missing_and_what_each_has_may_be_said_behind_a_noun(bench: Workbench) -> None:
    missing = bench.linker.link("Sebutkan mata kuliah yang jalurnya belum diisi.").filters
    assert [(held.property, held.operator) for held in missing] == [("jalur", "null")]
    assert bench.linker.link("Jalur masing-masing punya berapa mata kuliah?").each == "jalur"
    assert Ask.COLLECT in bench.linker.link("Untuk setiap jalur, buat daftar mata kuliahnya.").asks


@pytest.mark.parametrize(
    ("question", "ask"),
    [
        ("Berapa banyak mata kuliah wajib?", Ask.COUNT),
        ("Berapa total SKS semester 1?", Ask.SUM),
        ("Apakah Statistika prasyarat Kecerdasan Buatan?", Ask.YES_NO),
        ("Untuk setiap semester, sebutkan mata kuliahnya", Ask.GROUP),
        ("Semua prasyarat langsung maupun tidak langsung dari Skripsi", Ask.INDIRECT),
    ],
)
def test_what_is_asked_is_read_from_the_words(bench: Workbench, question: str, ask: Ask) -> None:
    assert ask in bench.linker.link(question).asks


def test_a_count_may_be_bounded_behind_what_is_counted_and_a_row_be_of_what_stands_before(bench: Workbench) -> None:
    for question in (
        "Mata kuliah yang topiknya lebih dari 2 apa saja?",
        "Mata kuliah dengan jumlah topik > 2?",
        "Courses where the number of topics is more than 2?",
    ):
        linked = bench.linker.link(question)
        assert linked.having == (">", 2)
        assert linked.focus != "topic"
    assert bench.linker.link("Matkul semester 3 masing-masing topiknya berapa?").each == "MK"
    assert bench.linker.link("Di semester 3 masing-masing mata kuliah topiknya berapa?").each == "MK"
    assert bench.linker.link("Untuk tiap prasyarat Skripsi, sebutkan topiknya").each == "MK"
    assert bench.linker.link("Prasyarat apa yang harus diambil sebelum Skripsi?").relations == {"PREREQUISITE": 1}
    assert bench.linker.link("Apa prasyarat dari prasyarat Skripsi?").relations == {"PREREQUISITE": 2}


def test_what_somebody_says_first_of_themselves_is_doubted_where_it_may_be_a_condition(bench: Workbench) -> None:
    query = "MATCH (m:MK {semester: 5}) RETURN m.nama"
    for said, doubts in (("Saya cari yang gratis, ", 1), ("Saya mau tahu, ", 0)):
        asked = bench.linker.link(f"{said}mata kuliah apa saja di semester 5?")
        assert doubts_of_query(asked, query, bench.linker) == doubts, said


@pytest.mark.parametrize(
    ("question", "only"),
    [
        ("Sebutkan prasyarat tidak langsung dari Skripsi", True),
        ("Sebutkan prasyarat Skripsi, termasuk yang tidak langsung", False),
        ("Prasyarat Skripsi apa saja? yang tidak langsung juga", False),
        ("Prasyarat Skripsi, langsung + tidak langsung", False),
        ("Apakah Statistika itu termasuk prasyarat tidak langsung dari Skripsi?", True),
    ],
)
def test_what_also_counts_longer_ways_does_not_leave_the_first_step_out(
    bench: Workbench, question: str, only: bool
) -> None:
    assert (Ask.ONLY_INDIRECT in bench.linker.link(question).asks) is only


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("Topik-topik apa aja yang gak dibahas?", "Topik apa saja yang tidak dibahas?"),
        ("Masing-masing rata-rata berapa?", "Masing-masing rata-rata berapa?"),
        ("Siapa Gak Jadi?", "Siapa Gak Jadi?"),
        ("Berapakah totalnya?", "berapa total?"),
        ("SO apa dapat dukungan Pembelajaran Mesin?", "SO apa dapat mendukung Pembelajaran Mesin?"),
        ("LG yang ada SO KP.9-nya?", "LG yang ada SO KP.9?"),
        ("Statistika prasyarat Basis Data bukan?", "apakah Statistika prasyarat Basis Data?"),
        ("Yang bukan pilihan apa saja?", "Yang bukan pilihan apa saja?"),
        ("rata2 sks matkul2 smt 3 masing2?", "rata-rata sks matkul semester 3 masing-masing?"),
        ("I'd like to know the code of Skripsi", "the code of Skripsi"),
        ("Mohon dicek, apakah ada?", "apakah ada?"),
        ("Aku lagi nyusun rencana studi, topik apa di Skripsi?", "topik apa di Skripsi?"),
        ("Aku mau ngambil Skripsi tahun depan, prasyaratnya?", "mengambil Skripsi, prasyaratnya?"),
        ("Saya di jalur Rekayasa Data, ada topik apa?", "jalur Rekayasa Data, ada topik apa?"),
        ("Topik di Skripsi apa? Aku lagi nyusun KRS", "Topik di Skripsi apa?"),
        ("Mau ambil Skripsi, jadi pengen review dulu: topik prasyaratnya?", "mengambil Skripsi, topik prasyaratnya?"),
        ("Which topics has Skripsi? I want their names", "Which topics has Skripsi? I want their names"),
        ("Mohon direkap topik Skripsi", "Mohon topik Skripsi"),
        ("Mohon dihitung topik Skripsi", "Mohon dihitung topik Skripsi"),
        ("Saya semester 3, matkul apa yang ada?", "Saya semester 3, matkul apa yang ada?"),
        ("I passed Statistika, what is next?", "passed Statistika, what is next?"),
        ("Saya tidak mau yang wajib, ada matkul apa?", "Saya tidak mau yang wajib, ada matkul apa?"),
    ],
)
def test_what_is_said_among_friends_is_read_as_it_is_written(bench: Workbench, said: str, written: str) -> None:
    assert bench.linker.link(said).question == written


@pytest.mark.parametrize(
    ("question", "query"),
    [
        (
            "Which topics are taught in Statistika?",
            "MATCH (t:topic)-[:PURSUED_IN]->(m:MK {nama: 'Statistika'}) RETURN t",
        ),
        (
            "Which courses have more than four topics?",
            "MATCH (t:topic)-->(m:MK) WITH m, count(t) AS n WHERE n > 4 RETURN m",
        ),
        ("Topik-topik Statistika apa aja?", "MATCH (t:topic)-[:PURSUED_IN]->(m:MK {nama: 'Statistika'}) RETURN t"),
    ],
)
def test_other_wordings_and_numbers_of_every_language_are_accounted_for(
    bench: Workbench, question: str, query: str
) -> None:
    assert doubts_of_query(bench.linker.link(question), query, bench.linker) == 0


def test_a_small_word_names_a_code_only_as_it_is_stored() -> None:
    codes = ValueIndex({Place("Country", "code"): ["ARE", "BY", "LVA", "ARE", "BY", "LVA"]})
    assert [held.value for held in codes.find("How many countries are there by code?")] == []
    assert [held.value for held in codes.find("Which banks are in ARE or LVA?")] == ["ARE", "LVA"]
    tags = ValueIndex({Place("Tag", "name"): ["list", "sum"]})
    assert tags.find("For the best answers, list the questions.", labelled=[22]) == []
    assert [held.value for held in tags.find("Which questions have the tag 'list'?")] == ["list"]


def test_of_two_spellings_the_one_that_is_written_is_meant() -> None:
    bank, name = Place("Bank", "id"), Place("Bank", "name")
    held = ValueIndex({bank: ["low-door-bank", "other"], name: ["Low Door Bank", "Other"]})
    (found,) = held.find("How many filings are of Low Door Bank?")
    assert (found.value, found.places) == ("Low Door Bank", (name,))


def test_an_id_shows_what_no_name_tells_apart() -> None:
    values = {Place("Filing", "bank_name"): ["Low", "Low", "Low"], Place("Filing", "id"): ["7", "8", "9"]}
    schema = GraphSchema({"Filing": {"bank_name": STRING, "id": STRING}}, (), {})
    assert Naming(schema, ValueIndex(values)).display("Filing") == ["id"]


def test_an_unrelated_question_links_to_nothing(bench: Workbench) -> None:
    hints = bench.linker.link("Berapa harga beras hari ini?")
    assert not (hints.labels or hints.mentions or hints.properties or hints.relations)


def test_the_readings_of_tuning_questions_hold_the_right_answer(bench: Workbench) -> None:
    missed = []
    for item in load_ground_truth(DATA / "tuning_questions.csv"):
        hints = bench.linker.link(item.question)
        readings = [*bench.reader.readings(hints), *bench.composer.readings(hints)]
        gold = bench.backend.run(item.cypher).rows
        queries = [reading.match + text for reading in readings for text in reading.returns]
        if not any(compare_outputs(item.cypher, gold, bench.backend.run(q).rows).pass_at_1 for q in queries):
            missed.append(item.question)
    assert missed == []


def test_every_reading_is_valid_cypher_of_the_schema(bench: Workbench) -> None:
    for item in load_ground_truth(DATA / "tuning_questions.csv"):
        for reading in bench.reader.readings(bench.linker.link(item.question)):
            assert all(bench.pipeline.kg_valid(reading.match + text) for text in reading.returns)


def test_to_enter_something_is_no_request_to_write(bench: Workbench) -> None:
    for said, writes in (("Masuk semester 5 mata kuliah apa?", False), ("Masukkan mata kuliah baru", True)):
        assert bench.linker.is_to_write(bench.linker.link(said)) is writes, said


def test_of_one_named_thing_no_pair_is_shown(bench: Workbench) -> None:
    asked = bench.linker.link("Apa pasangan mata kuliah Skripsi?")
    assert [query for reading in bench.reader.readings(asked) for query in reading.queries]


def test_the_two_of_a_pair_both_fulfil_what_both_are_said_to(bench: Workbench) -> None:
    asked = bench.linker.link("Pasangan prasyarat dan mata kuliah lanjutannya yang sama-sama mendukung SO KP.1?")
    match = "MATCH (m:MK)-[:PREREQUISITE]->(m2:MK)<-[:PURSUED_IN]-(s:SO {kode: 'KP.1'})"
    both = f"{match}, (s)-[:PURSUED_IN]->(m) RETURN m.nama, m2.nama"
    assert both in [query for reading in bench.reader.readings(asked) for query in reading.queries]
    assert doubts_of_query(asked, both, bench.linker) == 0
    assert doubts_of_query(asked, f"{match} RETURN m.nama, m2.nama", bench.linker) == 1


def test_the_grammar_of_the_schema_compiles(bench: Workbench) -> None:
    assert LLMatcher.validate_grammar(bench.schema_grammar(thinking=True)) == ""


@pytest.mark.parametrize(
    ("question", "queries"),
    [
        (
            "Apa prasyarat dari mata kuliah Data Raya?",
            ["MATCH (m:MK)-[:PREREQUISITE]->(m2:MK {nama: 'Data Raya'}) RETURN m.nama"],
        ),
        (
            "Mata kuliah apa yang membutuhkan Basis Data?",
            ["MATCH (m:MK {nama: 'Basis Data'})-[:PREREQUISITE]->(m2:MK) RETURN m2.nama"],
        ),
        (
            "Apakah Basis Data prasyarat dari Data Raya?",
            ["MATCH (m:MK {nama: 'Basis Data'})-[:PREREQUISITE]->(m2:MK {nama: 'Data Raya'}) RETURN count(*) > 0"],
        ),
        (
            "Mata kuliah apa di semester 2 sampai 3 yang namanya mengandung kata Fisika?",
            ["MATCH (m:MK) WHERE m.semester >= 2 AND m.semester <= 3 AND m.nama CONTAINS 'Fisika' RETURN m.nama"],
        ),
        (
            "Pasangan mata kuliah yang bisa diambil paralel?",
            [
                "MATCH (m:MK)-[:CAN_PARALLELIZED]->(m2:MK) RETURN m.nama, m2.nama",
                "MATCH (m:MK)-[:CAN_PARALLELIZED]->(m2:MK) RETURN m2.nama, m.nama",
            ],
        ),
    ],
)
def test_wording_that_is_plain_leaves_one_reading(bench: Workbench, question: str, queries: list[str]) -> None:
    hints = bench.linker.link(question)
    assert covering(bench.reader.readings(hints), hints, bench.linker) == queries
