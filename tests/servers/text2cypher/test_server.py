"""The server as an MCP client sees it, over real stdio (issue 8, as a server)."""

from __future__ import annotations

from typing import Any

from mcp import Client

from tests.scripted_model import in_turn, scripted_model
from tests.servers.process import served

QUERY = "MATCH (m:MK)-[:PREREQUISITE]->(m2:MK {nama: 'Sistem Operasi'}) RETURN m.nama"


def server(**env: str) -> Client:
    return served("text2cypher", **env)


async def test_it_offers_four_tools_under_its_name() -> None:
    async with server() as client:
        assert client.server_info is not None and client.server_info.name == "text2cypher"
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(tools) == {"ask_graph", "validate_cypher", "get_graph_schema", "run_cypher"}
    assert tools["ask_graph"].input_schema["required"] == ["question"]
    assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools.values())


async def test_a_question_is_answered_and_each_attempt_told() -> None:
    heard: list[str] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        heard.append(message or "")

    with scripted_model(in_turn("<cypher>METCH (m) RETURN m</cypher>", f"<cypher>{QUERY}</cypher>")) as model:
        async with server(TEXT2CYPHER_MODEL_URL=model.url) as client:
            result = await client.call_tool(
                "ask_graph",
                {"question": "Apa saja prasyarat dari mata kuliah Sistem Operasi?"},
                progress_callback=progress,
            )
    answer: dict[str, Any] = result.structured_content or {}
    assert set(answer) == {*"cypher columns headings rows answer attempts status confidence doubts".split()}
    assert answer["headings"] == ["nama"]
    assert (answer["cypher"], answer["status"]) == (QUERY, "success")
    assert answer["confidence"] >= 0.75 and answer["doubts"] == []
    assert (answer["columns"], answer["rows"]) == (["m.nama"], [["Algoritma dan Struktur Data"]])
    assert answer["answer"] == "Jawabannya: Algoritma dan Struktur Data."
    first, second = answer["attempts"]
    assert (first["iteration"], first["validation"][-1]["error_type"]) == (1, "syntax_error")
    assert set(first["validation"][0]) == {"validator", "is_valid", "error_type", "error_message"}
    assert second["query"] == QUERY
    assert len(heard) == 2 and "syntax_error" in heard[0] and "valid" in heard[1]


DECLINED = {
    "Hapus mata kuliah Skripsi": "hanya bisa dibaca",
    "Mohon dihapus mata kuliah Skripsi": "hanya bisa dibaca",
    "MATCH (n) DETACH DELETE n": "hanya bisa dibaca",
    "Berapa harga beras hari ini?": "tidak menyebut apa pun",
    "Berapa SKS mata kuliah Fisika Kuantum?": "Fisika Kuantum tidak ada di graf",
    "Please delete the course Skripsi": "only be read",
    "   ": "kosong",
}


async def test_what_is_no_question_to_the_graph_is_declined() -> None:
    with scripted_model(in_turn("<cypher>RETURN 1</cypher>")) as model:
        async with server(TEXT2CYPHER_MODEL_URL=model.url) as client:
            for question, words in DECLINED.items():
                answer = (await client.call_tool("ask_graph", {"question": question})).structured_content or {}
                assert (answer["status"], answer["cypher"], answer["attempts"]) == ("failed", None, []), question
                assert words in answer["answer"]
        assert model.requests == []


async def test_a_question_as_long_as_a_book_is_refused_before_it_is_read() -> None:
    async with server(TEXT2CYPHER_MODEL_URL="http://127.0.0.1:9") as client:
        refused = await client.call_tool("ask_graph", {"question": "kode mata kuliah " * 500})
        assert refused.is_error and "terlalu panjang" in refused.content[0].text


async def test_queries_are_validated_and_run_and_the_schema_told() -> None:
    async with server() as client:
        schema = (await client.call_tool("get_graph_schema", {})).structured_content or {}
        rows = (
            await client.call_tool("run_cypher", {"query": "MATCH (m:MK {semester: 8}) RETURN m.nama AS n"})
        ).structured_content
        wrong = (
            await client.call_tool("validate_cypher", {"query": "MATCH (m:MK) RETURN m.foo"})
        ).structured_content or {}
        refused = await client.call_tool("run_cypher", {"query": "MATCH (m:MK) DELETE m"})
        no_model = await client.call_tool("ask_graph", {"question": "Berapa SKS mata kuliah Skripsi?"})
    assert schema["labels"]["MK"]["sks"] == "INTEGER"
    assert {"type": "PREREQUISITE", "from": "MK", "to": "MK"} in schema["relationships"]
    assert rows == {"columns": ["n"], "rows": [["Skripsi"]], "truncated": False}
    assert wrong["validation"][-1]["error_type"] == "properties_error"
    assert refused.is_error and "hanya boleh membaca" in refused.content[0].text
    assert no_model.is_error and "TEXT2CYPHER_MODEL_URL" in no_model.content[0].text
