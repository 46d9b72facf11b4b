"""The query is found in whatever a model writes (seed 004 §3.1.2, issue 8)."""

from __future__ import annotations

import pytest

from servers.text2cypher.core.response import parse_response

QUERY = "MATCH (n:MK) RETURN n.nama"


@pytest.mark.parametrize(
    "text",
    [
        f"<think>\nanalisis\n</think>\n\n<cypher>\n{QUERY}\n</cypher>",
        f"<cypher>{QUERY};</cypher>",
        f"<cypher>\n```cypher\n{QUERY}\n```\n</cypher>",
        f"```cypher\n{QUERY}\n```",
        f"```\n{QUERY}\n```",
        f"Tentu! Ini querynya:\n\n```cypher\n{QUERY}\n```\n\nQuery ini mengembalikan nama.",
        f"Query: {QUERY}",
        f"Berikut jawabannya.\n{QUERY}\n\nPenjelasan: semua mata kuliah.",
        f"<cypher>MATCH (x) RETURN x</cypher> salah, seharusnya <cypher>{QUERY}</cypher>",
        f"<think>belum selesai <cypher>{QUERY}</cypher>",
        f"<cypher>{QUERY}",
        f"<think>coba MATCH (a) RETURN a</think>{QUERY}",
        f"<CYPHER>{QUERY}</CYPHER>",
        QUERY,
    ],
)
def test_the_query_is_found(text: str) -> None:
    assert parse_response(text).query == QUERY


@pytest.mark.parametrize(
    "text", ["", "Maaf, saya tidak tahu.", "<think>hanya berpikir", "<cypher></cypher>", "```\n\n```"]
)
def test_no_query_is_said_to_be_none(text: str) -> None:
    assert parse_response(text).query == ""


def test_thoughts_are_kept_apart() -> None:
    assert parse_response(f"<think> langkah satu </think><cypher>{QUERY}</cypher>").reasoning == "langkah satu"
